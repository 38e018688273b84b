import FleetModel

/// A record whose reference says `DELETE_SELF` goes with the record that it points to (cloudkit-framework.md 4): in a custom zone no answer after the
/// deletion shows it.
struct ReferenceCheck: ServiceCheck {
    static let name = "reference"
    static let summary = "what leans on a deleted record by DELETE_SELF is gone"
    init() {}

    mutating func take(_ call: ServedCall, _ zones: ServedZones) -> [String] {
        guard let place = call.place else { return [] }
        return call.shown.compactMap { zone, record in
            guard let name = record["recordName"]?.string, record["recordChangeTag"] != nil,
                record["deleted"]?.bool != true,
                let known = zones[.init(place: place, zone: zone)]?.records[name], known.tag == nil,
                let cause = known.wentWith
            else { return nil }
            return "\(zone)/\(name) is shown, and \(zone)/\(cause), on which it leaned, was deleted"
        }
    }
}

extension ServedCall {
    /// Records that an answer to a reader holds, each with its zone.
    var shown: [(zone: String, record: Value)] {
        switch operation {
        case "records/lookup", "records/query", "records/changes":
            return (answer["records"]?.array ?? []).map { (Self.zone($0["zoneID"] ?? asked["zoneID"]), $0) }
        case "changes/zone":
            return (answer["zones"]?.array ?? []).flatMap { zone in
                (zone["records"]?.array ?? []).map { (Self.zone(zone["zoneID"]), $0) }
            }
        default: return []
        }
    }
}
