import FleetModel
import Storage

/// Pushes record changes to those who subscribed to them (cloudkit-web-services.md 7.5).
///
/// One push a subscription and request goes to each device of the subscriber but the one that made the change. Several
/// matching records coalesce: the first is named and `p` says that the rest was pruned. Never the change itself.
enum SubscriptionCourier {
    /// Changes of records in one zone.
    static func announce(_ records: [WrittenRecord], in space: Space, zone: Zone, _ caller: Caller, _ work: Work) throws
    {
        guard !records.isEmpty else { return }
        for (account, subscription) in try all(in: space, work) {
            guard let what = notification(subscription, records, in: space, zone: zone) else { continue }
            try send(what, subscription, to: account, in: space, caller, work)
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
            return (try? Subscription(body, id: row.text(1), in: space)).map { (row.int(0), $0) }
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
        case .zone(let name): return name == zone.name ? ["fet": inner] : nil
        case .database: return zone.isDefault ? nil : ["met": base(subscription, space)]
        case .query(let filter, let name, let firesOn):
            guard name == nil || name == zone.name else { return nil }
            let matches = records.filter { firesOn.contains($0.reason) && filter.accepts($0.asRecord) }
            guard let first = matches.first else { return nil }
            inner["rid"] = .string(first.name)
            inner["fo"] = .int(first.reason.rawValue)
            return matches.count > 1 ? ["qry": inner, "p": 1] : ["qry": inner]
        }
    }
    private static func base(_ subscription: Subscription, _ space: Space) -> Value {
        ["sid": .string(subscription.id), "dbs": .int(space.scope)]
    }

    private static func send(
        _ what: Value, _ subscription: Subscription, to account: Int64, in space: Space, _ caller: Caller, _ work: Work
    ) throws {
        var ck = what
        ck["cid"] = .string(space.container)
        ck["nid"] = .string(try work.newUUID(account))
        let payload: Value = ["aps": aps(subscription.body["notificationInfo"] ?? .empty), "ck": ck]
        let name = try work.owner(account).name
        let message = Message(
            "push", ["account": .string(name), "service": "record", "topic": .string(space.container), "ck": payload])
        for device in try Sessions.devices(of: account, but: caller.device, work) { work.push(message, to: device) }
        if subscription.firesOnce { try Subscription.remove(subscription.id, of: account, in: space, work) }
    }
    /// What the person would see (cloudkit-web-services.md 8.11); with nothing to see it is a silent push.
    private static func aps(_ info: Value) -> Value {
        var aps = Value.empty
        aps["alert"] = info["alertBody"]
        aps["sound"] = info["soundName"]
        aps["category"] = info["category"]
        if info["shouldSendContentAvailable"]?.bool == true || aps == .empty { aps["content-available"] = 1 }
        return aps
    }
}

extension WrittenRecord {
    /// The parts of the record dictionary that a filter can look at.
    fileprivate var asRecord: Value {
        ["recordName": .string(name), "recordType": .string(type), "fields": .object(fields)]
    }
}
