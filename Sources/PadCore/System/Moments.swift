import FleetModel

/// A moment at which a person signs out: a switch is hardest, or easiest, just then (faults `user-switch-...`).
enum SignOutMoment: String {
    /// Nothing waits in a queue, no app holds a task or has something to return from.
    case idle
    /// An app holds a background task.
    case backgroundTask

    var mark: String {
        switch self {
        case .idle: "user-switch-idle"
        case .backgroundTask: "user-switch-background-task"
        }
    }
}

/// Ends of sessions that nobody decides at the iPad itself.
extension Pad {
    /// `session.signOutWhen {moment}`: signs out whoever is there at the first such moment; null: it is forgotten.
    func awaitMoment(_ command: Command) {
        guard let word = command.message["moment"]?.string else {
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
        guard let moment = signOutMoment, !isDown, case .active(let person) = session, heldSignIns == nil,
            isNow(moment, for: person)
        else { return }
        signOutMoment = nil
        mark(moment.mark)
        beginSignOut(person, forced: false)
        settle()
    }
    private func isNow(_ moment: SignOutMoment, for person: Person) -> Bool {
        switch moment {
        case .backgroundTask: runs.values.contains { $0.process == .running && !$0.tasks.isEmpty }
        case .idle:
            !runs.isEmpty && questions.isEmpty && opening == nil && !hasDataToSync(person)
                && runs.values.allSatisfy {
                    $0.tasks.isEmpty && $0.events.isEmpty && $0.callback == nil && $0.process != .starting
                }
        }
    }

    /// `session.bell`: whoever is here signs out, and so does everybody else in the room.
    func ringBell(_ command: Command) {
        if session.activePerson != nil { mark("bell") }
        leaveSession(command, forced: false)
    }

    /// `session.timeOut`: a guest's time is over (shared-ipad.md 9.1).
    func timeOutGuest(_ command: Command) {
        guard let person = session.activePerson, state[person]?.isGuest == true else {
            return refuse(command, "no guest is here")
        }
        sessionIsIdle()
        done(command)
    }

    /// `session.squeeze {on}`: room for nobody beside those who are cached.
    func squeeze(_ command: Command) {
        guard let on = command.message["on"]?.bool else { return refuse(command, "'on' is missing: true or false") }
        isSqueezed = on
        done(command)
    }
    /// People who can be cached.
    var slots: Int { isSqueezed ? min(room.slots, max(1, people.count)) : room.slots }

    /// `session.evict {person?}`: takes a cached person off the iPad as the system does to make room, never one with something to sync.
    func evictPerson(_ command: Command) {
        let chosen = command.message["person"]?.string
        guard let person = chosen ?? evictionCandidate(), state[person] != nil, session.person != person,
            mayLoseLocalData(person)
        else { return refuse(command, "\(chosen ?? "everybody") is signed in, has data to sync or is not here") }
        remove(person, reason: "eviction")
        done(command)
    }
}
