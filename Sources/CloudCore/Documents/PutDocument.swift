import FleetModel
import Storage

/// `PUT /documents/v1/{container}/items/{id}?base=V&path=P&modified=NS`: a device's edit of a document.
///
/// Nothing is dropped that the writer has not seen. A base that is current, or one of the conflict versions, is replaced;
/// after any other base the newest modification is current and the other a conflict version. An edit of a document that
/// was deleted meanwhile brings it back.
enum PutDocument {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        guard let path = call.target["path"], let modified = call.target["modified"].flatMap({ Int64($0) }) else {
            throw CloudError.badRequest("a document needs 'path' and 'modified' (nanoseconds) in its query")
        }
        try Document.checkPath(path)
        return try RequestLog.once(call, work) {
            var put = Put(call: call, base: call.target["base"] ?? "", path: path, modified: modified)
            return try put.perform(work)
        }
    }
}

/// One edit on its way into the tables.
private struct Put {
    let call: Call
    let base: String
    let path: String
    let modified: Int64
    private let digest: String
    private let tokens: [Token]

    init(call: Call, base: String, path: String, modified: Int64) {
        self.call = call
        self.base = base
        self.path = path
        self.modified = modified
        digest = Digest.of(call.http.body)
        tokens = EditPayload.scan(call.http.body).tokens
    }

    private var owner: Int64 { call.caller.account }
    private var container: String { call.target.path[2] }
    private var id: String { call.target.path[4] }
    private var size: Int64 { Int64(call.http.body.count) }

    mutating func perform(_ work: Work) throws -> Answer {
        let present = try Document.find(id, in: container, of: owner, work)
        guard var document = present, !document.isDeleted else { return try make(work) }
        let versions = try DocumentVersion.all(of: document, work)
        // The same write again under another request id: it is here, or was the start of what is here.
        if let same = versions.first(where: { isSame($0) }) {
            return answer(same.id, at: document.path, conflict: versions.count > 1)
        }
        guard let current = versions.first(where: { $0.isCurrent }) else {
            throw CloudError(.internalError, "document '\(id)' has no current version")
        }
        // Content that the writer had before it: what this edit replaces.
        let seen = versions.first { $0.isNamed(base) }
        try work.owner(owner).checkQuota(growth: size - (seen?.size ?? 0))
        if seen?.isCurrent == true, base == current.id, path != document.path {
            document.path = try Document.freePath(path, for: id, in: container, of: owner, work)
        }
        let isCurrent = seen?.isCurrent == true || wins(over: current)
        let version = try insert(into: document, isCurrent: isCurrent, work)
        if let seen {
            try seen.remove(work)
            try work.use(bytes: -seen.size, of: owner)
        }
        if isCurrent, seen?.row != current.row { try current.setCurrent(false, work) }
        try document.save(of: owner, work)
        return try committed(version, document, old: seen?.tokens ?? [], conflict: seen?.isCurrent != true, work)
    }

    private func make(_ work: Work) throws -> Answer {
        try work.owner(owner).checkQuota(growth: size)
        let free = try Document.freePath(path, for: id, in: container, of: owner, work)
        let document = try Document.make(id, at: free, in: container, of: owner, work)
        let version = try insert(into: document, isCurrent: true, work)
        return try committed(version, document, old: [], conflict: false, work)
    }

    private func isSame(_ version: DocumentVersion) -> Bool {
        version.digest == digest && version.size == size && version.modified == modified
            && version.device == call.caller.device
    }
    /// The newest modification becomes current; of two at the same moment the larger device's.
    private func wins(over current: DocumentVersion) -> Bool {
        (modified, call.caller.device) > (current.modified, current.device)
    }

    private func insert(into document: Document, isCurrent: Bool, _ work: Work) throws -> String {
        let version = try work.newTag(owner)
        try work.database.execute(
            "INSERT INTO version(document, name, aliases, current, size, digest, modified, device, tokens, content) "
                + "VALUES(?, ?, '', ?, ?, ?, ?, ?, ?, ?)",
            .int(document.row), .text(version), .int(isCurrent ? 1 : 0), .int(size), .text(digest), .int(modified),
            .text(call.caller.device), .text(TokenList.text(tokens)), .blob(call.http.body))
        try work.use(bytes: size, of: owner)
        return version
    }

    private func committed(
        _ version: String, _ document: Document, old: [Token], conflict: Bool, _ work: Work
    ) throws -> Answer {
        work.noteWrite(
            .document, of: call.caller.name, at: document.path, old: old, new: tokens,
            detail: ["container": .string(container), "conflict": .bool(conflict)])
        try work.pushHint(.document, topic: container, call.caller)
        return answer(version, at: document.path, conflict: conflict)
    }
    private func answer(_ version: String, at path: String, conflict: Bool) -> Answer {
        Answer(json: [
            "id": .string(id), "version": .string(version), "conflict": .bool(conflict), "path": .string(path),
        ])
    }
}
