import FleetModel
import Storage

/// A look at the head of a request before its body is read. Nothing is spent and nothing is written; `Doorkeeper` decides when
/// the whole is there.
extension Cloud {
    /// Whether a request shows something that is good here: a session, tokens, a key, an upload URL.
    /// - Parameter clock: what the machine's clock says, where that may differ from `now`.
    public func knows(_ head: HTTPRequest, now: Instant, clock: Instant? = nil) -> Bool {
        do {
            let target = try Target(head.target)
            let time = SQLValue.int(now.nanoseconds)
            if target.path.prefix(3) == ["assets", "v1", "upload"], target.path.count == 4 {
                return try has(
                    "assetslot WHERE hash = ? AND expiry > ?", .text(Secret.hidden(target.path[3])), time)
            }
            switch try Credential(head, target) {
            case .none: return false
            case .device(let token): return try has("session WHERE hash = ?", .text(Secret.hidden(token)))
            case .key(let signed):
                let seconds = (Instant.epochNanoseconds &+ (clock ?? now).nanoseconds) / 1_000_000_000
                return try signed.wrongDate(seconds) == nil && has("serverkey WHERE id = ?", .text(signed.keyID))
            case .web(_, nil): return false
            case .web(_, let user?):
                if policy.isDevelopment, user.hasPrefix("person:") { return true }
                return try has("webtoken WHERE hash = ? AND expiry > ?", .text(Secret.hidden(user)), time)
            }
        } catch {
            return false
        }
    }
    private func has(_ rows: String, _ arguments: SQLValue...) throws -> Bool {
        try !database.query("SELECT 1 FROM \(rows) LIMIT 1", all: arguments).isEmpty
    }
}
