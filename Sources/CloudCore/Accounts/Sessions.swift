import FleetModel
import Storage

/// Tokens that accounts hold on devices. A session lives until its device signs out or the token is revoked. The table has
/// their digests.
enum Sessions {
    /// Kind of the tokens (`Work.newToken`).
    static let kind = "secret"

    /// - Throws: `AUTHENTICATION_FAILED` for a dead token.
    static func caller(_ token: String, _ request: HTTPRequest, _ work: Work) throws -> Caller {
        let rows = try work.database.query(
            "SELECT s.id, s.device, o.id, o.name FROM session s JOIN owner o ON o.id = s.owner WHERE s.hash = ?",
            .text(Secret.hidden(token)))
        guard let row = rows.first else {
            throw CloudError(.authenticationFailed, "the account token is not valid any more; sign in again")
        }
        // The header names the device that changes something; the session's own device stands in for a missing one.
        let device = request.headers["X-Homeroom-Device"] ?? row.text(1)
        return Caller(account: row.int(2), name: row.text(3), device: device, session: row.int(0))
    }

    /// Who holds a token on a device; nil when nobody does.
    static func holder(of token: String, on device: String, in database: Database) throws -> Person? {
        try database.query(
            "SELECT o.name FROM session s JOIN owner o ON o.id = s.owner WHERE s.hash = ? AND s.device = ?",
            .text(Secret.hidden(token)), .text(device)
        ).first?.text(0)
    }

    /// Devices that get push for an account: those with a live session but the one that made the change.
    static func devices(of account: Int64, but origin: String, _ work: Work) throws -> [String] {
        try work.database.query(
            "SELECT DISTINCT device FROM session WHERE owner = ? AND device <> ? ORDER BY device", .int(account),
            .text(origin)
        ).map { $0.text(0) }
    }
}

extension Cloud {
    /// The accounts of those sessions that are good on a device: whose pushes may go there.
    public func holders(of sessions: [String], on device: String) -> [Person] {
        sessions.compactMap { try? Sessions.holder(of: $0, on: device, in: database) }
    }
}
