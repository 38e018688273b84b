import FleetModel

/// How often one key-value store may be uploaded. What is set beyond waits, the newest of each key, and goes with the next upload; reading
/// is free.
///
/// Source: key-value-store.md 2, "several per minute" (TN3162). ASSUMED: the number, and that a restart forgets what was used.
struct UploadBudget {
    static let most = 6
    static let period = Span.minutes(1)

    /// When the last ones left, the oldest first.
    private var uploads: [Instant] = []

    /// From when on one more is within the budget; nil: at any time.
    var opensAt: Instant? { uploads.count < Self.most ? nil : uploads.first.map { $0 + Self.period } }
    func isOpen(at now: Instant) -> Bool { opensAt.map { $0 <= now } ?? true }
    mutating func used(at now: Instant) { uploads = (uploads + [now]).suffix(Self.most) }
}
