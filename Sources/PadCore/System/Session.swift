import FleetModel

/// Who uses the iPad. One session at a time (shared-ipad.md 1).
enum Session: Hashable {
    /// The login screen.
    case none
    case active(Person)
    /// Signing out: apps get their last callbacks (shared-ipad.md 4). `forced`: background tasks are not waited for.
    case leaving(Person, forced: Bool)

    /// Whose apps run.
    var person: Person? {
        switch self {
        case .none: nil
        case .active(let person), .leaving(let person, _): person
        }
    }
    var activePerson: Person? { if case .active(let person) = self { person } else { nil } }
}

/// Signing out: the documented order, and what comes after it at the login screen.
extension Pad {
    /// - Parameter forced: as MDM's LogOutUser does. ASSUMED: callbacks keep their deadlines, background tasks are not waited for.
    func leaveSession(_ command: Command, forced: Bool) {
        if let person = command.message["person"]?.string, session.person != person, signIn?.person != person {
            return refuse(command, "\(person) is not signed in")
        }
        switch session {
        case .none:
            guard signIn != nil else { return refuse(command, "nobody is signed in") }
            refuseSignIn("the person went away")
            done(command)
        case .active(let person):
            signOutCommands.append(command)
            beginSignOut(person, forced: forced)
        case .leaving(let person, let already):
            signOutCommands.append(command)
            session = .leaving(person, forced: already || forced)
        }
    }

    func beginSignOut(_ person: Person, forced: Bool) {
        session = .leaving(person, forced: forced)
        timers.cancel(.idle)
        endSetup("\(person) signs out")
        refuseOpening("\(person) signs out")
        refuseWaitingQuestions("\(person) signs out")
        for launch in runs.keys { runs[launch]?.goal = .background }
        needsSettling = true
    }

    /// Nobody's apps run any more, so nothing is locked and no memory is short.
    func showLoginScreen() {
        session = .none
        endSetup("\(deviceName) is at its login screen")
        forgetLock()
        lockedApp = nil
        timers.cancel(.idle)
        timers.cancel(.autoLock)
        if let pressure { endPressure(pressure) }
    }

    /// Goes on once every app has returned from its callbacks and let go of its background tasks, or has been killed for it.
    func continueSignOut() {
        guard case .leaving(let person, let forced) = session, runs.values.allSatisfy({ $0.isQuiet(forced: forced) })
        else { return }
        for launch in runs.keys.sorted() {
            fallAsleep(launch)
            end(launch, reason: "userSwitch")
        }
        showLoginScreen()
        lastPerson = person
        barred.removeAll { $0.person == person }
        state.signOuts += 1
        if let index = state.index(of: person) {
            state.residents[index].left = state.signOuts
            state.residents[index].isPurgeDue = spec.purgesAtSignOut
        }
        tell(.signedOut(person))
        let waiting = pending(of: person).count
        note(Note(.signedOut, person: person, detail: ["pending": .int(waiting), "forced": .bool(forced)]))
        if waiting > 0, state[person]?.isGuest == false { mark("user-switch-with-pending") }
        removeGuests()
        purgeWhatIsDue()
        for command in signOutCommands { done(command) }
        signOutCommands = []
        let next = queuedSignIns
        queuedSignIns = []
        for command in next { personSignsIn(command) }
    }
}
