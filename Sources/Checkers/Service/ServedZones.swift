import FleetModel

/// What lies in the Cloud's zones by its own answers: each modification that it said is done is done, in the order in which it did them.
///
/// A zone about which answers do not say all, as a shared one, is not tracked: nothing is asked of it.
struct ServedZones {
    /// Where a zone is: a database, and its name there.
    struct Key: Hashable {
        var place: String
        var zone: String
    }

    /// One record by its last change.
    struct Record {
        /// Nil: it was deleted.
        var tag: String?
        /// Which change of its zone it was, from 1.
        var position: Int
        /// Records whose deletion takes this one away (`DELETE_SELF`).
        var leansOn: Set<String> = []
        /// Checksums of its files by field.
        var files: [String: [String]] = [:]
        /// It went with this one, on which it leaned.
        var wentWith: String?
    }
    struct Zone {
        var records: [String: Record] = [:]
        /// Changes so far.
        var position = 0
        /// How often the zone was deleted: tokens of an earlier one mean nothing.
        var life = 0
        /// Names of the records that lean on one.
        fileprivate var leaning: [String: Set<String>] = [:]
    }

    private var zones: [Key: Zone] = [:]
    private var untracked: Set<Key> = []
    /// Zones in which somebody else than their owner writes, by container and name: whose they are no answer says.
    private var sharedNames: Set<String> = []

    /// Nil: it is not known what is in it.
    subscript(key: Key) -> Zone? {
        untracked.contains(key) || sharedNames.contains(key.zone) ? nil : zones[key] ?? Zone()
    }

    /// A person deleted a zone in Settings; `where` of the note is container and zone.
    mutating func delete(_ note: Note) {
        guard let parts = note.detail["where"]?.string?.split(separator: "/"), parts.count == 2 else { return }
        for key in Array(zones.keys)
        where key.zone == parts[1] && key.place.hasPrefix("\(parts[0])/")
            && key.place.hasSuffix(" of \(note.person ?? "")")
        {
            delete(key)
        }
    }
    private mutating func delete(_ key: Key) {
        guard let zone = zones[key] else { return }
        zones[key] = Zone(life: zone.life + 1)
    }

    mutating func take(_ call: ServedCall) {
        guard let place = call.place else {
            if call.operation == "records/modify" { sharedNames.insert(ServedCall.zone(call.asked["zoneID"])) }
            return
        }
        if call.operation == "zones/modify" { takeZones(call, place) }
        for change in call.changes {
            let key = Key(place: place, zone: change.zone)
            // A share changes its root's tag, and who reads what.
            if change.type == "cloudkit.share" { untracked.insert(key) }
            guard !untracked.contains(key) else { continue }
            take(change, key)
        }
    }

    private mutating func takeZones(_ call: ServedCall, _ place: String) {
        for zone in call.answer["zones"]?.array ?? [] where zone["deleted"]?.bool == true {
            delete(Key(place: place, zone: ServedCall.zone(zone["zoneID"])))
        }
    }

    private mutating func take(_ change: ServedChange, _ key: Key) {
        var zone = zones.removeValue(forKey: key) ?? Zone()
        defer { zones[key] = zone }
        if let tag = change.tag, zone.records[change.name]?.tag != tag {
            zone.position += 1
            for target in zone.records[change.name]?.leansOn ?? [] { zone.leaning[target]?.remove(change.name) }
            let (leansOn, files) = Self.links(change.record)
            for target in leansOn { zone.leaning[target, default: []].insert(change.name) }
            zone.records[change.name] = Record(tag: tag, position: zone.position, leansOn: leansOn, files: files)
        } else if change.isDeleted, zone.records[change.name]?.tag != nil {
            zone.remove(change.name, with: nil, cascades: key.zone != ServedCall.defaultZone)
        }
    }

    private static func links(_ record: Value) -> (Set<String>, [String: [String]]) {
        var (targets, files): (Set<String>, [String: [String]]) = ([], [:])
        for field in record["fields"]?.object?.pairs ?? [] {
            guard let value = field.value["value"] else { continue }
            for one in value.array ?? [value] {
                if one["action"]?.string == "DELETE_SELF", let target = one["recordName"]?.string {
                    targets.insert(target)
                }
            }
            let checksums = FileField.checksums(field.value)
            if !checksums.isEmpty { files[field.key] = checksums }
        }
        return (targets, files)
    }
}

extension ServedZones.Zone {
    /// - Parameter cascades: whether what leans on it goes at once; in the default zone it goes later (cloudkit-framework.md 4).
    fileprivate mutating func remove(_ name: String, with cause: String?, cascades: Bool) {
        guard let record = records[name], record.tag != nil else { return }
        position += 1
        for target in record.leansOn { leaning[target]?.remove(name) }
        records[name] = .init(tag: nil, position: position, wentWith: cause)
        for leaner in (leaning.removeValue(forKey: name) ?? []).sorted() {
            if cascades { remove(leaner, with: name, cascades: true) } else { records[leaner] = nil }
        }
    }
}

/// Files in a field of an answer.
enum FileField {
    /// Of one file or of a list; empty for any other field.
    static func checksums(_ field: Value) -> [String] {
        guard let type = field["type"]?.string, type == "ASSETID" || type == "ASSETID_LIST", let value = field["value"]
        else {
            return []
        }
        return (value.array ?? [value]).compactMap { $0["fileChecksum"]?.string }
    }
}
