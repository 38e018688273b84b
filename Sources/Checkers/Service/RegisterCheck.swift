import FleetModel

/// Each record is a register that compares and swaps by its change tag (cloudkit-framework.md 9): an update is done if it names the tag that stands,
/// and only then. A refusal for a conflict with the very tag that stands is wrong too.
///
/// One pass decides it, because the service says by each answer which tag stands next.
struct RegisterCheck: ServiceCheck {
    static let name = "register"
    static let summary = "an update is done if it names the change tag that stands, and only then"
    init() {}

    /// In which record each tag was given out: none comes twice.
    private var given: [String: String] = [:]

    mutating func take(_ call: ServedCall, _ zones: ServedZones) -> [String] {
        guard let place = call.place else { return [] }
        var broken: [String] = []
        for change in call.changes {
            let key = ServedZones.Key(place: place, zone: change.zone)
            guard let zone = zones[key] else { continue }
            let stands = zone.records[change.name]?.tag
            let record = "\(change.zone)/\(change.name)"
            // Which records of the default zone there are, as those of people, no answer has to say.
            let isKnown = stands != nil || change.zone != ServedCall.defaultZone
            if change.refusal == "CONFLICT", let stands, change.sent == stands,
                ["update", "replace"].contains(change.kind)
            {
                broken.append("\(record) was refused with the tag '\(stands)', which stands")
            }
            guard let tag = change.tag else { continue }
            switch change.kind {
            case "create":
                if let stands { broken.append("\(record) was created though it was there with the tag '\(stands)'") }
            case "update", "replace":
                guard isKnown, let sent = change.sent, sent != stands else { break }
                broken.append("\(record) was updated from the tag '\(sent)', and '\(stands ?? "none")' stood")
            default: break
            }
            let owner = "\(place) \(record)"
            if tag != stands, let other = given[tag + place] {
                broken.append(
                    "\(record) got the tag '\(tag)', which \(other == owner ? "it had before" : "another record has")")
            }
            given[tag + place] = owner
        }
        return broken
    }
}
