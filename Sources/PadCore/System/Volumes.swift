import FleetModel
import Storage

extension Disk {
    /// Writing down that something has gone needs space too. ASSUMED: the system has a reserve of its own for it.
    func withReserve<T>(_ body: () throws -> T) rethrows -> T {
        let capacity = capacityBytes
        capacityBytes = .max
        defer { capacityBytes = capacity }
        return try body()
    }
}

/// One volume a person (shared-ipad.md 2), opened when first needed.
extension Pad {
    private static let home = "/var/mobile"

    func volume(of person: Person) -> Volume? {
        if let volume = volumes[person] { return volume }
        if isSecond(person) { return secondVolume(of: person) }
        guard state[person] != nil else { return nil }
        do {
            let disk = try openDisk("person-\(person)")
            // Whatever ran here before, another life or a person since evicted, holds no file open any more.
            disk.processEnded()
            disk.now = now
            if disk.status(Self.home) == nil { try disk.makeFolder(Self.home) }
            let volume = Volume(
                person: person, disk: disk, database: try Database(disk: disk, path: Self.home + "/daemons.sqlite"))
            volumes[person] = volume
            return volume
        } catch {
            problems.append("the volume of \(person) on \(deviceName) does not open: \(error)")
            return nil
        }
    }

    private func secondVolume(of account: Person) -> Volume? {
        guard accounts.contains(account), let own = volume(of: holder(of: account)) else { return nil }
        do {
            let path = Self.home + "/daemons-second.sqlite"
            // An account that has come cannot be sent away because the disk is full.
            let database = try own.disk.withReserve { try Database(disk: own.disk, path: path) }
            let volume = Volume(account: account, on: own, database: database)
            volumes[account] = volume
            return volume
        } catch {
            problems.append("the queues of \(account) on \(deviceName) do not open: \(error)")
            return nil
        }
    }

    func setDiskClocks() {
        systemDisk.now = now
        boundVolumes()
        for volume in volumes.values { volume.disk.now = now }
    }

    /// Called at the end of each step and where something else must not happen before it is durable.
    func saveState() {
        guard isStateDirty, !isDown else { return }
        isStateDirty = false
        do { try state.save(to: systemDisk) } catch {
            problems.append("the system volume of \(deviceName) cannot be written: \(error)")
        }
    }

    /// Removes all that lies on a person's volume.
    func wipe(_ person: Person) {
        for account in [SecondAccount.name(of: person), person] {
            volumes[account]?.database.close()
            volumes[account] = nil
        }
        do {
            let disk = try openDisk("person-\(person)")
            for name in try disk.list("/") { try disk.remove("/" + name) }
            disk.flush()
        } catch { problems.append("the volume of \(person) on \(deviceName) cannot be removed: \(error)") }
    }

    /// How many people fit and how much each may use.
    var room: Room { Room(capacity: spec.capacity, standard: spec.slots, state.inForce) }

    // MARK: Eviction (shared-ipad.md 7)

    /// Whether the system may remove local data of a person. ASSUMED: not while iCloud cannot be used either, since apps can hand
    /// nothing over then (identity.md 3: "offline-made content stays in the local sandbox"); and not before the apps that were in use
    /// meanwhile have run again.
    func mayLoseLocalData(_ person: Person) -> Bool {
        isICloudWhole(for: person) && isSynced(person) && state[person]?.unsettled.isEmpty ?? true
    }

    /// Who makes room for a new person: of those with nothing to sync, the one away longest.
    /// Source: shared-ipad.md 7, default least-recently-logged-out (disagree).
    func evictionCandidate() -> Person? {
        let synced = state.residents.filter { $0.person != session.person && mayLoseLocalData($0.person) }
        // Residents are in the order in which they first came.
        if spec.switches.is("eviction", "oldestCached") { return synced.first?.person }
        return synced.min { $0.left < $1.left }?.person
    }

    /// Takes a person off the iPad, with the volume and the account token.
    func remove(_ person: Person, reason: String) {
        guard let index = state.index(of: person) else { return }
        // Only what goes though it was wanted has a story.
        let tokens = hasDataToSync(person) ? allTokens(of: person) : []
        let isWaiting = !isSynced(person)
        let accounts = accounts(of: person)
        for account in accounts { sendSignOut(account) }
        state.residents.remove(at: index)
        // Somebody of the same name who comes later is new here.
        barred.removeAll { $0.person == person }
        localNotifications.removeAll { $0.person == person }
        shownNotifications.removeAll { $0.person == person }
        fetches.forget(person, nil)
        saveState()
        for account in accounts { tell(.removed(account)) }
        copies.forget(person)
        wipe(person)
        for account in accounts { forgetNetwork(of: account) }
        note(Note(.purged, person: person, tokens: tokens, detail: ["reason": .string(reason)]))
        mark("purged")
        if reason == "eviction" { mark("evicted") }
        if reason == "eraseDevice", isWaiting { mark("erased-with-pending") }
    }
}
