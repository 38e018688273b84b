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
        var headers = safety("", visit)
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
        /// The only windows that may have the token; empty: any, for development only.
        var origin = ""

        init(_ target: Target, _ work: Work) throws {
            place = Place(container: target["container"] ?? "", environment: target["environment"] ?? "")
            try Place.checkContainer(place.container)
            try Place.checkEnvironment(place.environment)
            guard let way = try APITokens.way(of: target["ckAPIToken"] ?? "", for: place, work) else {
                throw CloudError(
                    .authenticationFailed, "'ckAPIToken' is not one of '\(place.container)' in \(place.environment)")
            }
            guard work.policy.isDevelopment || !way.callback.isEmpty || !way.origin.isEmpty else {
                throw CloudError.badRequest(
                    "'ckAPIToken' has neither callback nor origin, so that nobody could be told of the sign-in but everybody; "
                        + "make one with 'tokens api --callback URL' or '--origin URL'")
            }
            (callback, origin) = (way.callback, way.origin)
        }
        /// Where the form may lead beside this page: browsers hold a redirection after it against the same rule. As CSP
        /// writes sources (https://www.w3.org/TR/CSP3/#framework-directive-source-list); of what is no plain host the scheme.
        var destination: String {
            guard let end = callback.firstRange(of: "://") else { return "" }
            let scheme = callback[..<end.lowerBound].lowercased()
            guard scheme.utf8.allSatisfy({ Self.isLetterOrDigit($0) || "+-.".utf8.contains($0) }) else { return "" }
            let host = callback[end.upperBound...].prefix { $0 != "/" && $0 != "?" }
            let isPlain = host.utf8.allSatisfy { Self.isLetterOrDigit($0) || "-.:[]".utf8.contains($0) }
            return scheme.hasPrefix("http") && isPlain && !host.isEmpty ? " \(scheme)://\(host)" : " \(scheme):"
        }
        private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
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
            """, visit)
    }
    private static func done(_ token: String, _ visit: Visit) -> Answer {
        let message = (["ckWebAuthToken": .string(token)] as Value).json.replacingLess
        let origin = Value.string(visit.origin.isEmpty ? "*" : visit.origin).json.replacingLess
        return page(
            "<h1>Signed in</h1>\n<p>This window may be closed.</p>\n<p><output id=\"ckWebAuthToken\">\(escaped(token))</output></p>",
            visit,
            script: "if (window.opener) { window.opener.postMessage(\(message), \(origin)); window.close(); }")
    }
    private static func page(_ body: String, _ visit: Visit, script: String = "") -> Answer {
        let html =
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>iCloud</title></head><body>\n\(body)\n"
            + (script.isEmpty ? "" : "<script>\(script)</script>\n") + "</body></html>\n"
        var headers = safety(script, visit)
        headers["Content-Type"] = "text/html; charset=utf-8"
        return Answer(headers: headers, body: Array(html.utf8))
    }
    /// Nothing runs but the page's own script, the form leads nowhere but here and to the app, nobody puts the page into a
    /// frame, and the token stays in no cache or history.
    private static func safety(_ script: String, _ visit: Visit) -> HTTPHeaders {
        let digest = Base64.encode(Secret.digest(Array(script.utf8)))
        return [
            "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
            "Content-Security-Policy":
                "default-src 'none'; script-src 'sha256-\(digest)'; form-action 'self'\(visit.destination); "
                + "frame-ancestors 'none'; base-uri 'none'",
        ]
    }
    /// Scalar by scalar, as browsers read: a quote with a mark on it is one character and still ends an attribute.
    private static func escaped(_ text: String) -> String {
        let names: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return text.unicodeScalars.map { names[$0] ?? String($0) }.joined()
    }
}

extension String {
    /// JSON inside a script must not end the script.
    fileprivate var replacingLess: String { unicodeScalars.map { $0 == "<" ? "\\u003c" : String($0) }.joined() }
}
