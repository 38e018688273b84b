import FleetModel
import Storage

/// Passwords of people, where a name is not enough to sign in.
///
/// The service makes them itself: at 80 bits nobody guesses one, so that a keyed digest of it is all that must be kept, and
/// looking at it costs nothing.
enum Passwords {
    /// A new password; one that was there before is no good any more. Sessions go on.
    static func make(for account: Int64, _ work: Work) throws -> String {
        let secret = try work.newToken(account, "password")
        let parts = stride(from: 0, to: 20, by: 5).map { secret.dropFirst($0).prefix(5) }
        let password = parts.joined(separator: "-")
        try work.database.execute(
            "INSERT OR REPLACE INTO password(owner, hash) VALUES(?, ?)", .int(account),
            .text(hidden(password, account, work)))
        return password
    }

    /// - Parameter account: nil: there is none of the given name.
    /// - Throws: `AUTHENTICATION_FAILED`, the same for all reasons: who guesses names learns none.
    static func check(_ password: String, of account: Int64?, _ work: Work) throws {
        let account = account ?? 0
        let known = try work.database.query("SELECT hash FROM password WHERE owner = ?", .int(account)).first?.text(0)
        guard Secret.isEqual(known ?? "", hidden(password, account, work)) else {
            throw CloudError(
                .authenticationFailed,
                "the account or its password is wrong; the administrator makes one with 'homeroom-cloud accounts password'"
            )
        }
    }
    private static func hidden(_ password: String, _ account: Int64, _ work: Work) -> String {
        Hex.text(Secret.seal("password \(account) \(password)", key: work.policy.secret))
    }
}
