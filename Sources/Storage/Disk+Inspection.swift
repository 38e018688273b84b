import FleetModel

/// What somebody who looks on may ask about a volume. Nothing of it changes the volume, not even its counters.
extension Disk {
    /// Bytes of a file and rows of a table that an answer holds, unless the question says otherwise.
    private static let bytesMax = 4096
    private static let rowsMax = 200
    /// The first bytes of a database. Source: https://www.sqlite.org/fileformat.html, "Magic Header String".
    private static let databaseMark = Array("SQLite format 3\0".utf8)

    /// Answers a question.
    ///
    /// - Parameter question: `files {under?}`, `file {path, most?}`, `tables {path}`, `sql {path, sql, most?}`.
    /// - Returns: nil for a question that no volume knows; `{error}` for one that cannot be answered.
    public func inspect(_ question: Message) -> Value? {
        do {
            switch question.name {
            case "files": return listed(under: question["under"]?.string ?? "/")
            case "file": return try shown(question["path"]?.string ?? "", most(question, Self.bytesMax))
            case "tables": return try tables(of: question["path"]?.string ?? "")
            case "sql":
                let (path, sql) = (question["path"]?.string ?? "", question["sql"]?.string ?? "")
                return try rows(of: path, sql, most(question, Self.rowsMax))
            default: return nil
            }
        } catch { return ["error": .string("\(error)")] }
    }
    private func most(_ question: Message, _ standard: Int) -> Int {
        question["most"]?.int.flatMap { Int(exactly: $0) }.map { max(0, $0) } ?? standard
    }

    private func listed(under path: String) -> Value {
        let unsynced = Set(unsyncedFiles(under: path))
        return .array(
            files(under: path).compactMap { path in
                guard let status = status(path) else { return nil }
                var entry: Value = [
                    "path": .string(path), "bytes": .int(status.size), "changed": .string(status.modified.wallClock),
                ]
                if unsynced.contains(path) { entry["durable"] = false }
                if isDatabase(path) { entry["database"] = true }
                return entry
            })
    }
    private func isDatabase(_ path: String) -> Bool {
        guard let path = try? DiskPath(path), let content = try? file(path).content.all() else { return false }
        return content.starts(with: Self.databaseMark)
    }
    private func shown(_ path: String, _ most: Int) throws -> Value {
        let bytes = try read(path)
        let first = Array(bytes.prefix(most))
        var answer: Value = ["path": .string(path), "bytes": .int(bytes.count)]
        // A cut in the middle of a character is no reason to show numbers.
        let isText = (0..<4).lazy.compactMap { String(validating: first.dropLast($0), as: UTF8.self) }.first
        if let text = isText, !text.unicodeScalars.contains("\0") {
            answer["text"] = .string(text)
        } else {
            answer["data"] = .data(first)
        }
        if bytes.count > most { answer["cutAt"] = .int(most) }
        return answer
    }

    // MARK: Databases

    /// A copy of a database with what its log holds: whatever is done to it stays in it.
    private func copy(ofDatabase path: String) throws -> Database {
        let copy = Disk.memory()
        copy.now = now
        for ending in ["", "-wal", "-journal"] where status(path + ending)?.isFolder == false {
            try copy.write("/copy" + ending, read(path + ending), sync: true)
        }
        guard copy.status("/copy") != nil else { throw DiskError.notFound(path) }
        return try Database(disk: copy, path: "/copy")
    }
    private func tables(of path: String) throws -> Value {
        let database = try copy(ofDatabase: path)
        let names = try database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        return .array(
            try names.map { row in
                let name = row.text(0).replacing("\"", with: "\"\"")
                let count = try database.query("SELECT COUNT(*) FROM \"\(name)\"").first?.int(0) ?? 0
                return ["table": .string(row.text(0)), "rows": .int(count)]
            })
    }
    private func rows(of path: String, _ sql: String, _ most: Int) throws -> Value {
        let database = try copy(ofDatabase: path)
        var (rows, count, columns): ([Value], Int, [String]) = ([], 0, [])
        try database.each(sql, columns: { columns = $0 }) { row in
            count += 1
            if rows.count < most { rows.append(.array(row.values.map(\.shown))) }
        }
        var answer: Value = ["columns": .strings(columns), "rows": .array(rows)]
        if count > rows.count { answer["more"] = .int(count - rows.count) }
        return answer
    }
}

extension SQLValue {
    /// For people: bytes that are text as text.
    fileprivate var shown: Value {
        switch self {
        case .null: .null
        case .int(let number): .int(number)
        case .real(let number): .double(number)
        case .text(let text): .string(text)
        case .blob(let bytes): String(validating: bytes, as: UTF8.self).map(Value.string) ?? .data(bytes)
        }
    }
}
