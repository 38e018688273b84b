import Foundation

extension CKRecord {
    /// Name of a record, unique in its zone; chosen by the app or random.
    public final class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        /// At most 255 characters at the service.
        public let recordName: String
        /// The zone it lies in. References never leave it.
        public let zoneID: CKRecordZone.ID

        /// A random name unless given, in the default zone unless given.
        public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
            self.recordName = recordName
            self.zoneID = zoneID
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? ID else { return false }
            return recordName == other.recordName && zoneID == other.zoneID
        }
        public override var hash: Int {
            var hasher = Hasher()
            hasher.combine(recordName)
            hasher.combine(zoneID.hash)
            return hasher.finalize()
        }
        public override var description: String {
            "<CKRecordID: \(recordName):(\(zoneID.zoneName):\(zoneID.ownerName))>"
        }
        /// Itself: it cannot change.
        public func copy(with zone: NSZone? = nil) -> Any { self }

        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes name and zone.
        public func encode(with coder: NSCoder) {
            coder.encode(recordName as NSString, forKey: "recordName")
            coder.encode(zoneID, forKey: "zoneID")
        }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let recordName = coder.decodeObject(of: NSString.self, forKey: "recordName"),
                let zoneID = coder.decodeObject(of: CKRecordZone.ID.self, forKey: "zoneID")
            else { return nil }
            self.init(recordName: recordName as String, zoneID: zoneID)
        }
    }

    /// What the deletion of a reference's target does to the record that holds it (cloudkit-framework.md 4). Raw values are Apple's.
    public enum ReferenceAction: UInt, Hashable, Sendable {
        /// The reference keeps the name of a record that is gone.
        case none = 0
        /// The holder is deleted with its target.
        case deleteSelf = 1
    }

    /// A link to another record of the same zone.
    public final class Reference: NSObject, NSSecureCoding, NSCopying, CKRecordValueProtocol, @unchecked Sendable {
        /// The older name.
        public typealias Action = ReferenceAction

        /// The target. It need not exist, except for `CKRecord.parent`.
        public let recordID: ID
        /// What the target's deletion does.
        public let action: ReferenceAction

        /// A reference by name: the target need not be fetched.
        public init(recordID: ID, action: ReferenceAction) {
            self.recordID = recordID
            self.action = action
        }
        /// A reference to a record that the app has.
        public convenience init(record: CKRecord, action: ReferenceAction) {
            self.init(recordID: record.recordID, action: action)
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? Reference else { return false }
            return recordID == other.recordID && action == other.action
        }
        public override var hash: Int { recordID.hash }
        public override var description: String { "<CKReference: \(recordID), \(action)>" }
        /// Itself: it cannot change.
        public func copy(with zone: NSZone? = nil) -> Any { self }

        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes target and action.
        public func encode(with coder: NSCoder) {
            coder.encode(recordID, forKey: "recordID")
            coder.encode(Int(action.rawValue), forKey: "action")
        }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let recordID = coder.decodeObject(of: ID.self, forKey: "recordID"),
                let action = UInt(exactly: coder.decodeInteger(forKey: "action")).flatMap(ReferenceAction.init)
            else { return nil }
            self.init(recordID: recordID, action: action)
        }
    }
}
