import FleetModel

/// What an administrator does to the people of an iPad (shared-ipad.md 9.3).
extension Pad {
    /// Whether something of a person is on this iPad alone: queues, or what an app could not hand over yet.
    func hasDataToSync(_ person: Person) -> Bool { !mayLoseLocalData(person) }

    func userEntry(_ person: Person) -> Value {
        var entry: Value = [
            "UserName": .string(person), "IsLoggedIn": .bool(session.person == person),
            "HasDataToSync": .bool(hasDataToSync(person)),
            "DataUsed": .int(volume(of: person)?.disk.usedBytes ?? 0),
        ]
        if let quota = room.quota { entry["DataQuota"] = .int(quota * 1_000_000) }
        return entry
    }

    func deleteUser(_ request: Value) throws(ManagementError) {
        let isForced = request["ForceDeletion"]?.bool ?? false
        guard request["DeleteAllUsers"]?.bool != true else { return try deleteAll(isForced: isForced) }
        guard let person = request["UserName"]?.string else {
            throw .malformed("DeleteUser needs 'UserName', or 'DeleteAllUsers'")
        }
        guard state[person] != nil else {
            throw ManagementError(code: 12071, text: "\(person) is not cached on \(deviceName)")
        }
        try delete(person, isForced: isForced)
    }

    private func delete(_ person: Person, isForced: Bool) throws(ManagementError) {
        guard session.person != person else {
            throw ManagementError(code: 12072, text: "\(person) is logged in on \(deviceName)")
        }
        guard isForced || !hasDataToSync(person) else {
            throw ManagementError(
                code: 12073, text: "\(person) has data to sync: wait, or delete with ForceDeletion")
        }
        remove(person, reason: isForced ? "forceDeletion" : "deleteUser")
        mark("user-deleted")
    }

    /// Everybody who can be deleted goes; the first who cannot is what the answer tells.
    private func deleteAll(isForced: Bool) throws(ManagementError) {
        var problem: ManagementError?
        for person in people {
            do throws(ManagementError) { try delete(person, isForced: isForced) } catch { problem = problem ?? error }
        }
        if let problem { throw problem }
    }

    /// Without an answer from anybody: whoever is logged in is on the way out when it returns. ASSUMED: nobody there is no error.
    func logOutUser() {
        refuseSignIn("an administrator logged everybody out")
        if case .active(let person) = session { beginSignOut(person, forced: true) }
        if case .leaving(let person, _) = session { session = .leaving(person, forced: true) }
        managementPausedUntil = now + Self.managementPause
    }

    /// All people and all settings go, with what was still to be sent. ASSUMED: set up anew in no time, as automated enrolment does it.
    func eraseDevice() {
        for launch in runs.keys.sorted() { end(launch, reason: "erase") }
        refuseSignIn("\(deviceName) was erased")
        refuseEverybody("\(deviceName) was erased")
        showLoginScreen()
        for person in people { remove(person, reason: "eraseDevice") }
        // Numbers go on: what bears them is known to the Cloud or to the World.
        var fresh = SystemState(spec)
        (fresh.launches, fresh.signIns, fresh.signOuts) = (state.launches, state.signIns, state.signOuts)
        (fresh.clock, fresh.isAirplaneMode) = (state.clock, state.isAirplaneMode)
        // Every vendor's apps were gone: their next ones see another iPad (app-lifecycle.md 14).
        fresh.vendorsGone = state.vendorsGone
        for vendor in Set(spec.apps.map { Self.vendor(of: $0.bundleID) }).sorted() {
            fresh.vendorsGone[vendor] = .int((state.vendorsGone[vendor]?.int ?? 0) + 1)
        }
        // Apps come back as they were last distributed, and enrolment is automatic.
        fresh.versions = state.versions
        fresh.hasServer = state.hasServer
        state = fresh
        managementPausedUntil = .zero
        saveState()
        talk(.device)
        mark("device-erased")
    }
}
