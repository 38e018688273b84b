import FleetModel

/// Sessions without an account, and sessions that end by themselves (shared-ipad.md 1, 2, 5, 10).
extension Pad {
    /// A volume of its own and no account: iCloud, keychain sync and key-value sync are denied, the network is not, and all of the volume
    /// goes at the end, unsent uploads too (shared-ipad.md 2, 5). ASSUMED: takes no slot.
    func guestSignsIn(_ command: Command, _ guest: Person) {
        guard state[guest] == nil else {
            return refuseSignIn(command, guest, "\(guest) has an account on this iPad; a guest needs another name")
        }
        wipe(guest)
        state.residents.append(
            SystemState.Resident(person: guest, token: "", account: "", iCloud: .none, isGuest: true))
        saveState()
        begin(guest, first: true)
        done(command)
    }

    /// Ends with the session; of one that a power cut or a restart ended, at the next start.
    func removeGuests() {
        for resident in state.residents where resident.isGuest && session.person != resident.person {
            remove(resident.person, reason: "temporarySession")
            mark("guest-session-ended")
        }
    }

    // MARK: Idle sessions

    /// Called whenever somebody does something at the iPad.
    func watchIdleness() {
        watchForAutoLock()
        guard let person = session.activePerson else { return timers.cancel(.idle) }
        let isGuest = state[person]?.isGuest ?? false
        let seconds =
            isGuest ? state.configuration.temporarySessionTimeout : state.configuration.userSessionTimeout
        guard seconds > 0 else { return timers.cancel(.idle) }
        timers.set(.idle, at: now + .seconds(Int64(seconds)))
    }

    /// ASSUMED: as an administrator's log-out.
    func sessionIsIdle() {
        guard case .active(let person) = session else { return }
        beginSignOut(person, forced: true)
        timedOut = person
        mark("session-timed-out")
    }
}
