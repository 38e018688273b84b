import FleetModel

/// An app that hangs, and one that is suspended for a while (faults `watchdog` and `suspend`).
extension AppLifecycle {
    /// `app.hang {app?}`: from now on the app is told nothing and returns from nothing; what other threads of it do goes on. The person leaves it, so that the system wants
    /// something of it, and the watchdog ends it when the allowance of that callback is over (app-lifecycle.md 3).
    func hang(_ command: Command) {
        guard let launch = launchToHang(command.asked(PadCommand.Hang.self).app) else {
            return refuse(
                command, "\(command.asked(PadCommand.Hang.self).app ?? "no app") does not run: nothing can hang")
        }
        runs[launch]?.disturbance.isHung = true
        if launch == screen.foreground {
            screen.refuseOpening("\(runs[launch]?.identity.app ?? "the app") hangs")
            runs[launch]?.goal = .background
        }
        kernel.needsSettling = true
        done(command)
    }
    /// One whose code runs; a suspended one has nothing to return from.
    private func launchToHang(_ app: AppName?) -> Int? {
        let running = runs.keys.sorted().filter { runs[$0]?.process == .running }
        guard let app else { return screen.foreground.flatMap { running.contains($0) ? $0 : nil } }
        return running.last { runs[$0]?.identity.app == app }
    }
}
