import FleetModel
import Storage

/// Zones of others in a person's shared database. Each has a place in the person's own sequence, because a shared database
/// has changes to fetch and its zones have many owners.
enum SharedZones {
    /// A zone by name and owner; nil unless the caller takes part in a share in it. Zones of several owners may have one name: the owner
    /// is always named, so that a client does not work until the second one comes.
    static func find(_ name: String, owner: String, in space: Space, _ caller: Caller, _ work: Work) throws -> Reach? {
        let rows = try work.database.query(
            "SELECT zone, owner FROM sharedzone WHERE account = ? AND space = ? AND name = ? AND deleted = 0 ORDER BY zone",
            .int(caller.account), .text(space.key), .text(name))
        let found = try rows.compactMap { try reach($0.int(0), in: space, caller, work) }
        return found.first { $0.identifier["ownerRecordName"]?.string == owner }
    }
    static func all(in space: Space, _ caller: Caller, _ work: Work) throws -> [Reach] {
        try work.database.query(
            "SELECT zone FROM sharedzone WHERE account = ? AND space = ? AND deleted = 0 ORDER BY name, zone",
            .int(caller.account), .text(space.key)
        ).compactMap { try reach($0.int(0), in: space, caller, work) }
            .filter { try !RestrictUser.isRestricted($0.space.owner, space.container, work) }
    }

    /// What changed since a sequence of the caller's, oldest first; a zone that is his no more has only its name.
    static func changes(
        since start: Int64, in space: Space, _ caller: Caller, limit: Int, _ work: Work
    ) throws -> [(sequence: Int64, identifier: Value, reach: Reach?)] {
        try work.database.query(
            "SELECT zone, owner, name, seq, deleted FROM sharedzone WHERE account = ? AND space = ? AND seq > ? "
                + "AND (deleted = 0 OR ?) ORDER BY seq LIMIT ?", .int(caller.account), .text(space.key), .int(start),
            .int(start > 0 ? 1 : 0), .int(limit)
        ).map { row in
            let owner = UsersCaller.recordName(of: try work.owner(row.int(1)).name, in: space, work)
            let reach = row.int(4) == 0 ? try reach(row.int(0), in: space, caller, work) : nil
            return (row.int(3), Zone.identifier(row.text(2), owner: owner), reach)
        }
    }

    private static func reach(_ zone: Int64, in space: Space, _ caller: Caller, _ work: Work) throws -> Reach? {
        guard let theirs = try Reach(zone: zone, work) else { return nil }
        let shares = try work.database.query(
            "SELECT share, permission FROM participant WHERE account = ? AND zone = ? AND status = 'ACCEPTED' ORDER BY share",
            .int(caller.account), .int(zone)
        ).filter { $0.text(1) != "NONE" }.map { Grant.Share(name: $0.text(0), canWrite: $0.text(1) == "READ_WRITE") }
        guard !shares.isEmpty else { return nil }
        let owner = UsersCaller.recordName(of: try work.owner(theirs.space.owner).name, in: space, work)
        return Reach(
            space: space.owned(by: theirs.space.owner), zone: theirs.zone, grant: Grant(shares: shares),
            identifier: Zone.identifier(theirs.zone.name, owner: owner))
    }

    // MARK: Coming and going

    static func join(_ reach: Reach, _ account: Int64, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO sharedzone(account, space, zone, owner, name, seq, deleted) VALUES(?, ?, ?, ?, ?, ?, 0) "
                + "ON CONFLICT(account, zone) DO UPDATE SET seq = excluded.seq, deleted = 0", .int(account),
            .text(reach.space.key), .int(reach.zone.id), .int(reach.space.owner), .text(reach.zone.name),
            .int(try work.nextSequence(account)))
    }
    /// The zone leaves a person's shared database when no share in it is his any more.
    static func leave(_ reach: Reach, _ account: Int64, _ work: Work) throws {
        let zone = reach.zone
        let rest = try work.database.query(
            "SELECT 1 FROM participant WHERE account = ? AND zone = ? AND status = 'ACCEPTED' AND permission <> 'NONE'",
            .int(account), .int(zone.id))
        guard rest.isEmpty else {
            try touch(zone, account, work)
            return try SubscriptionCourier.announceShared(reach, to: account, by: work.caller, work)
        }
        try work.database.execute(
            "UPDATE sharedzone SET deleted = 1, seq = ? WHERE account = ? AND zone = ? AND deleted = 0",
            .int(try work.nextSequence(account)), .int(account), .int(zone.id))
        if work.database.changes > 0 {
            try SubscriptionCourier.announceShared(reach, to: account, by: work.caller, work)
        }
    }
    private static func touch(_ zone: Zone, _ account: Int64, _ work: Work) throws {
        try work.database.execute(
            "UPDATE sharedzone SET seq = ? WHERE account = ? AND zone = ? AND deleted = 0",
            .int(try work.nextSequence(account)), .int(account), .int(zone.id))
    }
    /// Those who take part in one of some shares in a zone.
    static func members(of shares: Set<String>, in zone: Zone, _ work: Work) throws -> [Int64] {
        let rows = try work.database.query(
            "SELECT p.account, p.share FROM participant p JOIN sharedzone s ON s.account = p.account AND s.zone = p.zone "
                + "WHERE p.zone = ? AND p.status = 'ACCEPTED' AND p.permission <> 'NONE' AND s.deleted = 0 "
                + "ORDER BY p.account, p.share", .int(zone.id))
        var accounts: [Int64] = []
        for row in rows where shares.contains(row.text(1)) && accounts.last != row.int(0) {
            accounts.append(row.int(0))
        }
        return accounts
    }
    /// Moves a zone to the front of its members' shared databases.
    static func touch(_ zone: Zone, for accounts: [Int64], _ work: Work) throws {
        for account in accounts { try touch(zone, account, work) }
    }
    /// The zone itself is deleted.
    static func forget(_ reach: Reach, _ work: Work) throws {
        let zone = SQLValue.int(reach.zone.id)
        let accounts = try work.database.query(
            "SELECT account FROM sharedzone WHERE zone = ? AND deleted = 0 ORDER BY account", zone
        ).map { $0.int(0) }
        for share in try ShareRecord.all(in: reach.zone, work) {
            for member in try ShareParticipant.all(of: share.name, in: reach.zone, work)
            where member.status == "ACCEPTED" && member.permission != "NONE" {
                if let account = member.account { try ShareNotes.left(account, share.name, in: reach, work) }
            }
        }
        for table in ["participant", "share", "departed"] {
            try work.database.execute("DELETE FROM \(table) WHERE zone = ?", zone)
        }
        for account in accounts { try leave(reach, account, work) }
    }
}
