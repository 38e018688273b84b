import FleetModel
import Storage

/// `POST /accounts/v1/signin {account, device, password?}`: the only request without a token.
///
/// In the World a school's identity provider has said who it is. A server that others reach asks for the password that its
/// administrator has had made (`CloudPolicy.hasClosedSignIn`).
enum SignIn {
    static let path = ["accounts", "v1", "signin"]

    /// Who serves what comes to the path: iPads send JSON, browsers ask for a page of an app and send its form to the same
    /// target; nil: nobody. The type of the body tells nothing: tools that send JSON call it a form.
    static func handler(
        of request: HTTPRequest, _ target: Target
    ) -> ((HTTPRequest, Target, Work) throws -> Answer)? {
        guard target.path == path else { return nil }
        switch (request.method, target["container"] != nil) {
        case ("GET", _): return SignInPage.show
        case ("POST", true): return SignInPage.submit
        case ("POST", false): return handle
        default: return nil
        }
    }

    private static func handle(_ request: HTTPRequest, _ target: Target, _ work: Work) throws -> Answer {
        let open = Call(http: request, target: target, caller: .nobody, policy: work.policy)
        let body = try open.json()
        let name = try body.text("account")
        let device = try body.text("device")
        guard case .pad = ParticipantID(device) else {
            throw CloudError.badRequest("'device' must be the name of an iPad as 'ipad-3', not '\(device)'")
        }
        if SecondAccount.isOne(name), !work.policy.hasClosedSignIn { try makeSecond(name, work) }
        let rows = try work.database.query(
            "SELECT id, identity FROM owner WHERE name = ? AND id <> ?", .text(name), .int(Owner.publicID))
        if work.policy.hasClosedSignIn {
            try Passwords.check(body.optionalText("password") ?? "", of: rows.first?.int(0), work)
        }
        guard let row = rows.first else {
            throw CloudError(.authenticationFailed, "there is no account '\(name)'; the scenario names its people")
        }
        guard !work.disorder.suspended.contains(row.int(0)) else { throw Disorder.isSuspended(name) }
        let token = try token(row.int(0), device, request: open.requestID, work)
        return Answer(json: ["token": .string(token), "identity": .string(row.text(1))])
    }

    /// A person's second account is made when it is signed in to for the first time, with as much room as the first (ASSUMED).
    private static func makeSecond(_ name: String, _ work: Work) throws {
        guard let first = try People.account(SecondAccount.user(of: name), work) else { return }
        let quota = try work.database.query("SELECT quota FROM owner WHERE id = ?", .int(first)).first?.int(0) ?? 0
        try Schema.addAccount(name, work.policy, quotaBytes: quota, work.database)
    }

    /// A doubled sign-in gets the token of the first one and leaves no second session behind. A dead token never comes back:
    /// an iPad that lost its count of sign-ins in a power cut and asks with an old id gets a new one.
    private static func token(_ owner: Int64, _ device: String, request: String?, _ work: Work) throws -> String {
        if let request {
            let known = try work.database.query(
                "SELECT drawn FROM session WHERE owner = ? AND device = ? AND request = ? AND drawn > 0", .int(owner),
                .text(device), .text(request))
            if let row = known.first { return try work.token(owner, Sessions.kind, drawn: row.int(0)) }
        }
        let (token, drawn) = try work.newRepeatable(owner, Sessions.kind)
        try work.database.execute(
            "INSERT INTO session(hash, owner, device, request, drawn) VALUES(?, ?, ?, ?, ?)",
            .text(Secret.hidden(token)), .int(owner), .text(device), .text(request ?? ""), .int(drawn))
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
