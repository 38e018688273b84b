import FleetModel

/// How records are shown to one reader: projection, number form, and what is made anew at each reading.
struct RecordView {
    /// Nil: all fields; empty: metadata only (cloudkit-web-services.md 5.1).
    var keys: [String]?
    var numbersAsStrings = false
    /// Adds the zone ID, for results of several zones.
    var namesZone = false

    init(_ body: Value) throws(CloudError) {
        keys = try body.optionalTexts("desiredKeys")
        numbersAsStrings = try body.flag("numbersAsStrings", otherwise: false)
    }
    init(keys: [String]?) { self.keys = keys }

    /// The view with an entry's own keys over it.
    func overridden(by entry: Value) throws(CloudError) -> RecordView {
        var view = self
        view.keys = try entry.optionalTexts("desiredKeys") ?? keys
        view.numbersAsStrings = try entry.flag("numbersAsStrings", otherwise: numbersAsStrings)
        return view
    }

    /// The stored bytes where they are what the reader wants.
    func json(_ row: RecordRow, in reach: Reach, _ caller: Caller, _ work: Work) throws -> [UInt8] {
        if row.isDeleted {
            var gone = row.deletion
            if namesZone { gone["zoneID"] = reach.identifier }
            return gone.jsonBytes
        }
        let isPlain = row.marks.isDisjoint(with: [.assets, .share])
        if keys == nil, !numbersAsStrings, !namesZone, isPlain { return row.json }
        return try body(row, in: reach, caller, work).jsonBytes
    }
    func body(_ row: RecordRow, in reach: Reach, _ caller: Caller, _ work: Work) throws -> Value {
        var body = try row.body()
        if keys != nil || numbersAsStrings || row.marks.contains(.assets) {
            var fields = Value.Object()
            for pair in body["fields"]?.object?.pairs ?? [] where keys?.contains(pair.key) ?? true {
                fields[pair.key] = shown(pair.value, work)
            }
            body["fields"] = .object(fields)
        }
        if row.marks.contains(.share) { try ShareRecord.complete(&body, row.name, in: reach, for: caller, work) }
        if namesZone { body["zoneID"] = reach.identifier }
        return body
    }

    private func shown(_ field: Value, _ work: Work) -> Value {
        var field = field
        switch field["type"]?.string {
        case "INT64"?, "INT64_LIST"?:
            guard numbersAsStrings, let value = field["value"] else { return field }
            field["value"] = value.array.map { .array($0.map(text)) } ?? text(value)
        case "ASSETID"?, "ASSETID_LIST"?:
            guard let value = field["value"] else { return field }
            func located(_ asset: Value) -> Value {
                var asset = asset
                asset["downloadURL"] = asset["fileChecksum"]?.string.map { .string(DownloadAsset.url($0, work)) }
                return asset
            }
            field["value"] = value.array.map { .array($0.map(located)) } ?? located(value)
        default: break
        }
        return field
    }
    private func text(_ number: Value) -> Value { number.int.map { .string(String($0)) } ?? number }
}
