import FleetModel
import Storage

/// Finds out who sends a request.
enum Doorkeeper {
    /// Who comes in, and the token that replaces the one he showed.
    struct Visitor {
        var caller: Caller
        var replacement: String?
    }

    /// - Throws: `AUTHENTICATION_FAILED` for a credential that is missing or not good here.
    static func admit(_ http: HTTPRequest, _ target: Target, to access: Endpoint.Access, _ work: Work) throws -> Visitor
    {
        if access == .open { return Visitor(caller: .nobody) }
        switch try Credential(http, target) {
        case .device(let token):
            let caller = try Sessions.caller(token, http, work)
            guard access == .cloudKit, http.headers["X-Homeroom-Account"] == "none" else {
                return Visitor(caller: caller)
            }
            // Who comes in nobody's name is looked at by his own first: no outsider reads a team's development so (S285).
            try Teams.check(caller, at: Place(target), work)
            return Visitor(caller: caller.asNobody)
        case .web(let api, let user) where access == .cloudKit: return try web(api, user, http, target, work)
        case .key(let signed) where access == .cloudKit:
            return Visitor(caller: try developer(signed, http, target, work))
        case .none where access == .cloudKit && http.headers["X-Homeroom-Account"] == "none":
            // A guest's iPad has no session to show; what all may read it may read, in production (cloudkit-framework.md 1; S106, S223).
            guard try Place(target).environment == "production" else {
                throw CloudError(.authenticationFailed, "development is read by its team alone; sign in first")
            }
            return Visitor(caller: .nobody)
        default:
            throw CloudError(.authenticationFailed, "'Authorization: Bearer <token>' is missing; sign in first")
        }
    }

    // MARK: API token and web-auth token

    private static func web(
        _ api: String, _ user: String?, _ http: HTTPRequest, _ target: Target, _ work: Work
    ) throws -> Visitor {
        let place = try Place(target)
        guard try APITokens.isGood(api, for: place, work) else {
            throw CloudError(
                .authenticationFailed, "'ckAPIToken' is not one of '\(place.container)' in \(place.environment)")
        }
        // The client that names itself does not hear of its own changes.
        let device = target["clientId"].map { "web-" + $0 } ?? "web"
        guard let user else {
            return Visitor(
                caller: Caller(account: Owner.publicID, name: "", device: device, session: 0, kind: .anonymous))
        }
        if work.policy.isDevelopment, user.hasPrefix("person:") {
            let (account, name) = try People.named(String(user.dropFirst(7)), work)
            return Visitor(caller: Caller(account: account, name: name, device: device, session: 0, kind: .web))
        }
        let (account, replacement) = try WebTokens.spend(user, at: place, work)
        let name = try work.owner(account).name
        return Visitor(
            caller: Caller(account: account, name: name, device: device, session: 0, kind: .web),
            replacement: replacement)
    }

    // MARK: Signed requests

    private static func developer(
        _ signed: SignedRequest, _ http: HTTPRequest, _ target: Target, _ work: Work
    ) throws -> Caller {
        let place = try Place(target)
        // The date is no secret, and a wrong clock is found by nothing else.
        if let wrong = signed.wrongDate(work.clockSeconds) { throw CloudError(.authenticationFailed, wrong) }
        // One refusal for the rest: which part was wrong helps only those who guess.
        let refusal = CloudError(.authenticationFailed, "the signature or its key is not good for '\(place.container)'")
        guard let key = try ServerKeys.publicKey(signed.keyID, of: place.container, work),
            signed.isSigned(http, by: key)
        else { throw refusal }
        return Caller(account: Owner.publicID, name: "", device: "server", session: 0, kind: .developer)
    }
}

/// Container and environment of a CloudKit path (cloudkit-web-services.md 1).
struct Place: Hashable {
    var container: String
    var environment: String

    init(_ target: Target) throws(CloudError) {
        guard target.path.count > 4 else { throw .badRequest("the target names no container and environment") }
        container = target.path[2]
        environment = target.path[3]
        try Self.checkContainer(container)
        try Self.checkEnvironment(environment)
    }
    init(container: String, environment: String) {
        self.container = container
        self.environment = environment
    }

    static func checkEnvironment(_ name: String) throws(CloudError) {
        guard name == "production" || name == "development" else {
            throw .badRequest("'\(name)' is no environment; use 'production' or 'development'")
        }
    }
    static func checkContainer(_ name: String) throws(CloudError) {
        guard name.hasPrefix("iCloud."), name.utf8.count > 7, name.utf8.count <= 255,
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") })
        else { throw .badRequest("'\(name)' is no container; its name is 'iCloud.' and a reverse domain name") }
    }

    /// Name in the tables.
    var key: String { "\(container)/\(environment)" }
    /// Whether nothing but the deployed schema is taken here.
    func isClosed(_ policy: CloudPolicy) -> Bool { environment == "production" && policy.hasClosedProduction }
}
