import FleetModel

/// Who uses the iPad: sessions, how they begin and how they end (shared-ipad.md 1, 2, 4, 5, 10).
final class Sessions: PadService {
    let kernel: Kernel
    let signIns: SignIns
    private(set) var session = Session.none
    /// Who was signed in last, for the mark `user-switched`.
    private var lastPerson: Person?
    /// Whose session ended by itself, until the next one begins.
    private(set) var timedOut: Person?
    /// When the person signs out without being asked again (fault).
    private var signOutMoment: SignOutMoment?
    private var signOutCommands: [Command] = []

    /// Whose apps run.
    var person: Person? { session.person }
    var activePerson: Person? { session.activePerson }

    init(_ kernel: Kernel) {
        self.kernel = kernel
        signIns = SignIns(kernel)
    }

    // MARK: Idle sessions

    /// Called whenever somebody does something at the iPad.
    func watchIdleness() {
        pad.protection.watchForAutoLock()
        guard let person = session.activePerson else { return kernel.timers.cancel(.idle) }
        let isGuest = kernel.state[person]?.isGuest ?? false
        let seconds =
            isGuest
            ? kernel.state.management.configuration.temporarySessionTimeout
            : kernel.state.management.configuration.userSessionTimeout
        guard seconds > 0 else { return kernel.timers.cancel(.idle) }
        kernel.timers.set(.idle, at: now + .seconds(Int64(seconds)))
    }

    /// ASSUMED: as an administrator's log-out.
    func sessionIsIdle() {
        guard case .active(let person) = session else { return }
        beginSignOut(person, forced: true)
        timedOut = person
        mark(.sessionTimedOut)
    }

    /// `session.signOutWhen {moment}`: signs out the person who is there at the first such moment; null: it is forgotten.
    func awaitMoment(_ command: Command) {
        guard let word = command.asked(PadCommand.SignOutWhen.self).moment else {
            signOutMoment = nil
            return done(command)
        }
        guard let moment = SignOutMoment(rawValue: word) else {
            return refuse(command, "'moment' is idle, backgroundTask or null")
        }
        signOutMoment = moment
        done(command)
    }
    /// Looked at after each step: what one step began and ended was no moment.
    func signOutIfDue() {
        guard let moment = signOutMoment, !kernel.isDown, case .active(let person) = session,
            !pad.management.setup.isHolding,
            isNow(moment, for: person)
        else { return }
        signOutMoment = nil
        mark(moment.mark)
        beginSignOut(person, forced: false)
        pad.settle()
    }
    private func isNow(_ moment: SignOutMoment, for person: Person) -> Bool {
        switch moment {
        case .backgroundTask: pad.apps.runs.values.contains { $0.process == .running && !$0.background.tasks.isEmpty }
        case .idle:
            !pad.apps.launches.isEmpty && pad.apps.questions.isEmpty && !pad.apps.screen.isOpening
                && !pad.residents.hasDataToSync(person)
                && pad.apps.runs.values.allSatisfy {
                    $0.background.tasks.isEmpty && $0.mail.events.isEmpty && $0.callback == nil
                        && $0.process != .starting
                }
        }
    }

    /// `session.bell`: the person who is here signs out, and so does everybody else in the room.
    func ringBell(_ command: Command) {
        if session.activePerson != nil { mark(.bell) }
        leaveSession(command, forced: false)
    }

    /// `session.timeOut`: a guest's time is over (shared-ipad.md 9.1).
    func timeOutGuest(_ command: Command) {
        guard let person = session.activePerson, kernel.state[person]?.isGuest == true else {
            return refuse(command, "no guest is here")
        }
        sessionIsIdle()
        done(command)
    }

    /// - Parameter forced: as MDM's LogOutUser does. ASSUMED: callbacks keep their deadlines, background tasks are not waited for.
    func leaveSession(_ command: Command, forced: Bool) {
        if let person = command.asked(PadCommand.LogOut.self).person, session.person != person,
            signIns.signIn?.person != person
        {
            return refuse(command, "\(person) is not signed in")
        }
        switch session {
        case .none:
            guard signIns.signIn != nil else { return refuse(command, "nobody is signed in") }
            signIns.refuseSignIn("the person went away")
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
        kernel.timers.cancel(.idle)
        pad.end(.session(person, reason: "\(person) signs out"))
        kernel.needsSettling = true
    }

    /// By an administrator: the person who is here is on the way out when it returns.
    func logOut() {
        if case .active(let person) = session { beginSignOut(person, forced: true) }
        if case .leaving(let person, _) = session { session = .leaving(person, forced: true) }
    }
    func ends(_ ending: Ending) {
        guard case .life(let reason) = ending else { return }
        for command in signOutCommands { refuse(command, reason) }
        signOutCommands = []
    }
    var whatMoves: String? { if case .leaving(let person, _) = session { "\(person) signs out" } else { nil } }

    /// Nobody's apps run any more, so nothing is locked and no memory is short.
    func showLoginScreen() {
        session = .none
        kernel.timers.cancel(.idle)
        pad.end(.loginScreen)
    }

    /// Goes on once every app has returned from its callbacks and let go of its background tasks, or has been killed for it.
    func continueSignOut() {
        guard case .leaving(let person, let forced) = session,
            pad.apps.runs.values.allSatisfy({ $0.isQuiet(forced: forced) })
        else { return }
        for launch in pad.apps.launches {
            pad.apps.fallAsleep(launch)
            pad.apps.end(launch, reason: EndReason.userSwitch)
        }
        showLoginScreen()
        lastPerson = person
        kernel.state.counters.signOuts += 1
        if let index = kernel.state.index(of: person) {
            kernel.state.residents[index].left = kernel.state.counters.signOuts
            kernel.state.residents[index].isPurgeDue = kernel.spec.purgesAtSignOut
        }
        pad.daemons.tell(.signedOut(person))
        let waiting = pad.daemons.pending(of: person).count
        note(Note(.signedOut, person: person, detail: ["pending": .int(waiting), "forced": .bool(forced)]))
        if waiting > 0, kernel.state[person]?.isGuest == false { mark(.userSwitchWithPending) }
        pad.residents.removeGuests()
        pad.storage.localData.purgeWhatIsDue()
        for command in signOutCommands { done(command) }
        signOutCommands = []
        signIns.nextPlease()
    }

    func begin(_ person: Person, first: Bool) {
        session = .active(person)
        timedOut = nil
        pad.protection.unlockedBySignIn()
        if let index = kernel.state.index(of: person) { kernel.state.residents[index].isPurgeDue = false }
        let detail = NoteDetail.SignedIn { ($0.first, $0.guest) = (first, kernel.state[person]?.isGuest == true) }
        note(Note(.signedIn, person: person, detail: detail.body))
        pad.storage.boundVolumes()
        if let lastPerson, lastPerson != person { mark(.userSwitched) }
        pad.daemons.tell(.signedIn(person))
        pad.management.setup.holdForSetup(person)
        pad.management.channels.openUserChannel(person)
        pad.apps.wakes.watchFetches()
    }
}

extension Sessions {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        if let person {
            try invariant(kernel.state[person] != nil, "\(person) has the session and is not on the iPad")
        }
        if case .leaving = session {
        } else {
            try invariant(signOutCommands.isEmpty, "\(signOutCommands.count) wait for a sign-out, and nobody signs out")
        }
        try invariant(
            kernel.timers.next(.idle) == nil || activePerson != nil,
            "a session is to end for idleness, and nobody has one")
    }
}
