import PadApp
import Ubiquity

/// Records of one type that match a predicate; of the public or the private database (cloudkit-framework.md 7). The server looks at each save,
/// of whichever device.
public final class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// When it fires. Raw values are Apple's.
    public struct Options: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Takes any bits; those without a constant have no effect.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A record that matches is new.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record that matches was saved again.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record that matched is gone.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The server deletes the subscription after it has fired.
        public static let firesOnce = Options(rawValue: 8)
    }
    /// Never nil here; empty for one that came from the server without a type.
    public let recordType: CKRecord.RecordType?
    /// What fires it. Always true for a subscription that came from the server, which keeps its own filters.
    public let predicate: NSPredicate
    /// When it fires. Empty: the server refuses the subscription.
    public let querySubscriptionOptions: Options
    /// Nil: the whole database.
    public var zoneID: CKRecordZone.ID?
    /// What the server has, when it came from there: its filters are not turned back into a predicate (ASSUMED: apps compare names).
    private var stored: Value?

    /// A subscription that the server does not have yet. Give it a name of the app's own, so that each launch saves the same one.
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
    /// Nil for an archive of another kind.
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
