import Foundation
import PadApp

/// Writes an object graph that `NSKeyedUnarchiver` reads back. The bytes are opaque, as Apple's are, and a form of our own.
///
/// Foundation's takes a fifth of a millisecond for the system fields of one record, and an app that syncs archives one at every
/// save: it was two fifths of an edit's whole way. Texts, data and objects that code themselves are written directly; what Foundation
/// has beside (collections, numbers, dates) goes through Foundation's. Not modelled: delegates, substituted class names, one object
/// in several places (it is written twice).
public final class NSKeyedArchiver: NSCoder {
    private var members = Value.Object()
    private let isSecure: Bool
    private var isFinished = false

    /// - Parameter requiresSecureCoding: refuse objects that are not `NSSecureCoding`.
    public init(requiringSecureCoding requiresSecureCoding: Bool) { isSecure = requiresSecureCoding }

    /// - Throws: `CocoaError` 4866 for an object that cannot be coded, or not securely.
    public static func archivedData(withRootObject object: Any, requiringSecureCoding: Bool) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: requiringSecureCoding)
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        if let error = archiver.error { throw error }
        return archiver.encodedData
    }

    /// Call it before the data are read: encoding afterwards traps.
    public func finishEncoding() { isFinished = true }
    /// The archive so far. Look at `error` first: an object that cannot be coded is missing in it.
    public var encodedData: Data { Data(ArchivedObject.mark + Value.object(members).encoded) }
    private var failure: (any Error)?
    public override var error: (any Error)? { failure }
    public override var allowsKeyedCoding: Bool { true }
    public override var requiresSecureCoding: Bool { isSecure }

    private func set(_ value: Value, _ key: String) {
        precondition(!isFinished, "NSKeyedArchiver has finished: encode before finishEncoding()")
        members[key] = value
    }
    public override func encode(_ object: Any?, forKey key: String) {
        do { set(try ArchivedObject.value(of: object, isSecure: isSecure), key) } catch { failure = failure ?? error }
    }
    public override func encodeConditionalObject(_ object: Any?, forKey key: String) { encode(object, forKey: key) }
    public override func encode(_ flag: Bool, forKey key: String) { set(.bool(flag), key) }
    public override func encode(_ number: Int, forKey key: String) { set(.int(number), key) }
    public override func encode(_ number: Int32, forKey key: String) { set(.int(Int64(number)), key) }
    public override func encode(_ number: Int64, forKey key: String) { set(.int(number), key) }
    public override func encode(_ number: Float, forKey key: String) { set(.double(Double(number)), key) }
    public override func encode(_ number: Double, forKey key: String) { set(.double(number), key) }

    fileprivate var content: Value { .object(members) }
}

/// Reads what `NSKeyedArchiver` wrote. Foreign bytes are an error, never a trap.
public final class NSKeyedUnarchiver: NSCoder {
    private let members: Value
    private var isSecure = true

    /// - Throws: `CocoaError` 4864 for what is no archive.
    public init(forReadingFrom data: Data) throws {
        let count = ArchivedObject.mark.count
        guard data.prefix(count).elementsEqual(ArchivedObject.mark),
            let members = try? Value(decoding: Array(data.dropFirst(count)))
        else { throw CocoaError(.coderReadCorrupt) }
        self.members = members
    }
    fileprivate init(_ members: Value, isSecure: Bool) {
        self.members = members
        self.isSecure = isSecure
    }

    /// The root of `archivedData`; nil when it is of another class.
    public static func unarchivedObject<T: NSObject & NSCoding>(ofClass cls: T.Type, from data: Data) throws -> T? {
        try NSKeyedUnarchiver(forReadingFrom: data).decodeObject(of: cls, forKey: NSKeyedArchiveRootObjectKey)
    }
    /// The root of `archivedData`; nil when it is of none of the classes. Throws `CocoaError` 4864 for what is not an archive.
    public static func unarchivedObject(ofClasses classes: [AnyClass], from data: Data) throws -> Any? {
        try NSKeyedUnarchiver(forReadingFrom: data).decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey)
    }

    /// Does nothing; kept for code that calls it.
    public func finishDecoding() {}
    public override var allowsKeyedCoding: Bool { true }
    public override var requiresSecureCoding: Bool {
        get { isSecure }
        set { isSecure = newValue }
    }

    public override func containsValue(forKey key: String) -> Bool { members[key] != nil }
    /// Not possible with secure coding, as on an iPad: name the class.
    public override func decodeObject(forKey key: String) -> Any? {
        isSecure ? nil : ArchivedObject.object(members[key], of: [NSObject.self], isSecure: false)
    }
    public override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        ArchivedObject.object(members[key], of: classes ?? [], isSecure: isSecure)
    }
    public override func decodeObject<T: NSCoding>(of cls: T.Type, forKey key: String) -> T? where T: NSObject {
        ArchivedObject.object(members[key], of: [cls], isSecure: isSecure) as? T
    }
    public override func decodeBool(forKey key: String) -> Bool { members[key]?.bool ?? false }
    public override func decodeInteger(forKey key: String) -> Int { Int(clamping: members[key]?.int ?? 0) }
    public override func decodeInt32(forKey key: String) -> Int32 { Int32(clamping: members[key]?.int ?? 0) }
    public override func decodeInt64(forKey key: String) -> Int64 { members[key]?.int ?? 0 }
    public override func decodeFloat(forKey key: String) -> Float { Float(members[key]?.double ?? 0) }
    public override func decodeDouble(forKey key: String) -> Double { members[key]?.double ?? 0 }
}

/// One object inside an archive: a text, data, `{class, members}`, or Foundation's own archive of it.
private enum ArchivedObject {
    /// What our archives begin with.
    static let mark: [UInt8] = Array("hrarchive1".utf8)

    static func value(of object: Any?, isSecure: Bool) throws -> Value {
        switch object {
        case nil: return .null
        case let text as String: return .string(text)
        case let text as NSString: return .string("\(text)")
        case let data as Data: return .data(Array(data))
        case let data as NSData: return .data(Array(Data(referencing: data)))
        case let coded as any NSCoding where !isFoundation(type(of: coded)):
            guard !isSecure || coded is any NSSecureCoding else { throw CocoaError(.coderInvalidValue) }
            let archiver = NSKeyedArchiver(requiringSecureCoding: isSecure)
            coded.encode(with: archiver)
            if let error = archiver.error { throw error }
            return ["class": .string(name(type(of: coded))), "members": archiver.content]
        case let object?:
            let data = try Foundation.NSKeyedArchiver.archivedData(
                withRootObject: object, requiringSecureCoding: isSecure)
            return ["foundation": .data(Array(data))]
        }
    }

    /// The object, if it is of one of the classes.
    static func object(_ value: Value?, of classes: [AnyClass], isSecure: Bool) -> Any? {
        switch value {
        case .string(let text)?: return allowed(NSString(string: text), classes)
        case .data(let bytes)?: return allowed(NSData(data: Data(bytes)), classes)
        case .object(let object)?:
            if let bytes = object["foundation"]?.data {
                return try? Foundation.NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: Data(bytes))
            }
            guard let name = object["class"]?.string, let members = object["members"],
                let type = classes.first(where: { self.name($0) == name }) ?? NSClassFromString(name),
                classes.contains(where: { isSubclass(type, of: $0) }), let coded = type as? any NSCoding.Type
            else { return nil }
            return coded.init(coder: NSKeyedUnarchiver(members, isSecure: isSecure))
        default: return nil
        }
    }

    private static func allowed(_ object: NSObject, _ classes: [AnyClass]) -> Any? {
        classes.contains { isSubclass(type(of: object), of: $0) } ? object : nil
    }
    private static func isSubclass(_ type: AnyClass, of other: AnyClass) -> Bool {
        var next: AnyClass? = type
        while let present = next {
            if present == other { return true }
            next = _getSuperclass(present)
        }
        return false
    }
    private static func name(_ type: Any.Type) -> String { _typeName(type, qualified: true) }
    private static func isFoundation(_ type: Any.Type) -> Bool { name(type).hasPrefix("Foundation.") }
}
