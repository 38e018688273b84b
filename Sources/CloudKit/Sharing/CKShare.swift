import Foundation
import PadApp

/// A share of a record with all below it, or of a zone (cloudkit-framework.md 16). It is saved with its root to the owner's private database,
/// and is fetched, changed and deleted as any record: who takes part and deletes it leaves.
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

    /// What everybody may do who has the link. To set it to `none` takes out who has come by the link alone.
    public var publicPermission = ParticipantPermission.none
    /// The link; nil until the share is saved.
    public private(set) var url: URL?
    public let owner: Participant
    /// The owner, and who takes part or is invited.
    public private(set) var participants: [Participant]
    /// Nil for who has the link and has not accepted.
    public let currentUserParticipant: Participant?
    /// Whether others may ask to take part. Kept for the app alone: asking is not modelled.
    public var allowsAccessRequests = false
    /// Record name of what is shared; nil: the whole zone, or a share that came from the server, which knows it.
    private let root: String?

    public convenience init(rootRecord: CKRecord) {
        let name = "Share-\(UUID().uuidString)"
        self.init(rootRecord: rootRecord, shareID: CKRecord.ID(recordName: name, zoneID: rootRecord.recordID.zoneID))
    }
    /// The root's `share` says so from now on; both are saved in one operation.
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        owner = Participant.owner
        participants = [owner]
        currentUserParticipant = owner
        root = rootRecord.recordID.recordName
        super.init(recordType: CKRecordTypeShare, recordID: shareID)
        rootRecord.share = CKRecord.Reference(recordID: shareID, action: .none)
    }
    public init(recordZoneID: CKRecordZone.ID) {
        owner = Participant.owner
        participants = [owner]
        currentUserParticipant = owner
        root = nil
        super.init(
            recordType: CKRecordTypeShare,
            recordID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    }
    /// Somebody who is there already is brought up to date.
    public func addParticipant(_ participant: Participant) {
        guard participant != owner else { return }
        if let index = participants.firstIndex(of: participant) {
            participants[index] = participant
        } else {
            participants.append(participant)
        }
    }
    /// The owner stays. From the next save on the person sees nothing of what is shared.
    public func removeParticipant(_ participant: Participant) {
        participants.removeAll { $0 == participant && $0 != owner }
    }
    /// A link for one person. Nil: links for one use are not modelled; `url` is for everybody who may take part.
    public func oneTimeURL(for participantID: Participant.ID) -> URL? { nil }

    // MARK: The wire

    /// A share that the server sent (cloudkit-web-services.md 8.4, 8.12), or one of an archive.
    override init?(wire: Value, zoneID: CKRecordZone.ID) {
        let owner = wire["owner"].map(Participant.init(wire:)) ?? Participant.owner
        self.owner = owner
        participants = (wire["participants"]?.array ?? []).map(Participant.init(wire:))
        if participants.isEmpty { participants = [owner] }
        currentUserParticipant = wire["currentUserParticipant"].map(Participant.init(wire:))
        publicPermission = ParticipantPermission(wire: wire["publicPermission"]?.string) ?? .none
        url = wire["shortGUID"]?.string.flatMap(ShareLink.url)
        root = wire["forRecord"]?["recordName"]?.string
        allowsAccessRequests = wire["allowsAccessRequests"]?.bool ?? false
        super.init(wire: wire, zoneID: zoneID)
    }
    /// Whom it means, and what they may do; a share that is new names its root.
    override func addShare(to wire: inout Value, whole: Bool) {
        wire["publicPermission"] = .string(publicPermission.wire)
        if recordChangeTag == nil { wire["forRecord"] = root.map { ["recordName": .string($0)] } }
        guard whole else {
            wire["participants"] = .array(participants.filter { $0.role != .owner }.map(\.wire))
            return
        }
        wire["participants"] = .array(participants.map(\.wire))
        wire["owner"] = owner.wire
        wire["currentUserParticipant"] = currentUserParticipant?.wire
        wire["shortGUID"] = url.flatMap { ShareLink.guid(of: $0) }.map(Value.string)
        wire["allowsAccessRequests"] = .bool(allowsAccessRequests)
    }

    // MARK: Archives

    public required init?(coder: NSCoder) {
        guard let record = CKRecord(coder: coder), record.recordType == CKRecordTypeShare,
            let text = coder.decodeObject(of: NSString.self, forKey: Self.systemFieldsKey),
            let wire = try? Value(json: text as String),
            let share = CKShare(wire: wire, zoneID: record.recordID.zoneID)
        else { return nil }
        (owner, participants, currentUserParticipant) = (share.owner, share.participants, share.currentUserParticipant)
        (publicPermission, url, root) = (share.publicPermission, share.url, share.root)
        allowsAccessRequests = share.allowsAccessRequests
        super.init(copying: record)
    }
    private init(share other: CKShare) {
        (owner, currentUserParticipant) = (other.owner, other.currentUserParticipant)
        participants = other.participants.map { $0.copy() as? Participant ?? $0 }
        (publicPermission, allowsAccessRequests) = (other.publicPermission, other.allowsAccessRequests)
        (url, root) = (other.url, other.root)
        super.init(copying: other)
    }
    public override func copy(with zone: NSZone? = nil) -> Any { CKShare(share: self) }
}

extension CKShare.ParticipantPermission {
    init?(wire: String?) {
        switch wire {
        case "NONE": self = .none
        case "READ_ONLY": self = .readOnly
        case "READ_WRITE": self = .readWrite
        default: return nil
        }
    }
    var wire: String {
        switch self {
        case .unknown, .none: "NONE"
        case .readOnly: "READ_ONLY"
        case .readWrite: "READ_WRITE"
        }
    }
}

/// Links to shares: where they lead is in their last part (cloudkit-web-services.md 5.5).
enum ShareLink {
    private static let start = "https://www.icloud.com/share/"
    static func url(_ guid: String) -> URL? { URL(string: start + guid) }
    /// Nil for a link that is none to a share. What follows a `#` is the title, for people.
    static func guid(of url: URL) -> String? {
        guard url.scheme == "https", url.host == "www.icloud.com", url.pathComponents.dropFirst().first == "share",
            url.pathComponents.count == 3
        else { return nil }
        return url.lastPathComponent
    }
}

public typealias CKShareParticipant = CKShare.Participant
