import FleetModel
import Storage

/// API tokens: made per container and environment, good for reading the public database (cloudkit-web-services.md 2).
enum APITokens {
    /// Where a sign-in for an app ends (`SignInPage`).
    struct Way {
        /// URL to which the web-auth token is appended; empty: it is posted to the opener.
        var callback = ""
        /// The only origin whose windows may have it; empty: any, for development only.
        var origin = ""
    }

    /// - Returns: the token; only its digest is kept.
    static func issue(for place: Place, _ way: Way = Way(), _ work: Work) throws -> String {
        for url in [way.callback, way.origin] where !url.isEmpty {
            guard url.contains("://"), !url.contains("#"), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                throw CloudError.badRequest("'\(url)' is no URL: a scheme, '://' and no fragment")
            }
        }
        let token = try work.newToken(Owner.publicID, "api") + (try work.newToken(Owner.publicID, "api"))
        try work.database.execute(
            "INSERT INTO apitoken(hash, container, environment, callback, origin) VALUES(?, ?, ?, ?, ?)",
            .text(Secret.hidden(token)), .text(place.container), .text(place.environment), .text(way.callback),
            .text(way.origin))
        return token
    }
    static func isGood(_ token: String, for place: Place, _ work: Work) throws -> Bool {
        try way(of: token, for: place, work) != nil
    }
    /// Nil for a token that is not good here.
    static func way(of token: String, for place: Place, _ work: Work) throws -> Way? {
        if work.policy.isDevelopment, Secret.isEqual(token, "dev") { return Way() }
        return try work.database.query(
            "SELECT callback, origin FROM apitoken WHERE hash = ? AND container = ? AND environment = ?",
            .text(Secret.hidden(token)), .text(place.container), .text(place.environment)
        ).first.map { Way(callback: $0.text(0), origin: $0.text(1)) }
    }
}

/// Web-auth tokens: one serves one round trip, and every answer carries its replacement (cloudkit-web-services.md 2).
///
/// The token that was sent is dead once its answer has been received, which the first use of the replacement shows: until
/// then the same token may come again, because the answer may have been lost, and gets the same replacement. That is made
/// from the token itself, so that nothing but digests lies in the table.
enum WebTokens {
    /// Response header with the replacement.
    static let field = "X-Apple-CloudKit-Web-Auth-Token"
    private static let lifetime = Span.minutes(30)
    /// When the person chose to stay signed in.
    private static let longLifetime = Span.hours(24 * 14)

    static func issue(to account: Int64, at place: Place, stays: Bool, _ work: Work) throws -> String {
        let token = Base64.encode(
            Secret.seal(try work.newToken(account, "web") + place.key, key: work.policy.secret))
        try keep(token, of: account, at: place, stays: stays, insteadOf: "", work)
        return token
    }
    /// - Parameter before: digest of the token that it replaces; empty: none.
    private static func keep(
        _ token: String, of account: Int64, at place: Place, stays: Bool, insteadOf before: String, _ work: Work
    ) throws {
        let expiry = work.now + (stays ? longLifetime : lifetime)
        try work.database.execute(
            "INSERT INTO webtoken(hash, owner, container, environment, expiry, stays, before) VALUES(?, ?, ?, ?, ?, ?, ?) "
                + "ON CONFLICT(hash) DO NOTHING", .text(Secret.hidden(token)), .int(account), .text(place.container),
            .text(place.environment), .int(expiry.nanoseconds), .int(stays ? 1 : 0), .text(before))
    }

    /// Takes a token and makes the next one.
    /// - Throws: `AUTHENTICATION_FAILED` for one that is used, expired, unknown or for another place.
    static func spend(_ token: String, at place: Place, _ work: Work) throws -> (account: Int64, replacement: String) {
        let hash = Secret.hidden(token)
        let row = try work.database.query(
            "SELECT owner, expiry, stays, before FROM webtoken WHERE hash = ? AND container = ? AND environment = ?",
            .text(hash), .text(place.container), .text(place.environment)
        ).first
        guard let row, row.int(1) > work.now.nanoseconds else {
            throw CloudError(
                .authenticationFailed, "'ckWebAuthToken' is used, expired or not for this container; sign in again")
        }
        // Who shows this one has received the answer to the one before.
        if !row.text(3).isEmpty { try work.database.execute("DELETE FROM webtoken WHERE hash = ?", .text(row.text(3))) }
        try work.database.execute("DELETE FROM webtoken WHERE expiry <= ?", .int(work.now.nanoseconds))
        let next = Base64.encode(Secret.seal("web after \(token)", key: work.policy.secret))
        try keep(next, of: row.int(0), at: place, stays: row.int(2) != 0, insteadOf: hash, work)
        return (row.int(0), next)
    }
}

/// Public halves of the keys with which servers sign (cloudkit-web-services.md 3).
enum ServerKeys {
    /// Registering the same key again gives the same id.
    /// - Returns: the key ID: the digest of the key, 64 hex digits.
    static func add(_ publicKey: [UInt8], to container: String, _ work: Work) throws -> String {
        let id = Hex.text(Secret.digest(Array(container.utf8) + [0] + publicKey))
        try work.database.execute(
            "INSERT INTO serverkey(id, container, key) VALUES(?, ?, ?) ON CONFLICT(id) DO NOTHING", .text(id),
            .text(container), .blob(publicKey))
        return id
    }
    static func revoke(_ id: String, _ work: Work) throws {
        try work.database.execute("DELETE FROM serverkey WHERE id = ?", .text(id))
    }
    static func publicKey(_ id: String, of container: String, _ work: Work) throws -> [UInt8]? {
        try work.database.query("SELECT key FROM serverkey WHERE id = ? AND container = ?", .text(id), .text(container))
            .first?.blob(0)
    }
}

/// `POST /accounts/v1/webtoken {container, environment, stays?}` -> `{ckWebAuthToken}`: turns the device's account into a
/// web-auth token (`CKFetchWebAuthTokenOperation`, cloudkit-web-services.md 2).
enum FetchWebToken {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let body = try call.json()
        let place = Place(container: try body.text("container"), environment: try body.text("environment"))
        try Place.checkContainer(place.container)
        try Place.checkEnvironment(place.environment)
        let stays = try body.flag("stays", otherwise: false)
        let token = try WebTokens.issue(to: call.caller.account, at: place, stays: stays, work)
        return Answer(json: ["ckWebAuthToken": .string(token)])
    }
}
