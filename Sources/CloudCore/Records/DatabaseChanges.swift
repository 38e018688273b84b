import FleetModel
import Storage

/// Which zones changed since a token (cloudkit-web-services.md 6). The default zone is not covered
/// (cloudkit-framework.md 10). A zone deleted and made again appears once, as it is now: its old tokens are refused.
enum DatabaseFeed {
    struct Page {
        var zones: [Value]
        var syncToken: String
        var moreComing: Bool
    }

    static func page(_ space: Space, since token: String?, _ limit: Value?, _ caller: Caller, _ work: Work) throws
        -> Page
    {
        let start = try DatabaseToken.position(token, in: space, caller, work)
        let limit = try pageLimit(limit, max: ZoneFeed.recordsMax)
        let found =
            try space.isShared
            ? shared(space, start, limit + 1, caller, work) : own(space, start, limit + 1, caller, work)
        let page = found.prefix(limit)
        let end = max(start, page.last?.sequence ?? 0)
        return Page(
            zones: page.map(\.body), syncToken: try DatabaseToken.text(at: end, in: space, caller, work),
            moreComing: found.count > limit)
    }

    private static func own(
        _ space: Space, _ start: Int64, _ limit: Int, _ caller: Caller, _ work: Work
    ) throws -> [(sequence: Int64, body: Value)] {
        try RestrictUser.check(space, work)
        return try work.database.query(
            "SELECT \(Zone.columns) FROM zone WHERE owner = ? AND space = ? AND seq > ? AND name <> ? AND (deleted = 0 OR ?) "
                + "ORDER BY seq LIMIT ?",
            .int(space.owner), .text(space.key), .int(start), .text(Zone.defaultName), .int(start > 0 ? 1 : 0),
            .int(limit)
        ).map(Zone.init).map { zone in
            guard let deletion = zone.deletion else {
                return (zone.sequence, try zone.body(in: space, for: caller, work))
            }
            var body = gone(Zone.identifier(zone.name), caller)
            // ASSUMED: Apple documents no key for it; the framework has `DatabaseChange.Deletion.reason`.
            if deletion != .deleted { body["deletionReason"] = .string("\(deletion)") }
            return (zone.sequence, body)
        }
    }
    private static func shared(
        _ space: Space, _ start: Int64, _ limit: Int, _ caller: Caller, _ work: Work
    ) throws -> [(sequence: Int64, body: Value)] {
        try SharedZones.changes(since: start, in: space, caller, limit: limit, work).map { change in
            (change.sequence, try change.reach?.body(for: caller, work) ?? gone(change.identifier, caller))
        }
    }
    private static func gone(_ identifier: Value, _ caller: Caller) -> Value {
        ["zoneID": Zone.shown(identifier, to: caller), "deleted": true]
    }
}

/// `changes/database`.
enum DatabaseChanges {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requireChanges()
        let body = try call.json()
        let page = try DatabaseFeed.page(
            space, since: body.optionalText("syncToken"), body["resultsLimit"], call.caller, work)
        return Answer(json: [
            "zones": .array(page.zones), "syncToken": .string(page.syncToken), "moreComing": .bool(page.moreComing),
        ])
    }
}

/// `zones/changes` (older): the same by another name. Sources disagree on the token's key: both are read and written.
enum ZoneListChanges {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requireChanges()
        let body = try call.json()
        let token = try body.optionalText("metaSyncToken") ?? body.optionalText("syncToken")
        let page = try DatabaseFeed.page(space, since: token, body["resultsLimit"], call.caller, work)
        return Answer(json: [
            "zones": .array(page.zones), "metaSyncToken": .string(page.syncToken), "syncToken": .string(page.syncToken),
            "moreComing": .bool(page.moreComing),
        ])
    }
}
