import FleetModel

/// A person throws away what apps keep of them in iCloud, in Settings or by an app on another device.
extension Cloud {
    /// `cloud.deleteZones {account?, zone?, reason?}`: custom zones of private databases go with all their records, as by `zones/modify`; of one
    /// account or of all, one zone's name or all. Each has a `zoneDeleted` note with what was in it. `reason` is `purged` (the default: the
    /// person erased the app's data in Settings), `encryptedDataReset` or `deleted` (cloudkit-framework.md 3).
    func deleteZones(_ message: Message, _ now: Instant) throws -> (notes: [Note], pushes: [CloudReply.Push]) {
        let owners = try owners(message)
        let wanted = message["zone"]?.string
        let word = message["reason"]?.string ?? "purged"
        guard let reason = [ZoneDeletion.deleted, .purged, .encryptedDataReset].first(where: { "\($0)" == word }) else {
            throw CloudError.badRequest("there is no reason '\(word)'; use 'purged', 'encryptedDataReset' or 'deleted'")
        }
        return try transact(now) { work in
            for owner in owners {
                let caller = Caller(account: owner, name: try work.owner(owner).name, device: "", session: 0)
                for (space, name) in try customZones(of: owner) where wanted ?? name == name {
                    guard let zone = try Zone.find(name, in: space, work) else { continue }
                    let before = work.notes.count
                    try ModifyZones.delete(zone, space, caller, because: reason, work)
                    let tokens = Set(work.notes[before...].flatMap(\.tokens)).sorted()
                    work.note(
                        Note(
                            .zoneDeleted, person: caller.name, channel: .record, tokens: tokens,
                            detail: [
                                "where": .string("\(space.container)/\(name)"), "reason": .string("\(reason)"),
                            ]))
                }
            }
            var notes = work.notes
            if !notes.isEmpty { notes.append(.mark(.zoneDeleted)) }
            try History.keep(notes, work)
            return (notes, work.pushes)
        }
    }

    private func customZones(of owner: Int64) throws -> [(space: Space, name: String)] {
        let rows = try database.query(
            "SELECT space, name FROM zone WHERE owner = ? AND deleted = 0 ORDER BY space, name", .int(owner))
        return rows.compactMap { row in
            let parts = row.text(0).split(separator: "/").map(String.init)
            guard parts.count == 2, row.text(1) != Zone.defaultName else { return nil }
            let place = Place(container: parts[0], environment: parts[1])
            return (Space(place: place, scope: .own, owner: owner), row.text(1))
        }
    }
}
