import FleetModel

/// A journaled operation that has no definite answer yet.
struct LongLivedOperation {
    /// A launch that waits for the result, and the message it asked with.
    struct Waiter {
        var name: String
        var exchange: UInt64
        var app: AppIdentity
    }

    /// Its row in the journal.
    let sequence: Int64
    var run: OperationRun
    /// When the system stops trying: `timeoutIntervalForResource` after the hand-over.
    let expires: Instant
    /// Edits that the message carries.
    let tokens: [Token]
    /// Orders to keep: one name for each zone it writes.
    let queues: [String]
    private(set) var retryAt: Instant?
    /// Pauses since the last progress: each is longer than the one before.
    private var pauses = 0
    private(set) var reason: CloudKitFailure?
    var waiters: [Waiter] = []

    /// Just handed over.
    init(_ run: OperationRun, sequence: Int64, now: Instant) {
        self.init(run: run, sequence: sequence, begun: now)
        waiters = [Waiter(name: run.message.name, exchange: run.exchange, app: run.app)]
    }
    /// From the journal; nil when the row is none that `OperationJournal.add` wrote.
    init?(_ entry: OperationJournal.Entry, person: Person, _ pad: any PadServices) {
        let app = AppIdentity(
            person: SecondAccount.user(of: person), account: person, app: entry.app, bundle: entry.bundle,
            launch: entry.launch)
        let message = RecordMessage(entry.message)
        guard let scope = try? RecordScope(message, environment: pad.entitlements(of: app).environment),
            let settings = try? OperationSettings(message),
            var work = try? RecordOperations.make(
                message, scope: scope, device: pad.deviceName, persistent: true, pad.switches)
        else { return nil }
        if let progress = entry.progress { work.resume(from: progress) }
        guard
            var run = OperationRun(
                entry.message, op: entry.op, scope: scope, settings: settings, work: work, app: app, exchange: 0)
        else { return nil }
        // What the earlier life had sent nobody knows.
        run.isInDoubt = true
        self.init(run: run, sequence: entry.sequence, begun: entry.begun)
    }
    private init(run: OperationRun, sequence: Int64, begun: Instant) {
        self.run = run
        self.sequence = sequence
        expires = begun + run.settings.resourceTimeout
        tokens = EditPayload.scan(run.message.body).tokens
        let place = "\(run.app.account)/\(run.scope.container)/\(run.scope.database)"
        queues = run.work.orderedZones.map { "\(place)/\($0)" }
    }

    func belongs(to app: AppIdentity) -> Bool { run.app.account == app.account && run.app.app == app.app }
    func isDue(_ now: Instant) -> Bool { run.task == nil && (retryAt.map { $0 <= now } ?? true) }

    mutating func send(as prefix: String, _ pad: any PadServices) {
        retryAt = nil
        reason = nil
        run.send(as: prefix + run.app.app, pad)
    }
    mutating func proceed(to call: WebCall) {
        run.proceed(to: call)
        retryAt = nil
        pauses = 0
    }

    /// Pauses as long as the service asked for, else longer after each try.
    /// - Parameter sent: the request left; the next one is another try of it.
    mutating func wait(for failure: CloudKitFailure, sent: Bool, _ pad: any PadServices) {
        let name = "\(run.app.app)/\(run.op)/\(run.step)"
        retryAt = pad.now + Backoff.pause(after: pauses, hint: failure.retryAfter, device: pad.deviceName, name: name)
        reason = failure
        pauses += 1
        if sent { run.attempt += 1 }
    }
    /// The network came back: wait no longer, unless the service asked for it.
    mutating func hurry(_ now: Instant) {
        guard retryAt != nil, reason?.retryAfter == nil else { return }
        retryAt = now
        pauses = 0
    }

    var pendingItem: PendingItem {
        let waitsFor =
            run.task != nil
            ? "answer"
            : reason?.code == 3 ? "network" : retryAt.map { "retry at \($0.wallClock)" } ?? "an earlier operation"
        return PendingItem(what: "\(run.message.name) \(run.op) of \(run.app.app)", waitsFor: waitsFor, tokens: tokens)
    }
}

/// Pauses between tries.
enum Backoff {
    static let first = Span.seconds(1)
    static let longest = Span.minutes(2)
    /// A hint longer than this is cut: a service that asks for a year must not end the queue.
    static let hintSecondsMax = 3600.0

    /// The service's hint, else 1 s doubled after each try up to 2 min; up to a quarter more, drawn for this device and work,
    /// so that a class of iPads does not come back at once.
    static func pause(after attempt: Int, hint: Double?, device: String, name: String) -> Span {
        var base = Span(nanoseconds: first.nanoseconds << Int64(min(max(attempt, 0), 7)))
        if base > longest { base = longest }
        if let hint, hint.isFinite {
            base = Span(nanoseconds: Int64(min(max(hint, 0), hintSecondsMax) * 1e9))
        }
        var draw = Draw(seed: StableHash.of(0, device, name), name: "backoff-\(attempt)")
        return base + Span(nanoseconds: Int64(draw.unit() * Double(base.nanoseconds) / 4))
    }
}
