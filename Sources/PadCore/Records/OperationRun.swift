import FleetModel

/// An operation under way: its work, and the request that waits for an answer.
struct OperationRun {
    /// The launch that handed it over; its person and app own the operation.
    let app: AppIdentity
    /// Pairs the app's question with the answer; 0: the app wants none.
    let exchange: UInt64
    /// The app's name for the operation.
    let op: String
    let message: Message
    let scope: RecordScope
    let settings: OperationSettings
    var work: any RecordOperation
    /// The request that is on its way or is the next to go.
    var call: WebCall
    /// Counts the requests that were answered: part of the task's name.
    var step = 0
    /// Counts tries of this request.
    var attempt = 0
    /// Counts the requests that were carried out: after one, the same bytes are a new request. Not what was refused: the service keeps
    /// nothing of that, and a try before it may have been carried out.
    private var carriedOut = 0
    /// A try of this request left, and what became of it is not known: a later refusal says nothing of it.
    var isInDoubt = false
    /// What the Pad was asked to send and has not answered.
    private(set) var task: NetworkTask?

    /// Nil when the work is done before it begins; then there is nothing to run.
    init?(
        _ message: Message, op: String, scope: RecordScope, settings: OperationSettings, work: any RecordOperation,
        app: AppIdentity, exchange: UInt64
    ) {
        self.app = app
        self.exchange = exchange
        self.op = op
        self.message = message
        self.scope = scope
        self.settings = settings
        self.work = work
        guard case .send(let call) = self.work.start() else { return nil }
        self.call = call
    }

    /// Sends the present request.
    /// - Parameter prefix: the daemon's own part of the task's name: which queue the answer is for.
    mutating func send(as prefix: String, _ pad: any PadServices) {
        let task = NetworkTask(
            service: RecordDaemon.service, person: app.account, name: "\(prefix)/\(op)/\(step)", attempt: attempt)
        self.task = task
        var request = HTTPRequest(call.method, call.address ?? scope.target(call))
        if call.method != "GET" { request.body = call.address == nil ? call.body.jsonBytes : call.bytes }
        if Self.isNobodys(message, scope, app.account, pad) { request.headers["X-Homeroom-Account"] = "none" }
        // Forced writes carry no change tag: only this tells the service that it has seen the request (Docs/cloud-api.md).
        if call.path == "records/modify" {
            let digest = String(
                StableHash.of(UInt64(carriedOut), prefix, op, String(decoding: request.body, as: UTF8.self)), radix: 16)
            request.headers["X-Homeroom-Request"] = "\(pad.deviceName)/ck/\(app.account)/\(digest)"
        }
        pad.send(request, task: task, cause: cause, timeout: settings.requestTimeout)
    }
    /// Whether a request is made in nobody's name: a person without an account, or with a restricted one, reads the public database
    /// (cloudkit-framework.md 1; S223).
    static func isNobodys(
        _ message: Message, _ scope: RecordScope, _ person: Person, _ pad: any PadServices
    ) -> Bool {
        scope.database == "public" && [RecordMessages.Lookup.name, RecordMessages.Query.name].contains(message.name)
            && [2, 3].contains(pad.accountStatus(of: person))
    }
    /// The request came to an end.
    mutating func landed(_ failure: CloudKitFailure?) {
        task = nil
        switch failure {
        case nil:
            carriedOut += 1
            isInDoubt = false
        case let failure?: if failure.serverCode == nil { isInDoubt = true }
        }
    }
    /// Ends the work, whatever it was about to ask, because its time is over.
    mutating func expire(waitingFor reason: CloudKitFailure?) -> OperationResult {
        end(with: .expired(reason, isInDoubt: isInDoubt || task != nil, isWrite: call.isWrite))
    }
    /// Ends the work, whatever it was about to ask. A request on its way stays there, nothing of its answer is wanted.
    mutating func end(with failure: CloudKitFailure) -> OperationResult {
        while true {
            if case .finish(let result) = work.receive(.failure(failure), retried: true) { return result }
        }
    }

    /// Whose luck the request shares: the first edit it carries, else the kind of work; never a counter.
    private var cause: String {
        EditPayload.scan(call.body).tokens.first ?? "ck/\(app.app)/\(message.name.dropFirst(3))"
    }

    /// The next request after an answered one.
    mutating func proceed(to call: WebCall) {
        self.call = call
        step += 1
        attempt = 0
    }
}

/// Notes about what became of an operation's edits.
enum RecordNotes {
    /// A save policy is named when it is not the default one, which compares change tags.
    static func handedOver(_ tokens: [Token], by run: OperationRun, place: String) -> Note {
        var detail: Value = ["where": .string(place)]
        if let policy = run.message["policy"]?.int, policy > 0 { detail["policy"] = .int(policy) }
        return Note(
            .handedOver, person: run.app.account, app: run.app.app, channel: .record, tokens: tokens, detail: detail)
    }
    /// One note a record that was refused for good or that is not tried any more; refusals for the moment hand nothing back.
    static func handedBack(_ result: OperationResult, to app: AppIdentity) -> [Note] {
        result.outcomes.compactMap { outcome in
            guard let failure = outcome.failure, failure.handsBack else { return nil }
            return Note(
                .handedBack, person: app.account, app: app.app, channel: .record, tokens: outcome.tokens,
                detail: ["code": .int(failure.code), "where": .string(outcome.place)])
        }
    }
    static func mark(_ mark: Mark, _ app: AppIdentity) -> Note {
        Note(.mark, person: app.account, app: app.app, channel: .record, detail: mark.detail)
    }
}
