import FleetModel
import Storage

/// The reference iCloud: a synchronous state machine on SQLite, for the World as a participant and for a server by `apply`.
///
/// What it does not model: throttling, push through APNs (web clients are told by long poll).
/// All state is on the disk: a new `Cloud` on the same disk goes on where the last commit was.
public final class Cloud: Participant {
    let disk: Disk
    let database: Database
    let seed: UInt64
    private(set) var policy: CloudPolicy
    let seals: Seals
    /// Whether queries look into `FieldIndex`, and saves keep it.
    var usesFieldIndex: Bool
    /// When the next chore is due, ns of virtual time; nil: none waits.
    private(set) var nextChore: Int64?
    private var entropy: UInt64 = 0
    var disorder = Disorder()
    let schemaWatch = SchemaWatch()
    /// The first reason for which nothing could be written, a full disk: who was turned away for it may have been turned away for ever.
    private(set) var failure: String?
    /// After a crash the object is dead: it takes nothing and says nothing.
    private var isDown = false

    /// Opens the iCloud that lies on `disk`, or makes a new one there.
    ///
    /// - Parameters:
    ///   - spec: `{accounts: [name], seed, quotaBytes?}` and the keys of `CloudPolicy`; accounts that are missing on the
    ///     disk are added.
    /// - Throws: `CloudSpecError` for a bad spec, `DatabaseError` when the disk cannot be used.
    public convenience init(spec: Value, disk: Disk) throws {
        try self.init(spec: spec, disk: disk, database: Database(disk: disk, path: Schema.path))
    }
    /// Opens the iCloud in a database of its own: a server's, in a real file.
    public convenience init(spec: Value, database: Database) throws {
        try self.init(spec: spec, disk: .memory(), database: database)
    }

    private init(spec: Value, disk: Disk, database: Database) throws {
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
        self.database = database
        policy = try CloudPolicy(spec: spec, seed: self.seed)
        seals = Seals(key: policy.secret)
        usesFieldIndex = policy.isDevelopment || policy.hasClosedProduction
        try Schema.prepare(
            database, accounts: accounts.compactMap(\.string), seed: self.seed, policy, quotaBytes: quotaBytes)
        if usesFieldIndex { try database.transaction { try FieldIndex.prepare(database) } }
        if policy.keepsHistory {
            try History.prepare(database)
            try Board.prepare(database)
        }
        nextChore = try Chores.next(database)
    }

    /// Scheme and host of the URLs in answers from now on: a server on a free port knows it when it listens.
    public func listens(at origin: String) { policy.origin = origin }

    /// Serves requests in the order of the inputs, each group between two commands in one transaction. After a crash it does nothing.
    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        var outputs: [Output] = []
        var waiting: [CloudRequest] = []
        func serve() {
            guard !waiting.isEmpty else { return }
            for reply in apply(waiting, now: now) { outputs += reply.outputs }
            waiting = []
        }
        if !isDown { outputs += settle(now: now).outputs }
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
        let timer = isDown ? nil : nextChore.map { Instant(nanoseconds: $0) }
        return StepResult(
            outputs: outputs, nextTimer: timer, entropy: entropy, problems: isDown ? [] : brokenInvariants)
    }

    /// Does what was put off and is due: cascades of the default zone, collection of assets. An idle server calls it each
    /// second; a commit that fails leaves the chores for the next time.
    /// - Returns: what it has led to: one call is one transaction of some length.
    @discardableResult
    public func settle(now: Instant) -> CloudSettlement {
        guard let due = nextChore, due <= now.nanoseconds else { return CloudSettlement() }
        disk.now = now
        var settlement = CloudSettlement()
        do {
            settlement = try transact(now) { work in
                try Chores.run(work)
                try History.keep(work.notes, work)
                return CloudSettlement(pushes: work.pushes, notes: work.notes, rung: work.rung)
            }
        } catch {
            nextChore = now.nanoseconds + Chores.retryAfter.nanoseconds
        }
        settlement.isMoreDue = nextChore.map { $0 <= now.nanoseconds } ?? false
        return settlement
    }

    /// Serves requests in one transaction, each in a savepoint of its own; returns after the commit.
    ///
    /// When the commit itself fails (a full disk) nothing of any request was done and all are told to come again. A
    /// request of which the database refuses a statement spoils the transaction: then each is applied alone, and the
    /// others do not pay for it.
    /// - Parameters:
    ///   - now: never goes back.
    ///   - clock: what the machine's clock says, by which dates of signed requests are judged; nil: the same as `now`.
    /// - Returns: one reply a request, in the same order.
    public func apply(_ requests: [CloudRequest], now: Instant, clock: Instant? = nil) -> [CloudReply] {
        disk.now = now
        do {
            return try transact(now, clock: clock) { work in
                let replies = try requests.map { try reply(to: $0, work, isAlone: requests.count == 1) }
                try History.keep(replies.flatMap(\.notes), work)
                return replies
            }
        } catch let refused as Refused {
            keepHistory(of: refused.reply, now)
            return [refused.reply]
        } catch let error where requests.count > 1 && Self.isOfOneRequest(error) {
            return requests.flatMap { apply([$0], now: now, clock: clock) }
        } catch {
            let problem = CloudError(.tryAgainLater, "the service could not commit: \(error)", retryAfter: 5)
            return requests.map { refusal(of: $0, problem, now) }
        }
    }

    /// What was noted of a request whose own transaction is undone.
    private func keepHistory(of reply: CloudReply, _ now: Instant) {
        guard !reply.notes.isEmpty else { return }
        do { try transact(now) { try History.keep(reply.notes, $0) } } catch { failure = failure ?? "\(error)" }
    }

    /// Whether what a request says is the reason, and not the disk, which would fail each of them.
    private static func isOfOneRequest(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return true }
        // SQLITE_ERROR, TOOBIG, CONSTRAINT, MISMATCH, RANGE. https://www.sqlite.org/rescode.html
        return [1, 18, 19, 20, 25].contains(error.code & 0xff)
    }

    /// After the tables were filled by other means than requests.
    func recount() throws { nextChore = try Chores.next(database) }

    /// One transaction with its books.
    func transact<T>(_ now: Instant, clock: Instant? = nil, _ body: (Work) throws -> T) throws -> T {
        let work = Work(cloud: self, now: now, clock: clock, entropy: entropy)
        defer { entropy = work.entropy }
        let result: T
        do {
            result = try database.transaction {
                let result = try body(work)
                try work.saveBooks()
                return result
            }
        } catch let error as DatabaseError where !Self.isOfOneRequest(error) {
            failure = failure ?? "\(error)"
            throw error
        }
        if work.hasNewChore { nextChore = try Chores.next(database) }
        return result
    }

    /// The one request of a transaction was refused: the transaction itself is undone, a savepoint is not needed.
    private struct Refused: Error { var reply: CloudReply }

    private func reply(to request: CloudRequest, _ work: Work, isAlone: Bool) throws -> CloudReply {
        var books = work.begin()
        // A token that serves one round trip is spent by a refused request too.
        var replacement: String?
        do {
            let target = try Target(request.http.target)
            if let signIn = SignIn.handler(of: request.http, target) {
                let answer = try sealed(isAlone) { try signIn(request.http, target, work) }
                return success(answer, of: request, nil, work)
            }
            let endpoint = try Router.endpoint(for: request.http, target)
            let visitor = try Doorkeeper.admit(request.http, target, to: endpoint.access, work)
            replacement = visitor.replacement
            books = work.books
            work.caller = visitor.caller
            try disorder.check(visitor.caller, at: target)
            let call = Call(http: request.http, target: target, caller: visitor.caller, policy: policy)
            if endpoint.access == .cloudKit { try Teams.check(call.caller, at: Place(target), work) }
            var answer = try sealed(isAlone && replacement == nil) { try endpoint.handler(call, work) }
            if policy.isAudited { Audit.note(call, answer, work) }
            if endpoint.access == .cloudKit { answer.body = policy.settings.worded(answer.body) }
            return success(answer, of: request, replacement, work)
        } catch let problem as CloudError {
            work.undo(to: books)
            var reply = refusal(of: request, problem, work.now)
            reply.notes = work.notes.filter { $0.kind == .schemaUsed || $0.kind == .undeployed }
            if let replacement { reply.response.headers[WebTokens.field] = replacement }
            if isAlone, replacement == nil { throw Refused(reply: reply) }
            return reply
        }
    }
    private func sealed(_ isAlone: Bool, _ body: () throws -> Answer) throws -> Answer {
        isAlone ? try body() : try database.transaction(body)
    }

    private func success(
        _ answer: Answer, of request: CloudRequest, _ replacement: String?, _ work: Work
    ) -> CloudReply {
        let cause = work.notes.first { !$0.tokens.isEmpty }?.tokens.first
        var response = HTTPResponse(status: answer.status, headers: answer.headers, body: answer.body)
        if let replacement { response.headers[WebTokens.field] = replacement }
        return CloudReply(
            to: request.from, exchange: request.exchange, response: response, pushes: work.pushes, notes: work.notes,
            waitsFor: answer.waitsFor, rung: work.rung, cause: cause ?? Self.cause(of: request))
    }

    private func refusal(of request: CloudRequest, _ problem: CloudError, _ now: Instant) -> CloudReply {
        let uuid = Work.uuid(
            sealing: "refusal \(now.nanoseconds) \(request.exchange) \(request.from) \(request.http.target)", policy)
        var response = HTTPResponse(status: problem.code.httpStatus, json: problem.body(uuid: uuid))
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
    /// What the specification says wrong, and what it may say.
    public var description: String
    init(_ description: String) { self.description = description }
}
