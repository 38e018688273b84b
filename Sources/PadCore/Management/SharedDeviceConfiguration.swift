import FleetModel

/// What the Settings item SharedDeviceConfiguration sets, with Apple's keys (shared-ipad.md 9.1).
///
/// Values are kept as they hold: raised to their minimum, rounded down where only some are allowed. ASSUMED: timeouts under the minimum
/// are raised to it, as a quota is.
struct SharedDeviceConfiguration: Hashable {
    /// MB for each person; nil: none was set.
    var quotaSize: Int?
    /// Expected number of people; nil: none was set.
    var residentUsers: Int?
    /// Seconds without anything done until the session ends; 0: never.
    var userSessionTimeout = 0
    var temporarySessionTimeout = 0
    /// Only the guest pane is offered.
    var temporarySessionOnly = false
    var managedAppleIDDefaultDomains: [String] = []
    /// Days for which a cached person need not be asked for online; 0: each time; nil: never asked.
    var onlineAuthenticationGracePeriod: Int?
    var skipLanguageAndLocaleSetupForNewUsers = false
    /// AwaitUserConfiguration: whoever logs in is held in Setup Assistant until the server says UserConfigured.
    var awaitUserConfiguration = false
    /// PasscodePolicy: seconds after a lock in which no passcode is asked for and nothing is sealed.
    var passcodeLockGracePeriod = 0
    /// PasscodePolicy: seconds without anything done until the iPad locks. Deviates from shared-ipad.md 10, where 120 s is the
    /// default: nil, nothing was set, and no iPad locks by itself (Docs/decisions/0012-no-lock-by-itself.md).
    var autoLockTime: Int?

    private static let shortestTimeout = 30
    private static let shortestAutoLock = 120
    /// Source: shared-ipad.md 9.1; others are rounded down.
    private static let gracePeriods = [0, 60, 300, 900, 3600, 14400]

    /// Takes over what an item says; what it does not name stays.
    /// - Throws: the name of a key whose value cannot be.
    mutating func take(_ item: Value) throws(ManagementError) {
        for pair in item.object?.pairs ?? [] where pair.key != "Item" {
            switch pair.key {
            case "QuotaSize": quotaSize = try Self.number(pair)
            case "ResidentUsers": residentUsers = try max(1, Self.number(pair))
            case "UserSessionTimeout": userSessionTimeout = try Self.timeout(pair)
            case "TemporarySessionTimeout": temporarySessionTimeout = try Self.timeout(pair)
            case "TemporarySessionOnly": temporarySessionOnly = try Self.flag(pair)
            case "OnlineAuthenticationGracePeriod": onlineAuthenticationGracePeriod = try Self.number(pair)
            case "SkipLanguageAndLocaleSetupForNewUsers": skipLanguageAndLocaleSetupForNewUsers = try Self.flag(pair)
            case "AwaitUserConfiguration": try takeAwaiting(pair.value)
            case "PasscodePolicy": try takePasscodePolicy(pair.value)
            case "ManagedAppleIDDefaultDomains":
                guard let domains = pair.value.array, domains.allSatisfy({ $0.string != nil }) else {
                    throw .malformed("'\(pair.key)' is a list of texts")
                }
                managedAppleIDDefaultDomains = pair.value.strings
            default: throw .malformed("SharedDeviceConfiguration has no key '\(pair.key)'")
            }
        }
    }

    private mutating func takeAwaiting(_ setting: Value) throws(ManagementError) {
        guard let pairs = setting.object?.pairs, pairs.map(\.key) == ["Enabled"], let pair = pairs.first else {
            throw .malformed("'AwaitUserConfiguration' is a dictionary with 'Enabled'")
        }
        awaitUserConfiguration = try Self.flag(pair)
    }
    private mutating func takePasscodePolicy(_ policy: Value) throws(ManagementError) {
        guard let pairs = policy.object?.pairs else { throw .malformed("'PasscodePolicy' is a dictionary") }
        for pair in pairs {
            switch pair.key {
            case "PasscodeLockGracePeriod":
                let seconds = try Self.number(pair)
                passcodeLockGracePeriod = Self.gracePeriods.last { $0 <= seconds } ?? 0
            case "AutoLockTime": autoLockTime = max(Self.shortestAutoLock, try Self.number(pair))
            default: throw .malformed("'PasscodePolicy' has no key '\(pair.key)'")
            }
        }
    }

    private static func number(_ pair: Value.Object.Pair) throws(ManagementError) -> Int {
        guard let number = pair.value.int, (0...1_000_000_000).contains(number) else {
            throw .malformed("'\(pair.key)' is a whole number from 0")
        }
        return Int(number)
    }
    private static func timeout(_ pair: Value.Object.Pair) throws(ManagementError) -> Int {
        let seconds = try number(pair)
        return seconds == 0 ? 0 : max(shortestTimeout, seconds)
    }
    private static func flag(_ pair: Value.Object.Pair) throws(ManagementError) -> Bool {
        guard let flag = pair.value.bool else { throw .malformed("'\(pair.key)' is true or false") }
        return flag
    }
}

/// How many people an iPad has room for, and how much each may use (shared-ipad.md 6). GB are 10^9 bytes, MB 10^6.
struct Room: Hashable {
    /// People who can be cached at once.
    let slots: Int
    /// MB for each; nil: no quota.
    let quota: Int?
    /// What people's data may take together: the iPad without its system and apps.
    let bytes: Int

    /// Source: DeviceInformation's MaximumResidentUsers, always 32 since iOS 13.4.
    static let mostPeople = 32

    /// - Parameters:
    ///   - capacity: of the iPad, in GB.
    ///   - standard: people when neither quota nor number is configured.
    init(capacity: Int, standard: Int, _ configuration: SharedDeviceConfiguration) {
        let isSmall = capacity <= 32
        let left = max(0, capacity - 10 - (isSmall ? 8 : 16)) * 1000
        bytes = left * 1_000_000
        let least = isSmall ? 1000 : 2000
        let most = max(1, min(Self.mostPeople, left / least))
        // ASSUMED: where both are given, the quota counts.
        if let asked = configuration.quotaSize {
            let quota = max(least, asked)
            (slots, self.quota) = (max(1, min(most, left / quota)), quota)
        } else if let asked = configuration.residentUsers {
            slots = min(most, asked)
            quota = left / slots
        } else {
            (slots, quota) = (standard, nil)
        }
    }
}

extension SharedDeviceConfiguration {
    /// Apple's keys; what was not set is left out.
    var body: Value { Written(self).body }
    /// Nil when the body is not one that `body` gave.
    init?(_ body: Value) {
        do { try take(body) } catch { return nil }
    }
}

extension SharedDeviceConfiguration: FieldValue {
    init?(fieldValue value: Value) { self.init(value) }
    var fieldValue: Value { body }
    static var kindName: String { "SharedDeviceConfiguration" }
}

/// A configuration in Apple's keys. It is read by `SharedDeviceConfiguration.take`, which knows what each may be.
private struct Written: FieldGroup {
    struct Policy: FieldGroup, Hashable {
        var autoLockTime: Int?
        var passcodeLockGracePeriod = 0
        init() {}
        mutating func visit(_ fields: inout Fields) {
            fields.optional("AutoLockTime", &autoLockTime)
            fields.unless(0, "PasscodeLockGracePeriod", &passcodeLockGracePeriod)
        }
    }
    var awaitUserConfiguration: Value?
    var policy = Policy()
    var set = SharedDeviceConfiguration()
    init() {}
    init(_ configuration: SharedDeviceConfiguration) {
        set = configuration
        awaitUserConfiguration = set.awaitUserConfiguration ? ["Enabled": true] : nil
        policy.autoLockTime = set.autoLockTime
        policy.passcodeLockGracePeriod = set.passcodeLockGracePeriod
    }
    mutating func visit(_ fields: inout Fields) {
        fields.optional("AwaitUserConfiguration", &awaitUserConfiguration)
        fields.unless([], "ManagedAppleIDDefaultDomains", &set.managedAppleIDDefaultDomains)
        fields.optional("OnlineAuthenticationGracePeriod", &set.onlineAuthenticationGracePeriod)
        fields.unless(Policy(), "PasscodePolicy", &policy)
        fields.optional("QuotaSize", &set.quotaSize)
        fields.optional("ResidentUsers", &set.residentUsers)
        fields.unless(false, "SkipLanguageAndLocaleSetupForNewUsers", &set.skipLanguageAndLocaleSetupForNewUsers)
        fields.unless(false, "TemporarySessionOnly", &set.temporarySessionOnly)
        fields.unless(0, "TemporarySessionTimeout", &set.temporarySessionTimeout)
        fields.unless(0, "UserSessionTimeout", &set.userSessionTimeout)
    }
}
