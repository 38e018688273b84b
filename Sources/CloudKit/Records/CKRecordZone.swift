import Foundation
import PadApp

/// A zone of records. Custom zones are made by saving them; a record cannot be saved before its zone (`zoneNotFound`).
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What a zone can do; a custom zone of the private database everything, a default zone nothing (cloudkit-framework.md 3). Raw values are
    /// Apple's.
    public struct Capabilities: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let fetchChanges = Capabilities(rawValue: 1)
        public static let atomic = Capabilities(rawValue: 2)
        public static let sharing = Capabilities(rawValue: 4)
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }
    /// How the keys of encrypted values are kept; here nothing is encrypted, so it is kept for the app alone. Raw values are Apple's.
    public enum EncryptionScope: Int, Hashable, Sendable {
        case perRecord = 0
        case perZone
    }

    public let zoneID: ID
    /// Apple's are there only after a save or fetch; here from the beginning (ASSUMED: an app asks after a fetch).
    public let capabilities: Capabilities
    /// The share of the whole zone. Always nil: the service does not tell it with a zone (ASSUMED); fetch the record
    /// `CKRecordNameZoneWideShare` of the zone.
    public let share: CKRecord.Reference?
    public var encryptionScope = EncryptionScope.perRecord

    public init(zoneID: ID) {
        self.zoneID = zoneID
        capabilities =
            zoneID.zoneName == ID.defaultZoneName ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
        share = nil
    }
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZone)?.zoneID == zoneID }
    public override var hash: Int { zoneID.hash }
    public override var description: String { "<CKRecordZone: \(zoneID.zoneName)>" }
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public static var supportsSecureCoding: Bool { true }
    public func encode(with coder: NSCoder) { coder.encode(zoneID, forKey: "zoneID") }
    public convenience init?(coder: NSCoder) {
        guard let zoneID = coder.decodeObject(of: ID.self, forKey: "zoneID") else { return nil }
        self.init(zoneID: zoneID)
    }
}

extension CKRecordZone {
    /// Name of a zone; unique in a database.
    public final class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        public let zoneName: String
        public let ownerName: String

        public init(zoneName: String = ID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName) {
            self.zoneName = zoneName
            self.ownerName = ownerName
        }
        /// As above; no owner is the person.
        public convenience init(zoneName: String, ownerName: String?) {
            self.init(zoneName: zoneName, ownerName: ownerName ?? CKCurrentUserDefaultName)
        }
        /// The name on the local link: `NAME`, or `OWNER/NAME` of a zone of somebody else.
        var link: String { ownerName == CKCurrentUserDefaultName ? zoneName : "\(ownerName)/\(zoneName)" }
        convenience init(link: String) {
            guard link.hasPrefix("_"), let slash = link.firstIndex(of: "/") else {
                self.init(zoneName: link)
                return
            }
            self.init(zoneName: String(link[link.index(after: slash)...]), ownerName: String(link[..<slash]))
        }
        /// A zone ID dictionary of the service (cloudkit-web-services.md 8.1); nil when it is none.
        convenience init?(wire: Value?) {
            guard let name = wire?["zoneName"]?.string else { return nil }
            self.init(
                zoneName: name, ownerName: wire?["ownerRecordName"]?.string ?? wire?["ownerName"]?.string)
        }
        var wire: Value {
            var wire: Value = ["zoneName": .string(zoneName)]
            if ownerName != CKCurrentUserDefaultName { wire["ownerRecordName"] = .string(ownerName) }
            return wire
        }
        public static let defaultZoneName = "_defaultZone"
        public static let `default` = ID()

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? ID else { return false }
            return zoneName == other.zoneName && ownerName == other.ownerName
        }
        public override var hash: Int {
            var hasher = Hasher()
            hasher.combine(zoneName)
            hasher.combine(ownerName)
            return hasher.finalize()
        }
        public override var description: String { "<CKRecordZoneID: \(zoneName):\(ownerName)>" }
        public func copy(with zone: NSZone? = nil) -> Any { self }

        public static var supportsSecureCoding: Bool { true }
        public func encode(with coder: NSCoder) {
            coder.encode(zoneName as NSString, forKey: "zoneName")
            coder.encode(ownerName as NSString, forKey: "ownerName")
        }
        public convenience init?(coder: NSCoder) {
            guard let zoneName = coder.decodeObject(of: NSString.self, forKey: "zoneName"),
                let ownerName = coder.decodeObject(of: NSString.self, forKey: "ownerName")
            else { return nil }
            self.init(zoneName: zoneName as String, ownerName: ownerName as String)
        }
    }
}
