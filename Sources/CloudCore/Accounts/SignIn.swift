import FleetModel
import Storage

/// `POST /accounts/v1/signin {account, device}`: the only request without a token.
///
/// Passwords are not modelled: a school's identity provider has said who it is.
enum SignIn {
    static let path = ["accounts", "v1", "signin"]

    static func handle(_ request: HTTPRequest, _ work: Work) throws -> Answer {
        guard request.method == "POST" else { throw CloudError(.notFound, "sign-in is a POST") }
        guard !work.policy.hasClosedSignIn else {
            throw CloudError(.authenticationFailed, "nobody signs in by name here; the administrator hands out tokens")
        }
        let open = Call(
            http: request, target: try Target(request.target),
            caller: .nobody, policy: work.policy)
        let body = try open.json()
        let name = try body.text("account")
        let device = try body.text("device")
        guard case .pad = ParticipantID(device) else {
            throw CloudError.badRequest("'device' must be the name of an iPad as 'ipad-3', not '\(device)'")
        }
        let rows = try work.database.query(
            "SELECT id, identity FROM owner WHERE name = ? AND id <> ?", .text(name), .int(Owner.publicID))
        guard let row = rows.first else {
            throw CloudError(.authenticationFailed, "there is no account '\(name)'; the scenario names its people")
        }
        let token = try token(row.int(0), device, request: open.requestID, work)
        return Answer(json: ["token": .string(token), "identity": .string(row.text(1))])
    }

    /// A doubled sign-in gets the token of the first one and leaves no second session behind. A dead token never comes back:
    /// an iPad that lost its count of sign-ins in a power cut and asks with an old id gets a new one.
    private static func token(_ owner: Int64, _ device: String, request: String?, _ work: Work) throws -> String {
        if let request {
            let known = try work.database.query(
                "SELECT token FROM session WHERE owner = ? AND device = ? AND request = ?", .int(owner), .text(device),
                .text(request))
            if let row = known.first { return row.text(0) }
        }
        let token = try work.newSecret(owner)
        try work.database.execute(
            "INSERT INTO session(token, owner, device, request) VALUES(?, ?, ?, ?)", .text(token), .int(owner),
            .text(device),
            .text(request ?? ""))
        return token
    }
}

/// `POST /accounts/v1/signout {}`: the token is dead.
///
/// Older sessions of the same person on the same device go too (their answers were lost); a younger one stays, so that a
/// sign-out that was held up on the way does not end the next sign-in.
enum SignOut {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let session = SQLValue.int(call.caller.session)
        try work.database.execute(
            "DELETE FROM session WHERE id <= ? AND owner = ? AND device = (SELECT device FROM session WHERE id = ?)",
            session,
            .int(call.caller.account), session)
        return Answer(json: .empty)
    }
}
