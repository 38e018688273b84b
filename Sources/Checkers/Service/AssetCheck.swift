import FleetModel

/// A field of a file names the file that was saved in it, as long as the record stands with that tag: no other one's checksum, and none of it left out.
struct AssetCheck: ServiceCheck {
    static let name = "asset"
    static let summary = "a field shows the file that was saved in it"
    init() {}

    mutating func take(_ call: ServedCall, _ zones: ServedZones) -> [String] {
        guard let place = call.place else { return [] }
        return call.shown.flatMap { zone, record -> [String] in
            guard let name = record["recordName"]?.string, let tag = record["recordChangeTag"]?.string,
                let known = zones[.init(place: place, zone: zone)]?.records[name], known.tag == tag
            else { return [] }
            // A reader that asked for some fields gets no others.
            return known.files.sorted { $0.key < $1.key }.compactMap { field, saved in
                guard let shown = record["fields"]?[field], FileField.checksums(shown) != saved else { return nil }
                return "the field '\(field)' of \(zone)/\(name) shows another file than was saved"
            }
        }
    }
}
