import FleetModel
import Storage

/// Remembers the answers to writes that the protocol cannot recognise when they come again.
///
/// Networks double requests and lose answers, and a retry must not act twice. The key is the device's request id *and* a
/// digest of the request: an id used for something else is another request, so nothing is swallowed.
enum RequestLog {
    /// ASSUMED: longer than any retry; a background transfer gives up after 7 days.
    static let keptFor = Span.hours(24 * 8)

    /// Runs `body` once for all tries of a request.
    static func once(_ call: Call, _ work: Work, _ body: () throws -> Answer) throws -> Answer {
        // A web client that comes again may be another page with another id.
        let sender = call.caller.kind == .web ? "web" : call.caller.device
        guard let key = call.requestID.map({ "\(sender)|\($0)" }) else { return try body() }
        let owner = SQLValue.int(call.caller.account)
        let content = self.digest(call)
        let digest = SQLValue.int(Int64(bitPattern: content))
        let found = try work.database.query(
            "SELECT status, body FROM request WHERE owner = ? AND id = ? AND digest = ?", owner, .text(key), digest)
        if let row = found.first {
            var answer = Answer(status: Int(row.int(0)), body: try work.disclose(row.blob(1), place: place(call, key)))
            answer.isRepeated = true
            return answer
        }
        let answer = try body()
        // A refusal did nothing: the next try may find quota freed.
        guard answer.status < 300 else { return answer }
        if content % 64 == 0 { try prune(work) }
        try work.database.execute(
            "INSERT INTO request(owner, id, digest, status, body, at, container) VALUES(?, ?, ?, ?, ?, ?, ?)", owner,
            .text(key), digest, .int(Int64(answer.status)),
            .blob(try work.enclose(answer.body, place: place(call, key))), .int(work.now.nanoseconds),
            .text(call.target.path.count > 2 ? call.target.path[2] : ""))
        return answer
    }
    /// Answers hold URLs of files: they lie encrypted where the disk is a server's.
    private static func place(_ call: Call, _ key: String) -> String { "request \(call.caller.account) \(key)" }

    /// Drops what nobody will ask for again; one write in 64 pays for it.
    private static func prune(_ work: Work) throws {
        try work.database.execute("DELETE FROM request WHERE at < ?", .int(work.now.nanoseconds &- keptFor.nanoseconds))
    }

    /// What is asked. A web client says in the query who asks, by a token that is good for one try.
    private static func digest(_ call: Call) -> UInt64 {
        var hash = StableHash()
        hash.add(call.http.method)
        if call.caller.kind == .web {
            for part in call.target.path { hash.add(part) }
            for field in call.target.fields(without: ["ckAPIToken", "ckWebAuthToken", "clientId"]) {
                hash.add(field.name)
                hash.add(field.value)
            }
        } else {
            hash.add(call.http.target)
        }
        hash.add(call.http.body)
        return hash.value
    }
}
