import FleetModel
import Storage

/// The result of a long-lived operation on its way to the journal. It waits in memory where the disk is full.
struct UnwrittenResult {
    let person: Person
    let app: AppName
    let op: String
    let sequence: Int64
    let result: Value
    /// It hands edits back, so it stays open until the app has taken it.
    let isRefused: Bool
    let finished: Instant
    /// The app has taken it meanwhile.
    var isTaken = false
    var retryAt: Instant

    /// Between two looks whether a full disk has room again. ASSUMED.
    static let pause = Span.seconds(5)

    init(_ operation: LongLivedOperation, _ result: Value, isRefused: Bool, now: Instant) {
        person = operation.run.app.account
        app = operation.run.app.app
        op = operation.run.op
        sequence = operation.sequence
        self.result = result
        self.isRefused = isRefused
        finished = now
        retryAt = now + Self.pause
    }

    /// - Returns: false when the disk is full: try again.
    func write(_ pad: any PadServices) -> Bool {
        guard let volume = pad.volume(of: person) else { return true }
        let journal = OperationJournal(volume)
        do {
            try journal.finish(sequence, result: result, refused: isRefused, now: finished)
            if isTaken { try journal.take(sequence) }
            return true
        } catch {
            return !error.isFull
        }
    }
}
