import FleetModel
import Storage

/// What happened in one zone since a token (cloudkit-web-services.md 6).
///
/// Rows are ordered by their change sequence, and a change moves a row to the end: a reader that pages sees each row's
/// latest state and skips none. A first fetch needs no tombstones.
enum ZoneFeed {
    static let recordsMax = 200

    struct Page {
        var records: [[UInt8]]
        var syncToken: String
        var moreComing: Bool
    }

    static func page(_ reach: Reach, _ fetch: ZoneFetch, _ caller: Caller, _ work: Work) throws -> Page {
        guard !reach.zone.isDefault else {
            throw CloudError.badRequest("the default zone has no changes to fetch; query it")
        }
        if fetch.isReverse { return try reversePage(reach, fetch, caller, work) }
        let start = try ZoneToken.position(fetch.token, of: reach, work)
        let rows = try rows(reach, above: start, below: .max, order: "ASC", fetch.limit + 1, work)
        let page = rows.prefix(fetch.limit)
        let moreComing = rows.count > page.count
        let end = moreComing ? page.last?.sequence ?? start : max(start, reach.zone.sequence)
        return Page(
            records: try page.filter { fetch.wants($0) }.map { try fetch.view.json($0, in: reach, caller, work) },
            syncToken: try ZoneToken.text(reach, at: end, work), moreComing: moreComing)
    }

    /// Newest first. What changes while the reader pages is above the top and comes with the fetch after.
    private static func reversePage(_ reach: Reach, _ fetch: ZoneFetch, _ caller: Caller, _ work: Work) throws -> Page {
        var walk: ReverseWalk
        if let begun = try ZoneToken.walk(fetch.token, of: reach, work) {
            walk = begun
        } else {
            walk = ReverseWalk(
                floor: try ZoneToken.position(fetch.token, of: reach, work), until: reach.zone.sequence + 1,
                top: reach.zone.sequence)
        }
        let rows = try rows(reach, above: walk.floor, below: walk.until, order: "DESC", fetch.limit + 1, work)
        let page = rows.prefix(fetch.limit)
        let moreComing = rows.count > page.count
        if let last = page.last { walk.until = last.sequence }
        return Page(
            records: try page.filter { fetch.wants($0) }.map { try fetch.view.json($0, in: reach, caller, work) },
            syncToken: moreComing
                ? try ZoneToken.text(walk, of: reach, work)
                : try ZoneToken.text(reach, at: max(walk.floor, walk.top), work),
            moreComing: moreComing)
    }

    private static func rows(
        _ reach: Reach, above start: Int64, below end: Int64, order: String, _ limit: Int, _ work: Work
    ) throws -> [RecordRow] {
        let zone = reach.zone
        let withGone = SQLValue.int(start > 0 ? 1 : 0)
        guard let shares = reach.grant.shares, !shares.contains(where: { $0.name == Grant.Share.wholeZone }) else {
            return try work.database.query(
                "SELECT \(RecordRow.columns) FROM record WHERE zone = ? AND seq > ? AND seq < ? AND (deleted = 0 OR ?) "
                    + "ORDER BY seq \(order) LIMIT ?", .int(zone.id), .int(start), .int(end), withGone, .int(limit)
            ).map(RecordRow.init)
        }
        // Who takes part in shares sees what they cover, and what left them as if it were deleted.
        var rows: [RecordRow] = []
        for share in shares {
            rows += try work.database.query(
                "SELECT \(RecordRow.columns) FROM record WHERE zone = ? AND share = ? AND share <> '' AND seq > ? AND seq < ? "
                    + "AND (deleted = 0 OR ?) ORDER BY seq \(order) LIMIT ?", .int(zone.id), .text(share.name),
                .int(start),
                .int(end), withGone, .int(limit)
            ).map(RecordRow.init)
            guard start > 0 else { continue }
            rows += try work.database.query(
                "SELECT name, seq, type FROM departed WHERE zone = ? AND share = ? AND seq > ? AND seq < ? ORDER BY seq \(order) "
                    + "LIMIT ?", .int(zone.id), .text(share.name), .int(start), .int(end), .int(limit)
            ).map {
                RecordRow(
                    name: $0.text(0), sequence: $0.int(1), isDeleted: true, type: $0.text(2), tag: "", creator: 0,
                    tokens: [],
                    json: [])
            }
        }
        rows.sort { order == "ASC" ? $0.sequence < $1.sequence : $0.sequence > $1.sequence }
        return Array(rows.prefix(limit))
    }
}

/// How one zone is to be fetched: the request's own keys, and the zone's over them.
struct ZoneFetch {
    var token: String?
    var limit: Int
    var view: RecordView
    var isReverse: Bool
    private var types: [String]?

    init(_ entry: Value, defaults: Value) throws {
        isReverse = try entry.flag("reverse", otherwise: defaults.flag("reverse", otherwise: false))
        token = try entry.optionalText("syncToken") ?? defaults.optionalText("syncToken")
        view = try RecordView(defaults).overridden(by: entry)
        types = try entry.optionalTexts("desiredRecordTypes") ?? defaults.optionalTexts("desiredRecordTypes")
        limit = try pageLimit(entry["resultsLimit"] ?? defaults["resultsLimit"], max: ZoneFeed.recordsMax)
    }
    func wants(_ row: RecordRow) -> Bool { types?.contains(row.type) ?? true }
}

/// Reads a `resultsLimit`: absent or too large means the service's own limit.
func pageLimit(_ value: Value?, max limit: Int) throws(CloudError) -> Int {
    guard let value, !value.isNull else { return limit }
    guard let number = value.int, number > 0 else { throw .badRequest("'resultsLimit' must be a positive number") }
    return Int(min(number, Int64(limit)))
}

/// `changes/zone`: several zones at once, each with its own page or error.
enum ZoneChanges {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requireChanges()
        let body = try call.json()
        let zones = try body.list("zones")
        guard !zones.isEmpty, zones.count <= ZoneFeed.recordsMax else {
            throw CloudError.badRequest("'zones' must name 1 to \(ZoneFeed.recordsMax) zones")
        }
        var writer = ObjectWriter()
        writer.add("zones", raws: try zones.map { try entry($0, body, space, call.caller, work) })
        return Answer(body: writer.finished())
    }

    private static func entry(
        _ entry: Value, _ body: Value, _ space: Space, _ caller: Caller, _ work: Work
    ) throws -> [UInt8] {
        guard entry["zoneID"]?.object != nil else { throw CloudError.badRequest("an entry of 'zones' has no 'zoneID'") }
        let name = try Zone.name(entry["zoneID"])
        do {
            let reach = try Reach(entry["zoneID"], space, caller, work)
            let page = try ZoneFeed.page(reach, ZoneFetch(entry, defaults: body), caller, work)
            var writer = ObjectWriter()
            writer.add("moreComing", .bool(page.moreComing))
            writer.add("records", raws: page.records)
            writer.add("syncToken", .string(page.syncToken))
            writer.add("zoneID", reach.identifier)
            return writer.finished()
        } catch let problem as CloudError {
            let id = entry["zoneID"].flatMap { $0.isNull ? nil : $0 } ?? Zone.identifier(name)
            let owner = try Zone.ownerName(id) ?? Zone.currentOwner
            return problem.naming("zoneID", Zone.identifier(name, owner: owner)).body(
                uuid: ModifyRecords.uuid(name, work)
            )
            .jsonBytes
        }
    }
}

/// `records/changes` (older): one custom zone (cloudkit-web-services.md 5.4).
enum RecordChanges {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requireChanges()
        let body = try call.json()
        guard body["zoneID"]?.object != nil else { throw CloudError.badRequest("'zoneID' must name a custom zone") }
        let reach = try Reach(body["zoneID"], space, call.caller, work)
        let page = try ZoneFeed.page(reach, ZoneFetch(body, defaults: .empty), call.caller, work)
        var writer = ObjectWriter()
        writer.add("moreComing", .bool(page.moreComing))
        writer.add("records", raws: page.records)
        writer.add("syncToken", .string(page.syncToken))
        return Answer(body: writer.finished())
    }
}

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
            ? shared(space, start, limit + 1, caller, work) : own(space, start, limit + 1, work)
        let page = found.prefix(limit)
        let end = max(start, page.last?.sequence ?? 0)
        return Page(
            zones: page.map(\.body), syncToken: try DatabaseToken.text(at: end, in: space, caller, work),
            moreComing: found.count > limit)
    }

    private static func own(
        _ space: Space, _ start: Int64, _ limit: Int, _ work: Work
    ) throws -> [(sequence: Int64, body: Value)] {
        try RestrictUser.check(space, work)
        return try work.database.query(
            "SELECT \(Zone.columns) FROM zone WHERE owner = ? AND space = ? AND seq > ? AND name <> ? AND (deleted = 0 OR ?) "
                + "ORDER BY seq LIMIT ?",
            .int(space.owner), .text(space.key), .int(start), .text(Zone.defaultName), .int(start > 0 ? 1 : 0),
            .int(limit)
        ).map(Zone.init).map { zone in
            (zone.sequence, zone.isDeleted ? gone(Zone.identifier(zone.name)) : try zone.body(in: space, work))
        }
    }
    private static func shared(
        _ space: Space, _ start: Int64, _ limit: Int, _ caller: Caller, _ work: Work
    ) throws -> [(sequence: Int64, body: Value)] {
        try SharedZones.changes(since: start, in: space, caller, limit: limit, work).map { change in
            (change.sequence, try change.reach?.body(work) ?? gone(change.identifier))
        }
    }
    private static func gone(_ identifier: Value) -> Value { ["zoneID": identifier, "deleted": true] }
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
