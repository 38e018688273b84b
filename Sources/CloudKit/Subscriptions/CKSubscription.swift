import Foundation
import PadApp

/// Asks for a push on changes, to all devices of the person but the one that made them. Push is a hint and may be lost.
public class CKSubscription: @unchecked Sendable {
    public typealias ID = String

    /// Raw values are Apple's (cloudkit-framework.md 7).
    public enum SubscriptionType: Int, Hashable, Sendable {
        case query = 1
        case recordZone, database
    }

    /// How the push looks (cloudkit-web-services.md 8.11). `shouldSendContentAvailable` alone is a silent push; with anything to see or hear
    /// it is a visible one.
    ///
    /// Not modelled: `subtitle`, `collapseIDKey`, arguments of titles. `title` and `shouldSendMutableContent` travel under the framework's
    /// names (ASSUMED: the web service's list has neither).
    public final class NotificationInfo: @unchecked Sendable {
        public var alertBody: String?
        public var alertLocalizationKey: String?
        /// Names of the fields whose values stand in for the places of the localized text.
        public var alertLocalizationArgs: [CKRecord.FieldKey]?
        public var alertActionLocalizationKey: String?
        public var alertLaunchImage: String?
        public var title: String?
        public var soundName: String?
        /// Fields that come with the push.
        public var desiredKeys: [CKRecord.FieldKey]?
        public var shouldBadge = false
        public var shouldSendContentAvailable = false
        public var shouldSendMutableContent = false
        public var category: String?
        public init() {}

        var wire: Value {
            var wire: Value = ["shouldSendContentAvailable": .bool(shouldSendContentAvailable)]
            for (key, text) in texts { wire[key] = self[keyPath: text].map(Value.string) }
            for (key, list) in lists { wire[key] = self[keyPath: list].map(Value.strings) }
            for (key, flag) in flags where self[keyPath: flag] { wire[key] = true }
            return wire
        }
        convenience init(wire: Value) {
            self.init()
            shouldSendContentAvailable = wire["shouldSendContentAvailable"]?.bool ?? false
            for (key, text) in texts { self[keyPath: text] = wire[key]?.string }
            for (key, list) in lists { self[keyPath: list] = wire[key].map(\.strings) }
            for (key, flag) in flags { self[keyPath: flag] = wire[key]?.bool ?? false }
        }
        private typealias Key<T> = ReferenceWritableKeyPath<NotificationInfo, T>
        private var texts: [(String, Key<String?>)] {
            [
                ("alertBody", \.alertBody), ("alertLocalizationKey", \.alertLocalizationKey),
                ("alertActionLocalizationKey", \.alertActionLocalizationKey), ("alertLaunchImage", \.alertLaunchImage),
                ("title", \.title), ("soundName", \.soundName), ("category", \.category),
            ]
        }
        private var lists: [(String, Key<[String]?>)] {
            [("alertLocalizationArgs", \.alertLocalizationArgs), ("additionalFields", \.desiredKeys)]
        }
        private var flags: [(String, Key<Bool>)] {
            [("shouldBadge", \.shouldBadge), ("shouldSendMutableContent", \.shouldSendMutableContent)]
        }
    }

    public let subscriptionID: ID
    public let subscriptionType: SubscriptionType
    public var notificationInfo: NotificationInfo?

    init(_ type: SubscriptionType, _ subscriptionID: ID) {
        subscriptionType = type
        self.subscriptionID = subscriptionID
    }

    /// The dictionary of cloudkit-web-services.md 8.10.
    /// - Throws: `invalidArguments` for a predicate that CloudKit does not take.
    func wire() throws(CKError) -> Value {
        [
            "subscriptionID": .string(subscriptionID),
            "notificationInfo": notificationInfo?.wire ?? ["shouldSendContentAvailable": false],
        ]
    }
    /// A subscription that the server sent; nil when it is none that is known here.
    static func of(wire: Value) -> CKSubscription? {
        guard let id = wire["subscriptionID"]?.string else { return nil }
        let zone = wire["zoneID"]?["zoneName"]?.string.map { CKRecordZone.ID(zoneName: $0) }
        let found: CKSubscription
        switch wire["subscriptionType"]?.string {
        case "query"?: found = CKQuerySubscription(wire: wire, id, zone)
        case "zone"?: found = CKRecordZoneSubscription(zoneID: zone ?? .default, subscriptionID: id)
        case "database"?: found = CKDatabaseSubscription(subscriptionID: id)
        default: return nil
        }
        found.notificationInfo = wire["notificationInfo"].map(NotificationInfo.init(wire:))
        return found
    }
}

/// Any change in one custom zone of the private database.
public final class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    public let zoneID: CKRecordZone.ID

    public init(zoneID: CKRecordZone.ID, subscriptionID: String = UUID().uuidString) {
        self.zoneID = zoneID
        super.init(.recordZone, subscriptionID)
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
    public init(subscriptionID: String = UUID().uuidString) { super.init(.database, subscriptionID) }
    override func wire() throws(CKError) -> Value {
        var wire = try super.wire()
        wire["subscriptionType"] = "database"
        return wire
    }
}
