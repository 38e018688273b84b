import FleetModel

/// The changes of a zone, read page by page from a token on, are every change since then, each record as it stands, and nothing that did not change
/// (cloudkit-web-services.md 6): no gap and no repetition, for each reader.
struct FeedCheck: ServiceCheck {
    static let name = "feed"
    static let summary = "changes from a token on have no gap and no repetition, for each reader"
    init() {}

    /// A reader's way through the pages of one fetch.
    private struct Walk {
        /// The zone's position at the token with which it began; 0 without one.
        var start: Int
        /// Tags of what came; nil for a deletion.
        var seen: [String: String?] = [:]
    }
    /// A token of one life of a zone.
    private struct Mark: Hashable {
        var key: ServedZones.Key
        var life: Int
        var token: String
    }
    /// Where in a zone a token stands that ended a fetch.
    private var positions: [Mark: Int] = [:]
    private var walks: [Mark: Walk] = [:]

    mutating func take(_ call: ServedCall, _ zones: ServedZones) -> [String] {
        guard let place = call.place else { return [] }
        switch call.operation {
        case "changes/zone":
            let asked = call.asked["zones"]?.array ?? []
            let answered = call.answer["zones"]?.array ?? []
            guard asked.count == answered.count else { return [] }
            return zip(asked, answered).flatMap { entry, page in
                takePage(
                    page, token: entry["syncToken"]?.string ?? call.asked["syncToken"]?.string,
                    isPartial: [entry, call.asked].contains {
                        $0["reverse"]?.bool == true || $0["desiredRecordTypes"]?.array != nil
                    },
                    ServedZones.Key(place: place, zone: ServedCall.zone(entry["zoneID"])), zones)
            }
        case "records/changes":
            return takePage(
                call.answer, token: call.asked["syncToken"]?.string,
                isPartial: call.asked["reverse"]?.bool == true || call.asked["desiredRecordTypes"]?.array != nil,
                ServedZones.Key(place: place, zone: ServedCall.zone(call.asked["zoneID"])), zones)
        default: return []
        }
    }

    /// - Parameter isPartial: newest first, or of some types only: what is to come then is not said by the positions of changes.
    private mutating func takePage(
        _ page: Value, token: String?, isPartial: Bool, _ key: ServedZones.Key, _ zones: ServedZones
    ) -> [String] {
        guard page["serverErrorCode"] == nil, let next = page["syncToken"]?.string, let zone = zones[key] else {
            return []
        }
        func mark(_ token: String) -> Mark { Mark(key: key, life: zone.life, token: token) }
        let hasMore = page["moreComing"]?.bool == true
        if !hasMore { positions[mark(next)] = positions[mark(next)] ?? zone.position }
        // A token that nobody was seen to get: of a time before the zone was tracked, or made up and taken.
        guard !isPartial,
            var walk = token.map({ walks[mark($0)] ?? positions[mark($0)].map { Walk(start: $0) } }) ?? Walk(start: 0)
        else { return [] }
        var broken: [String] = []
        for record in page["records"]?.array ?? [] {
            guard let name = record["recordName"]?.string else { continue }
            let tag = record["recordChangeTag"]?.string
            let place = "\(key.zone)/\(name)"
            if let before = walk.seen[name], before == tag {
                broken.append("\(place) came twice with the same change")
            } else if let known = zone.records[name], known.position <= walk.start {
                broken.append("\(place) came again though it had not changed since the token")
            }
            walk.seen[name] = .some(tag)
        }
        guard !hasMore else {
            walks[mark(next)] = walk
            return broken
        }
        for (name, record) in zone.records.sorted(by: { $0.key < $1.key }) where record.position > walk.start {
            // A first fetch needs no deletions.
            if record.tag == nil, walk.start == 0, walk.seen[name] == nil { continue }
            guard let seen = walk.seen[name] else {
                broken.append("\(key.zone)/\(name) changed after the token and did not come")
                continue
            }
            guard seen != record.tag else { continue }
            broken.append(
                "\(key.zone)/\(name) came with the tag '\(seen ?? "deleted")', and '\(record.tag ?? "deleted")' stands")
        }
        return broken
    }
}
