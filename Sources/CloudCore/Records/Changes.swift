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

    /// - Parameter budget: what the answer may hold yet; zones that come too late in it get an empty page and go on later.
    static func page(
        _ reach: Reach, _ fetch: ZoneFetch, _ budget: inout AnswerBudget, _ caller: Caller, _ work: Work
    ) throws -> Page {
        guard !reach.zone.isDefault else {
            throw CloudError.badRequest("the default zone has no changes to fetch; query it")
        }
        var fetch = fetch
        fetch.limit = budget.isSpent ? 0 : min(fetch.limit, budget.records)
        let page =
            try fetch.isReverse
            ? reversePage(reach, fetch, caller, work) : forwardPage(reach, fetch, caller, work)
        budget.spend(records: page.records.count, bytes: page.records.reduce(0) { $0 + $1.count })
        return page
    }

    private static func forwardPage(_ reach: Reach, _ fetch: ZoneFetch, _ caller: Caller, _ work: Work) throws -> Page {
        let start = try ZoneToken.position(fetch.token, of: reach, work)
        let (page, moreComing) = try rows(reach, above: start, below: .max, order: "ASC", fetch.limit, work)
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
        let (page, moreComing) = try rows(
            reach, above: walk.floor, below: walk.until, order: "DESC", fetch.limit, work)
        if let last = page.last { walk.until = last.sequence }
        return Page(
            records: try page.filter { fetch.wants($0) }.map { try fetch.view.json($0, in: reach, caller, work) },
            syncToken: moreComing
                ? try ZoneToken.text(walk, of: reach, work)
                : try ZoneToken.text(reach, at: max(walk.floor, walk.top), work),
            moreComing: moreComing)
    }

    /// The next rows, and whether there are more: `limit` of them, or fewer where they are large.
    private static func rows(
        _ reach: Reach, above start: Int64, below end: Int64, order: String, _ limit: Int, _ work: Work
    ) throws -> (page: [RecordRow], moreComing: Bool) {
        guard let shares = reach.grant.shares, !shares.contains(where: { $0.name == Grant.Share.wholeZone }) else {
            return try allRows(reach.zone, above: start, below: end, order: order, limit, work)
        }
        let rows = try rows(reach.zone, of: shares, above: start, below: end, order: order, limit + 1, work)
        return (Array(rows.prefix(limit)), rows.count > limit)
    }
    private static func allRows(
        _ zone: Zone, above start: Int64, below end: Int64, order: String, _ limit: Int, _ work: Work
    ) throws -> (page: [RecordRow], moreComing: Bool) {
        let withGone = SQLValue.int(start > 0 ? 1 : 0)
        var (rows, low, high): ([RecordRow], Int64, Int64) = ([], start, end)
        var (size, bytes) = (ChunkSize(), 0)
        while rows.count <= limit {
            let count = min(size.rows, limit + 1 - rows.count)
            let part = try work.database.query(
                "SELECT \(RecordRow.columns) FROM record WHERE zone = ? AND seq > ? AND seq < ? AND (deleted = 0 OR ?) "
                    + "ORDER BY seq \(order) LIMIT ?", .int(zone.id), .int(low), .int(high), withGone, .int(count)
            ).map(RecordRow.init)
            rows += part
            guard part.count == count, let last = part.last else { break }
            if order == "ASC" { low = last.sequence } else { high = last.sequence }
            bytes += part.reduce(0) { $0 + $1.json.count }
            if bytes > work.policy.answerBytesMax, rows.count <= limit { return (rows, true) }
            size.learn(from: part)
        }
        return (Array(rows.prefix(limit)), rows.count > limit)
    }
    private static func rows(
        _ zone: Zone, of shares: [Grant.Share], above start: Int64, below end: Int64, order: String, _ limit: Int,
        _ work: Work
    ) throws -> [RecordRow] {
        let withGone = SQLValue.int(start > 0 ? 1 : 0)
        // Who takes part in shares sees what they cover, and what left them as if it were deleted: once, and not if it is
        // under another of his shares now, where the record itself comes in the same place of the feed.
        let marks = shares.map { _ in "?" }.joined(separator: ", ")
        let names = shares.map { SQLValue.text($0.name) }
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
                "SELECT d.name, d.seq, d.type FROM departed d WHERE d.zone = ? AND d.share = ? AND d.seq > ? AND d.seq < ? "
                    + "AND NOT EXISTS (SELECT 1 FROM record r WHERE r.zone = d.zone AND r.name = d.name "
                    + "AND r.share IN (\(marks))) "
                    + "AND NOT EXISTS (SELECT 1 FROM departed e WHERE e.zone = d.zone AND e.name = d.name "
                    + "AND e.share IN (\(marks)) AND e.seq > d.seq) ORDER BY d.seq \(order) LIMIT ?",
                all: [.int(zone.id), .text(share.name), .int(start), .int(end)] + names + names + [.int(limit)]
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
        // iPads ask for one zone at a time and have always got what each zone's limit gives (cloudkit-web-services.md 10).
        var budget = AnswerBudget(records: call.caller.kind == .device ? .max : ZoneFeed.recordsMax, work.policy)
        var writer = ObjectWriter()
        writer.add("zones", raws: try zones.map { try entry($0, body, space, &budget, call.caller, work) })
        return Answer(body: writer.finished())
    }

    private static func entry(
        _ entry: Value, _ body: Value, _ space: Space, _ budget: inout AnswerBudget, _ caller: Caller, _ work: Work
    ) throws -> [UInt8] {
        guard entry["zoneID"]?.object != nil else { throw CloudError.badRequest("an entry of 'zones' has no 'zoneID'") }
        let name = try Zone.name(entry["zoneID"])
        do {
            let reach = try Reach(entry["zoneID"], space, caller, work)
            let page = try ZoneFeed.page(reach, ZoneFetch(entry, defaults: body), &budget, caller, work)
            var writer = ObjectWriter()
            writer.add("moreComing", .bool(page.moreComing))
            writer.add("records", raws: page.records)
            writer.add("syncToken", .string(page.syncToken))
            writer.add("zoneID", Zone.shown(reach.identifier, to: caller))
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
        var budget = AnswerBudget(records: ZoneFeed.recordsMax, work.policy)
        let page = try ZoneFeed.page(reach, ZoneFetch(body, defaults: .empty), &budget, call.caller, work)
        var writer = ObjectWriter()
        writer.add("moreComing", .bool(page.moreComing))
        writer.add("records", raws: page.records)
        writer.add("syncToken", .string(page.syncToken))
        return Answer(body: writer.finished())
    }
}
