import FleetModel
import Storage

/// Keeps in each record which share covers it: a root and all that hangs on it by `parent` (cloudkit-framework.md 16).
enum ShareCover {
    /// Begins or changes a share after its record and its root are saved.
    static func save(_ wish: ShareWish, _ name: String, root: String, guid: String, in reach: Reach, _ work: Work)
        throws
    {
        let present = try ShareRecord.find(name, in: reach.zone, work)
        let permission = wish.publicPermission ?? present?.permission ?? "NONE"
        try ShareRecord.save(name, root: root, guid: guid, permission: permission, in: reach, work)
        if let wanted = wish.participants { try replace(of: name, with: wanted, in: reach, work) }
        if permission == "NONE" || permission != present?.permission {
            for var guest in try ShareParticipant.all(of: name, in: reach.zone, work) where guest.type == "PUBLIC_USER"
            {
                if permission == "NONE" {
                    try guest.remove(in: reach, work)
                } else {
                    guest.permission = permission
                    try guest.update(work)
                }
            }
        }
        if present == nil, !root.isEmpty { try mark(root, share: name, in: reach, work) }
    }

    /// The list of a request replaces the participants; who is not in it is out.
    private static func replace(
        of share: String, with wanted: [ShareWish.Participant], in reach: Reach, _ work: Work
    ) throws {
        let present = try ShareParticipant.all(of: share, in: reach.zone, work)
        var kept: Set<Int64> = []
        for (wish, account) in try merged(wanted, in: reach, work) {
            if var same = present.first(where: { account != nil && $0.account == account || $0.lookup == wish.lookup })
            {
                try same.set(permission: wish.permission, in: reach, work)
                kept.insert(same.id)
            } else {
                try ShareParticipant.add(
                    wish.lookup, account: account, type: "USER", permission: wish.permission, status: "PENDING",
                    to: share,
                    in: reach.zone, work)
            }
        }
        for gone in present where !kept.contains(gone.id) { try gone.remove(in: reach, work) }
    }

    /// The wanted participants without the owner, each person once: a client may name one twice, or by two lookups. Where
    /// he comes first, with the permission he has last.
    private static func merged(
        _ wanted: [ShareWish.Participant], in reach: Reach, _ work: Work
    ) throws -> [(wish: ShareWish.Participant, account: Int64?)] {
        var result: [(wish: ShareWish.Participant, account: Int64?)] = []
        for wish in wanted {
            let account = try People.find(wish.lookup, in: reach.space, work)
            guard account != reach.space.owner else { continue }
            let same = result.firstIndex {
                account != nil && $0.account == account || $0.wish.lookup == wish.lookup
            }
            if let same { result[same].wish.permission = wish.permission } else { result.append((wish, account)) }
        }
        return result
    }

    /// Ends a share: nobody but the owner sees anything any more.
    static func end(_ name: String, in reach: Reach, _ work: Work) throws {
        guard let share = try ShareRecord.find(name, in: reach.zone, work) else { return }
        for participant in try ShareParticipant.all(of: name, in: reach.zone, work) {
            try participant.remove(in: reach, work)
        }
        if !share.root.isEmpty, let row = try RecordRow.find(share.root, in: reach.zone, work), !row.isDeleted {
            try mark(share.root, share: nil, in: reach, work)
        }
        // After the records have left it: what they left behind is of no use to anybody, and a share of the same name may
        // come. Tombstones and loose ends under the share are nobody's now.
        try work.database.execute(
            "UPDATE record SET share = '' WHERE zone = ? AND share = ?", .int(reach.zone.id), .text(name))
        try ShareRecord.remove(name, in: reach.zone, work)
    }

    /// Somebody has come or gone: the share record is another one, and is told of as any that has changed.
    static func touch(_ name: String, in reach: Reach, by caller: Caller, _ work: Work) throws {
        guard var row = try RecordRow.find(name, in: reach.zone, work), !row.isDeleted else { return }
        var body = try row.body()
        row.tag = try work.newTag(reach.space.owner)
        body["recordChangeTag"] = .string(row.tag)
        body["modified"] = work.stamp(by: caller, in: reach.space)
        let growth = Int64(body.jsonBytes.count - row.json.count)
        row.json = body.jsonBytes
        row.sequence = try work.nextSequence(reach.space.owner)
        try row.save(in: reach.zone, work)
        try work.use(bytes: growth, in: reach.space)
        try reach.zone.touch(row.sequence, work)
        let change = WrittenRecord(
            name: name, type: row.type, creator: row.creator, reason: .updated, body: body, sequence: row.sequence,
            shares: [row.share])
        try SubscriptionCourier.announce([change], in: reach, caller, work)
    }

    /// Writes the share into its root, or takes it out; the root's tag changes (cloudkit-framework.md 4).
    private static func mark(_ root: String, share: String?, in reach: Reach, _ work: Work) throws {
        guard var row = try RecordRow.find(root, in: reach.zone, work) else { return }
        var body = try row.body()
        body["share"] = share.map { ["recordName": .string($0)] }
        row.tag = try work.newTag(reach.space.owner)
        body["recordChangeTag"] = .string(row.tag)
        let growth = Int64(body.jsonBytes.count - row.json.count)
        row.json = body.jsonBytes
        if share == nil { row.marks.remove(.root) } else { row.marks.insert(.root) }
        row.sequence = try work.nextSequence(reach.space.owner)
        try row.save(in: reach.zone, work)
        try work.use(bytes: growth, in: reach.space)
        try cover(row, with: share ?? "", in: reach, work)
    }

    /// What a saved record's place in the tree comes to: it is covered as its parent is.
    static func settle(_ name: String, in reach: Reach, _ work: Work) throws {
        guard let row = try RecordRow.find(name, in: reach.zone, work), !row.isDeleted, !row.marks.contains(.share),
            !row.marks.contains(.root)
        else { return }
        let above = row.parent.isEmpty ? nil : try RecordRow.find(row.parent, in: reach.zone, work)
        let share = above.map { $0.isDeleted ? "" : $0.share } ?? ""
        if share != row.share { try cover(row, with: share, in: reach, work) }
    }

    /// Covers a record and what hangs on it. Each takes a new place in the feed, so that those who take part see it come;
    /// from a share that goes on it departs.
    private static func cover(_ top: RecordRow, with share: String, in reach: Reach, _ work: Work) throws {
        var rest = [top][...]
        var seen: Set<String> = [top.name]
        while let row = rest.popFirst() {
            let sequence = try work.nextSequence(reach.space.owner)
            try work.database.execute(
                "UPDATE record SET share = ?, seq = ? WHERE zone = ? AND name = ?", .text(share), .int(sequence),
                .int(reach.zone.id), .text(row.name))
            try work.database.execute(
                "DELETE FROM departed WHERE zone = ? AND share = ? AND name = ?", .int(reach.zone.id), .text(share),
                .text(row.name))
            try depart(row, to: share, at: sequence, in: reach, work)
            try ShareNotes.covered(row, by: share, in: reach, work)
            for child in try RecordRow.children(of: row.name, in: reach.zone, work)
            where !child.marks.contains(.root) && seen.insert(child.name).inserted { rest.append(child) }
        }
        if let last = try? work.owner(reach.space.owner).sequence { try reach.zone.touch(last, work) }
    }
    /// Notes for those who take part in the share that has covered `row` that it does no more.
    static func depart(_ row: RecordRow, to share: String, at sequence: Int64, in reach: Reach, _ work: Work) throws {
        guard !row.share.isEmpty, row.share != share else { return }
        try work.database.execute(
            "INSERT OR REPLACE INTO departed(zone, share, name, type, seq) VALUES(?, ?, ?, ?, ?)", .int(reach.zone.id),
            .text(row.share), .text(row.name), .text(row.type), .int(sequence))
    }
}
