import Foundation
import PadApp

/// Asks for a push on changes, to all devices of the person but the one that made them. Push is a hint and may be lost.
public class CKSubscription: @unchecked Sendable {
    /// How the push looks; only silent pushes are modelled.
    public final class NotificationInfo: @unchecked Sendable {
        public var shouldSendContentAvailable = false
        public init() {}
    }

    public let subscriptionID: String
    public var notificationInfo: NotificationInfo?

    init(subscriptionID: String) { self.subscriptionID = subscriptionID }

    /// The dictionary of cloudkit-web-services.md 8.10.
    func wire() throws(CKError) -> Value {
        [
            "subscriptionID": .string(subscriptionID),
            "notificationInfo": [
                "shouldSendContentAvailable": .bool(notificationInfo?.shouldSendContentAvailable ?? false)
            ],
        ]
    }
}

/// Any change in one custom zone of the private database.
public final class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    public let zoneID: CKRecordZone.ID

    public init(zoneID: CKRecordZone.ID, subscriptionID: String = UUID().uuidString) {
        self.zoneID = zoneID
        super.init(subscriptionID: subscriptionID)
    }
    override func wire() throws(CKError) -> Value {
        var wire = try super.wire()
        wire["subscriptionType"] = "zone"
        wire["zoneID"] = ["zoneName": .string(zoneID.zoneName)]
        return wire
    }
}

/// Any change in any custom zone of the private database.
public final class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    public override init(subscriptionID: String = UUID().uuidString) { super.init(subscriptionID: subscriptionID) }
    override func wire() throws(CKError) -> Value {
        var wire = try super.wire()
        wire["subscriptionType"] = "database"
        return wire
    }
}

/// What a push says (cloudkit-web-services.md 7.5).
public struct CKNotification: Hashable, Sendable {
    public enum NotificationType: Int, Hashable, Sendable {
        case query = 1
        case recordZone, readNotification, database
    }
    public var notificationType: NotificationType
    public var containerIdentifier: String?
    public var subscriptionID: String?
    /// The zone that changed, for `recordZone`.
    public var recordZoneID: CKRecordZone.ID?
    /// What `CKQueryNotification` adds: why a query subscription fired.
    public enum QueryNotificationReason: Int, Hashable, Sendable {
        case recordCreated = 1
        case recordUpdated, recordDeleted
    }
    /// The record that matched, and what became of it, for `query`; of several in one request the first.
    public var recordID: CKRecord.ID?
    public var queryNotificationReason: QueryNotificationReason?

    /// Reads the payload of a remote notification; nil when it is none of CloudKit's.
    public init?(fromRemoteNotificationDictionary payload: Value) {
        guard let ck = payload["ck"], ck.object != nil else { return nil }
        let kinds: [(String, NotificationType)] = [("fet", .recordZone), ("met", .database), ("qry", .query)]
        guard let (key, type) = kinds.first(where: { ck[$0.0] != nil }) else { return nil }
        notificationType = type
        containerIdentifier = ck["cid"]?.string
        subscriptionID = ck[key]?["sid"]?.string
        let zone = ck[key]?["zid"]?.string.map { CKRecordZone.ID(zoneName: $0) }
        guard type == .query else {
            recordZoneID = zone
            return
        }
        recordID = ck[key]?["rid"]?.string.map { CKRecord.ID(recordName: $0, zoneID: zone ?? .default) }
        queryNotificationReason = ck[key]?["fo"]?.int.flatMap { QueryNotificationReason(rawValue: Int(clamping: $0)) }
    }
}
