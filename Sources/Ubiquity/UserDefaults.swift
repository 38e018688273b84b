import Foundation
import PadApp

/// The running app's defaults, in `Library/Preferences/<bundle>.plist`: on this iPad only, gone with a purge (S22).
///
/// Each set rewrites the file without syncing it: a power cut may lose or tear it, and a torn file reads as empty, as on an iPad.
/// What the person changes in Settings is merged in at launch, or when the notice comes (`didChangeNotification`).
/// An administrator's configuration of the app is the dictionary `com.apple.configuration.managed`, and comes the same way.
/// Not modelled: suites, `com.apple.feedback.managed`, the notice for the app's own changes.
public final class UserDefaults: @unchecked Sendable {
    /// The running app's defaults: apps that share a process have one each.
    public static var standard: UserDefaults { AppLink.current.singleton { UserDefaults(AppLink.current) } }

    /// Settings were changed outside the app.
    public static let didChangeNotification = Notification.Name("NSUserDefaultsDidChangeNotification")

    private let link: AppLink
    private let path: String
    private var values: Value.Object
    private var registered = Value.Object()

    private init(_ link: AppLink) {
        self.link = link
        path = "\(link.home)/Library/Preferences/\(link.bundleIdentifier).plist"
        values = Self.read(link.call(FileMessages.Read.name, ["path": .string(path)])["data"]?.data ?? [])
        // It is the center that hears of changes and hands them on.
        _ = NotificationCenter.default
        if !link.settings.isEmpty { take(link.settings) }
    }
    private static func read(_ bytes: [UInt8]) -> Value.Object {
        guard !bytes.isEmpty, let any = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
            let dictionary = any as? [String: Any]
        else { return Value.Object() }
        return PropertyList.members(dictionary)
    }

    /// Values for keys that were never set; kept for this launch only.
    public func register(defaults: [String: Any]) {
        for pair in PropertyList.members(defaults).pairs { registered[pair.key] = pair.value }
    }

    private subscript(key: String) -> Value? { values[key] ?? registered[key] }

    /// The value as a property-list object: a set one before a registered one; nil for neither.
    public func object(forKey key: String) -> Any? { self[key].map(PropertyList.any) }
    /// Nil for an absent key, or a value that is not a text (Apple makes texts of numbers).
    public func string(forKey key: String) -> String? { self[key]?.string }
    /// Nil for an absent key, or a value that is not data.
    public func data(forKey key: String) -> Data? { self[key]?.data.map { Data($0) } }
    /// Nil for an absent key, or a value that is not an array.
    public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }
    /// Nil for an absent key, or an array with anything that is not a text.
    public func stringArray(forKey key: String) -> [String]? { object(forKey: key) as? [String] }
    /// Nil for an absent key, or a value that is not a dictionary.
    public func dictionary(forKey key: String) -> [String: Any]? { object(forKey: key) as? [String: Any] }
    /// 0 for an absent key, or a value that is neither an integer nor a Boolean.
    public func integer(forKey key: String) -> Int {
        Int(clamping: self[key]?.int ?? (self[key]?.bool == true ? 1 : 0))
    }
    /// 0 for an absent key, or a value that is neither a number nor a Boolean.
    public func double(forKey key: String) -> Double { self[key]?.double ?? (self[key]?.bool == true ? 1 : 0) }
    /// False for an absent key; a number other than 0 is true.
    public func bool(forKey key: String) -> Bool { self[key]?.bool ?? self[key]?.double.map { $0 != 0 } ?? false }
    /// All pairs: the set ones, and the registered ones that were not set.
    public func dictionaryRepresentation() -> [String: Any] {
        PropertyList.dictionary(registered).merging(PropertyList.dictionary(values)) { _, set in set }
    }

    /// What is no property list is not stored (Apple raises an exception).
    public func set(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(forKey: key) }
        guard let value = PropertyList.value(value) else { return }
        store(value, key)
    }
    /// As `set(_:forKey:)`.
    public func set(_ value: Bool, forKey key: String) { store(.bool(value), key) }
    /// As `set(_:forKey:)`.
    public func set(_ value: Int, forKey key: String) { store(.int(value), key) }
    /// As `set(_:forKey:)`.
    public func set(_ value: Double, forKey key: String) { store(.double(value), key) }
    /// Removes a set value; a registered one shows again.
    public func removeObject(forKey key: String) { store(nil, key) }
    /// Writes happen at once; kept for code that still calls it.
    @discardableResult public func synchronize() -> Bool { true }

    /// Changes that the person made in Settings. The iPad keeps them, and gives them to the next launch, until they are durable here.
    func take(_ changes: Value.Object) {
        for pair in changes.pairs { values[pair.key] = pair.value.isNull ? nil : pair.value }
        guard write(), link.call(FileMessages.Sync.name, ["path": .string(path)])["error"] == nil else { return }
        link.call(AppMessages.SettingsTaken.name, ["values": .object(changes)])
    }

    private func store(_ value: Value?, _ key: String) {
        guard values[key] != value else { return }
        if value == .bool(true) { link.tellHabit("flag", key: key) }
        values[key] = value
        write()
    }
    /// - Returns: whether the file has the values, perhaps not durably. As on an iPad, the app is not told of a full disk.
    @discardableResult private func write() -> Bool {
        let write: Value = ["path": .string(path), "data": .data(PropertyList.xml(values))]
        var error = link.call(FileMessages.Write.name, write)["error"]
        // The folder is missing after a purge.
        if error?["code"]?.int == 4 {
            link.call(FileMessages.MakeFolder.name, ["path": .string("\(link.home)/Library/Preferences")])
            error = link.call(FileMessages.Write.name, write)["error"]
        }
        return error == nil
    }
}
