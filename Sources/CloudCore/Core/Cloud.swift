import FleetModel
import Storage

/// The reference iCloud: a synchronous state machine on SQLite, for the World as a participant and for a server by `apply`.
///
/// What it does not model: sharing, assets, indexing delay, schemas, push through APNs (cloudkit-web-services.md 5.5, 7.3, 7.4).
/// All state is on the disk: a new `Cloud` on the same disk goes on where the last commit was.
public final class Cloud: Participant {
    let disk: Disk
    let database: Database
    let seed: UInt64
    private var entropy: UInt64 = 0
    /// After a crash the object is dead: it takes nothing and says nothing.
    private var isDown = false

    /// Opens the iCloud that lies on `disk`, or makes a new one there.
    ///
    /// - Parameter spec: `{accounts: [name], seed, quotaBytes?}`; accounts that are missing on the disk are added.
    /// - Throws: `CloudSpecError` for a bad spec, `DatabaseError` when the disk cannot be used.
    public init(spec: Value, disk: Disk) throws {
        guard let accounts = spec["accounts"]?.array, accounts.allSatisfy({ $0.string.map { !$0.isEmpty } ?? false })
        else {
            throw CloudSpecError("'accounts' of the Cloud's spec must be a list of names")
        }
        guard let seed = spec["seed"]?.int else {
            throw CloudSpecError("'seed' of the Cloud's spec must be an integer")
        }
        let quota = spec["quotaBytes"] ?? .int(Schema.quotaBytesDefault)
        guard let quotaBytes = quota.int, quotaBytes >= 0 else {
            throw CloudSpecError("'quotaBytes' of the Cloud's spec must be a number of bytes")
        }
        self.seed = UInt64(bitPattern: seed)
        self.disk = disk
        database = try Database(disk: disk, path: Schema.path)
        try Schema.prepare(
            database, accounts: accounts.compactMap(\.string), seed: self.seed, quotaBytes: quotaBytes)
    }

    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        var outputs: [Output] = []
        var waiting: [CloudRequest] = []
        func serve() {
            guard !waiting.isEmpty else { return }
            for reply in apply(waiting, now: now) { outputs += reply.outputs }
            waiting = []
        }
        for input in inputs where !isDown {
            switch input.payload {
            case .request(let http):
                waiting.append(CloudRequest(from: input.from, exchange: input.exchange, http: http))
            case .command(let message):
                serve()
                outputs += obey(message, from: input.from, exchange: input.exchange, now: now)
            default: break
            }
        }
        serve()
        return StepResult(outputs: outputs, entropy: entropy)
    }

    /// Serves requests in one transaction, each in a savepoint of its own; returns after the commit.
    ///
    /// When the commit itself fails (a full disk) nothing of any request was done and all are told to come again.
    /// - Returns: one reply a request, in the same order.
    public func apply(_ requests: [CloudRequest], now: Instant) -> [CloudReply] {
        disk.now = now
        do {
            return try transact(now) { work in
                try requests.map { request in try reply(to: request, work, isAlone: requests.count == 1) }
            }
        } catch let refused as Refused {
            return [refused.reply]
        } catch {
            let problem = CloudError(.tryAgainLater, "the service could not commit: \(error)", retryAfter: 5)
            return requests.map { refusal(of: $0, problem, now) }
        }
    }

    /// One transaction with its books.
    func transact<T>(_ now: Instant, _ body: (Work) throws -> T) throws -> T {
        let work = Work(database: database, seed: seed, now: now, entropy: entropy)
        defer { entropy = work.entropy }
        return try database.transaction {
            let result = try body(work)
            try work.saveBooks()
            return result
        }
    }

    /// The one request of a transaction was refused: the transaction itself is undone, a savepoint is not needed.
    private struct Refused: Error { var reply: CloudReply }

    private func reply(to request: CloudRequest, _ work: Work, isAlone: Bool) throws -> CloudReply {
        let books = work.begin()
        do {
            let answer = isAlone ? try serve(request, work) : try database.transaction { try serve(request, work) }
            let cause = work.notes.first { !$0.tokens.isEmpty }?.tokens.first
            return CloudReply(
                to: request.from, exchange: request.exchange,
                response: HTTPResponse(status: answer.status, headers: answer.headers, body: answer.body),
                pushes: work.pushes,
                notes: work.notes, cause: cause ?? Self.cause(of: request))
        } catch let problem as CloudError {
            work.undo(to: books)
            let reply = refusal(of: request, problem, work.now)
            if isAlone { throw Refused(reply: reply) }
            return reply
        }
    }

    private func serve(_ request: CloudRequest, _ work: Work) throws -> Answer {
        let target = try Target(request.http.target)
        if target.path == SignIn.path { return try SignIn.handle(request.http, work) }
        let handler = try Router.handler(for: request.http, target)
        let caller = try Sessions.caller(of: request.http, work)
        return try handler(Call(http: request.http, target: target, caller: caller), work)
    }

    private func refusal(of request: CloudRequest, _ problem: CloudError, _ now: Instant) -> CloudReply {
        let high = StableHash.of(seed, "refusal", request.from.description, request.http.target)
        let low = StableHash.mix(high ^ request.exchange ^ UInt64(bitPattern: now.nanoseconds))
        var response = HTTPResponse(status: problem.code.httpStatus, json: problem.body(uuid: Work.uuid(high, low)))
        if let seconds = problem.retryAfter { response.headers["Retry-After"] = String(seconds) }
        return CloudReply(
            to: request.from, exchange: request.exchange, response: response, cause: Self.cause(of: request))
    }

    /// Luck of an answer without an edit: drawn from what was asked, never from a counter.
    private static func cause(of request: CloudRequest) -> String {
        if let token = EditPayload.scan(request.http.body).tokens.first { return token }
        let path = request.http.target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? ""
        return "\(request.http.method) \(path)"
    }

    /// Loses what the disk had not synced; the World discards this object and makes a new one on the same disk.
    func crash(seed: UInt64) {
        disk.powerCut(seed: seed)
        isDown = true
    }
}

/// Why a Cloud could not be made: its spec is wrong.
public struct CloudSpecError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
    init(_ description: String) { self.description = description }
}
