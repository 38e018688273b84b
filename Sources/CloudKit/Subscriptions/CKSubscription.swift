import Foundation
import PadApp

/// Asks for a push on changes, to all devices of the person but the one that made them. Push is a hint and may be lost.
public class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// A name of a subscription, unique for the person in a database.
    public typealias ID = String

    /// Raw values are Apple's (cloudkit-framework.md 7).
    public enum SubscriptionType: Int, Hashable, Sendable {
        /// A `CKQuerySubscription`.
        case query = 1
        /// A `CKRecordZoneSubscription`; a `CKDatabaseSubscription`.
        case recordZone, database
    }

    /// Saving one of the same name brings that one up to date.
    public let subscriptionID: ID
    /// Which of the three kinds it is.
    public let subscriptionType: SubscriptionType
    /// How the push looks; nil: a silent push (ASSUMED).
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
    // Apple's initializer of each kind takes archives; so does this one, which gives the kind that was written.
    /// Always true.
    public static var supportsSecureCoding: Bool { true }
    /// A subscription whose predicate CloudKit does not take cannot be written.
    public func encode(with coder: NSCoder) {
        guard let wire = try? wire() else { return }
        coder.encode(Data(wire.encoded) as NSData, forKey: "subscription")
    }
    static func archived(_ coder: NSCoder) -> Value? {
        coder.decodeObject(of: NSData.self, forKey: "subscription").flatMap {
            try? Value(decoding: [UInt8](Data(referencing: $0)))
        }
    }
    /// Nil: an archive is of one of the three kinds.
    public required init?(coder: NSCoder) { nil }
    /// A subscription of its own that asks the same; itself when its predicate is none that CloudKit takes.
    public func copy(with zone: NSZone? = nil) -> Any { (try? wire()).flatMap(Self.of(wire:)) ?? self }
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKSubscription, let wire = try? wire() else { return self === object as AnyObject }
        return (try? other.wire()) == wire
    }
    public override var hash: Int { subscriptionID.hashValue }
    public override var description: String { "<\(type(of: self)): \(subscriptionID)>" }

    /// A subscription that the server sent; nil when it is none that is known here.
    static func of(wire: Value) -> CKSubscription? {
        guard let id = wire["subscriptionID"]?.string else { return nil }
        let zone = CKRecordZone.ID(wire: wire["zoneID"])
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
    /// The custom zone whose changes fire it.
    public let zoneID: CKRecordZone.ID

    /// A subscription that the server does not have yet. Give it a name of the app's own, so that each launch saves the same one.
    public init(zoneID: CKRecordZone.ID, subscriptionID: String = UUID().uuidString) {
        self.zoneID = zoneID
        super.init(.recordZone, subscriptionID)
    }
    /// Nil for an archive of another kind.
    public required init?(coder: NSCoder) {
        guard let wire = Self.archived(coder), let id = wire["subscriptionID"]?.string,
            let zone = CKRecordZone.ID(wire: wire["zoneID"])
        else { return nil }
        zoneID = zone
        super.init(.recordZone, id)
        notificationInfo = wire["notificationInfo"].map(NotificationInfo.init(wire:))
    }
    /// Records of this type only; nil: of all. Kept for the app alone: the service has no such filter for zones.
    public var recordType: CKRecord.RecordType?
    override func wire() throws(CKError) -> Value {
        var wire = try super.wire()
        wire["subscriptionType"] = "zone"
        wire["zoneID"] = zoneID.wire
        return wire
    }
}

/// Any change in any custom zone of the private database.
public final class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    /// A subscription that the server does not have yet. Give it a name of the app's own, so that each launch saves the same one.
    public init(subscriptionID: String = UUID().uuidString) { super.init(.database, subscriptionID) }
    /// Nil for an archive of another kind.
    public required init?(coder: NSCoder) {
        guard let wire = Self.archived(coder), let id = wire["subscriptionID"]?.string else { return nil }
        super.init(.database, id)
        notificationInfo = wire["notificationInfo"].map(NotificationInfo.init(wire:))
    }
    /// Records of this type only; nil: of all. Kept for the app alone: the service has no such filter for databases.
    public var recordType: CKRecord.RecordType?
    override func wire() throws(CKError) -> Value {
        var wire = try super.wire()
        wire["subscriptionType"] = "database"
        return wire
    }
}
