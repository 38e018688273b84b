import Foundation
import PadApp

/// A zone of records. Custom zones are made by saving them; a record cannot be saved before its zone (`zoneNotFound`).
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What a zone can do; a custom zone of the private database everything, a default zone nothing (cloudkit-framework.md 3). Raw values are
    /// Apple's.
    public struct Capabilities: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Takes any bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The zone's changes can be fetched by token.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// Several records can be saved in one commit.
        public static let atomic = Capabilities(rawValue: 2)
        /// Records of the zone can be shared.
        public static let sharing = Capabilities(rawValue: 4)
        /// The zone can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }
    /// How the keys of encrypted values are kept; here nothing is encrypted, so it is kept for the app alone. Raw values are Apple's.
    public enum EncryptionScope: Int, Hashable, Sendable {
        /// Each record has a key of its own.
        case perRecord = 0
        /// All records of the zone share a key.
        case perZone
    }

    /// Its name, and whose it is.
    public let zoneID: ID
    /// Apple's are there only after a save or fetch; here from the beginning (ASSUMED: an app asks after a fetch).
    public let capabilities: Capabilities
    /// The share of the whole zone. Always nil: the service does not tell it with a zone (ASSUMED); fetch the record
    /// `CKRecordNameZoneWideShare` of the zone.
    public let share: CKRecord.Reference?
    /// Kept for the app alone.
    public var encryptionScope = EncryptionScope.perRecord

    /// A zone for the app's own use; it is not made before it is saved.
    public init(zoneID: ID) {
        self.zoneID = zoneID
        capabilities =
            zoneID.zoneName == ID.defaultZoneName ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
        share = nil
    }
    /// A zone of the person's own.
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }
    /// The zone that each database has from the beginning.
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZone)?.zoneID == zoneID }
    public override var hash: Int { zoneID.hash }
    public override var description: String { "<CKRecordZone: \(zoneID.zoneName)>" }
    /// Itself, `encryptionScope` with it.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }
    /// Writes the zone's name.
    public func encode(with coder: NSCoder) { coder.encode(zoneID, forKey: "zoneID") }
    /// Nil for an archive of something else.
    public convenience init?(coder: NSCoder) {
        guard let zoneID = coder.decodeObject(of: ID.self, forKey: "zoneID") else { return nil }
        self.init(zoneID: zoneID)
    }
}

extension CKRecordZone {
    /// Name of a zone; unique in a database.
    public final class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        /// Chosen by the app; names that begin with an underscore are the service's.
        public let zoneName: String
        /// `CKCurrentUserDefaultName` for the person's own zones, else the name of the owner's record.
        public let ownerName: String

        /// The default zone unless named, the person's own unless said otherwise.
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
        /// The name of each database's default zone.
        public static let defaultZoneName = "_defaultZone"
        /// The default zone.
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
        /// Itself: it cannot change.
        public func copy(with zone: NSZone? = nil) -> Any { self }

        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes name and owner.
        public func encode(with coder: NSCoder) {
            coder.encode(zoneName as NSString, forKey: "zoneName")
            coder.encode(ownerName as NSString, forKey: "ownerName")
        }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let zoneName = coder.decodeObject(of: NSString.self, forKey: "zoneName"),
                let ownerName = coder.decodeObject(of: NSString.self, forKey: "ownerName")
            else { return nil }
            self.init(zoneName: zoneName as String, ownerName: ownerName as String)
        }
    }
}
