import FleetModel
import Storage

/// A document of a ubiquity container: an identity that survives moves, a path, and its versions.
struct Document: Hashable {
    /// Row.
    var row: Int64
    var container: String
    /// Its name on the wire, the same on every device, made by the device that made the document.
    var id: String
    var path: String
    /// Change sequence of its owner when it last changed.
    var sequence: Int64
    var isDeleted: Bool

    static let columns = "id, container, name, path, seq, deleted"

    init(_ row: Row) {
        self.row = row.int(0)
        container = row.text(1)
        id = row.text(2)
        path = row.text(3)
        sequence = row.int(4)
        isDeleted = row.int(5) != 0
    }

    // MARK: Table

    static func find(_ id: String, in container: String, of owner: Int64, _ work: Work) throws -> Document? {
        try work.database.query(
            "SELECT \(columns) FROM document WHERE owner = ? AND container = ? AND name = ?", .int(owner),
            .text(container),
            .text(id)
        ).first.map(Document.init)
    }
    /// The document that a request's target names, when it is there.
    /// - Throws: `NOT_FOUND`.
    static func live(_ call: Call, _ work: Work) throws -> Document {
        let (container, id) = (call.target.path[2], call.target.path[4])
        if let document = try find(id, in: container, of: call.caller.account, work), !document.isDeleted {
            return document
        }
        throw CloudError(.notFound, "there is no document '\(id)' in '\(container)'; ask for the container's changes")
    }

    /// Makes the row, or brings a deleted one back.
    static func make(_ id: String, at path: String, in container: String, of owner: Int64, _ work: Work) throws
        -> Document
    {
        try work.database.execute(
            "INSERT INTO document(owner, container, name, path, seq, deleted) VALUES(?, ?, ?, ?, ?, 0) "
                + "ON CONFLICT(owner, container, name) DO UPDATE SET path = excluded.path, seq = excluded.seq, deleted = 0",
            .int(owner), .text(container), .text(id), .text(path), .int(try work.nextSequence(owner)))
        guard let document = try find(id, in: container, of: owner, work) else {
            throw CloudError(.internalError, "document '\(id)' was saved and is not there")
        }
        return document
    }

    /// Writes path and state back and moves it to the front of the changes.
    mutating func save(of owner: Int64, _ work: Work) throws {
        sequence = try work.nextSequence(owner)
        try work.database.execute(
            "UPDATE document SET path = ?, seq = ?, deleted = ? WHERE id = ?", .text(path), .int(sequence),
            .int(isDeleted ? 1 : 0), .int(row))
    }

    /// A path that no other document of the container has: `name.ext`, else `name 2.ext` (icloud-documents.md 2).
    static func freePath(_ wanted: String, for id: String, in container: String, of owner: Int64, _ work: Work) throws
        -> String
    {
        var path = wanted
        var number = 2
        while true {
            let others = try work.database.query(
                "SELECT 1 FROM document WHERE owner = ? AND container = ? AND path = ? AND deleted = 0 AND name <> ? LIMIT 1",
                .int(owner), .text(container), .text(path), .text(id))
            if others.isEmpty { return path }
            path = numbered(wanted, number)
            number += 1
        }
    }
    private static func numbered(_ path: String, _ number: Int) -> String {
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[folder...]
        // A leading dot begins a hidden name, no extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(path) \(number)" }
        return "\(path[..<dot]) \(number)\(path[dot...])"
    }

    /// - Throws: `BAD_REQUEST` unless the path stays inside its container.
    static func checkPath(_ path: String) throws(CloudError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }), !path.utf8.contains(0) else {
            throw .badRequest("'\(path)' is no path inside a container")
        }
    }
}
