import FleetModel

/// A record that a request has changed, as subscriptions look at it.
struct WrittenRecord: Hashable {
    /// Reasons of a query notification (cloudkit-web-services.md 7.5).
    enum Reason: Int64 { case created = 1, updated, deleted }

    var name: String
    var type: String
    /// Row of the account that made it.
    var creator: Int64
    var reason: Reason
    /// The record dictionary now; of a deleted record the last one.
    var body: Value
    var sequence: Int64
    /// Shares that cover it, or did before: those who take part in one hear of it.
    var shares: Set<String>
}
