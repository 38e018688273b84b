// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation

/// The owner of one's own zones.
public let CKCurrentUserDefaultName = "__defaultOwner__"

extension CKRecordZone {
    /// Name of a zone; unique in a database.
    public struct ID: Hashable, Sendable {
        public var zoneName: String
        public var ownerName: String

        public init(zoneName: String = ID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName) {
            self.zoneName = zoneName
            self.ownerName = ownerName
        }
        public static let defaultZoneName = "_defaultZone"
        public static let `default` = ID()
    }
}

/// A zone of records. Custom zones are made by saving them; a record cannot be saved before its zone (`zoneNotFound`).
public final class CKRecordZone: Hashable, Sendable {
    public let zoneID: ID

    public init(zoneID: ID) { self.zoneID = zoneID }
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    public static func == (a: CKRecordZone, b: CKRecordZone) -> Bool { a.zoneID == b.zoneID }
    public func hash(into hasher: inout Hasher) { hasher.combine(zoneID) }
}

extension CKRecord {
    /// Name of a record, unique in its zone; chosen by the app or random.
    public struct ID: Hashable, Sendable {
        public var recordName: String
        public var zoneID: CKRecordZone.ID

        public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
            self.recordName = recordName
            self.zoneID = zoneID
        }
    }

    public enum ReferenceAction: UInt, Hashable, Sendable {
        /// The reference keeps the name of a record that is gone.
        case none = 0
        /// The holder is deleted with its target.
        case deleteSelf = 1
    }

    /// A link to another record of the same zone.
    public final class Reference: Hashable, Sendable, CKRecordValueProtocol {
        public let recordID: ID
        public let action: ReferenceAction

        public init(recordID: ID, action: ReferenceAction) {
            self.recordID = recordID
            self.action = action
        }
        public convenience init(record: CKRecord, action: ReferenceAction) {
            self.init(recordID: record.recordID, action: action)
        }

        public static func == (a: Reference, b: Reference) -> Bool { a.recordID == b.recordID && a.action == b.action }
        public func hash(into hasher: inout Hasher) {
            hasher.combine(recordID)
            hasher.combine(action)
        }
    }
}
