import PadApp
import Ubiquity

/// Records of one type that match a predicate, in the private or the public database (cloudkit-framework.md 7).
public final class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// What it fires on. Raw values are Apple's.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let firesOnRecordCreation = Options(rawValue: 1)
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// Removed after it has fired.
        public static let firesOnce = Options(rawValue: 8)
    }
    public let recordType: CKRecord.RecordType
    public let predicate: NSPredicate
    public let querySubscriptionOptions: Options
    /// Nil: the whole database.
    public var zoneID: CKRecordZone.ID?

    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: String = UUID().uuidString,
        options: Options
    ) {
        self.recordType = recordType
        self.predicate = predicate
        querySubscriptionOptions = options
        super.init(subscriptionID: subscriptionID)
    }
    /// - Throws: `invalidArguments` for a predicate that CloudKit does not take, or that nothing matches.
    override func wire() throws(CKError) -> Value {
        guard let query = try CKQuery(recordType: recordType, predicate: predicate).wire() else {
            throw CKError(
                .invalidArguments, message: "nothing matches '\(predicate.predicateFormat)': no push would come")
        }
        let words: [(Options, String)] = [
            (.firesOnRecordCreation, "create"), (.firesOnRecordUpdate, "update"), (.firesOnRecordDeletion, "delete"),
        ]
        var wire = try super.wire()
        wire["subscriptionType"] = "query"
        wire["query"] = query
        wire["firesOn"] = .strings(words.filter { querySubscriptionOptions.contains($0.0) }.map(\.1))
        wire["firesOnce"] = .bool(querySubscriptionOptions.contains(.firesOnce))
        wire["zoneID"] = zoneID.map { ["zoneName": .string($0.zoneName)] }
        return wire
    }
}
