import FleetModel
import Storage

/// `changes/zone`: what happened in zones since a token (cloudkit-web-services.md 6).
///
/// Rows are ordered by their change sequence, and a change moves a row to the end: a reader that pages sees each row's
/// latest state and skips none. A first fetch needs no tombstones. `reverse` is refused.
enum ZoneChanges {
    static let recordsMax = 200

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requirePrivate("fetching changes")
        let body = try call.json()
        let zones = try body.list("zones")
        guard !zones.isEmpty, zones.count <= recordsMax else {
            throw CloudError.badRequest("'zones' must name 1 to \(recordsMax) zones")
        }
        var writer = ObjectWriter()
        writer.add(
            "zones",
            raws: try zones.map { entry in
                let name = try Zone.name(entry["zoneID"])
                do {
                    return try changes(name, ZoneFetch(entry, defaults: body), space, work)
                } catch let problem as CloudError {
                    return problem.naming("zoneID", Zone.identifier(name)).body(uuid: ModifyRecords.uuid(name, work))
                        .jsonBytes
                }
            })
        return Answer(body: writer.finished())
    }

    private static func changes(_ name: String, _ fetch: ZoneFetch, _ space: Space, _ work: Work) throws -> [UInt8] {
        let zone = try Zone.live(name, in: space, work)
        guard !zone.isDefault else { throw CloudError.badRequest("the default zone has no changes to fetch; query it") }
        let start = try ZoneToken.position(fetch.token, of: zone, in: space, work)
        let rows = try work.database.query(
            "SELECT \(RecordRow.columns) FROM record WHERE zone = ? AND seq > ? AND (deleted = 0 OR ?) ORDER BY seq LIMIT ?",
            .int(zone.id), .int(start), .int(start > 0 ? 1 : 0), .int(Int64(fetch.limit + 1))
        ).map(RecordRow.init)
        let page = rows.prefix(fetch.limit)
        let moreComing = rows.count > page.count
        let end = moreComing ? page.last?.sequence ?? start : max(start, zone.sequence)
        var writer = ObjectWriter()
        writer.add("moreComing", .bool(moreComing))
        writer.add(
            "records",
            raws: try page.filter { fetch.wants($0) }.map {
                try $0.isDeleted ? $0.deletion.jsonBytes : $0.json(fetch.keys)
            })
        writer.add("syncToken", .string(try ZoneToken.text(zone, at: end, in: space, work)))
        writer.add("zoneID", Zone.identifier(name))
        return writer.finished()
    }
}

/// How one zone is to be fetched: the request's own keys, and the zone's over them.
struct ZoneFetch {
    var token: String?
    var limit: Int
    var keys: [String]?
    private var types: [String]?

    init(_ entry: Value, defaults: Value) throws {
        if try entry.flag("reverse", otherwise: defaults.flag("reverse", otherwise: false)) {
            throw CloudError.badRequest("'reverse' is not modelled; fetch forward")
        }
        token = try entry.optionalText("syncToken") ?? defaults.optionalText("syncToken")
        keys = try entry.optionalTexts("desiredKeys") ?? defaults.optionalTexts("desiredKeys")
        types = try entry.optionalTexts("desiredRecordTypes") ?? defaults.optionalTexts("desiredRecordTypes")
        limit = try pageLimit(entry["resultsLimit"] ?? defaults["resultsLimit"], max: ZoneChanges.recordsMax)
    }
    func wants(_ row: RecordRow) -> Bool { types?.contains(row.type) ?? true }
}

/// Reads a `resultsLimit`: absent or too large means the service's own limit.
func pageLimit(_ value: Value?, max limit: Int) throws(CloudError) -> Int {
    guard let value, !value.isNull else { return limit }
    guard let number = value.int, number > 0 else { throw .badRequest("'resultsLimit' must be a positive number") }
    return Int(min(number, Int64(limit)))
}

/// `changes/database`: which zones changed since a token (cloudkit-web-services.md 6). The default zone is not covered
/// (cloudkit-framework.md 10). A zone deleted and made again appears once, as it is now: its old tokens are refused.
enum DatabaseChanges {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requirePrivate("fetching changes")
        let body = try call.json()
        let start = try DatabaseToken.position(body.optionalText("syncToken"), in: space, work)
        let limit = try pageLimit(body["resultsLimit"], max: ZoneChanges.recordsMax)
        let rows = try work.database.query(
            "SELECT \(Zone.columns) FROM zone WHERE owner = ? AND space = ? AND seq > ? AND name <> ? AND (deleted = 0 OR ?) "
                + "ORDER BY seq LIMIT ?",
            .int(space.owner), .text(space.key), .int(start), .text(Zone.defaultName), .int(start > 0 ? 1 : 0),
            .int(Int64(limit + 1))
        ).map(Zone.init)
        let page = rows.prefix(limit)
        let end = max(start, page.last?.sequence ?? 0)
        return Answer(json: [
            "zones": .array(
                try page.map { zone in
                    zone.isDeleted
                        ? ["zoneID": Zone.identifier(zone.name), "deleted": true] : try zone.body(in: space, work)
                }),
            "syncToken": .string(try DatabaseToken.text(at: end, in: space, work)),
            "moreComing": .bool(rows.count > limit),
        ])
    }
}
