/// The form in which a manifest travels to Pads and into the history.
extension AppManifest {
    /// An object with all members; `entitlements` and `forEveryone` are absent where there are none.
    public var body: Value {
        var body: Value = [
            "name": .string(name), "bundle": .string(bundleID), "infoPlist": infoPlist,
            "channel": .string(channel.rawValue), "actions": .array(actions.map(\.body)),
            "promises": .object(Value.Object(promises.map { ($0.key, .string($0.value.rawValue)) })),
        ]
        if let entitlements { body["entitlements"] = entitlements }
        if !shared.isEmpty { body["shared"] = .strings(shared.sorted()) }
        if !forEveryone.isEmpty { body["forEveryone"] = .strings(forEveryone.sorted()) }
        return body
    }
    /// Reads what `body` writes. Nil where name, bundle, channel or promises are missing; actions and promises that cannot be read are left
    /// out.
    public init?(_ body: Value) {
        guard let name = body["name"]?.string, let bundle = body["bundle"]?.string,
            let channel = body["channel"]?.string.flatMap(Channel.init), let promises = body["promises"]?.object
        else { return nil }
        self.init(
            name: name, bundleID: bundle, infoPlist: body["infoPlist"] ?? .empty,
            entitlements: body["entitlements"],
            actions: (body["actions"]?.array ?? []).compactMap(Action.init),
            promises: Dictionary(
                promises.pairs.compactMap { pair in
                    pair.value.string.flatMap(Promise.init).map { (pair.key, $0) }
                }, uniquingKeysWith: { first, _ in first }),
            forEveryone: Set(body["forEveryone"]?.strings ?? []), shared: Set(body["shared"]?.strings ?? []),
            channel: channel)
    }
}

extension AppManifest {
    /// Where an installed app lies, for the iPad as for the app (Docs/local-link.md, Files).
    public static func bundlePath(of bundleID: String) -> String {
        "/var/mobile/Containers/Bundle/Application/\(bundleID)/\(bundleID.split(separator: ".").last ?? "App").app"
    }
}

extension AppManifest.Action {
    var body: Value {
        [
            "name": .string(name), "kind": .string(kind), "verb": .string(verb.rawValue), "weight": .int(weight),
            "pool": .int(pool), "prefix": .string(prefix),
        ]
    }
    /// Reads what `body` writes, and what the declaration of a program says. Nil where a member is missing or there is no such verb.
    public init?(_ body: Value) {
        guard let name = body["name"]?.string, let kind = body["kind"]?.string,
            let verb = body["verb"]?.string.flatMap(Edit.Verb.init), let prefix = body["prefix"]?.string
        else { return nil }
        self.init(
            name, kind: kind, verb: verb, weight: Int(clamping: body["weight"]?.int ?? 1),
            pool: Int(clamping: body["pool"]?.int ?? 0), prefix: prefix)
    }
}
