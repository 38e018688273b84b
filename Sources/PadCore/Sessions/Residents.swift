import FleetModel
import Storage

/// The people who are cached on this iPad: how many have room, who makes room for somebody new, and what goes with them.
final class Residents: PadService {
    let kernel: Kernel
    /// No more people than are cached have room here (fault).
    private var isSqueezed = false

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Whether something of a person is on this iPad alone: queues, or what an app could not hand over yet.
    func hasDataToSync(_ person: Person) -> Bool { !mayLoseLocalData(person) }

    var people: [Person] { kernel.state.residents.map(\.person) }
    func isSynced(_ person: Person) -> Bool { pad.daemons.pending(of: person).isEmpty }

    /// Ends with the session; of one that a power cut or a restart ended, at the next start.
    func removeGuests() {
        for resident in kernel.state.residents where resident.isGuest && pad.sessions.person != resident.person {
            remove(resident.person, reason: .temporarySession)
            mark(.guestSessionEnded)
        }
    }

    /// `session.squeeze {on}`: room for those who are cached, and for nobody else.
    func squeeze(_ command: Command) {
        guard let on = command.whole(PadCommand.Squeeze.self)?.on else {
            return refuse(command, "'on' is missing: true or false")
        }
        isSqueezed = on
        done(command)
    }
    /// People who can be cached.
    var slots: Int { isSqueezed ? min(room.slots, max(1, people.count)) : room.slots }

    /// `session.evict {person?}`: takes a cached person off the iPad as the system does to make room, never one with something to sync.
    func evictPerson(_ command: Command) {
        let chosen = command.asked(PadCommand.Evict.self).person
        guard let person = chosen ?? evictionCandidate(), kernel.state[person] != nil, pad.sessions.person != person,
            mayLoseLocalData(person)
        else { return refuse(command, "\(chosen ?? "everybody") is signed in, has data to sync or is not here") }
        remove(person, reason: .eviction)
        done(command)
    }

    func listPeople(_ command: Command) { reply(PadCommand.ListPeople.Answer { $0.people = people }, to: command) }

    /// How many people fit and how much each may use.
    var room: Room {
        Room(capacity: kernel.spec.capacity, standard: kernel.spec.slots, kernel.state.management.inForce)
    }

    // MARK: Eviction (shared-ipad.md 7)

    /// Whether the system may remove local data of a person. ASSUMED: not while iCloud cannot be used either, since apps can hand
    /// nothing over then (identity.md 3: "offline-made content stays in the local sandbox"); and not before the apps that were in use
    /// meanwhile have run again.
    func mayLoseLocalData(_ person: Person) -> Bool {
        pad.accounts.isICloudWhole(for: person) && isSynced(person) && kernel.state[person]?.unsettled.isEmpty ?? true
    }

    /// Who makes room for a new person: of those with nothing to sync, the one away longest.
    /// Source: shared-ipad.md 7, default least-recently-logged-out (disagree).
    func evictionCandidate() -> Person? {
        let synced = kernel.state.residents.filter { $0.person != pad.sessions.person && mayLoseLocalData($0.person) }
        // Residents are in the order in which they first came.
        if kernel.spec.switches.is("eviction", "oldestCached") { return synced.first?.person }
        return synced.min { $0.left < $1.left }?.person
    }

    /// Takes a person off the iPad, with the volume and the account token.
    func remove(_ person: Person, reason: PurgeReason) {
        guard let index = kernel.state.index(of: person) else { return }
        // Only what goes though it was wanted has a story.
        let tokens = hasDataToSync(person) ? pad.storage.localData.allTokens(of: person) : []
        let isWaiting = !isSynced(person)
        let accounts = pad.accounts.accounts(of: person)
        for account in accounts { pad.network.sendSignOut(account) }
        kernel.state.residents.remove(at: index)
        kernel.saveState()
        for account in accounts { pad.daemons.tell(.removed(account)) }
        for account in accounts { pad.end(.account(account)) }
        pad.storage.wipe(person)
        note(Note(.purged, person: person, tokens: tokens, detail: ["reason": reason.fieldValue]))
        mark(.purged)
        if reason == .eviction { mark(.evicted) }
        if reason == .eraseDevice, isWaiting { mark(.erasedWithPending) }
    }
}
