import FleetModel

/// What has come of long-lived operations and is not with their apps yet: results that the disk has no room for, and refusals that no
/// launch has taken up (cloudkit-framework.md 11).
struct OperationResults {
    private var refusals: [UntakenRefusal] = []
    /// In the order in which they came.
    private var unwritten: [UnwrittenResult] = []

    /// A refusal that the journal kept over a restart.
    mutating func add(_ entry: OperationJournal.Entry, of person: Person) {
        refusals.append(UntakenRefusal(entry, person: person))
    }
    /// An operation has ended: its result is stored, and what was refused is the app's again as soon as it takes it up.
    mutating func add(_ result: OperationResult, of operation: LongLivedOperation, _ pad: any PadServices) {
        let notes = RecordNotes.handedBack(result, to: operation.run.app)
        // A deletion or an emptied record carries no token and makes no note, but its refusal is as good as any other.
        let hasErrors = !RecordMessages.Modify.Answer(lenient: result.answer).errors.isEmpty
        let isRefused = !notes.isEmpty || hasErrors || result.answer.linkError != nil
        // Until it can be stored it is kept here; after a restart the work is done again, and recognised.
        let stored = UnwrittenResult(operation, result.answer, isRefused: isRefused, now: pad.now)
        if !stored.write(pad) { unwritten.append(stored) }
        for note in notes { pad.note(note) }
        if isRefused {
            let tokens = notes.flatMap(\.tokens)
            refusals.append(UntakenRefusal(operation, tokens: tokens, expires: pad.now + OperationJournal.resultsKept))
        }
    }

    // MARK: On their way to the app

    /// The result was posted to that launch.
    mutating func delivered(_ sequence: Int64, to app: AppIdentity, _ pad: any PadServices) {
        guard
            let index = refusals.firstIndex(where: {
                $0.sequence == sequence && $0.app == app.app && $0.person == app.account
            })
        else { return }
        refusals[index].deliveredTo = app
        refusals[index].isSeen = pad.phase(of: app) != .suspended
    }
    /// The launch runs: what waited for it is with it.
    mutating func resumed(_ app: AppIdentity) {
        for index in refusals.indices where refusals[index].deliveredTo == app { refusals[index].isSeen = true }
    }
    /// The launch has had its chance: it handed something over again, or was suspended in order. From now on what it does not hand over
    /// is the app's own to keep.
    mutating func taken(_ app: AppIdentity, _ pad: any PadServices) {
        let taken = refusals.filter { $0.deliveredTo == app && $0.isSeen }
        guard !taken.isEmpty, let volume = pad.volume(of: app.account) else { return }
        for refusal in taken {
            if let index = unwritten.firstIndex(where: { $0.person == app.account && $0.sequence == refusal.sequence })
            {
                unwritten[index].isTaken = true
            } else {
                // Written down on a full disk too: after a restart the edits would count as waiting, and nobody would take them up.
                pad.attempt("a result that was taken") {
                    try volume.disk.withReserve { try OperationJournal(volume).take(refusal.sequence) }
                }
            }
        }
        refusals.removeAll { $0.deliveredTo == app && $0.isSeen }
    }
    /// The launch is gone, and what it had not taken up waits for the next.
    mutating func ended(_ app: AppIdentity) {
        for index in refusals.indices where refusals[index].deliveredTo == app {
            refusals[index].deliveredTo = nil
            refusals[index].isSeen = false
        }
    }

    // MARK: Unwritten

    func unwritten(_ sequence: Int64, of person: Person) -> Value? {
        unwritten.first { $0.person == person && $0.sequence == sequence }?.result
    }
    func hasUnwritten(_ op: String, of app: AppIdentity) -> Bool {
        unwritten.contains { $0.person == app.account && $0.app == app.app && $0.op == op }
    }

    // MARK: Time

    /// Drops what is a day old, and looks whether a full disk has room again.
    mutating func wake(_ pad: any PadServices) {
        refusals.removeAll { $0.expires <= pad.now }
        for index in unwritten.indices where unwritten[index].retryAt <= pad.now {
            unwritten[index].retryAt = pad.now + UnwrittenResult.pause
        }
        unwritten.removeAll { $0.write(pad) }
    }
    var nextWake: Instant? { (refusals.map(\.expires) + unwritten.map(\.retryAt)).min() }

    mutating func forget(_ person: Person) {
        refusals.removeAll { $0.person == person }
        unwritten.removeAll { $0.person == person }
    }
    func pending(of person: Person) -> [PendingItem] {
        refusals.filter { $0.person == person }.map(\.pendingItem)
    }
}

/// A refusal whose app was not there to see it. Until it has, its person counts as having data to sync (ASSUMED).
private struct UntakenRefusal {
    let sequence: Int64
    let person: Person
    let app: AppName
    let op: String
    let tokens: [Token]
    /// When the stored result is dropped.
    let expires: Instant
    /// The launch that the result was posted to.
    var deliveredTo: AppIdentity?
    /// That launch ran since. Whether it came to do anything about it, only its next hand-over or its orderly suspension shows: a kill may
    /// lie between.
    var isSeen = false

    init(_ operation: LongLivedOperation, tokens: [Token], expires: Instant) {
        sequence = operation.sequence
        person = operation.run.app.account
        app = operation.run.app.app
        op = operation.run.op
        self.tokens = tokens
        self.expires = expires
    }
    init(_ entry: OperationJournal.Entry, person: Person) {
        sequence = entry.sequence
        self.person = person
        app = entry.app
        op = entry.op
        tokens = EditPayload.scan(entry.message.body).tokens
        expires = (entry.finished ?? .zero) + OperationJournal.resultsKept
    }

    var pendingItem: PendingItem {
        PendingItem(what: "refusal of \(op) for \(app)", waitsFor: "the app to take it", tokens: tokens, isForApp: true)
    }
}
