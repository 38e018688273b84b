import Foundation
import PadApp

/// What a push says (cloudkit-web-services.md 7.5). Made from a payload it is one of the three kinds: `as? CKQueryNotification`.
///
/// A push is a hint: payloads coalesce and are cut, so it is never the change itself (cloudkit-framework.md 7).
public class CKNotification: NSObject, NotificationKind, @unchecked Sendable {
    /// Names a notification; opaque.
    public final class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        private let text: String
        init(_ text: String) { self.text = text }
        public override func isEqual(_ object: Any?) -> Bool { (object as? ID)?.text == text }
        public override var hash: Int { text.hashValue }
        public override var description: String { text }
        /// Itself: it cannot change.
        public func copy(with zone: NSZone? = nil) -> Any { self }
        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes the name.
        public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "id") }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "id") else { return nil }
            self.init(text as String)
        }
    }

    /// Raw values are Apple's.
    public enum NotificationType: Int, Hashable, Sendable {
        /// A `CKQueryNotification`.
        case query = 1
        /// A `CKRecordZoneNotification`; one that Apple no longer sends and no push here is; a `CKDatabaseNotification`.
        case recordZone, readNotification, database
    }
    /// Which of the three kinds it is.
    public let notificationType: NotificationType
    /// Unique for each push; nil when the payload has none.
    public let notificationID: ID?
    /// The container that changed; nil when the payload is cut.
    public let containerIdentifier: String?
    /// The subscription that fired; nil when the payload is cut.
    public let subscriptionID: CKSubscription.ID?
    /// Something was left out: look at the server.
    public let isPruned: Bool
    /// Nil in a silent push.
    public let alertBody: String?
    /// Nil in a silent push. The text itself is in the app's bundle.
    public let alertLocalizationKey: String?
    /// The record's values for the places of the localized text; nil when there are none.
    public let alertLocalizationArgs: [String]?
    /// Nil in a silent push.
    public let title: String?
    // Not in any push here: what the person sees of it is not modelled.
    /// Always nil here.
    public var titleLocalizationKey: String? { nil }
    /// Always nil here.
    public var titleLocalizationArgs: [String]? { nil }
    /// Always nil here.
    public var subtitle: String? { nil }
    /// Always nil here.
    public var subtitleLocalizationKey: String? { nil }
    /// Always nil here.
    public var subtitleLocalizationArgs: [String]? { nil }
    /// Always nil here.
    public var alertActionLocalizationKey: String? { nil }
    /// Always nil here.
    public var alertLaunchImage: String? { nil }
    /// Who made the subscription: always the person, so Apple's is nil too.
    public var subscriptionOwnerUserRecordID: CKRecord.ID? { nil }
    /// Nil for a push without a sound.
    public let soundName: String?
    /// The number for the app's icon; nil: it stays as it is.
    public let badge: NSNumber?
    /// Which actions the notification offers; nil: none.
    public let category: String?
    private let scope: CKDatabase.Scope?

    /// Reads the payload of a remote notification; nil when it is none of CloudKit's, or another kind than the class that is asked.
    public convenience init?(fromRemoteNotificationDictionary payload: Value) {
        guard let found = Self.read(payload) as? Self else { return nil }
        self.init(itself: found)
    }
    /// The same from the dictionary that Apple's delegate method has.
    public convenience init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        self.init(fromRemoteNotificationDictionary: Value(userInfo: notificationDictionary))
    }
    private static func read(_ payload: Value) -> CKNotification? {
        guard let ck = payload["ck"], ck.object != nil else { return nil }
        if let inner = ck["fet"] { return CKRecordZoneNotification(.recordZone, payload, inner) }
        if let inner = ck["met"] { return CKDatabaseNotification(.database, payload, inner) }
        if let inner = ck["qry"] { return CKQueryNotification(.query, payload, inner) }
        return nil
    }

    fileprivate init(_ type: NotificationType, _ payload: Value, _ inner: Value) {
        let (ck, aps) = (payload["ck"] ?? .empty, payload["aps"] ?? .empty)
        notificationType = type
        notificationID = ck["nid"]?.string.map(ID.init)
        containerIdentifier = ck["cid"]?.string
        subscriptionID = inner["sid"]?.string
        isPruned = ck["p"]?.int == 1
        let alert = aps["alert"]
        alertBody = alert?.string ?? alert?["body"]?.string
        alertLocalizationKey = alert?["loc-key"]?.string
        alertLocalizationArgs = alert?["loc-args"].map(\.strings)
        title = alert?["title"]?.string
        soundName = aps["sound"]?.string
        badge = aps["badge"]?.int.map { NSNumber(value: $0) }
        category = aps["category"]?.string
        scope = inner["dbs"]?.int.flatMap { Int(exactly: $0) }.flatMap(CKDatabase.Scope.init)
    }
    public override var hash: Int { notificationType.rawValue }
    public override var description: String {
        "<\(type(of: self)): \(subscriptionID ?? "-") in \(containerIdentifier ?? "-")>"
    }
    fileprivate var databaseScopeOrPrivate: CKDatabase.Scope { scope ?? .private }
}

/// A record matched a query subscription.
public final class CKQueryNotification: CKNotification, @unchecked Sendable {
    /// What happened to the record. Raw values are Apple's.
    public enum Reason: Int, Hashable, Sendable {
        /// A record that matches is new.
        case recordCreated = 1
        /// A record that matches was saved again, or is gone.
        case recordUpdated, recordDeleted
    }
    /// For a number that CloudKit has not: `recordUpdated`, after which an app looks at the server (ASSUMED).
    public let queryNotificationReason: Reason
    /// Of several records in one request the first.
    public let recordID: CKRecord.ID?
    /// The subscription's `desiredKeys`; nil when there are none, or they were too large.
    public let recordFields: [CKRecord.FieldKey: any CKRecordValueProtocol]?
    /// The database that changed; ASSUMED the private one when the payload is cut.
    public var databaseScope: CKDatabase.Scope { databaseScopeOrPrivate }

    fileprivate override init(_ type: NotificationType, _ payload: Value, _ inner: Value) {
        let zone =
            inner["zid"]?.string.map { CKRecordZone.ID(zoneName: $0, ownerName: inner["zoid"]?.string) } ?? .default
        queryNotificationReason = inner["fo"]?.int.flatMap { Reason(rawValue: Int(clamping: $0)) } ?? .recordUpdated
        recordID = inner["rid"]?.string.map { CKRecord.ID(recordName: $0, zoneID: zone) }
        // The payload has no types: what is a number stays one (cloudkit-web-services.md 7.5).
        recordFields = inner["af"]?.object.map { fields in
            let values = fields.pairs.compactMap { pair in
                FieldCoding.value(of: ["value": pair.value], zone: zone).map { (pair.key, $0) }
            }
            return Dictionary(values, uniquingKeysWith: { first, _ in first })
        }
        super.init(type, payload, inner)
    }
}

/// Something changed in a zone.
public final class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    /// The zone that changed; nil when the payload is cut.
    public let recordZoneID: CKRecordZone.ID?
    /// The database that changed; ASSUMED the private one when the payload is cut.
    public var databaseScope: CKDatabase.Scope { databaseScopeOrPrivate }

    fileprivate override init(_ type: NotificationType, _ payload: Value, _ inner: Value) {
        recordZoneID = inner["zid"]?.string.map { CKRecordZone.ID(zoneName: $0, ownerName: inner["zoid"]?.string) }
        super.init(type, payload, inner)
    }
}

/// Something changed in a database.
public final class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    /// The database that changed; ASSUMED the private one when the payload is cut.
    public var databaseScope: CKDatabase.Scope { databaseScopeOrPrivate }
}

/// Lets `CKNotification(fromRemoteNotificationDictionary:)` give one of its subclasses, as Apple's does: a class cannot do so by itself.
protocol NotificationKind {}
extension NotificationKind {
    init(itself: Self) { self = itself }
}
