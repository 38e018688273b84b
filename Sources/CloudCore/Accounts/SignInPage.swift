import FleetModel
import Storage

/// The page behind `redirectURL`, on which a person signs in with a browser (cloudkit-web-services.md 2).
///
/// It ends with a `ckWebAuthToken`, appended to the callback URL of the API token, or without one posted to the window that
/// has opened the page.
enum SignInPage {
    /// `GET /accounts/v1/signin?container=C&environment=E&ckAPIToken=T`.
    static func show(_ request: HTTPRequest, _ target: Target, _ work: Work) throws -> Answer {
        form(try Visit(target, work), account: "", problem: nil, work)
    }

    /// The form of the page, sent back: `account`, `password`, `stays`. What is wrong is said on the page: a browser shows it.
    static func submit(_ request: HTTPRequest, _ target: Target, _ work: Work) throws -> Answer {
        let visit = try Visit(target, work)
        let fields = try Target.form(request.body)
        let name = fields["account"] ?? ""
        let account: Int64
        do throws(CloudError) {
            account = try Self.account(name, fields["password"] ?? "", work)
        } catch {
            guard error.code == .authenticationFailed else { throw error }
            return form(visit, account: name, problem: error.reason, work)
        }
        let token = try WebTokens.issue(to: account, at: visit.place, stays: fields["stays"] != nil, work)
        guard !visit.callback.isEmpty else { return done(token, visit) }
        let mark = visit.callback.contains("?") ? "&" : "?"
        var headers = safety("")
        headers["Location"] = "\(visit.callback)\(mark)ckWebAuthToken=\(Target.encoded(token))"
        return Answer(status: 303, headers: headers, body: [])
    }

    private static func account(_ name: String, _ password: String, _ work: Work) throws(CloudError) -> Int64 {
        do {
            // Where any name is a person.
            if work.policy.isDevelopment { return try People.named(name, work).account }
            let account = try People.account(name, work)
            if work.policy.hasClosedSignIn { try Passwords.check(password, of: account, work) }
            guard let account else { throw CloudError(.authenticationFailed, "there is no account '\(name)'") }
            return account
        } catch let problem as CloudError {
            throw problem
        } catch {
            throw CloudError(.tryAgainLater, "the service could not look the account up: \(error)", retryAfter: 5)
        }
    }

    /// For which app somebody comes.
    private struct Visit {
        var place: Place
        /// Of its API token; empty without.
        var callback = ""
        /// The only window that may have the token; empty: any.
        var origin = ""

        init(_ target: Target, _ work: Work) throws {
            place = Place(container: target["container"] ?? "", environment: target["environment"] ?? "")
            try Place.checkContainer(place.container)
            try Place.checkEnvironment(place.environment)
            guard let way = try APITokens.way(of: target["ckAPIToken"] ?? "", for: place, work) else {
                throw CloudError(
                    .authenticationFailed, "'ckAPIToken' is not one of '\(place.container)' in \(place.environment)")
            }
            (callback, origin) = (way.callback, way.origin)
        }
    }

    // MARK: Pages

    private static func form(_ visit: Visit, account: String, problem: String?, _ work: Work) -> Answer {
        let needsPassword = work.policy.hasClosedSignIn && !work.policy.isDevelopment
        return page(
            """
            <h1>Sign in</h1>
            <p>to <b>\(escaped(visit.place.container))</b> (\(visit.place.environment)) with an account of this iCloud</p>
            \(problem.map { "<p role=\"alert\">\(escaped($0))</p>" } ?? "")
            <form method="post">
            <p><label>Account <input name="account" autocomplete="username" required autofocus value="\(escaped(account))"></label></p>
            \(needsPassword ? "<p><label>Password <input name=\"password\" type=\"password\" autocomplete=\"current-password\" required></label></p>" : "")
            <p><label><input name="stays" type="checkbox" value="1"> Stay signed in for two weeks</label></p>
            <p><button>Sign in</button></p>
            </form>
            """)
    }
    private static func done(_ token: String, _ visit: Visit) -> Answer {
        let message = (["ckWebAuthToken": .string(token)] as Value).json.replacingLess
        let origin = Value.string(visit.origin.isEmpty ? "*" : visit.origin).json.replacingLess
        return page(
            "<h1>Signed in</h1>\n<p>This window may be closed.</p>\n<p><output id=\"ckWebAuthToken\">\(escaped(token))</output></p>",
            script: "if (window.opener) { window.opener.postMessage(\(message), \(origin)); window.close(); }")
    }
    private static func page(_ body: String, script: String = "") -> Answer {
        let html =
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>iCloud</title></head><body>\n\(body)\n"
            + (script.isEmpty ? "" : "<script>\(script)</script>\n") + "</body></html>\n"
        var headers = safety(script)
        headers["Content-Type"] = "text/html; charset=utf-8"
        return Answer(headers: headers, body: Array(html.utf8))
    }
    /// Nothing runs but the page's own script, nobody puts the page into a frame, and the token stays in no cache or history.
    private static func safety(_ script: String) -> HTTPHeaders {
        let digest = Base64.encode(Secret.digest(Array(script.utf8)))
        return [
            "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
            "Content-Security-Policy":
                "default-src 'none'; script-src 'sha256-\(digest)'; frame-ancestors 'none'; base-uri 'none'",
        ]
    }
    private static func escaped(_ text: String) -> String {
        let names: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return text.map { names[$0] ?? String($0) }.joined()
    }
}

extension String {
    /// JSON inside a script must not end the script.
    fileprivate var replacingLess: String { map { $0 == "<" ? "\\u003c" : String($0) }.joined() }
}
