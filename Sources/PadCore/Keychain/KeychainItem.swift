import FleetModel

/// OSStatus values of SecItem calls (identity.md 5).
enum KeychainStatus: Int {
    case success = 0
    case diskFull = -34
    case duplicateItem = -25299
    case itemNotFound = -25300
    /// The item cannot be read now: the person's volume is sealed.
    case interactionNotAllowed = -25308
}

/// A password or key of one app. An item is removed by a null value that stays as a tombstone, so that removals sync.
struct KeychainItem: Hashable {
    /// What newer means: the device's time of the change, then the device's name (newest modification wins; identity.md 5).
    struct Version: Hashable, Comparable {
        var stamp: Int64
        var device: String
        static func < (a: Version, b: Version) -> Bool { (a.stamp, a.device) < (b.stamp, b.device) }
    }

    /// Names the item in the account: `["bundle","service","account"]`. Apps share no access group, so the bundle is part of it.
    var key: String
    /// `{data, synchronizable, accessible}`; null: removed.
    var value: Value
    var version: Version
    /// Changed here, and the Cloud has not confirmed it.
    var isDirty: Bool

    static func key(bundle: String, service: String, account: String) -> String {
        Value.strings([bundle, service, account]).json
    }

    /// What the key is made of; nil for one that another device made otherwise.
    var name: (bundle: String, service: String, account: String)? {
        guard let parts = try? Value(json: key).strings, parts.count == 3 else { return nil }
        return (parts[0], parts[1], parts[2])
    }

    var isRemoved: Bool { value.isNull }
    /// `...ThisDeviceOnly` items never leave the iPad; all others follow the person on a Shared iPad, flagged synchronizable or not.
    var staysHere: Bool { value["accessible"]?.string?.hasSuffix("ThisDeviceOnly") ?? false }
    var tokens: [Token] { EditPayload.scan(value).tokens }

    /// The entry of `/keychain/v1/sync`.
    var wire: Value {
        ["key": .string(key), "value": value, "stamp": .int(version.stamp), "device": .string(version.device)]
    }
    /// Reads an entry of the Cloud's answer; nil when it is none.
    init?(wire: Value) {
        guard let key = wire["key"]?.string, let value = wire["value"], let stamp = wire["stamp"]?.int,
            let device = wire["device"]?.string
        else { return nil }
        self.init(key: key, value: value, version: Version(stamp: stamp, device: device), isDirty: false)
    }
    init(key: String, value: Value, version: Version, isDirty: Bool) {
        self.key = key
        self.value = value
        self.version = version
        self.isDirty = isDirty
    }
}
