import Foundation
import PadApp

/// A share of a record with all below it, or of a zone (cloudkit-framework.md 16). It can be made and looked at; saving it is refused:
/// sharing is not modelled.
public final class CKShare: CKRecord, @unchecked Sendable {
    /// Raw values are Apple's, of these four too.
    public enum ParticipantPermission: Int, Hashable, Sendable {
        case unknown = 0
        case none, readOnly, readWrite
    }
    public enum ParticipantAcceptanceStatus: Int, Hashable, Sendable {
        case unknown = 0
        case pending, accepted, removed
    }
    public enum ParticipantRole: Int, Hashable, Sendable {
        case unknown = 0
        case owner, administrator, privateUser, publicUser
    }
    public enum ParticipantType: Int, Hashable, Sendable {
        case unknown = 0
        case owner = 1
        case privateUser = 3
        case publicUser = 4
    }
    /// Names of a share's own fields.
    public enum SystemFieldKey {
        public static let title: CKRecord.FieldKey = CKShareTitleKey
        public static let thumbnailImageData: CKRecord.FieldKey = CKShareThumbnailImageDataKey
        public static let shareType: CKRecord.FieldKey = CKShareTypeKey
    }

    /// What everybody may do who has the link.
    public var publicPermission = ParticipantPermission.none
    /// The link; nil until the share is saved, which it never is here.
    public var url: URL? { nil }
    public let owner: Participant
    public private(set) var participants: [Participant]
    public var currentUserParticipant: Participant? { owner }
    /// Whether others may ask to take part.
    public var allowsAccessRequests = false

    public convenience init(rootRecord: CKRecord) {
        let name = "Share-\(UUID().uuidString)"
        self.init(rootRecord: rootRecord, shareID: CKRecord.ID(recordName: name, zoneID: rootRecord.recordID.zoneID))
    }
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        owner = Participant.owner
        participants = [owner]
        super.init(recordType: CKRecordTypeShare, recordID: shareID)
    }
    public init(recordZoneID: CKRecordZone.ID) {
        owner = Participant.owner
        participants = [owner]
        super.init(
            recordType: CKRecordTypeShare,
            recordID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    }
    /// Somebody who is there already is brought up to date.
    public func addParticipant(_ participant: Participant) {
        participants.removeAll { $0 == participant && $0 != owner }
        participants.append(participant)
    }
    /// The owner stays.
    public func removeParticipant(_ participant: Participant) {
        participants.removeAll { $0 == participant && $0 != owner }
    }
    /// A link for one person; nil, as `url`.
    public func oneTimeURL(for participantID: Participant.ID) -> URL? { nil }

    // MARK: Archives: the share's record; who takes part is not kept.

    public required init?(coder: NSCoder) {
        guard let record = CKRecord(coder: coder), record.recordType == CKRecordTypeShare else { return nil }
        owner = Participant.owner
        participants = [owner]
        super.init(copying: record)
    }
    private init(share other: CKShare) {
        (owner, participants) = (other.owner, other.participants)
        (publicPermission, allowsAccessRequests) = (other.publicPermission, other.allowsAccessRequests)
        super.init(copying: other)
    }
    public override func copy(with zone: NSZone? = nil) -> Any { CKShare(share: self) }
}

extension CKShare {
    /// Somebody who takes part in a share.
    public final class Participant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        public typealias ID = String
        public typealias Permission = ParticipantPermission
        public typealias Role = ParticipantRole
        public typealias AcceptanceStatus = ParticipantAcceptanceStatus

        public let userIdentity: CKUserIdentity
        public var role: ParticipantRole
        public var permission: ParticipantPermission
        public let acceptanceStatus: ParticipantAcceptanceStatus
        public let participantID: ID
        /// The older name of `role`.
        public var type: ParticipantType {
            get { ParticipantType(rawValue: role.rawValue) ?? .unknown }
            set { role = ParticipantRole(rawValue: newValue.rawValue) ?? .unknown }
        }

        init(
            _ identity: CKUserIdentity, _ role: ParticipantRole, _ permission: ParticipantPermission,
            _ status: ParticipantAcceptanceStatus, id: ID
        ) {
            (userIdentity, self.role, self.permission) = (identity, role, permission)
            (acceptanceStatus, participantID) = (status, id)
        }
        static var owner: Participant {
            let identity = CKUserIdentity(wire: ["userRecordName": .string(CKCurrentUserDefaultName)])
            return Participant(identity, .owner, .readWrite, .accepted, id: CKCurrentUserDefaultName)
        }
        /// Somebody who is known by a link alone.
        public static func oneTimeURLParticipant() -> Participant {
            Participant(CKUserIdentity(wire: .empty), .privateUser, .readOnly, .pending, id: UUID().uuidString)
        }

        public override func isEqual(_ object: Any?) -> Bool {
            (object as? Participant)?.participantID == participantID
        }
        public override var hash: Int { participantID.hashValue }
        public override var description: String { "<CKShareParticipant: \(role), \(permission), \(acceptanceStatus)>" }
        public func copy(with zone: NSZone? = nil) -> Any {
            Participant(userIdentity, role, permission, acceptanceStatus, id: participantID)
        }
        public static var supportsSecureCoding: Bool { true }
        public func encode(with coder: NSCoder) {
            coder.encode(userIdentity, forKey: "identity")
            coder.encode(role.rawValue, forKey: "role")
            coder.encode(permission.rawValue, forKey: "permission")
            coder.encode(acceptanceStatus.rawValue, forKey: "status")
            coder.encode(participantID as NSString, forKey: "id")
        }
        public convenience init?(coder: NSCoder) {
            guard let identity = coder.decodeObject(of: CKUserIdentity.self, forKey: "identity"),
                let id = coder.decodeObject(of: NSString.self, forKey: "id")
            else { return nil }
            self.init(
                identity, ParticipantRole(rawValue: coder.decodeInteger(forKey: "role")) ?? .unknown,
                ParticipantPermission(rawValue: coder.decodeInteger(forKey: "permission")) ?? .unknown,
                ParticipantAcceptanceStatus(rawValue: coder.decodeInteger(forKey: "status")) ?? .unknown,
                id: id as String)
        }
    }

    /// What a link leads to. None is ever given: sharing is not modelled.
    public final class Metadata: NSObject, @unchecked Sendable {
        public let containerIdentifier: String
        public let share: CKShare
        public let hierarchicalRootRecordID: CKRecord.ID?
        public let rootRecord: CKRecord?
        public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }
        public var ownerIdentity: CKUserIdentity { share.owner.userIdentity }
        public var participantRole: ParticipantRole { .unknown }
        public var participantType: ParticipantType { .unknown }
        public var participantPermission: ParticipantPermission { .unknown }
        public var participantStatus: ParticipantAcceptanceStatus { .unknown }

        init(_ containerIdentifier: String, _ share: CKShare, root: CKRecord?) {
            (self.containerIdentifier, self.share, rootRecord) = (containerIdentifier, share, root)
            hierarchicalRootRecordID = root?.recordID
        }
        public override var hash: Int { share.hash }
        public override var description: String { "<CKShareMetadata: \(share.recordID)>" }
    }
}
public typealias CKShareParticipant = CKShare.Participant
