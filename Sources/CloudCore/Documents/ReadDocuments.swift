import FleetModel
import Storage

/// `POST /documents/v1/{container}/changes {since}`: the metadata of what changed; data are fetched one by one
/// (icloud-documents.md 4). A first fetch needs no tombstones.
enum DocumentChanges {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let container = call.target.path[2]
        let since = try call.json().integer("since")
        guard since >= 0 else { throw CloudError.badRequest("'since' must not be negative; 0 asks for everything") }
        var documents = try work.database.query(
            "SELECT \(Document.columns) FROM document WHERE owner = ? AND container = ? AND seq > ? AND (deleted = 0 OR ?) "
                + "ORDER BY seq LIMIT ?",
            .int(call.caller.account), .text(container), .int(since), .int(since > 0 ? 1 : 0), .int(itemsMax + 1)
        ).map(Document.init)
        let isWhole = documents.count <= itemsMax
        documents = Array(documents.prefix(itemsMax))
        var answer: Value = [
            "seq": .int(max(since, documents.last?.sequence ?? 0)),
            "items": .array(try documents.map { try item($0, work) }),
        ]
        // Said only where it is so: the rest comes after `seq`.
        if !isWhole { answer["moreComing"] = true }
        return Answer(json: answer)
    }
    /// Documents of one answer: about as large as others may be (`AnswerBudget`). ASSUMED.
    private static let itemsMax = 20_000

    private static func item(_ document: Document, _ work: Work) throws -> Value {
        let versions = try DocumentVersion.all(of: document, work)
        var item: Value = [
            "id": .string(document.id), "path": .string(document.path), "deleted": .bool(document.isDeleted),
            "conflicts": .array(versions.filter { !$0.isCurrent }.map(\.body)),
        ]
        guard let current = versions.first(where: { $0.isCurrent }) else { return item }
        item["version"] = .string(current.id)
        item["size"] = .int(current.size)
        item["digest"] = .string(current.digest)
        item["modified"] = .int(current.modified)
        item["device"] = .string(current.device)
        return item
    }
}

/// `GET /documents/v1/{container}/items/{id}?version=V`: the bytes of one version; without `version` of the current one.
enum GetDocument {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let document = try Document.live(call, work)
        let wanted = call.target["version"] ?? ""
        let versions = try DocumentVersion.all(of: document, work)
        guard let version = versions.first(where: { wanted.isEmpty ? $0.isCurrent : $0.isNamed(wanted) }) else {
            throw CloudError(
                .notFound, "document '\(document.id)' has no version '\(wanted)' any more; ask for the changes")
        }
        return Answer(headers: ["X-Homeroom-Version": version.id], body: try version.content(work))
    }
}
