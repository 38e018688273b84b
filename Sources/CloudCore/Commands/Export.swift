import FleetModel
import Storage

/// Everything that an iCloud holds as lines of JSON, one row of a table each, and back: to keep a known state, to look at
/// one, to go on from it elsewhere.
///
/// The first line is `{"format": 3}` with what the caller adds; then `{"table": name, "row": {column: value}}`; the last is
/// `{"rows": number of rows}`, so that half an export is not taken for a whole one. Bytes that are JSON are shown as
/// `{"$json": value}`, others as `{"$data": base64}`.
extension Cloud {
    /// Of the rows; exports of formats 1 and 2, from before secrets and names were hidden, are taken too (`SchemaUpgrade`).
    private static let format: Int64 = 3

    /// - Parameters:
    ///   - head: laid over the first line.
    ///   - line: gets each line without its end.
    public func export(head: Value = .empty, _ line: ([UInt8]) -> Void) throws {
        var first: Value = ["format": .int(Self.format)]
        for pair in head.object?.pairs ?? [] { first[pair.key] = pair.value }
        line(first.jsonBytes)
        var rows: Int64 = 0
        // What is made from the records is made anew from them.
        for table in try tables() where table != FieldIndex.table {
            let columns = try columns(of: table)
            let names = columns.joined(separator: ", ")
            try database.each("SELECT \(names) FROM \(table) ORDER BY \(names)") { row in
                let pairs = zip(columns, row.values).map { ($0, Self.shown($1)) }
                line((["table": .string(table), "row": .object(Value.Object(pairs))] as Value).jsonBytes)
                rows += 1
            }
        }
        line((["rows": .int(rows)] as Value).jsonBytes)
    }

    /// Takes the place of everything that is there: all of it or nothing.
    ///
    /// Change tokens of before are expired: those from after the exported state would skip what comes next. Names, tags
    /// and tokens that were given out since are not given out again.
    /// - Parameter nextLine: gives one line after the other, without its end, and nil after the last; one is in memory at a time.
    /// - Throws: `CloudSpecError` naming the line that is not understood; what `nextLine` throws.
    public func restore(_ nextLine: () throws -> [UInt8]?) throws {
        try database.transaction {
            let books = try database.query("SELECT name, epoch, drawn FROM owner ORDER BY id")
            let format = try replaceRows(nextLine)
            if format == 1 { try SchemaUpgrade.reviewCouriers(database) }
            for book in books {
                try database.execute(
                    "UPDATE owner SET epoch = max(epoch, ?), drawn = max(drawn, ?) WHERE name = ?", .int(book.int(1)),
                    .int(book.int(2)), .text(book.text(0)))
            }
            // Who is in neither and comes later goes on where all have been: what was given out is not given out again.
            let drawn = books.map { $0.int(2) }.max() ?? 0
            try database.execute(
                "UPDATE owner SET drawn = max(drawn, ?) WHERE id = ?", .int(drawn), .int(Owner.publicID))
            try database.execute("UPDATE owner SET epoch = epoch + 1")
            // Those that were spent since would be good again: who is signed in on the web signs in anew.
            try database.execute("DELETE FROM webtoken")
            try database.execute("INSERT OR REPLACE INTO maker(id, secret) VALUES(1, ?)", .text(policy.makersMark))
            if format < 3 { try SchemaUpgrade.hide(database, seed: seed, policy) }
            if usesFieldIndex { try FieldIndex.fill(database) }
        }
        try recount()
    }
    /// Whether the rows of a database were made with a secret (key `secret` of a Cloud's spec): of a folder of which two are
    /// known, because an import was broken off.
    public static func isMade(_ database: Database, with secret: String) throws -> Bool {
        guard try database.hasTable("maker") else { return false }
        return try database.query("SELECT secret FROM maker").first?.text(0) == CloudPolicy.makersMark(of: secret)
    }
    /// - Returns: the format of the lines.
    private func replaceRows(_ nextLine: () throws -> [UInt8]?) throws -> Int64 {
        let known = try Dictionary(uniqueKeysWithValues: tables().map { ($0, Set(try columns(of: $0))) })
        for table in known.keys.sorted() { try database.execute("DELETE FROM \(table)") }
        var (number, format): (Int, Int64?) = (0, nil)
        /// As the last line says.
        var rows: Int64?
        while let line = try nextLine() {
            guard !line.isEmpty else { continue }
            number += 1
            guard let value = try? Value(json: line) else { throw CloudSpecError("line \(number) is no JSON") }
            if let format {
                rows = value["rows"]?.int
                if rows == nil { try insert(value, format, number, known) }
            } else {
                format = try Self.format(value)
            }
        }
        guard let format else { throw CloudSpecError("an export has one line at least; this one is empty") }
        // Beside the rows there are the first line and the last.
        guard format == 1 || rows == Int64(number - 2) else {
            throw CloudSpecError(
                "the export is cut off or has lost lines: its last line does not say how many there are")
        }
        return format
    }
    private static func format(_ head: Value) throws(CloudSpecError) -> Int64 {
        guard let found = head["format"]?.int, (1...format).contains(found) else {
            throw CloudSpecError("this is no export of format 1 to \(format): its first line does not say so")
        }
        return found
    }
    private func insert(_ value: Value, _ format: Int64, _ number: Int, _ known: [String: Set<String>]) throws {
        guard let table = value["table"]?.string, let columns = known[table], let given = value["row"],
            let row = (SchemaUpgrade.row(given, of: table, format: format) ?? .empty).object?.pairs,
            row.allSatisfy({ columns.contains($0.key) })
        else { throw CloudSpecError("line \(number) names no table and columns of this version") }
        guard !row.isEmpty else { return }
        let names = row.map(\.key).joined(separator: ", ")
        let marks = row.map { _ in "?" }.joined(separator: ", ")
        let values = try row.map { try Self.stored($0.value, number) }
        do { try database.execute("INSERT INTO \(table)(\(names)) VALUES(\(marks))", all: values) } catch {
            // SQLITE_CONSTRAINT, SQLITE_MISMATCH: the line is the reason. https://www.sqlite.org/rescode.html
            guard [19, 20].contains(error.code & 0xff) else { throw error }
            throw CloudSpecError("line \(number) does not go into the table '\(table)': \(error.message)")
        }
    }

    private func tables() throws -> [String] {
        try database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        .map { $0.text(0) }
    }
    private func columns(of table: String) throws -> [String] {
        try database.query("SELECT name FROM pragma_table_info(?) ORDER BY cid", .text(table)).map { $0.text(0) }
    }

    private static func shown(_ value: SQLValue) -> Value {
        switch value {
        case .null: .null
        case .int(let number): .int(number)
        // JSON has no infinite numbers; the bits have.
        case .real(let number): ["$real": .int(Int64(bitPattern: number.bitPattern))]
        case .text(let text): .string(text)
        case .blob(let bytes):
            if let json = try? Value(json: bytes), json.object != nil, json.jsonBytes == bytes {
                ["$json": json]
            } else {
                .data(bytes)
            }
        }
    }
    private static func stored(_ value: Value, _ number: Int) throws(CloudSpecError) -> SQLValue {
        switch value {
        case .null: return .null
        case .int(let number): return .int(number)
        case .string(let text): return .text(text)
        case .data(let bytes): return .blob(bytes)
        default:
            if let bits = value["$real"]?.int { return .real(Double(bitPattern: UInt64(bitPattern: bits))) }
            if let json = value["$json"] { return .blob(json.jsonBytes) }
            throw CloudSpecError("line \(number) holds a value that no column has")
        }
    }
}
