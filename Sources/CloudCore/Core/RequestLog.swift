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
        guard let key = call.requestID.map({ "\(call.caller.device)|\($0)" }) else { return try body() }
        let owner = SQLValue.int(call.caller.account)
        let digest = SQLValue.int(Int64(bitPattern: self.digest(call.http)))
        let found = try work.database.query(
            "SELECT status, body FROM request WHERE owner = ? AND id = ? AND digest = ?", owner, .text(key), digest)
        if let row = found.first { return Answer(status: Int(row.int(0)), body: row.blob(1)) }
        let answer = try body()
        // A refusal did nothing: the next try may find quota freed.
        guard answer.status < 300 else { return answer }
        if self.digest(call.http) % 64 == 0 { try prune(work) }
        try work.database.execute(
            "INSERT INTO request(owner, id, digest, status, body, at) VALUES(?, ?, ?, ?, ?, ?)", owner, .text(key),
            digest,
            .int(Int64(answer.status)), .blob(answer.body), .int(work.now.nanoseconds))
        return answer
    }

    /// Drops what nobody will ask for again; one write in 64 pays for it.
    private static func prune(_ work: Work) throws {
        try work.database.execute("DELETE FROM request WHERE at < ?", .int(work.now.nanoseconds &- keptFor.nanoseconds))
    }

    private static func digest(_ request: HTTPRequest) -> UInt64 {
        var hash = StableHash()
        hash.add(request.method)
        hash.add(request.target)
        hash.add(request.body)
        return hash.value
    }
}
