import FleetModel

/// OSStatus values of SecItem calls (identity.md 5).
enum KeychainStatus: Int, Error {
    case success = 0
    case diskFull = -34
    /// Attributes that cannot be together, or an unknown one.
    case param = -50
    /// The class needs a passcode and the person has none. ASSUMED number.
    case authFailed = -25293
    case duplicateItem = -25299
    case itemNotFound = -25300
    /// The item cannot be read now: the iPad is locked, was not unlocked yet, or the person's volume is sealed.
    case interactionNotAllowed = -25308
    /// The access group is not one of the app's.
    case missingEntitlement = -34018
}

/// A password or key of one app. An item is removed by a null value that stays as a tombstone, so that removals sync.
struct KeychainItem: Hashable {
    /// What newer means: the device's time of the change, then the device's name (newest modification wins; identity.md 5).
    struct Version: Hashable, Comparable {
        var stamp: Int64
        var device: String
        static func < (a: Version, b: Version) -> Bool { (a.stamp, a.device) < (b.stamp, b.device) }
    }

    /// What names an item in the account (identity.md 5).
    struct Name: Hashable {
        /// Whose items: apps that share a group share what is in it.
        var group: String
        var service: String
        var account: String
        /// An item that is flagged and one that is not are two.
        var isSynchronizable: Bool

        init(_ group: String, _ service: String, _ account: String, isSynchronizable: Bool = false) {
            (self.group, self.service, self.account) = (group, service, account)
            self.isSynchronizable = isSynchronizable
        }
        /// `["group","service","account"]`, with a fourth part for a flagged one.
        var key: String {
            Value.strings([group, service, account] + (isSynchronizable ? [Self.flag] : [])).json
        }
        /// Nil for a key that another device made otherwise.
        init?(key: String) {
            guard let parts = try? Value(json: key).strings,
                parts.count == 3 || parts.count == 4 && parts[3] == Self.flag
            else { return nil }
            self.init(parts[0], parts[1], parts[2], isSynchronizable: parts.count == 4)
        }
        private static let flag = "synchronizable"
    }

    var key: String
    /// `Content`; null: removed.
    var value: Value
    var version: Version
    /// Changed here, and the Cloud has not confirmed it.
    var isDirty: Bool

    var name: Name? { Name(key: key) }

    static let accessibleByDefault = "WhenUnlocked"
    static let thisDeviceOnly = "ThisDeviceOnly"
    /// Source: identity.md 5.
    static let accessibilities = [
        "WhenUnlocked", "AfterFirstUnlock", "Always", "WhenUnlockedThisDeviceOnly", "AfterFirstUnlockThisDeviceOnly",
        "AlwaysThisDeviceOnly", "WhenPasscodeSetThisDeviceOnly",
    ]
    /// What is stored of an item.
    struct Content: FieldGroup, Hashable {
        var accessible = KeychainItem.accessibleByDefault
        var data: [UInt8]?
        var synchronizable: Bool?
        init() {}
        mutating func visit(_ fields: inout Fields) {
            fields.always("accessible", &accessible)
            fields.optional("data", &data)
            fields.optional("synchronizable", &synchronizable)
        }
    }
    var content: Content { Content(lenient: value) }
    var accessible: String { content.accessible }

    var isRemoved: Bool { value.isNull }
    /// `...ThisDeviceOnly` items never leave the iPad. All others follow the person on a Shared iPad, flagged synchronizable or not; or
    /// the flagged ones alone, or none (identity.md 5, disagree: switch `keychainSync`).
    func staysHere(_ switches: PadSwitches) -> Bool {
        if accessible.hasSuffix(Self.thisDeviceOnly) { return true }
        if switches.is("keychainSync", "flagged") { return content.synchronizable != true }
        return switches.is("keychainSync", "none")
    }
    var tokens: [Token] { EditPayload.scan(value).tokens }

    init(key: String, value: Value, version: Version, isDirty: Bool) {
        self.key = key
        self.value = value
        self.version = version
        self.isDirty = isDirty
    }
}

/// The entry of `/keychain/v1/sync`; what it lacks is no item.
extension KeychainItem: FieldGroup {
    init() { self.init(key: "", value: .null, version: Version(stamp: 0, device: ""), isDirty: false) }
    mutating func visit(_ fields: inout Fields) {
        fields.required("device", &version.device)
        fields.required("key", &key)
        fields.required("stamp", &version.stamp)
        fields.required("value", &value)
    }
}
