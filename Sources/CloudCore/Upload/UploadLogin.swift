import FleetModel
import Storage

/// `POST /upload/v1/{app}/login {}`: the app's own password for this account, the same at each login.
enum UploadLogin {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let (owner, app) = (SQLValue.int(call.caller.account), SQLValue.text(call.target.path[2]))
        if let known = try credential(call.caller, app, work) { return Answer(json: ["credential": .string(known)]) }
        let credential = try work.newSecret(call.caller.account)
        try work.database.execute(
            "INSERT INTO credential(owner, app, credential) VALUES(?, ?, ?)", owner, app, .text(credential))
        return Answer(json: ["credential": .string(credential)])
    }

    /// - Throws: `ACCESS_DENIED` unless `X-Credential` is the caller's own for this app. Not 401: the account's token is good.
    static func check(_ call: Call, app: String, _ work: Work) throws {
        guard let given = call.http.headers["X-Credential"] else {
            throw CloudError(.accessDenied, "'X-Credential' is missing; ask POST /upload/v1/\(app)/login for one")
        }
        guard try credential(call.caller, .text(app), work) == given else {
            throw CloudError(.accessDenied, "the credential is not '\(call.caller.name)''s for '\(app)'; log in again")
        }
    }

    private static func credential(_ caller: Caller, _ app: SQLValue, _ work: Work) throws -> String? {
        try work.database.query(
            "SELECT credential FROM credential WHERE owner = ? AND app = ?", .int(caller.account), app
        ).first?.text(0)
    }
}
