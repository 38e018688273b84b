import FleetModel
import Storage

/// Values of fields beside the records, so that a query looks at the few records that may match instead of at all.
///
/// What it finds is a superset: the filter has the last word on every record, so that an answer never depends on the index.
/// Kept where there is a catalogue of types (`CloudPolicy.isDevelopment`, `hasClosedProduction`); the World's apps keep few
/// records and save often. Lists, places and bytes are not in it.
enum FieldIndex {
    static let table = "fieldvalue"
    static let schema = """
        CREATE TABLE IF NOT EXISTS fieldvalue(
          zone INTEGER NOT NULL, slot INTEGER NOT NULL, value NOT NULL, name TEXT NOT NULL,
          PRIMARY KEY(zone, slot, value, name)) WITHOUT ROWID;
        """

    /// One row: where and under what a record is found.
    struct Entry: Hashable {
        var slot: Int64
        var value: SQLValue
    }
    /// Ways in which a field lies in the index.
    private enum Form: String {
        /// By the number. Large integers lie with their neighbours, as `RecordFilter` compares them with reals.
        case number
        /// By the text without case: for equality.
        case folded
        /// By the text itself, where that is another: for order and prefixes.
        case exact
        /// Texts whose order and case are not those of their bytes: always looked at.
        case odd
        /// By the name that a reference holds, and those of odd names.
        case reference, oddReference
    }
    /// Type and field as one number: shorter keys. Two fields that share one find each other's records, no more.
    private static func slot(_ type: String, _ field: String, _ form: Form) -> Int64 {
        Int64(bitPattern: StableHash.of(0, type, field, form.rawValue))
    }

    // MARK: Keeping

    /// Takes the place of what a record held before; nil: nothing.
    static func update(_ name: String, _ type: String, old: Value?, new: Value?, in zone: Int64, _ work: Work) throws {
        guard work.usesFieldIndex else { return }
        let (old, new) = (entries(type, old), entries(type, new))
        for entry in old where !new.contains(entry) {
            try work.database.execute(
                "DELETE FROM fieldvalue WHERE zone = ? AND slot = ? AND value = ? AND name = ?", .int(zone),
                .int(entry.slot), entry.value, .text(name))
        }
        for entry in new where !old.contains(entry) { try insert(entry, name, in: zone, work.database) }
    }
    private static func insert(_ entry: Entry, _ name: String, in zone: Int64, _ database: Database) throws {
        try database.execute(
            "INSERT OR IGNORE INTO fieldvalue(zone, slot, value, name) VALUES(?, ?, ?, ?)", .int(zone),
            .int(entry.slot), entry.value, .text(name))
    }
    static func forget(zone: Int64, _ work: Work) throws {
        guard work.usesFieldIndex else { return }
        try work.database.execute("DELETE FROM fieldvalue WHERE zone = ?", .int(zone))
    }
    /// Makes the table; what lies in the database already is entered.
    static func prepare(_ database: Database) throws {
        guard try !database.hasTable(table) else { return }
        try database.script(schema)
        try fill(database)
    }
    /// Enters every record anew.
    static func fill(_ database: Database) throws {
        try database.execute("DELETE FROM fieldvalue")
        var (zone, name) = (Int64.min, "")
        while true {
            let rows = try database.query(
                "SELECT zone, name, type, json FROM record WHERE (zone, name) > (?, ?) AND deleted = 0 "
                    + "ORDER BY zone, name LIMIT 50", .int(zone), .text(name))
            guard let last = rows.last else { return }
            for row in rows {
                let fields = (try? Value(json: row.blob(3)))?["fields"]
                for entry in entries(row.text(2), fields) { try insert(entry, row.text(1), in: row.int(0), database) }
            }
            (zone, name) = (last.int(0), last.text(1))
        }
    }

    private static func entries(_ type: String, _ fields: Value?) -> [Entry] {
        var entries: [Entry] = []
        for pair in fields?.object?.pairs ?? [] {
            guard !RecordFields.isSecret(pair.value) else { continue }
            let value = pair.value["value"] ?? .null
            func add(_ form: Form, _ value: SQLValue) {
                entries.append(Entry(slot: slot(type, pair.key, form), value: value))
            }
            switch pair.value["type"]?.string {
            case "INT64", "DOUBLE", "TIMESTAMP": if let number = value.double { add(.number, .real(number)) }
            case "STRING":
                guard let text = value.string else { continue }
                guard let folded = TextKey(text.lowercased()), let exact = TextKey(text) else {
                    add(.odd, 0)
                    continue
                }
                add(.folded, .blob(folded.bytes))
                if exact != folded { add(.exact, .blob(exact.bytes)) }
            case "REFERENCE":
                guard let name = value["recordName"]?.string else { continue }
                if let key = TextKey(name) { add(.reference, .blob(key.bytes)) } else { add(.oddReference, 0) }
            default: continue
            }
        }
        return entries
    }

    // MARK: Finding

    /// Rows of one slot between two values, both included.
    struct Stretch: Hashable {
        var slot: Int64
        var low: SQLValue
        var high: SQLValue

        static func exactly(_ slot: Int64, _ value: SQLValue) -> Stretch {
            Stretch(slot: slot, low: value, high: value)
        }
    }
    /// Where the records that a filter may accept lie.
    struct Trail: Hashable {
        /// Together they hold every record that may match; each record may be in several.
        var stretches: [Stretch]
        /// The number field whose order the one stretch has; nil for texts and for several stretches.
        var numberField: String?
    }

    /// One trail for each field that the filter narrows; none: all records must be read.
    static func trails(_ filter: RecordFilter, typeOf: (String) -> String?) -> [Trail] {
        var numbers: [String: (low: Double, high: Double)] = [:]
        var order: [String] = []
        var trails: [Trail] = []
        for (field, comparator, value) in filter.comparisons {
            switch typeOf(field) {
            case "INT64", "DOUBLE", "TIMESTAMP":
                if let range = range(comparator, value) {
                    let present = numbers[field] ?? (-Double.infinity, Double.infinity)
                    if numbers[field] == nil { order.append(field) }
                    numbers[field] = (max(present.low, range.low), min(present.high, range.high))
                } else if comparator == .isIn, let trail = numberTrail(value, slot(filter.recordType, field, .number)) {
                    trails.append(trail)
                }
            case "STRING":
                if let trail = textTrail(comparator, value, filter.recordType, field) { trails.append(trail) }
            case "REFERENCE":
                guard comparator == .equals, let key = value["recordName"]?.string.flatMap(TextKey.init) else {
                    continue
                }
                trails.append(
                    Trail(stretches: [
                        .exactly(slot(filter.recordType, field, .reference), .blob(key.bytes)),
                        .exactly(slot(filter.recordType, field, .oddReference), 0),
                    ]))
            default: continue
            }
        }
        for field in order {
            guard let range = numbers[field] else { continue }
            let slot = slot(filter.recordType, field, .number)
            trails.append(
                Trail(
                    stretches: [Stretch(slot: slot, low: .real(range.low), high: .real(range.high))], numberField: field
                ))
        }
        return trails
    }
    /// Both ends included, though the comparator may not mean them.
    private static func range(_ comparator: Comparator, _ value: Value) -> (low: Double, high: Double)? {
        guard let number = value.double else { return nil }
        switch comparator {
        case .equals: return (number, number)
        case .lessThan, .lessThanOrEquals: return (-.infinity, number)
        case .greaterThan, .greaterThanOrEquals: return (number, .infinity)
        default: return nil
        }
    }
    /// Longer lists are no narrow way.
    private static let listMax = 50
    private static func numberTrail(_ list: Value, _ slot: Int64) -> Trail? {
        guard let values = list.array, values.count <= listMax else { return nil }
        let numbers = values.compactMap(\.double)
        guard numbers.count == values.count else { return nil }
        return Trail(stretches: numbers.map { .exactly(slot, .real($0)) })
    }
    private static func textTrail(_ comparator: Comparator, _ value: Value, _ type: String, _ field: String) -> Trail? {
        let (folded, exact) = (slot(type, field, .folded), slot(type, field, .exact))
        var stretches = [Stretch.exactly(slot(type, field, .odd), 0)]
        func add(low: SQLValue, high: SQLValue) {
            stretches.append(Stretch(slot: folded, low: low, high: high))
            stretches.append(Stretch(slot: exact, low: low, high: high))
        }
        switch comparator {
        case .equals, .isIn:
            let texts = value.array ?? [value]
            let keys = texts.compactMap { $0.string.flatMap { TextKey($0.lowercased()) } }
            guard keys.count == texts.count, keys.count <= listMax else { return nil }
            stretches += keys.map { .exactly(folded, .blob($0.bytes)) }
        case .beginsWith:
            guard let key = value.string.flatMap(TextKey.init), !key.bytes.isEmpty else { return nil }
            add(low: .blob(key.bytes), high: .blob(key.bytes + TextKey.beyond))
        case .lessThan, .lessThanOrEquals:
            guard let key = value.string.flatMap(TextKey.init) else { return nil }
            add(low: .blob([]), high: .blob(key.bytes))
        case .greaterThan, .greaterThanOrEquals:
            guard let key = value.string.flatMap(TextKey.init) else { return nil }
            add(low: .blob(key.bytes), high: .blob(TextKey.beyond))
        default: return nil
        }
        return Trail(stretches: stretches)
    }

    /// Rows of a trail, counted up to a limit.
    static func count(_ trail: Trail, in zone: Int64, upTo limit: Int, _ work: Work) throws -> Int {
        var count = 0
        for stretch in trail.stretches where count < limit {
            count += try work.database.query(
                "SELECT name FROM fieldvalue WHERE zone = ? AND slot = ? AND value BETWEEN ? AND ? LIMIT ?", .int(zone),
                .int(stretch.slot), stretch.low, stretch.high, .int(limit - count)
            ).count
        }
        return count
    }
}

/// The beginning of a text as bytes whose order is the texts' own; nil for texts of which that cannot be said.
///
/// Texts compare by their composed form (Unicode NFC). The letters below have themselves as that form and do not join with
/// each other, so their UTF-8 orders as they do; about other texts the index says nothing.
struct TextKey: Hashable {
    var bytes: [UInt8]
    private static let bytesMax = 96
    /// After every key with the same beginning.
    static let beyond = [UInt8](repeating: 0xff, count: 8)

    /// ASCII, Latin, Greek, Cyrillic, punctuation, kana, Chinese characters, Hangul syllables, pictures.
    private static let plain: [ClosedRange<UInt32>] = [
        0...0x7f, 0xa0...0x17f, 0x391...0x3ce, 0x400...0x45f, 0x2010...0x2027, 0x3041...0x3096, 0x30a1...0x30fa,
        0x4e00...0x9fff, 0xac00...0xd7a3, 0x1f300...0x1faff,
    ]

    init?(_ text: String) {
        let isPlain =
            text.utf8.allSatisfy { $0 < 0x80 }
            || text.unicodeScalars.allSatisfy { scalar in Self.plain.contains { $0.contains(scalar.value) } }
        guard isPlain else { return nil }
        bytes = Array(text.utf8.prefix(Self.bytesMax))
    }
}
