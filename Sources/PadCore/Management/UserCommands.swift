import FleetModel

/// What an administrator does to the people of an iPad (shared-ipad.md 9.3).
extension Management {
    func userEntry(_ person: Person) -> Value {
        var entry: Value = [
            "UserName": .string(person), "IsLoggedIn": .bool(pad.sessions.person == person),
            "HasDataToSync": .bool(pad.residents.hasDataToSync(person)),
            "DataUsed": .int(pad.storage.volume(of: person)?.disk.usedBytes ?? 0),
        ]
        if let quota = pad.residents.room.quota { entry["DataQuota"] = .int(quota * 1_000_000) }
        return entry
    }

    func deleteUser(_ request: Value) throws(ManagementError) {
        let isForced = request["ForceDeletion"]?.bool ?? false
        guard request["DeleteAllUsers"]?.bool != true else { return try deleteAll(isForced: isForced) }
        guard let person = request["UserName"]?.string else {
            throw .malformed("DeleteUser needs 'UserName', or 'DeleteAllUsers'")
        }
        guard kernel.state[person] != nil else {
            throw ManagementError(code: 12071, text: "\(person) is not cached on \(deviceName)")
        }
        try delete(person, isForced: isForced)
    }

    private func delete(_ person: Person, isForced: Bool) throws(ManagementError) {
        guard pad.sessions.person != person else {
            throw ManagementError(code: 12072, text: "\(person) is logged in on \(deviceName)")
        }
        guard isForced || !pad.residents.hasDataToSync(person) else {
            throw ManagementError(
                code: 12073, text: "\(person) has data to sync: wait, or delete with ForceDeletion")
        }
        pad.residents.remove(person, reason: isForced ? .forceDeletion : .deleteUser)
        mark(.userDeleted)
    }

    /// Everybody who can be deleted goes; the first who cannot is what the answer tells.
    private func deleteAll(isForced: Bool) throws(ManagementError) {
        var problem: ManagementError?
        for person in pad.residents.people {
            do throws(ManagementError) { try delete(person, isForced: isForced) } catch { problem = problem ?? error }
        }
        if let problem { throw problem }
    }

    /// Without an answer from anybody: whoever is logged in is on the way out when it returns. ASSUMED: nobody there is no error.
    func logOutUser() {
        pad.sessions.signIns.refuseSignIn("an administrator logged everybody out")
        pad.sessions.logOut()
        channels.pause()
    }

    /// All people and all settings go, with what was still to be sent. ASSUMED: set up anew in no time, as automated enrolment does it.
    func eraseDevice() {
        pad.apps.endAll(reason: .erase)
        pad.sessions.signIns.refuseSignIn("\(deviceName) was erased")
        pad.end(.life(reason: "\(deviceName) was erased"))
        pad.sessions.showLoginScreen()
        for person in pad.residents.people { pad.residents.remove(person, reason: .eraseDevice) }
        // Numbers go on: what bears them is known to the Cloud or to the World.
        var fresh = SystemState(kernel.spec)
        (fresh.counters.launches, fresh.counters.signIns, fresh.counters.signOuts) = (
            kernel.state.counters.launches, kernel.state.counters.signIns, kernel.state.counters.signOuts
        )
        (fresh.device.clock, fresh.device.isAirplaneMode) = (
            kernel.state.device.clock, kernel.state.device.isAirplaneMode
        )
        // Every vendor's apps were gone: their next ones see another iPad (app-lifecycle.md 14).
        fresh.apps.vendorsGone = kernel.state.apps.vendorsGone
        for vendor in Set(kernel.spec.apps.map { AppCatalogue.vendor(of: $0.bundleID) }).sorted() {
            fresh.apps.vendorsGone[vendor] = .int((kernel.state.apps.vendorsGone[vendor]?.int ?? 0) + 1)
        }
        // Apps come back as they were last distributed, and enrolment is automatic.
        fresh.apps.versions = kernel.state.apps.versions
        fresh.management.hasServer = kernel.state.management.hasServer
        kernel.state = fresh
        channels.endPause()
        kernel.saveState()
        channels.talk(.device)
        mark(.deviceErased)
    }
}
