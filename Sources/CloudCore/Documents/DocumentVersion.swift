import FleetModel
import Storage

/// One content of a document: the current one, or a conflict version that lost and waits to be resolved
/// (icloud-documents.md 8).
struct DocumentVersion: Hashable {
    /// Row.
    var row: Int64
    /// Opaque; compared by equality only.
    var id: String
    /// Ids under which the same content was known before a move.
    var aliases: [String]
    var isCurrent: Bool
    var size: Int64
    var digest: String
    /// By the clock of the device that wrote it, ns.
    var modified: Int64
    var device: String
    var tokens: [Token]

    /// All but the content.
    static let columns = "id, name, aliases, current, size, digest, modified, device, tokens"

    init(_ row: Row) {
        self.row = row.int(0)
        id = row.text(1)
        aliases = TokenList.read(row.text(2))
        isCurrent = row.int(3) != 0
        size = row.int(4)
        digest = row.text(5)
        modified = row.int(6)
        device = row.text(7)
        tokens = TokenList.read(row.text(8))
    }

    /// Whether `base` stands for this content: an edit made from it has seen it.
    func isNamed(_ base: String) -> Bool { id == base || aliases.contains(base) }

    /// As the changes feed shows a conflict version.
    var body: Value {
        [
            "id": .string(id), "version": .string(id), "size": .int(size), "modified": .int(modified),
            "device": .string(device),
        ]
    }

    // MARK: Table

    static func all(of document: Document, _ work: Work) throws -> [DocumentVersion] {
        try work.database.query("SELECT \(columns) FROM version WHERE document = ? ORDER BY id", .int(document.row))
            .map(DocumentVersion.init)
    }
    func content(_ work: Work) throws -> [UInt8] {
        guard let row = try work.database.query("SELECT content FROM version WHERE id = ?", .int(row)).first else {
            throw CloudError(.internalError, "the content of version '\(id)' is gone")
        }
        return row.blob(0)
    }
    func remove(_ work: Work) throws { try work.database.execute("DELETE FROM version WHERE id = ?", .int(row)) }
    func setCurrent(_ isCurrent: Bool, _ work: Work) throws {
        try work.database.execute("UPDATE version SET current = ? WHERE id = ?", .int(isCurrent ? 1 : 0), .int(row))
    }
    /// Gives the same content a new id; the old one goes on to stand for it.
    func rename(_ id: String, _ work: Work) throws {
        try work.database.execute(
            "UPDATE version SET name = ?, aliases = ? WHERE id = ?", .text(id),
            .text(TokenList.text(aliases + [self.id])),
            .int(row))
    }
}
