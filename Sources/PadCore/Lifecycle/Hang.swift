import FleetModel

/// An app that hangs, and one that is suspended for a while (faults `watchdog` and `suspend`).
extension Pad {
    /// `app.hang {app?}`: from now on the app is told nothing and returns from nothing; what other threads of it do goes on. The person leaves it, so that the system wants
    /// something of it, and the watchdog ends it when the allowance of that callback is over (app-lifecycle.md 3).
    func hang(_ command: Command) {
        guard let launch = launchToHang(command.message["app"]?.string) else {
            return refuse(command, "\(command.message["app"]?.string ?? "no app") does not run: nothing can hang")
        }
        runs[launch]?.isHung = true
        if launch == foreground {
            refuseOpening("\(runs[launch]?.identity.app ?? "the app") hangs")
            runs[launch]?.goal = .background
        }
        needsSettling = true
        done(command)
    }
    /// One whose code runs; a suspended one has nothing to return from.
    private func launchToHang(_ app: AppName?) -> Int? {
        let running = runs.keys.sorted().filter { runs[$0]?.process == .running }
        guard let app else { return foreground.flatMap { running.contains($0) ? $0 : nil } }
        return running.last { runs[$0]?.identity.app == app }
    }

    /// `app.suspend`: the app on the screen leaves it and is suspended at the first moment at which it may be: what it holds a background task
    /// for is waited for (S127).
    func suspendFront(_ command: Command) {
        guard session.activePerson != nil else { return refuse(command, "nobody is signed in") }
        guard let foreground, runs[foreground]?.goal == .foreground else {
            return refuse(command, "no app is on the screen")
        }
        suspendedApp = runs[foreground]?.identity.app
        runs[foreground]?.isHurried = true
        goHome(command)
    }
    /// `app.resume`: it comes back, unless the person went on to something else.
    func resumeFront(_ command: Command) {
        guard let app = suspendedApp else { return done(command) }
        suspendedApp = nil
        guard foreground == nil, opening == nil, !isLocked,
            session.activePerson.map({ !running($0, app: app).isEmpty }) ?? false
        else { return done(command) }
        open(
            Command(
                from: command.from, message: Message(command.message.name, ["app": .string(app)]),
                exchange: command.exchange))
    }
}
