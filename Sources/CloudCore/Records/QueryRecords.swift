import FleetModel

/// `records/query`: filters and sorts the records of one zone, or of all (cloudkit-web-services.md 5.1).
///
/// `RecordSource` says which records may match, the filter which do, `QuerySelection` keeps the first of them. Results are never stale, unless
/// the nemesis has the index lag behind (`Disorder`, cloudkit-framework.md 6).
enum QueryRecords {
    static let resultsMax = 200

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        let body = try call.json()
        var filter = try RecordFilter(query: body["query"], work.policy.settings)
        let order = try RecordOrder(body["query"]?["sortBy"])
        try SchemaGate(space.place, work).checkQuery(filter, order)
        var catalogue = Catalogue(space.place, work)
        try catalogue.check(&filter, order)
        let zones = try zones(body, space, call.caller, work)
        var view = try RecordView(body)
        view.namesZone = zones.count > 1
        let names = zones.map { "\($0.space.owner) \($0.zone.name)" }.joined(separator: "\n")
        let digest = StableHash.of(0, body["query"]?.json ?? "", names, space.key)
        let marker = try body.optionalText("continuationMarker").map { (text) throws(CloudError) in
            try QueryMarker(text, digest: digest)
        }
        let limit = try pageLimit(body["resultsLimit"], max: resultsMax)
        var selection = QuerySelection(order, limit: limit + 1)
        for (index, reach) in zones.enumerated() {
            let source = try RecordSource(reach, filter, &catalogue, work)
            let isOnly = zones.count == 1
            try source.read(order, after: isOnly ? marker?.place : nil) { row in
                guard reach.grant.canRead(row) else { return }
                let record = try row.body()
                guard filter.accepts(record) else { return }
                guard !work.isUnindexed(record) else { return work.mark(.staleIndex) }
                let place = order.place(of: record, zone: index)
                if let marker, !order.isBefore(marker.place, place) { return }
                selection.add(row, at: place)
            } hasEnough: {
                isOnly && selection.isFull
            }
        }
        let found = selection.sorted()
        var budget = AnswerBudget(records: limit, work.policy)
        var shown: [[UInt8]] = []
        for match in found {
            guard !budget.isSpent else { break }
            let reach = zones[match.place.zone]
            guard let row = try match.row ?? RecordRow.find(match.place.name, in: reach.zone, work) else { continue }
            let json = try view.json(row, in: reach, call.caller, work)
            shown.append(json)
            budget.spend(records: 1, bytes: json.count)
        }
        var writer = ObjectWriter()
        if shown.count < found.count, let last = found.prefix(shown.count).last {
            writer.add("continuationMarker", .string(QueryMarker(digest: digest, place: last.place).text))
        }
        writer.add("records", raws: shown)
        return Answer(body: writer.finished())
    }

    /// `zoneID` wins over `zoneWide`; without either the default zone (cloudkit-web-services.md 5.1).
    private static func zones(_ body: Value, _ space: Space, _ caller: Caller, _ work: Work) throws -> [Reach] {
        guard body["zoneID"]?.isNull ?? true, try body.flag("zoneWide", otherwise: false) else {
            return [try Reach(body["zoneID"], space, caller, work)]
        }
        if space.isShared { return try SharedZones.all(in: space, caller, work) }
        try RestrictUser.check(space, work)
        let grant = try Grant(of: caller, in: space, work)
        return try Zone.all(in: space, work).map { Reach(space: space, zone: $0, grant: grant) }
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
    private struct Key {
        var key: RecordKey
        var ascending: Bool
        /// Order by the distance from here instead of by the value.
        var centre: Value?
    }
    private var keys: [Key] = []
    /// ASSUMED.
    private static let keysMax = 20

    init(_ sortBy: Value?) throws(CloudError) {
        guard let sortBy, !sortBy.isNull else { return }
        guard let sorts = sortBy.array else { throw .badRequest("'sortBy' must be a list") }
        guard sorts.count <= Self.keysMax else {
            throw .badRequest("\(sorts.count) sort keys are more than \(Self.keysMax)")
        }
        for (index, sort) in sorts.enumerated() {
            do { keys.append(try Self.key(sort)) } catch { throw error.at("sortBy", index) }
        }
    }
    private static func key(_ sort: Value) throws(CloudError) -> Key {
        let centre = sort["relativeLocation"].flatMap { $0.isNull ? nil : $0 }
        if let centre, !Geo.isLocation(centre) { throw .badRequest("'relativeLocation' must be a location") }
        let key = try RecordKey(sort)
        guard !key.isAllTokens else { throw .badRequest("nothing is sorted by the tokens of a record") }
        return Key(key: key, ascending: try sort.flag("ascending", otherwise: true), centre: centre)
    }

    /// What records are sorted by, distances too.
    var sortKeys: [RecordKey] { keys.map(\.key) }

    func place(of record: Value, zone: Int) -> Place {
        Place(
            keys: keys.map { key in
                let value = key.key.value(in: record)
                guard let centre = key.centre else { return value ?? .null }
                return Geo.distance(value, centre).map(Value.double) ?? .null
            }, zone: zone, name: record["recordName"]?.string ?? "")
    }

    /// Whether nothing is sorted by but zone and name.
    var isByName: Bool { keys.isEmpty }
    /// Whether the first key is this field, and then whether it ascends.
    func direction(ifFirst field: String) -> Bool? {
        guard let first = keys.first, first.key.field == field, first.centre == nil else { return nil }
        return first.ascending
    }
    /// Own fields that are sorted by.
    var fields: [String] { keys.compactMap(\.key.field) }

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
        guard body["q"]?.string == Hex.text(digest) else {
            throw .badRequest("'continuationMarker' belongs to another query; query without it")
        }
        self.digest = digest
        place = RecordOrder.Place(keys: keys, zone: zone, name: name)
    }
    var text: String {
        let body: Value = [
            "k": .array(place.keys), "n": .string(place.name), "q": .string(Hex.text(digest)), "z": .int(place.zone),
        ]
        return Base64.encode(body.jsonBytes)
    }
}
