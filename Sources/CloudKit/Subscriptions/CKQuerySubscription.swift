import PadApp
import Ubiquity

/// Records of one type that match a predicate; of the public or the private database (cloudkit-framework.md 7). The server looks at each save,
/// of whichever device.
public final class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// When it fires. Raw values are Apple's.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let firesOnRecordCreation = Options(rawValue: 1)
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The server deletes the subscription after it has fired.
        public static let firesOnce = Options(rawValue: 8)
    }
    public let recordType: CKRecord.RecordType?
    public let predicate: NSPredicate
    public let querySubscriptionOptions: Options
    /// Nil: the whole database.
    public var zoneID: CKRecordZone.ID?
    /// What the server has, when it came from there: its filters are not turned back into a predicate (ASSUMED: apps compare names).
    private var stored: Value?

    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: ID = UUID().uuidString,
        options: Options = []
    ) {
        self.recordType = recordType
        self.predicate = predicate
        querySubscriptionOptions = options
        super.init(.query, subscriptionID)
    }
    init(wire: Value, _ id: ID, _ zone: CKRecordZone.ID?) {
        var options: Options = wire["firesOnce"]?.bool == true ? .firesOnce : []
        for (option, word) in CKQuerySubscription.words where wire["firesOn"]?.strings.contains(word) == true {
            options.insert(option)
        }
        recordType = wire["query"]?["recordType"]?.string ?? ""
        predicate = NSPredicate(value: true)
        querySubscriptionOptions = options
        zoneID = zone
        stored = wire["query"]
        super.init(.query, id)
    }
    public required convenience init?(coder: NSCoder) {
        guard let wire = Self.archived(coder), let id = wire["subscriptionID"]?.string else { return nil }
        self.init(wire: wire, id, CKRecordZone.ID(wire: wire["zoneID"]))
        notificationInfo = wire["notificationInfo"].map(NotificationInfo.init(wire:))
    }
    private static let words: [(Options, String)] = [
        (.firesOnRecordCreation, "create"), (.firesOnRecordUpdate, "update"), (.firesOnRecordDeletion, "delete"),
    ]

    override func wire() throws(CKError) -> Value {
        var wire = try super.wire()
        wire["subscriptionType"] = "query"
        if let stored {
            wire["query"] = stored
        } else if let query = try CKQuery(recordType: recordType ?? "", predicate: predicate).wire() {
            wire["query"] = query
        } else {
            throw CKError(
                .invalidArguments, message: "the subscription's predicate is never true; CloudKit has no such filter")
        }
        wire["firesOn"] = .strings(Self.words.filter { querySubscriptionOptions.contains($0.0) }.map(\.1))
        wire["firesOnce"] = .bool(querySubscriptionOptions.contains(.firesOnce))
        wire["zoneID"] = zoneID.map(\.wire)
        return wire
    }
}
