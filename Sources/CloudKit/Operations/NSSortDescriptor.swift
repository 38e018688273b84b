import Foundation
import PadApp

/// The order of results: by a field, or by `creationDate` or `modificationDate`.
///
/// Not modelled: key paths, comparators and selectors, which need Objective-C. Sort fetched records with `sorted(by:)`.
public class NSSortDescriptor: NSObject, NSCopying, @unchecked Sendable {
    /// The field's name; nil: the descriptor has no effect.
    public let key: String?
    /// Smallest first.
    public let ascending: Bool

    /// Sorts by a field or by one of `CKRecord.SystemFieldKey`.
    public init(key: String?, ascending: Bool) {
        self.key = key
        self.ascending = ascending
    }
    /// Not available: selectors need Objective-C.
    @available(
        *, unavailable,
        message: "selectors need Objective-C: sort by the field alone, or fetched records with sorted(by:)"
    )
    public convenience init(key: String?, ascending: Bool, selector: Never?) { fatalError() }

    /// The descriptor of a sort that was sent; nil for none.
    static func of(wire: Value) -> NSSortDescriptor? {
        let system = systemFields.first { $0.value == wire["systemFieldName"]?.string }?.key
        guard let key = wire["fieldName"]?.string ?? system else { return nil }
        guard let place = wire["relativeLocation"].flatMap(CLLocation.init(wire:)) else {
            return NSSortDescriptor(key: key, ascending: wire["ascending"]?.bool ?? true)
        }
        return CKLocationSortDescriptor(key: key, relativeLocation: place)
    }
    /// A sort of cloudkit-web-services.md 8.9; nil without a key.
    var wire: Value? { key.map { Self.named($0, ["ascending": .bool(ascending)]) } }

    /// A field by its own name, a record's metadata by the name that the service has for it.
    static func named(_ field: String, _ more: Value) -> Value {
        var result = more
        if let system = systemFields[field] {
            result["systemFieldName"] = .string(system)
        } else {
            result["fieldName"] = .string(field)
        }
        return result
    }
    private static let systemFields = [
        "creationDate": "createdTimestamp", "modificationDate": "modifiedTimestamp", "recordID": "recordName",
        "creatorUserRecordID": "createdUserRecordName", "lastModifiedUserRecordID": "modifiedUserRecordName",
    ]

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSSortDescriptor)?.wire == wire }
    public override var hash: Int { key.hashValue }
    public override var description: String { "(\(key ?? ""), \(ascending ? "ascending" : "descending"))" }
    /// Itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The order of results by the distance of a field's place, nearest first. Source: CKLocationSortDescriptor.
public final class CKLocationSortDescriptor: NSSortDescriptor, @unchecked Sendable {
    /// The place from which distances are measured.
    public let relativeLocation: CLLocation

    /// Sorts by a field that holds places.
    public init(key: String, relativeLocation: CLLocation) {
        self.relativeLocation = relativeLocation
        super.init(key: key, ascending: true)
    }
    override var wire: Value? {
        var wire = super.wire
        wire?["relativeLocation"] = relativeLocation.wire
        return wire
    }
}
