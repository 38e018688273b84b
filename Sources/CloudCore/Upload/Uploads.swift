import FleetModel
import Storage

/// The app's own backend: files that an app hands in over a plain web service, with a password of its own.
///
/// A file is written once: the same content again is a retry, other content is refused. Not modelled: the app's push.
enum PutUpload {
    /// `PUT /upload/v1/{app}/{path}`.
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let app = call.target.path[2]
        let path = call.target.path.dropFirst(3).joined(separator: "/")
        try UploadLogin.check(call, app: app, work)
        let digest = Digest.of(call.http.body)
        let (owner, size) = (SQLValue.int(call.caller.account), Int64(call.http.body.count))
        let answer: Value = ["path": .string(path), "size": .int(size), "digest": .string(digest)]
        let rows = try work.database.query(
            "SELECT content FROM upload WHERE owner = ? AND app = ? AND path = ?", owner, .text(app), .text(path))
        if let row = rows.first {
            if row.blob(0) == call.http.body { return Answer(status: 200, json: answer) }
            throw CloudError(.conflict, "'\(path)' is there already with other content; hand it in under another name")
        }
        try work.database.execute(
            "INSERT INTO upload(owner, app, path, size, digest, content) VALUES(?, ?, ?, ?, ?, ?)", owner, .text(app),
            .text(path), .int(size), .text(digest), .blob(call.http.body))
        work.noteWrite(
            .upload, of: call.caller.name, at: path, old: [], new: EditPayload.scan(call.http.body).tokens,
            detail: ["app": .string(app)])
        return Answer(status: 201, json: answer)
    }
}

/// `GET /upload/v1/{app}/{path}`: one file of the caller's, as it was handed in, or with `Range` a part of it (`ByteRange`).
enum GetUpload {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        guard call.target["list"] == nil else { return try ListUploads.handle(call, work) }
        let path = call.target.path.dropFirst(3).joined(separator: "/")
        let rows = try work.database.query(
            "SELECT content, digest FROM upload WHERE owner = ? AND app = ? AND path = ?", .int(call.caller.account),
            .text(call.target.path[2]), .text(path))
        guard let row = rows.first else {
            throw CloudError(.notFound, "there is no file '\(path)'; for a list add '?list'")
        }
        return ByteRange.answer(row.blob(0), tag: "\"\(row.text(1))\"", call.http.headers)
    }
}

/// `GET /upload/v1/{app}/{prefix}?list&after=P`: what the caller has handed in, by path, after the path P. What does not
/// fit into one answer comes after `next`.
enum ListUploads {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let prefix = call.target.path.dropFirst(3).joined(separator: "/")
        var (items, budget, next) = ([Value](), AnswerBudget(records: .max, work.policy), Value?.none)
        var last = call.target["after"] ?? ""
        while let row = try row(after: last, prefix, call, work) {
            guard !budget.isSpent else {
                next = .string(last)
                break
            }
            last = row.text(0)
            items.append(["path": .string(last), "size": .int(row.int(1)), "data": .data(row.blob(2))])
            budget.spend(records: 1, bytes: row.blob(2).count + last.utf8.count)
        }
        var answer: Value = ["items": .array(items)]
        answer["next"] = next
        return Answer(json: answer)
    }
    /// One at a time: files may be large.
    private static func row(after path: String, _ prefix: String, _ call: Call, _ work: Work) throws -> Row? {
        try work.database.query(
            "SELECT path, size, content FROM upload WHERE owner = ? AND app = ? AND path > ? "
                + "AND substr(path, 1, length(?)) = ? ORDER BY path LIMIT 1", .int(call.caller.account),
            .text(call.target.path[2]), .text(path), .text(prefix), .text(prefix)
        ).first
    }
}
