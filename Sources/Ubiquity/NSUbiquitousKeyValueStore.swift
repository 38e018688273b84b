// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// The person's key-value store in iCloud (key-value-store.md). Getters answer from a mirror that the Pad keeps up to date.
///
/// A set changes the mirror at once and is on its way to the Pad; the Pad flushes it to disk some two seconds later, on background and
/// on `synchronize()`. Quota is the Pad's: a set that exceeds it comes back as a change with reason 2 and the old value. An over-long
/// key traps, where Apple raises an exception (key-value-store.md 2).
public final class NSUbiquitousKeyValueStore: @unchecked Sendable {
    /// The running app's store. The first use opens it, and only from then on changes of other iPads are noticed.
    public static var `default`: NSUbiquitousKeyValueStore {
        AppLink.current.singleton { NSUbiquitousKeyValueStore(AppLink.current) }
    }
    /// Values changed from outside: another iPad, initial sync, a refused set, another account. Never for the app's own sets.
    public static let didChangeExternallyNotification = Notification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

    private let link: AppLink
    private var mirror: Value.Object
    /// Keys set since the mirror was last read whole: a change of one of them may have crossed the set on its way.
    private var written: Set<String> = []

    private init(_ link: AppLink) {
        self.link = link
        let opened = link.answer(to: KeyValueMessages.Open())
        mirror = opened.values
        hasLongKeys = opened.keyLength == "utf16"
        link.listen(KeyValueMessages.Changed.name) { [weak self] message in self?.changed(message) }
        link.listen(IdentityMessages.Taken.name) { [weak self] _ in self?.readAll() }
    }
    private func readAll() {
        mirror = link.answer(to: KeyValueMessages.Open()).values
        written = []
    }

    private func changed(_ message: Message) {
        let news = KeyValueMessages.Changed(lenient: message.body)
        let changes = news.values
        // Of another account come first the keys that are gone, of which it may have some: only the whole is true then.
        let isAccount = news.reason == KeyValueMessages.Changed.Reason.account.rawValue
        if isAccount || changes.keys.contains(where: written.contains) {
            readAll()
        } else {
            for pair in changes.pairs { mirror[pair.key] = pair.value.isNull ? nil : pair.value }
        }
        let reason = Int(clamping: news.reason)
        let keys = changes.keys
        Task { @MainActor in
            NotificationCenter.default.post(
                name: Self.didChangeExternallyNotification, object: self,
                userInfo: [
                    NSUbiquitousKeyValueStoreChangeReasonKey: reason, NSUbiquitousKeyValueStoreChangedKeysKey: keys,
                ])
        }
    }

    // MARK: Reading

    /// The value as a property-list object; nil for an absent key.
    public func object(forKey aKey: String) -> Any? { mirror[aKey].map(PropertyList.any) }
    /// Nil for an absent key, or a value that is not a text.
    public func string(forKey aKey: String) -> String? { mirror[aKey]?.string }
    /// Nil for an absent key, or a value that is not an array.
    public func array(forKey aKey: String) -> [Any]? { object(forKey: aKey) as? [Any] }
    /// Nil for an absent key, or a value that is not a dictionary.
    public func dictionary(forKey aKey: String) -> [String: Any]? { object(forKey: aKey) as? [String: Any] }
    /// Nil for an absent key, or a value that is not data.
    public func data(forKey aKey: String) -> Data? { mirror[aKey]?.data.map { Data($0) } }
    /// 0 for an absent key.
    public func longLong(forKey aKey: String) -> Int64 { mirror[aKey]?.int ?? (bool(forKey: aKey) ? 1 : 0) }
    /// 0 for an absent key.
    public func double(forKey aKey: String) -> Double { mirror[aKey]?.double ?? (bool(forKey: aKey) ? 1 : 0) }
    /// False for an absent key.
    public func bool(forKey aKey: String) -> Bool {
        mirror[aKey]?.bool ?? mirror[aKey]?.double.map { $0 != 0 } ?? false
    }
    /// A snapshot of all pairs.
    public var dictionaryRepresentation: [String: Any] { PropertyList.dictionary(mirror) }

    // MARK: Writing

    /// Sets any property-list object; nil removes. What is no property list is not stored (Apple raises an exception).
    public func set(_ anObject: Any?, forKey aKey: String) {
        guard let anObject else { return removeObject(forKey: aKey) }
        guard let value = PropertyList.value(anObject) else { return }
        store(value, aKey)
    }
    /// As `set(_:forKey:)`; nil removes.
    public func set(_ aString: String?, forKey aKey: String) { store(aString.map { .string($0) }, aKey) }
    /// As `set(_:forKey:)`; nil removes.
    public func set(_ aData: Data?, forKey aKey: String) { store(aData.map { .data(Array($0)) }, aKey) }
    /// As `set(_:forKey:)`; nil removes, and an array with anything that is not a property list is not stored.
    public func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }
    /// As `set(_:forKey:)`; nil removes, and a dictionary with anything that is not a property list is not stored.
    public func set(_ aDictionary: [String: Any]?, forKey aKey: String) { set(aDictionary as Any?, forKey: aKey) }
    /// As `set(_:forKey:)`, for `longLong(forKey:)`.
    public func set(_ value: Int64, forKey aKey: String) { store(.int(value), aKey) }
    /// As `set(_:forKey:)`. An infinity or NaN is not stored (ASSUMED).
    public func set(_ value: Double, forKey aKey: String) { store(.double(value), aKey) }
    /// As `set(_:forKey:)`.
    public func set(_ value: Bool, forKey aKey: String) { store(.bool(value), aKey) }
    /// Removes the pair here at once, and on the person's other iPads when they sync.
    public func removeObject(forKey aKey: String) { store(nil, aKey) }

    /// Source: key-value-store.md 2, the strict older text (disagree: 128 units of UTF-16).
    private static let (keyBytesMax, keyUnitsMax) = (64, 128)
    /// The iPad takes the newer text (switch `keyLength`).
    private let hasLongKeys: Bool

    private func store(_ value: Value?, _ key: String) {
        precondition(
            !key.isEmpty
                && (hasLongKeys ? key.utf16.count <= Self.keyUnitsMax : key.utf8.count <= Self.keyBytesMax),
            "NSUbiquitousKeyValueStore: the key '\(key)' has \(key.utf8.count) bytes of UTF-8; use 1 to \(Self.keyBytesMax)"
        )
        // No number: no property list, not stored.
        guard value?.isFinite ?? true else { return }
        mirror[key] = value
        written.insert(key)
        link.post(KeyValueMessages.Set(key: key, value: value ?? .null))
    }

    /// Writes what was set to disk. It does not upload (key-value-store.md 4): the system does, in its own time.
    /// - Returns: false when the Pad could not.
    @discardableResult public func synchronize() -> Bool { link.call(KeyValueMessages.Synchronize()).linkError == nil }
}

extension Value {
    /// Property lists hold no infinities (ASSUMED).
    fileprivate var isFinite: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .array(let values): values.allSatisfy(\.isFinite)
        case .object(let object): object.pairs.allSatisfy(\.value.isFinite)
        default: true
        }
    }
}

/// Key of the reason (Int) in the notice's `userInfo`.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
/// Key of the changed keys ([String]) in the notice's `userInfo`.
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"
/// A value changed in iCloud.
public let NSUbiquitousKeyValueStoreServerChange = 0
/// The first values arrive after sign-in.
public let NSUbiquitousKeyValueStoreInitialSyncChange = 1
/// A set exceeded the limits and was refused.
public let NSUbiquitousKeyValueStoreQuotaViolationChange = 2
/// Another account: its values replaced the local ones.
public let NSUbiquitousKeyValueStoreAccountChange = 3
