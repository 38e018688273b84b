import Foundation
import PadApp

extension CKShare {
    /// What a link leads to, as the person who asked sees it (cloudkit-web-services.md 5.5).
    public final class Metadata: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        public let containerIdentifier: String
        public let share: CKShare
        /// The root of what is shared; nil of a whole zone.
        public let hierarchicalRootRecordID: CKRecord.ID?
        /// The root, when it was asked for.
        public let rootRecord: CKRecord?
        /// The older name of `hierarchicalRootRecordID`; of a whole zone the share's own (ASSUMED).
        public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }
        public let ownerIdentity: CKUserIdentity
        public let participantRole: ParticipantRole
        /// The older name of `participantRole`.
        public var participantType: ParticipantType { ParticipantType(rawValue: participantRole.rawValue) ?? .unknown }
        public let participantPermission: ParticipantPermission
        public let participantStatus: ParticipantAcceptanceStatus
        private let wire: Value
        /// By which it is accepted.
        let guid: String

        /// Nil for what is no result of the service's.
        init?(wire: Value) {
            guard let zoneID = CKRecordZone.ID(wire: Self.zone(wire)), let body = wire["share"],
                let share = CKShare(wire: body, zoneID: zoneID), let guid = wire["shortGUID"]?["value"]?.string
            else { return nil }
            self.wire = wire
            self.guid = guid
            self.share = share
            containerIdentifier = wire["containerIdentifier"]?.string ?? ""
            hierarchicalRootRecordID = wire["rootRecordName"]?.string.map {
                CKRecord.ID(recordName: $0, zoneID: zoneID)
            }
            rootRecord = wire["rootRecord"].flatMap { CKRecord.of(wire: $0, zoneID: zoneID) }
            ownerIdentity = CKUserIdentity(wire: wire["ownerIdentity"] ?? .empty)
            let me = Participant(wire: ["type": wire["participantType"] ?? .null])
            participantRole = me.role
            participantPermission = ParticipantPermission(wire: wire["participantPermission"]?.string) ?? .unknown
            participantStatus = ParticipantAcceptanceStatus(wire: wire["participantStatus"]?.string)
        }
        /// The owner's own zone lies in the private database, and has no other owner there.
        private static func zone(_ wire: Value) -> Value? {
            guard wire["databaseScope"]?.string == "PRIVATE" else { return wire["zoneID"] }
            return wire["zoneID"]?["zoneName"].map { ["zoneName": $0] }
        }

        public override func isEqual(_ object: Any?) -> Bool { (object as? Metadata)?.wire == wire }
        public override var hash: Int { guid.hashValue }
        public override var description: String { "<CKShareMetadata: \(share.recordID)>" }
        public func copy(with zone: NSZone? = nil) -> Any { self }
        public static var supportsSecureCoding: Bool { true }
        public func encode(with coder: NSCoder) { coder.encode(wire.json as NSString, forKey: "metadata") }
        public convenience init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "metadata"),
                let wire = try? Value(json: text as String)
            else { return nil }
            self.init(wire: wire)
        }
    }
}
