import FleetModel
import Storage

/// A reference that the service acts on when its target goes (cloudkit-web-services.md 8.8).
struct RecordLink: Hashable {
    enum Action: Int64 {
        case deleteSelf = 1
        case validate
    }
    var target: String
    var action: Action

    init(target: String, action: Action) {
        self.target = target
        self.action = action
    }

    /// `DELETE_SELF` sources that one target may have (cloudkit-web-services.md 10).
    static let deleteSelfMax = 750

    /// The links in a record's fields, each once.
    static func all(in fields: Value.Object) -> [RecordLink] {
        var links: [RecordLink] = []
        for pair in fields.pairs {
            guard let type = pair.value["type"]?.string, type.hasPrefix("REFERENCE"), let value = pair.value["value"]
            else {
                continue
            }
            for reference in value.array ?? [value] {
                guard let link = RecordLink(reference), !links.contains(link) else { continue }
                links.append(link)
            }
        }
        return links
    }
    private init?(_ reference: Value) {
        guard let target = reference["recordName"]?.string else { return nil }
        switch reference["action"]?.string {
        case "DELETE_SELF": action = .deleteSelf
        case "VALIDATE": action = .validate
        default: return nil
        }
        self.target = target
    }

    // MARK: Table

    static func sources(of target: String, _ action: Action, in zone: Int64, _ work: Work) throws -> [String] {
        try work.database.query(
            "SELECT source FROM link WHERE zone = ? AND target = ? AND action = ? ORDER BY source", .int(zone),
            .text(target),
            .int(action.rawValue)
        ).map { $0.text(0) }
    }
    static func replace(of source: String, with links: [RecordLink], in zone: Int64, _ work: Work) throws {
        try work.database.execute("DELETE FROM link WHERE zone = ? AND source = ?", .int(zone), .text(source))
        for link in links {
            try work.database.execute(
                "INSERT INTO link(zone, target, source, action) VALUES(?, ?, ?, ?)", .int(zone), .text(link.target),
                .text(source), .int(link.action.rawValue))
        }
    }
}

/// Records that go with their target.
enum Cascade {
    /// How long a default zone takes (cloudkit-web-services.md 8.8: asynchronous). ASSUMED.
    static let delay = Span.seconds(1)
    /// Records that a deletion in a default zone looks at before it is answered: more than one target can have. ASSUMED.
    static let lookedAtMax = 1000

    /// The names that go with the given ones, which are not among them, the nearest first; cycles are legal (cloudkit-framework.md 4).
    /// - Parameter limit: once so many are known nobody looks further.
    static func closure(of targets: [String], in zone: Int64, upTo limit: Int = .max, _ work: Work) throws -> [String] {
        var seen = Set(targets)
        var found: [String] = []
        var rest = targets[...]
        while found.count < limit, let target = rest.popFirst() {
            for source in try RecordLink.sources(of: target, .deleteSelf, in: zone, work)
            where seen.insert(source).inserted {
                found.append(source)
                rest.append(source)
            }
        }
        return found
    }

    /// Finishes the deletion of `target` in a default zone. Records that others validate stay, and parents of those that stay.
    static func finish(zone id: Int64, target: String, _ work: Work) throws {
        guard let reach = try Reach(zone: id, work) else { return }
        // The name may have been taken again meanwhile: then its sources point to something once more.
        if let row = try RecordRow.find(target, in: reach.zone, work), !row.isDeleted { return }
        let following = Set(try closure(of: [target], in: id, work))
        var written: [WrittenRecord] = []
        var gone = [target][...]
        while let next = gone.popFirst() {
            for source in try RecordLink.sources(of: next, .deleteSelf, in: id, work) {
                guard let row = try RecordRow.find(source, in: reach.zone, work), !row.isDeleted,
                    try RecordLink.sources(of: source, .validate, in: id, work).isEmpty,
                    try RecordRow.children(of: source, in: reach.zone, work).allSatisfy({ following.contains($0.name) })
                else { continue }
                let person = try work.owner(reach.space.isPublic ? row.creator : reach.space.owner).name
                written.append(try RecordRemoval.perform(row, in: reach, by: person, work))
                gone.append(source)
            }
        }
        try SubscriptionCourier.announce(written, in: reach, .nobody, work)
    }
}

extension Reach {
    /// A zone by its row, as its owner sees it; nil when it is deleted.
    init?(zone id: Int64, _ work: Work) throws {
        let rows = try work.database.query(
            "SELECT \(Zone.columns), owner, space FROM zone WHERE id = ? AND deleted = 0", .int(id))
        guard let row = rows.first, let place = Place(key: row.text(6)) else { return nil }
        let owner = row.int(5)
        self.init(
            space: Space(place: place, scope: owner == Owner.publicID ? .everyone : .own, owner: owner), zone: Zone(row)
        )
    }
}

extension Place {
    /// Reads what `key` writes.
    init?(key: String) {
        guard let slash = key.lastIndex(of: "/") else { return nil }
        self.init(container: String(key[..<slash]), environment: String(key[key.index(after: slash)...]))
    }
}
