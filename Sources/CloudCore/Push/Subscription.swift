import FleetModel
import Storage

/// What an account wants to be told of (cloudkit-web-services.md 8.10, cloudkit-framework.md 7).
struct Subscription: Hashable {
    enum Kind: Hashable {
        /// Records of one type that match; in one zone, or with nil in the whole database.
        case query(RecordFilter, zone: String?, firesOn: [WrittenRecord.Reason])
        /// Of one custom zone, or with nil of every one.
        case zone(String?)
        /// Any change in any custom zone.
        case database
    }
    var id: String
    var kind: Kind
    /// Removed after it has fired.
    var firesOnce: Bool
    /// The dictionary as it was saved.
    var body: Value

    /// - Parameter id: stands in when the dictionary has no `subscriptionID`.
    /// - Throws: `BAD_REQUEST` naming what is not understood.
    init(_ body: Value, id: String, in space: Space, _ settings: CloudSettings) throws(CloudError) {
        self.id = id
        self.body = body
        self.body["subscriptionID"] = .string(id)
        firesOnce = try body.flag("firesOnce", otherwise: false)
        try Self.checkInfo(body["notificationInfo"] ?? .null)
        let type = try body.text("subscriptionType")
        switch type {
        case "query":
            guard !space.isShared else {
                throw .badRequest("a query subscription is not possible in the shared database; use 'database'")
            }
            var zone = body["zoneID"].map { $0.isNull } ?? true ? nil : try Zone.name(body["zoneID"])
            // Said to be of one zone, and of none by name: the default zone. Unsaid: the whole database.
            if zone == nil, let wide = body["zoneWide"], !wide.isNull, try !body.flag("zoneWide", otherwise: true) {
                zone = Zone.defaultName
            }
            kind = .query(try RecordFilter(query: body["query"], settings), zone: zone, firesOn: try Self.reasons(body))
        case "zone":
            try space.requirePrivate("a zone subscription")
            let isNamed = body["zoneID"]?.object != nil
            guard isNamed || !settings.zoneSubscriptionNeedsZone else {
                throw .badRequest("a zone subscription needs a 'zoneID'")
            }
            kind = .zone(isNamed ? try Zone.name(body["zoneID"]) : nil)
        case "database":
            if space.isPublic { throw .badRequest("a database subscription is not possible in the public database") }
            kind = .database
        default: throw .badRequest("there is no subscription type '\(type)'; use 'query', 'zone' or 'database'")
        }
    }

    private static func reasons(_ body: Value) throws(CloudError) -> [WrittenRecord.Reason] {
        guard let words = try body.optionalTexts("firesOn"), !words.isEmpty else {
            throw .badRequest("a query subscription needs 'firesOn' with 'create', 'update' or 'delete'")
        }
        var reasons: [WrittenRecord.Reason] = []
        for word in words {
            switch word {
            case "create": reasons.append(.created)
            case "update": reasons.append(.updated)
            case "delete": reasons.append(.deleted)
            default: throw .badRequest("a subscription cannot fire on '\(word)'")
            }
        }
        return reasons
    }

    /// Bytes of `notificationInfo`: half of what a push can carry, so that what happened has room beside it. ASSUMED.
    private static let infoBytesMax = 2048
    /// Checks what a person would see (cloudkit-web-services.md 8.11).
    private static func checkInfo(_ info: Value) throws(CloudError) {
        guard !info.isNull else { return }
        guard info.object != nil else { throw .badRequest("'notificationInfo' must be an object") }
        for key in [
            "title", "alertBody", "alertLocalizationKey", "alertActionLocalizationKey", "alertLaunchImage", "soundName",
            "category",
        ] { _ = try info.optionalText(key) }
        for key in ["alertLocalizationArgs", "additionalFields"] { _ = try info.optionalTexts(key) }
        for key in ["shouldBadge", "shouldSendContentAvailable", "shouldSendMutableContent"] {
            _ = try info.flag(key, otherwise: false)
        }
        guard info.approximateBytes <= infoBytesMax else {
            throw .badRequest("'notificationInfo' has more than \(infoBytesMax) bytes")
        }
    }

    /// Subscriptions of one person in one database. ASSUMED.
    private static let subscriptionsMax = 200
    /// - Throws: `BAD_REQUEST` when there is no room for one more.
    static func checkRoom(of account: Int64, in space: Space, _ work: Work) throws {
        let count =
            try work.database.query(
                "SELECT count(*) FROM subscription WHERE owner = ? AND space = ? AND account = ?", .int(space.owner),
                .text(space.key), .int(account)
            ).first?.int(0) ?? 0
        guard count < subscriptionsMax else {
            throw CloudError.badRequest(
                "there are \(count) subscriptions; \(subscriptionsMax) are the limit, delete some")
        }
    }

    // MARK: Table

    static func find(_ id: String, of account: Int64, in space: Space, _ work: Work) throws -> Value? {
        let rows = try work.database.query(
            "SELECT json FROM subscription WHERE owner = ? AND space = ? AND account = ? AND name = ?",
            .int(space.owner),
            .text(space.key), .int(account), .text(id))
        return rows.first.flatMap { try? Value(json: $0.blob(0)) }
    }
    func save(of account: Int64, in space: Space, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO subscription(owner, space, account, name, json) VALUES(?, ?, ?, ?, ?) "
                + "ON CONFLICT(owner, space, account, name) DO UPDATE SET json = excluded.json",
            .int(space.owner), .text(space.key), .int(account), .text(id), .blob(body.jsonBytes))
    }
    static func remove(_ id: String, of account: Int64, in space: Space, _ work: Work) throws {
        try work.database.execute(
            "DELETE FROM subscription WHERE owner = ? AND space = ? AND account = ? AND name = ?", .int(space.owner),
            .text(space.key), .int(account), .text(id))
    }
}
