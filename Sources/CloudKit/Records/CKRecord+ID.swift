import Foundation

extension CKRecord {
    /// Name of a record, unique in its zone; chosen by the app or random.
    public final class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        public let recordName: String
        public let zoneID: CKRecordZone.ID

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
        public func copy(with zone: NSZone? = nil) -> Any { self }

        public static var supportsSecureCoding: Bool { true }
        public func encode(with coder: NSCoder) {
            coder.encode(recordName as NSString, forKey: "recordName")
            coder.encode(zoneID, forKey: "zoneID")
        }
        public convenience init?(coder: NSCoder) {
            guard let recordName = coder.decodeObject(of: NSString.self, forKey: "recordName"),
                let zoneID = coder.decodeObject(of: CKRecordZone.ID.self, forKey: "zoneID")
            else { return nil }
            self.init(recordName: recordName as String, zoneID: zoneID)
        }
    }

    public enum ReferenceAction: UInt, Hashable, Sendable {
        /// The reference keeps the name of a record that is gone.
        case none = 0
        /// The holder is deleted with its target.
        case deleteSelf = 1
    }

    /// A link to another record of the same zone.
    public final class Reference: NSObject, NSSecureCoding, NSCopying, CKRecordValueProtocol, @unchecked Sendable {
        public typealias Action = ReferenceAction

        public let recordID: ID
        public let action: ReferenceAction

        public init(recordID: ID, action: ReferenceAction) {
            self.recordID = recordID
            self.action = action
        }
        public convenience init(record: CKRecord, action: ReferenceAction) {
            self.init(recordID: record.recordID, action: action)
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? Reference else { return false }
            return recordID == other.recordID && action == other.action
        }
        public override var hash: Int { recordID.hash }
        public override var description: String { "<CKReference: \(recordID), \(action)>" }
        public func copy(with zone: NSZone? = nil) -> Any { self }

        public static var supportsSecureCoding: Bool { true }
        public func encode(with coder: NSCoder) {
            coder.encode(recordID, forKey: "recordID")
            coder.encode(Int(action.rawValue), forKey: "action")
        }
        public convenience init?(coder: NSCoder) {
            guard let recordID = coder.decodeObject(of: ID.self, forKey: "recordID"),
                let action = UInt(exactly: coder.decodeInteger(forKey: "action")).flatMap(ReferenceAction.init)
            else { return nil }
            self.init(recordID: recordID, action: action)
        }
    }
}
