/// Behaviours of an iPad about which the sources differ, marked (disagree) in Docs/sources: each takes one side, and
/// who has seen the other sets it (`switches:` in a scenario, `switches` in a Pad's specification). The launch limit, a number, is a
/// setting of its own (`launchLimit`).
public struct PadSwitches: Hashable, Sendable {
    /// All there are. Defaults are what Apple documents now, or what this project chose.
    public static let all: [Switches.Switch] = [
        .init(
            name: "privateDatabase", values: ["accountStatus", "identityToken"],
            meaning:
                "identity.md 1 (S107): who may use the private database: by the account's status, or whoever has a token"
        ),
        .init(
            name: "keychainSync", values: ["all", "flagged", "none"],
            meaning: "identity.md 5 (S29): items that follow a person: all, those with kSecAttrSynchronizable, none"),
        .init(
            name: "keyLength", values: ["utf8", "utf16"],
            meaning: "key-value-store.md 2: longest key: 64 bytes of UTF-8, or 128 units of UTF-16"),
        .init(
            name: "forceQuit", values: ["silent", "willTerminate"],
            meaning: "app-lifecycle.md 2 (S133): whether an app that runs hears of its force-quit"),
        .init(
            name: "eviction", values: ["leastRecentlyLeft", "oldestCached"],
            meaning:
                "shared-ipad.md 7: which synced person goes first: who left longest ago, or who first came here longest ago"
        ),
        .init(
            name: "queryWithoutZone", values: ["all", "default"],
            meaning: "cloudkit-framework.md 6: a private query without a zone: all zones, or the default one"),
        .init(
            name: "keyValueAtSignOut", values: ["keep", "clear"],
            meaning: "key-value-store.md 7: pairs after signing out of iCloud: kept on the iPad, or taken from the app"),
    ]
    private var sides = Switches(all, noun: "switch", tellsDefaults: false)

    /// Every switch at its default.
    public init() {}

    /// Sets one switch.
    /// - Returns: nil, or what is wrong: no such name, or no such value.
    public mutating func set(_ name: String, to value: String) -> String? { sides.set(name, to: value) }
    /// `{name: value}`, without those at their default.
    public var body: Value { sides.body }
    /// Whether a switch is at this value.
    public func `is`(_ name: String, _ value: String) -> Bool { sides[name] == value }
}
