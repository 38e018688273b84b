import FleetModel
import Storage

/// Pushes record changes to those who subscribed to them (cloudkit-web-services.md 7.5).
///
/// One push a subscription and request goes to each device of the subscriber but the one that made the change. Several
/// matching records coalesce: the first is named and `p` says that the rest was pruned. Never the change itself.
enum SubscriptionCourier {
    /// Changes of records in one zone: to the subscribers of its database, and to those who share the zone.
    static func announce(_ records: [WrittenRecord], in reach: Reach, _ caller: Caller, _ work: Work) throws {
        guard !records.isEmpty else { return }
        let home = Space(
            place: reach.space.place, scope: reach.space.isPublic ? .everyone : .own, owner: reach.space.owner)
        for (account, subscription) in try all(in: home, work) {
            let shown = try readable(records, by: account, in: home, work)
            guard let what = notification(subscription, shown, in: home, zone: reach.zone) else { continue }
            try send(what, subscription, to: account, in: home, caller, work)
        }
        guard reach.zone.isAtomic, !reach.space.isPublic else { return }
        // Who takes part in another share of the zone does not hear of it.
        let shares = records.reduce(into: Set([Grant.Share.wholeZone])) { $0.formUnion($1.shares) }
        let members = try SharedZones.members(of: shares, in: reach.zone, work)
        try SharedZones.touch(reach.zone, for: members, work)
        for account in members { try announceShared(reach, to: account, by: caller, work) }
    }
    /// In the public database nobody hears of what his roles do not let him read.
    private static func readable(
        _ records: [WrittenRecord], by account: Int64, in space: Space, _ work: Work
    ) throws -> [WrittenRecord] {
        guard space.isPublic else { return records }
        let reader = Caller(account: account, name: try work.owner(account).name, device: "", session: 0)
        let roles = try Roles(of: reader, in: space.place, work)
        return records.filter { roles.canRead($0.type, madeBy: $0.creator) }
    }
    /// A zone in somebody's shared database has come or changed.
    static func announceShared(_ reach: Reach, to account: Int64, by caller: Caller, _ work: Work) throws {
        let shared = Space(place: reach.space.place, scope: .shared, owner: 0)
        for (subscriber, subscription) in try all(in: shared, work)
        where subscriber == account && subscription.kind == .database {
            try send(["met": base(subscription, shared)], subscription, to: account, in: shared, caller, work)
        }
    }
    /// A zone was made or deleted: database subscriptions hear of it.
    static func announceZone(_ zone: Zone, in space: Space, _ caller: Caller, _ work: Work) throws {
        for (account, subscription) in try all(in: space, work) where subscription.kind == .database {
            try send(["met": base(subscription, space)], subscription, to: account, in: space, caller, work)
        }
    }

    private static func all(in space: Space, _ work: Work) throws -> [(account: Int64, Subscription)] {
        try work.database.query(
            "SELECT account, name, json FROM subscription WHERE owner = ? AND space = ? ORDER BY id", .int(space.owner),
            .text(space.key)
        ).compactMap { row in
            guard let body = try? Value(json: row.blob(2)) else { return nil }
            return (try? Subscription(body, id: row.text(1), in: space, work.policy.settings)).map { (row.int(0), $0) }
        }
    }

    /// `qry`, `fet` or `met` with its content; nil when the subscription does not care.
    private static func notification(
        _ subscription: Subscription, _ records: [WrittenRecord], in space: Space, zone: Zone
    ) -> Value? {
        var inner = base(subscription, space)
        inner["zid"] = .string(zone.name)
        inner["zoid"] = .string(Zone.currentOwner)
        switch subscription.kind {
        case .zone(let name): return name.map { $0 == zone.name } ?? !zone.isDefault ? ["fet": inner] : nil
        case .database: return zone.isDefault ? nil : ["met": base(subscription, space)]
        case .query(let filter, let name, let firesOn):
            guard name == nil || name == zone.name else { return nil }
            let matches = records.filter { firesOn.contains($0.reason) && filter.accepts($0.body) }
            guard let first = matches.first else { return nil }
            inner["rid"] = .string(first.name)
            inner["fo"] = .int(first.reason.rawValue)
            let extra = subscription.body["notificationInfo"]?["additionalFields"]?.strings ?? []
            if !extra.isEmpty {
                inner["af"] = .object(
                    Value.Object(extra.compactMap { key in first.body["fields"]?[key]?["value"].map { (key, $0) } }))
            }
            return matches.count > 1 ? ["qry": inner, "p": 1] : ["qry": inner]
        }
    }
    private static func base(_ subscription: Subscription, _ space: Space) -> Value {
        ["sid": .string(subscription.id), "dbs": .int(space.scope.rawValue)]
    }

    private static func send(
        _ what: Value, _ subscription: Subscription, to account: Int64, in space: Space, _ caller: Caller, _ work: Work
    ) throws {
        var ck = what
        ck["cid"] = .string(space.container)
        ck["nid"] = .string(try work.newUUID(account))
        let payload = Self.payload(aps(subscription.body["notificationInfo"] ?? .empty), ck)
        let name = try work.owner(account).name
        let message = Message(
            "push", ["account": .string(name), "service": "record", "topic": .string(space.container), "ck": payload])
        for device in try Sessions.devices(of: account, but: caller.device, work) { work.push(message, to: device) }
        try Couriers.deliver(payload, to: account, in: space, but: caller, work)
        if subscription.firesOnce { try Subscription.remove(subscription.id, of: account, in: space, work) }
    }
    /// Apple's push service takes no larger payload (cloudkit-framework.md 7: payloads are pruned).
    /// https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
    private static let payloadBytesMax = 4096
    private static func payload(_ aps: Value, _ ck: Value) -> Value {
        let payload: Value = ["aps": aps, "ck": ck]
        guard ck["qry"]?["af"] != nil, payload.jsonBytes.count > payloadBytesMax else { return payload }
        var ck = ck
        ck["qry"]?["af"] = nil
        ck["p"] = 1
        return ["aps": aps, "ck": ck]
    }
    /// What the person would see (cloudkit-web-services.md 8.11); with nothing to see it is a silent push.
    private static func aps(_ info: Value) -> Value {
        var aps = Value.empty
        aps["alert"] = info["alertBody"]
        if let key = info["alertLocalizationKey"] {
            var alert: Value = ["loc-key": key]
            alert["loc-args"] = info["alertLocalizationArgs"]
            alert["action-loc-key"] = info["alertActionLocalizationKey"]
            alert["launch-image"] = info["alertLaunchImage"]
            alert["body"] = info["alertBody"]
            aps["alert"] = alert
        }
        // ASSUMED under the framework's names: the web service's list has neither.
        if let title = info["title"] {
            var alert: Value = aps["alert"]?.object == nil ? .empty : aps["alert"] ?? .empty
            alert["body"] = info["alertBody"]
            alert["title"] = title
            aps["alert"] = alert
        }
        if info["shouldSendMutableContent"]?.bool == true { aps["mutable-content"] = 1 }
        aps["sound"] = info["soundName"]
        aps["category"] = info["category"]
        if info["shouldBadge"]?.bool == true { aps["badge"] = 1 }
        if info["shouldSendContentAvailable"]?.bool == true || aps == .empty { aps["content-available"] = 1 }
        return aps
    }
}
