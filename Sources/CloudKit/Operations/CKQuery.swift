import PadApp
import Ubiquity

/// Finds records of one type by their fields. Everything else finds them by name (S110).
///
/// An archive holds what would be sent: a query that comes out of one asks the same, and its `predicate` says only what it said.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Records of other types are never found.
    public let recordType: CKRecord.RecordType
    /// What the fields have to be. One that CloudKit does not take is `invalidArguments` when it is asked, not before.
    public let predicate: NSPredicate
    /// The order of the results, by the first one, then the next; nil: the service's own.
    public var sortDescriptors: [NSSortDescriptor]?
    /// What is sent, of a query that came out of an archive; null: it is never asked.
    private let archived: Value?

    /// All records of the type: `NSPredicate(value: true)`.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
        archived = nil
    }

    /// The query dictionary of cloudkit-web-services.md 8.9; nil when nothing matches (`FALSEPREDICATE`), whatever there is.
    /// - Throws: `invalidArguments` for a predicate that CloudKit does not take.
    func wire() throws(CKError) -> Value? {
        var wire: Value
        if let archived {
            guard !archived.isNull else { return nil }
            wire = archived
        } else {
            guard let filters = try QueryFilters.of(predicate) else { return nil }
            wire = ["recordType": .string(recordType), "filterBy": .array(filters)]
        }
        wire["sortBy"] = .array((sortDescriptors ?? []).compactMap(\.wire))
        return wire
    }

    public override var hash: Int { recordType.hashValue }
    public override var description: String { "<CKQuery: \(recordType), \(predicate.predicateFormat)>" }
    /// A query of its own that asks the same.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy =
            archived.map { CKQuery(recordType, predicate, archived: $0) }
            ?? CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }
    private init(_ recordType: CKRecord.RecordType, _ predicate: NSPredicate, archived: Value) {
        self.recordType = recordType
        self.predicate = predicate
        self.archived = archived
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }
    /// A query whose predicate CloudKit does not take is written with it, and refused when it is asked.
    public func encode(with coder: NSCoder) {
        coder.encode(recordType as NSString, forKey: "recordType")
        coder.encode(predicate.predicateFormat as NSString, forKey: "predicate")
        guard let wire = try? wire() ?? .null else { return }
        coder.encode(Data(wire.encoded) as NSData, forKey: "wire")
    }
    /// Nil for an archive of something else.
    public convenience init?(coder: NSCoder) {
        guard let recordType = coder.decodeObject(of: NSString.self, forKey: "recordType") as String?,
            let format = coder.decodeObject(of: NSString.self, forKey: "predicate") as String?
        else { return nil }
        let bytes = coder.decodeObject(of: NSData.self, forKey: "wire").map { [UInt8](Data(referencing: $0)) }
        guard let wire = bytes.flatMap({ try? Value(decoding: $0) }) else {
            self.init(recordType: recordType, predicate: NSPredicate(format: format))
            return
        }
        self.init(recordType, NSPredicate(format: format), archived: wire)
        sortDescriptors = (wire["sortBy"]?.array ?? []).compactMap(NSSortDescriptor.of(wire:))
    }
}
