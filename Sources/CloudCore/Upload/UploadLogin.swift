import FleetModel
import Storage

/// `POST /upload/v1/{app}/login {}`: the app's own password for this account, the same at each login.
enum UploadLogin {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let (owner, app) = (SQLValue.int(call.caller.account), SQLValue.text(call.target.path[2]))
        if let known = try row(call.caller, app, work), known.int(1) > 0 {
            let credential = try work.token(call.caller.account, kind, drawn: known.int(1))
            return Answer(json: ["credential": .string(credential)])
        }
        let (credential, drawn) = try work.newRepeatable(call.caller.account, kind)
        try work.database.execute(
            "INSERT INTO credential(owner, app, hash, drawn) VALUES(?, ?, ?, ?) "
                + "ON CONFLICT(owner, app) DO UPDATE SET hash = excluded.hash, drawn = excluded.drawn", owner, app,
            .text(Secret.hidden(credential)), .int(drawn))
        return Answer(json: ["credential": .string(credential)])
    }

    /// - Throws: `ACCESS_DENIED` unless `X-Credential` is the caller's own for this app. Not 401: the account's token is good.
    static func check(_ call: Call, app: String, _ work: Work) throws {
        guard let given = call.http.headers["X-Credential"] else {
            throw CloudError(.accessDenied, "'X-Credential' is missing; ask POST /upload/v1/\(app)/login for one")
        }
        guard let known = try row(call.caller, .text(app), work), Secret.isEqual(known.text(0), Secret.hidden(given))
        else {
            throw CloudError(.accessDenied, "the credential is not '\(call.caller.name)''s for '\(app)'; log in again")
        }
    }

    /// Digest and number of a credential.
    private static func row(_ caller: Caller, _ app: SQLValue, _ work: Work) throws -> Row? {
        try work.database.query(
            "SELECT hash, drawn FROM credential WHERE owner = ? AND app = ?", .int(caller.account), app
        ).first
    }
    private static let kind = "secret"
}
