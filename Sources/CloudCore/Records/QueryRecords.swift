import FleetModel

/// `records/query`: filters and sorts the records of one zone, or of all (cloudkit-web-services.md 5.1).
///
/// It reads the records of the asked type one by one: right, and slow on large zones. Results are never stale: the
/// indexing delay of cloudkit-framework.md 6 is not modelled.
enum QueryRecords {
    static let resultsMax = 200

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        let body = try call.json()
        let filter = try RecordFilter(query: body["query"])
        let order = try RecordOrder(body["query"]?["sortBy"])
        let zones = try zones(body, space, work)
        let digest = StableHash.of(0, body["query"]?.json ?? "", zones.map(\.name).joined(separator: "\n"), space.key)
        let marker = try body.optionalText("continuationMarker").map { (text) throws(CloudError) in
            try QueryMarker(text, digest: digest)
        }
        let limit = try pageLimit(body["resultsLimit"], max: resultsMax)
        var found: [Match] = []
        for (index, zone) in zones.enumerated() {
            for row in try RecordRow.live(in: zone, type: filter.recordType, work) {
                let record = try row.body()
                guard filter.accepts(record) else { continue }
                let match = Match(row: row, zone: zone, place: order.place(of: record, zone: index))
                if let marker, !order.isBefore(marker.place, match.place) { continue }
                found.append(match)
            }
        }
        found.sort { order.isBefore($0.place, $1.place) }
        return try page(found, limit, digest, isCrossZone: zones.count > 1, keys: body.optionalTexts("desiredKeys"))
    }

    private struct Match {
        var row: RecordRow
        var zone: Zone
        var place: RecordOrder.Place
    }

    /// `zoneID` wins over `zoneWide`; without either the default zone (cloudkit-web-services.md 5.1).
    private static func zones(_ body: Value, _ space: Space, _ work: Work) throws -> [Zone] {
        if body["zoneID"]?.isNull ?? true, try body.flag("zoneWide", otherwise: false) {
            return try Zone.all(in: space, work)
        }
        return [try Zone.live(try Zone.name(body["zoneID"]), in: space, work)]
    }

    private static func page(
        _ found: [Match], _ limit: Int, _ digest: UInt64, isCrossZone: Bool, keys: [String]?
    ) throws -> Answer {
        var writer = ObjectWriter()
        if found.count > limit {
            writer.add("continuationMarker", .string(QueryMarker(digest: digest, place: found[limit - 1].place).text))
        }
        writer.add(
            "records",
            raws: try found.prefix(limit).map { match in
                let json = try match.row.json(keys)
                guard isCrossZone, var body = try? Value(json: json) else { return json }
                body["zoneID"] = Zone.identifier(match.zone.name)
                return body.jsonBytes
            })
        return Answer(body: writer.finished())
    }
}

/// The order of results: the sort keys, then zone and record name, so that it is total.
struct RecordOrder {
    /// Where a record stands.
    struct Place {
        var keys: [Value]
        var zone: Int
        var name: String
    }
    private var keys: [(key: RecordKey, ascending: Bool)] = []

    init(_ sortBy: Value?) throws(CloudError) {
        guard let sortBy, !sortBy.isNull else { return }
        guard let sorts = sortBy.array else { throw .badRequest("'sortBy' must be a list") }
        for sort in sorts {
            guard sort["relativeLocation"] == nil else { throw .badRequest("sorting by distance is not modelled") }
            keys.append((try RecordKey(sort), try sort.flag("ascending", otherwise: true)))
        }
    }

    func place(of record: Value, zone: Int) -> Place {
        Place(
            keys: keys.map { $0.key.value(in: record) ?? .null }, zone: zone, name: record["recordName"]?.string ?? "")
    }

    /// Missing values come first; values without an order among each other count as equal.
    func isBefore(_ a: Place, _ b: Place) -> Bool {
        for (index, key) in keys.enumerated() where index < a.keys.count && index < b.keys.count {
            let (x, y) = (a.keys[index], b.keys[index])
            let order = x.isNull || y.isNull ? (y.isNull ? 1 : 0) - (x.isNull ? 1 : 0) : RecordFilter.order(x, y) ?? 0
            if order != 0 { return key.ascending ? order < 0 : order > 0 }
        }
        return (a.zone, a.name) < (b.zone, b.name)
    }
}

/// A continuation marker: the place of the last record given out. It binds to its query, and changes between two pages
/// neither shift nor repeat what stands after it.
struct QueryMarker {
    var digest: UInt64
    var place: RecordOrder.Place

    init(digest: UInt64, place: RecordOrder.Place) {
        self.digest = digest
        self.place = place
    }
    init(_ text: String, digest: UInt64) throws(CloudError) {
        guard let bytes = Base64.decode(text), let body = try? Value(json: bytes), let keys = body["k"]?.array,
            let zone = body["z"]?.int.flatMap(Int.init(exactly:)), let name = body["n"]?.string
        else { throw .badRequest("'continuationMarker' was not given out by this service; query without it") }
        guard body["q"]?.string == Work.hex(digest) else {
            throw .badRequest("'continuationMarker' belongs to another query; query without it")
        }
        self.digest = digest
        place = RecordOrder.Place(keys: keys, zone: zone, name: name)
    }
    var text: String {
        let body: Value = [
            "k": .array(place.keys), "n": .string(place.name), "q": .string(Work.hex(digest)), "z": .int(place.zone),
        ]
        return Base64.encode(body.jsonBytes)
    }
}
