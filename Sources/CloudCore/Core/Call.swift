import FleetModel

/// Who asks.
struct Caller: Hashable {
    enum Kind {
        /// An account on an iPad, proven by a live session.
        case device
        /// A person by a web-auth token.
        case web
        /// A server by a signature: the developer of the container, in the public database only.
        case developer
        /// An app by its API token alone.
        case anonymous
    }
    /// Row of the account; for those who are nobody's account, the row of the public databases.
    var account: Int64
    /// Empty for those who are nobody's account.
    var name: Person
    /// `ipad-3`; `web-` and the client's own id for a web client.
    var device: String
    /// Row of the session; 0 without one.
    var session: Int64
    var kind = Kind.device

    var isPerson: Bool { kind == .device || kind == .web }
    /// The same iPad with no account in use: its session proves the device alone, and reads what all may read
    /// (cloudkit-framework.md 1; S223).
    var asNobody: Caller {
        Caller(account: Owner.publicID, name: "", device: device, session: session, kind: .anonymous)
    }
    /// Where no credential is asked for: the URL itself is the secret.
    static let nobody = Caller(account: Owner.publicID, name: "", device: "", session: 0, kind: .anonymous)
}

/// One request on its way through a handler.
struct Call {
    var http: HTTPRequest
    var target: Target
    var caller: Caller
    var policy: CloudPolicy

    /// - Throws: `AUTHENTICATION_REQUIRED` with the page to sign in on, or `ACCESS_DENIED` to a server's key, which is
    ///   nobody's account (cloudkit-web-services.md 2, 3).
    /// - Parameter code: of the refusal of a server's key.
    func requirePerson(_ what: String, else code: ServerErrorCode = .accessDenied) throws(CloudError) {
        switch caller.kind {
        case .device, .web: return
        case .developer:
            throw CloudError(
                code, "\(what) belongs to a person; a server-to-server key reaches the public database only")
        case .anonymous:
            throw CloudError(.authenticationRequired, "\(what) needs a signed-in person; send 'ckWebAuthToken'")
                .naming("redirectURL", .string(signInPage))
        }
    }
    /// Where a person signs in for this app (`SignInPage`).
    private var signInPage: String {
        let path = target.path.count > 3 ? target.path : ["", "", "", ""]
        let app = Target.encoded(target["ckAPIToken"] ?? "")
        return "\(policy.origin)/\(SignIn.path.joined(separator: "/"))?container=\(Target.encoded(path[2]))"
            + "&environment=\(Target.encoded(path[3]))&ckAPIToken=\(app)"
    }
    /// Writing needs a person, or in the public database the developer.
    func requireWriter(_ what: String) throws(CloudError) {
        if caller.kind != .developer { try requirePerson(what) }
    }

    /// The JSON body; an empty body counts as an empty object.
    /// - Throws: `BAD_REQUEST` naming the byte at which it stops being JSON.
    func json() throws(CloudError) -> Value {
        if http.body.isEmpty { return .empty }
        let value: Value
        do { value = try Value(json: http.body) } catch { throw .badRequest("the body is not JSON: \(error)") }
        guard value.object != nil else { throw .badRequest("the body must be a JSON object") }
        return value
    }

    /// `X-Homeroom-Request`: the same over all tries of one piece of work.
    var requestID: String? { http.headers["X-Homeroom-Request"].flatMap { $0.isEmpty ? nil : $0 } }
}

/// What a handler decided.
struct Answer {
    var status: Int
    var headers: HTTPHeaders = [:]
    var body: [UInt8]
    /// Courier whose poll found nothing.
    var waitsFor: String?
    /// It is the answer to an earlier try of the same request: nothing was done for this one.
    var isRepeated = false

    init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
    init(status: Int = 200, json: Value) { self.init(status: status, body: json.jsonBytes) }
}

/// Serves one endpoint. Reads and writes through `Work`; a thrown error undoes all of it.
typealias Handler = @Sendable (Call, Work) throws -> Answer

extension Value {
    /// A required text member.
    func text(_ key: String) throws(CloudError) -> String {
        guard let text = self[key]?.string else { throw .badRequest("'\(key)' must be a text") }
        return text
    }
    /// A required integer member.
    func integer(_ key: String) throws(CloudError) -> Int64 {
        guard let number = self[key]?.int else { throw .badRequest("'\(key)' must be an integer") }
        return number
    }
    /// A required list member.
    func list(_ key: String) throws(CloudError) -> [Value] {
        guard let list = self[key]?.array else { throw .badRequest("'\(key)' must be a list") }
        return list
    }
    /// A list of texts, or nil when absent.
    func optionalTexts(_ key: String) throws(CloudError) -> [String]? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
            throw .badRequest("'\(key)' must be a list of texts")
        }
        return value.strings
    }
    /// A flag; absent or null is `otherwise`.
    func flag(_ key: String, otherwise: Bool) throws(CloudError) -> Bool {
        guard let value = self[key], !value.isNull else { return otherwise }
        guard let flag = value.bool else { throw .badRequest("'\(key)' must be true or false") }
        return flag
    }
    /// A text; absent or null is nil.
    func optionalText(_ key: String) throws(CloudError) -> String? {
        guard let value = self[key], !value.isNull else { return nil }
        guard let text = value.string else { throw .badRequest("'\(key)' must be a text") }
        return text
    }
}
