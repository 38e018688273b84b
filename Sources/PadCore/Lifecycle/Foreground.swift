import FleetModel

/// A person's wish to see an app, until it is active.
struct Opening {
    var app: AppName
    /// Everybody who asked for it.
    var commands: [Command]
    /// What it shall open there (S203).
    var urls: [Value] = []
}

/// The one app that has the screen.
extension Pad {
    func open(_ command: Command) {
        guard let app = command.message["app"]?.string, installed(app) != nil else {
            return refuse(command, "there is no app '\(command.message["app"]?.string ?? "")' on \(deviceName)")
        }
        guard let person = session.activePerson else { return refuse(command, "nobody is signed in") }
        guard !isLocked else { return refuse(command, "\(deviceName) is locked") }
        guard heldSignIns == nil else { return refuse(command, "\(person) is held in Setup Assistant") }
        barred.removeAll { $0 == Barred(person: person, app: app) }
        if let foreground, let run = runs[foreground], run.identity.app == app, run.phase == .active,
            run.goal == .foreground
        {
            refuseOpening("\(app) was opened instead")
            return done(command)
        }
        if opening?.app == app {
            opening?.commands.append(command)
        } else {
            refuseOpening("\(app) was opened instead")
            opening = Opening(app: app, commands: [command])
        }
        needsSettling = true
    }

    /// The present app leaves first; then the wanted one is launched or comes back.
    func continueOpening() {
        guard let opening, let person = session.activePerson, let manifest = installed(opening.app) else { return }
        if let foreground, let present = runs[foreground] {
            let isWanted = present.identity.app == opening.app
            let goal: AppRun.Goal = isWanted ? .foreground : .background
            if present.goal != goal {
                runs[foreground]?.goal = goal
                needsSettling = true
            }
            if isWanted { handURLs() }
            return
        }
        let launch =
            running(person, app: opening.app).last?.launch ?? start(manifest, person: person, goal: .foreground)
        runs[launch]?.goal = .foreground
        foreground = launch
        handURLs()
        needsSettling = true
    }

    func goHome(_ command: Command) {
        guard session.activePerson != nil else { return refuse(command, "nobody is signed in") }
        refuseOpening("the person went to the home screen")
        guard let foreground, runs[foreground] != nil else { return done(command) }
        runs[foreground]?.goal = .background
        homeCommands.append(command)
    }

    func becameActive(_ launch: Int) {
        guard launch == foreground, let opening, runs[launch]?.identity.app == opening.app else { return }
        self.opening = nil
        for command in opening.commands { done(command) }
    }
    /// In the background, or gone: the screen is free.
    func leftScreen(_ launch: Int) {
        guard launch == foreground, runs[launch]?.goal != .foreground else { return }
        foreground = nil
        for command in homeCommands { done(command) }
        homeCommands = []
        needsSettling = true
    }

    func refuseOpening(_ reason: String) {
        for command in opening?.commands ?? [] { refuse(command, reason) }
        opening = nil
    }
}
