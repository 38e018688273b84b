import FleetModel

/// How one iCloud is set up: what the edge around the core decides once, before the first request.
public struct CloudPolicy: Hashable, Sendable {
    /// `--dev`: any container is there at first use, `ckAPIToken=dev` and `ckWebAuthToken=person:NAME` are good.
    public var isDevelopment = false
    /// Whether production takes only what was deployed (cloudkit-framework.md 15). Open for the World: its apps are
    /// released ones, and nobody there has a console to deploy a schema with.
    public var hasClosedProduction = false
    /// What production has of a container, and nothing else is taken there; a container that is not named is open, or `hasClosedProduction` decides.
    public var schemas: [String: CloudSchema] = [:]
    /// Whether it notes what apps need of production's schema. Always where a schema is given.
    public var watchesSchema = false
    /// Whether a name is not enough to sign in with. In the World a school's identity provider has said who it is; a server
    /// that others reach has none, and hands out tokens by its administrator.
    public var hasClosedSignIn = false
    /// Scheme and host before every URL that an answer holds.
    public var origin = "http://icloud.homeroom"
    /// Space of one container's public database (cloudkit-web-services.md 9: "app quota"). ASSUMED: unlimited.
    public var publicQuotaBytes = Int64.max
    /// Bytes of one answer's records, or a little more (`AnswerBudget`); a test makes it small, so that little data fills a page.
    public var answerBytesMax = AnswerBudget.bytesMax
    /// Whether keychain items and kept answers lie encrypted in the tables: a server's lie on a disk that others may come by.
    public var seals = false
    /// Whether it keeps for the judges of a run what requests led to (`History`).
    public var keepsHistory = false
    /// Whether it notes requests about records with their answers, for the checks of the service.
    public var isAudited = false
    /// Sides that are taken where the sources differ.
    public var settings = CloudSettings()
    /// Key of everything that must not be guessed: tokens, receipts, URLs.
    var secret: [UInt8]

    /// Reads the keys `dev`, `closedProduction`, `schemas` {container: text}, `watchesSchema`, `closedSignIn`, `history`, `audit`, `origin`, `publicQuotaBytes`, `answerBytesMax`, `settings`
    /// and `secret` of a Cloud's spec.
    init(spec: Value, seed: UInt64) throws(CloudSpecError) {
        func flag(_ key: String) throws(CloudSpecError) -> Bool {
            guard let value = spec[key] else { return false }
            guard let flag = value.bool else {
                throw CloudSpecError("'\(key)' of the Cloud's spec must be true or false")
            }
            return flag
        }
        isDevelopment = try flag("dev")
        hasClosedProduction = try flag("closedProduction")
        hasClosedSignIn = try flag("closedSignIn")
        keepsHistory = try flag("history")
        isAudited = try flag("audit")
        if let origin = spec["origin"]?.string { self.origin = origin }
        if let quota = spec["publicQuotaBytes"] {
            guard let bytes = quota.int, bytes >= 0 else {
                throw CloudSpecError("'publicQuotaBytes' of the Cloud's spec must be a number of bytes")
            }
            publicQuotaBytes = bytes
        }
        if let most = spec["answerBytesMax"] {
            guard let bytes = most.int.flatMap({ Int(exactly: $0) }), bytes > 0 else {
                throw CloudSpecError("'answerBytesMax' of the Cloud's spec must be a positive number of bytes")
            }
            answerBytesMax = bytes
        }
        for pair in spec["schemas"]?.object?.pairs ?? [] {
            do { schemas[pair.key] = try CloudSchema(text: pair.value.string ?? "") } catch {
                throw CloudSpecError("the schema of '\(pair.key)' cannot be read: \(error)")
            }
        }
        watchesSchema = try flag("watchesSchema") || !schemas.isEmpty
        settings = try CloudSettings(spec: spec)
        seals = spec["secret"] != nil
        // In a run the seed is all the luck there is; a server hands in bytes that nobody knows.
        secret = Self.key(spec["secret"]?.string ?? "seed \(seed)")
    }
    private static func key(_ secret: String) -> [UInt8] { Secret.digest(Array(secret.utf8)) }

    /// By which a database knows the secret that its rows were made with.
    var makersMark: String { Self.makersMark(secret) }
    private static func makersMark(_ key: [UInt8]) -> String { Hex.text(Secret.seal("maker", key: key)) }
    static func makersMark(of secret: String) -> String { makersMark(key(secret)) }
}
