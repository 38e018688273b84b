import Foundation
import PadApp

extension CKShare {
    /// Somebody who takes part in a share, or is invited to.
    public final class Participant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        public typealias ID = String
        public typealias Permission = ParticipantPermission
        public typealias Role = ParticipantRole
        public typealias AcceptanceStatus = ParticipantAcceptanceStatus

        public let userIdentity: CKUserIdentity
        /// ASSUMED: what an app sets is not kept: a person who was invited stays a `privateUser`, one who came by the link a `publicUser`.
        public var role: ParticipantRole
        /// Takes effect with the next save of the share.
        public var permission: ParticipantPermission
        public let acceptanceStatus: ParticipantAcceptanceStatus
        /// Names the person in this share: the person's record, or while that is not known the address.
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
        /// Somebody to be added to a share. Source: CKFetchShareParticipantsOperation; ASSUMED: may read, until the app says more.
        convenience init(_ identity: CKUserIdentity) {
            self.init(identity, .privateUser, .readOnly, .pending, id: Self.id(of: identity))
        }
        private static func id(of identity: CKUserIdentity) -> ID {
            identity.userRecordID?.recordName ?? identity.lookupInfo?.wire.json ?? ""
        }
        /// Somebody who is known by a link alone. No share with such a person can be saved: links for one use are not modelled.
        public static func oneTimeURLParticipant() -> Participant {
            Participant(CKUserIdentity(wire: .empty), .privateUser, .readOnly, .pending, id: UUID().uuidString)
        }

        // MARK: The wire (cloudkit-web-services.md 8.12)

        convenience init(wire: Value) {
            let identity = CKUserIdentity(wire: wire["userIdentity"] ?? .empty)
            let role: ParticipantRole =
                switch wire["type"]?.string {
                case "OWNER": .owner
                case "PUBLIC_USER": .publicUser
                default: .privateUser
                }
            self.init(
                identity, role, ParticipantPermission(wire: wire["permission"]?.string) ?? .unknown,
                ParticipantAcceptanceStatus(wire: wire["acceptanceStatus"]?.string), id: Self.id(of: identity))
        }
        var wire: Value {
            let types: [ParticipantRole: String] = [.owner: "OWNER", .publicUser: "PUBLIC_USER"]
            return [
                "acceptanceStatus": .string(acceptanceStatus.wire), "permission": .string(permission.wire),
                "type": .string(types[role] ?? "USER"), "userIdentity": userIdentity.wire,
            ]
        }

        // MARK: NSObject

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
}

extension CKShare.ParticipantAcceptanceStatus {
    init(wire: String?) {
        switch wire {
        case "PENDING": self = .pending
        case "ACCEPTED": self = .accepted
        case "REMOVED": self = .removed
        default: self = .unknown
        }
    }
    var wire: String {
        switch self {
        case .unknown, .pending: "PENDING"
        case .accepted: "ACCEPTED"
        case .removed: "REMOVED"
        }
    }
}
