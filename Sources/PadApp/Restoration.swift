/// Keeps what an app's interface looked like, by key (app-lifecycle.md 12). Stands for Apple's `NSCoder`.
public final class RestorationCoder {
    var values: Value
    init(_ values: Value = .empty) { self.values = values }

    public func encode(_ value: String, forKey key: String) { values[key] = .string(value) }
    public func encode(_ value: Int, forKey key: String) { values[key] = .int(value) }
    public func encode(_ value: Bool, forKey key: String) { values[key] = .bool(value) }
    public func encode(_ value: [UInt8], forKey key: String) { values[key] = .data(value) }

    /// Nil for a key that was not encoded, or as something else.
    public func decodeString(forKey key: String) -> String? { values[key]?.string }
    /// 0 for an absent key.
    public func decodeInteger(forKey key: String) -> Int { Int(clamping: values[key]?.int ?? 0) }
    /// False for an absent key.
    public func decodeBool(forKey key: String) -> Bool { values[key]?.bool ?? false }
    public func decodeBytes(forKey key: String) -> [UInt8]? { values[key]?.data }
}

/// Part of an interface that is restored at the next launch: a view controller, in UIKit.
@MainActor public protocol UIStateRestoring: AnyObject {
    /// Nil: neither it nor what is below it is kept.
    var restorationIdentifier: String? { get }
    var restorationChildren: [any UIStateRestoring] { get }
    func encodeRestorableState(with coder: RestorationCoder)
    func decodeRestorableState(with coder: RestorationCoder)
    /// Memory is short: give back what can be made again. After the app's own method and the notification.
    func didReceiveMemoryWarning()
}
extension UIStateRestoring {
    public var restorationChildren: [any UIStateRestoring] { [] }
    public func didReceiveMemoryWarning() {}

    /// Tells a part of the interface and all below it.
    func warnOfMemory() {
        didReceiveMemoryWarning()
        for child in restorationChildren { child.warnOfMemory() }
    }
}

/// Makes the archive on the way to the background, and reads it between `willFinishLaunching` and `didFinishLaunching`.
@MainActor enum Restoration {
    /// Asked on the way to the background; nil: nothing is to be kept.
    static func wanted(of app: any PadAppDelegate) -> RestorationCoder? {
        let own = RestorationCoder()
        return app.application(shouldSaveSecureApplicationState: own) ? own : nil
    }
    /// When the snapshot has been taken.
    static func preserve(_ app: any PadAppDelegate, _ own: RestorationCoder, _ link: AppLink) {
        app.application(willEncodeRestorableStateWith: own)
        var archive: Value = ["app": own.values]
        if let root = app.restorationRoot.flatMap(encoded) { archive["root"] = root }
        link.call(AppMessages.KeepState.name, ["archive": .data(archive.jsonBytes)])
    }
    private static func encoded(_ object: any UIStateRestoring) -> Value? {
        guard let name = object.restorationIdentifier else { return nil }
        let coder = RestorationCoder()
        object.encodeRestorableState(with: coder)
        return [
            "name": .string(name), "class": .string(className(type(of: object))), "state": coder.values,
            "children": .array(object.restorationChildren.compactMap(encoded)),
        ]
    }

    static func restore(_ app: any PadAppDelegate, _ link: AppLink) {
        guard let bytes = link.call(AppMessages.RestoreState.name)["archive"]?.data,
            let archive = try? Value(json: bytes)
        else {
            return
        }
        let own = RestorationCoder(archive["app"] ?? .empty)
        guard app.application(shouldRestoreSecureApplicationState: own) else { return }
        app.application(didDecodeRestorableStateWith: own)
        if let root = app.restorationRoot, let kept = archive["root"] { decode(kept, into: root) }
    }
    /// By identifier and class: what is of another class now is passed over, with all below it (S198).
    private static func decode(_ kept: Value, into object: any UIStateRestoring) {
        guard let name = object.restorationIdentifier, kept["name"]?.string == name,
            let kind = kept["class"]?.string, isKind(object, of: kind)
        else { return }
        object.decodeRestorableState(with: RestorationCoder(kept["state"] ?? .empty))
        for child in kept["children"]?.array ?? [] {
            for candidate in object.restorationChildren
            where candidate.restorationIdentifier != nil && candidate.restorationIdentifier == child["name"]?.string {
                decode(child, into: candidate)
            }
        }
    }

    /// The same class or a subclass of it.
    private static func isKind(_ object: any UIStateRestoring, of name: String) -> Bool {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let found = mirror {
            if className(found.subjectType) == name { return true }
            mirror = found.superclassMirror
        }
        return false
    }
    private static func className(_ type: Any.Type) -> String { String(reflecting: type) }
}
