import Foundation
import PadApp

/// Fields between Swift and the wire (cloudkit-web-services.md 8.6).
enum FieldCoding {
    /// The field dictionary of a value; nil for a kind that CloudKit does not store.
    static func field(_ value: any CKRecordValueProtocol) -> Value? {
        if let list = value as? [any CKRecordValueProtocol] {
            let fields = list.compactMap(scalar)
            guard fields.count == list.count else { return Optional.none }
            let type = fields.first.map { $0.type + "_LIST" } ?? "EMPTY_LIST"
            return ["value": .array(fields.map(\.value)), "type": .string(type)]
        }
        return scalar(value).map { ["value": $0.value, "type": .string($0.type)] }
    }

    /// Casts bridge on Linux too: an `NSString` is a `String` here, an `Int8` an `NSNumber`.
    private static func scalar(_ value: any CKRecordValueProtocol) -> (value: Value, type: String)? {
        switch value {
        case let text as String: (.string(text), "STRING")
        case let number as NSNumber: Self.number(number)
        case let data as Data: (.data([UInt8](data)), "BYTES")
        case let date as Date: (milliseconds(date), "TIMESTAMP")
        case let reference as CKRecord.Reference: (Self.reference(reference), "REFERENCE")
        case let asset as CKAsset: (asset.wire, "ASSETID")
        case let place as CLLocation: (place.wire, "LOCATION")
        default: nil
        }
    }
    private static func number(_ number: NSNumber) -> (Value, String) {
        let kind = String(cString: number.objCType)
        return kind == "d" || kind == "f" ? (.double(number.doubleValue), "DOUBLE") : (.int(number.int64Value), "INT64")
    }
    private static func reference(_ reference: CKRecord.Reference) -> Value {
        [
            "recordName": .string(reference.recordID.recordName),
            "zoneID": reference.recordID.zoneID.wire,
            "action": reference.action == .deleteSelf ? "DELETE_SELF" : "NONE",
        ]
    }

    /// The Swift value of a field dictionary; nil for an empty or unknown one.
    static func value(of field: Value, zone: CKRecordZone.ID) -> (any CKRecordValueProtocol)? {
        let type = field["type"]?.string ?? ""
        guard let value = field["value"], !value.isNull else { return nil }
        guard let list = value.array else { return scalar(value, type, zone) }
        let element = String(type.dropLast("_LIST".count))
        switch element {
        case "STRING", "": return list.compactMap(\.string)
        case "BYTES": return list.compactMap { $0.data.map { Data($0) } }
        case "TIMESTAMP": return list.compactMap { $0.double.map(date) }
        case "REFERENCE": return list.compactMap { reference($0, zone) }
        case "ASSETID": return list.map { CKAsset(wire: $0) }
        case "LOCATION": return list.compactMap(CLLocation.init(wire:))
        default: return list.compactMap { scalar($0, element, zone) as? NSNumber }
        }
    }
    private static func scalar(_ value: Value, _ type: String, _ zone: CKRecordZone.ID) -> (any CKRecordValueProtocol)?
    {
        switch (value, type) {
        case (_, "TIMESTAMP"): value.double.map(date)
        case (.object, "ASSETID"): CKAsset(wire: value)
        case (.object, "LOCATION"): CLLocation(wire: value)
        case (.object, _): reference(value, zone)
        case (.string(let text), _): text
        case (.data(let bytes), _): Data(bytes)
        case (.int(let number), "DOUBLE"): NSNumber(value: Double(number))
        case (.int(let number), _): NSNumber(value: number)
        case (.double(let number), _): NSNumber(value: number)
        case (.bool(let flag), _): NSNumber(value: flag)
        default: nil
        }
    }
    private static func reference(_ value: Value, _ zone: CKRecordZone.ID) -> CKRecord.Reference? {
        guard let name = value["recordName"]?.string else { return nil }
        // References never leave a zone: each reader calls the owner by another name.
        let named = CKRecordZone.ID(wire: value["zoneID"]) ?? zone
        let target = named.zoneName == zone.zoneName ? zone : named
        return CKRecord.Reference(
            recordID: CKRecord.ID(recordName: name, zoneID: target),
            action: value["action"] == "DELETE_SELF" ? .deleteSelf : .none)
    }

    // Whole milliseconds since 1970, as the wire has them.
    static func date(_ milliseconds: Double) -> Date { Date(timeIntervalSince1970: milliseconds / 1000) }
    static func milliseconds(_ date: Date) -> Value {
        let number = (date.timeIntervalSince1970 * 1000).rounded()
        return .int(Int64(exactly: number) ?? (number < 0 ? .min : .max))
    }
}
