import FleetModel
import Storage

/// A share: which records of a zone others may see, and who (cloudkit-framework.md 16).
struct ShareRecord: Hashable {
    /// Type of the record that stands for it.
    static let type = "cloudkit.share"

    var name: String
    /// Record name of the root; empty for a share of the whole zone.
    var root: String
    /// By which it is found.
    var guid: String
    /// `NONE`, `READ_ONLY` or `READ_WRITE`: what anybody may do who has the GUID.
    var permission: String

    private init(_ row: Row) {
        name = row.text(0)
        root = row.text(1)
        guid = row.text(2)
        permission = row.text(3)
    }
    private static let columns = "name, root, guid, permission"

    static func find(_ name: String, in zone: Zone, _ work: Work) throws -> ShareRecord? {
        try work.database.query(
            "SELECT \(columns) FROM share WHERE zone = ? AND name = ?", .int(zone.id), .text(name)
        ).first.map(ShareRecord.init)
    }
    static func all(in zone: Zone, _ work: Work) throws -> [ShareRecord] {
        try work.database.query("SELECT \(columns) FROM share WHERE zone = ? ORDER BY name", .int(zone.id))
            .map(ShareRecord.init)
    }
    /// A share by its GUID, in one container and environment.
    static func find(guid: String, in place: Place, _ work: Work) throws -> (share: ShareRecord, reach: Reach)? {
        let rows = try work.database.query(
            "SELECT \(columns), zone FROM share WHERE guid = ? AND space = ?", .text(guid), .text(place.key))
        guard let row = rows.first, let reach = try Reach(zone: row.int(4), work) else { return nil }
        return (ShareRecord(row), reach)
    }

    static func save(
        _ name: String, root: String, guid: String, permission: String, in reach: Reach, _ work: Work
    ) throws {
        try work.database.execute(
            "INSERT INTO share(zone, name, root, guid, space, permission) VALUES(?, ?, ?, ?, ?, ?) "
                + "ON CONFLICT(zone, name) DO UPDATE SET permission = excluded.permission", .int(reach.zone.id),
            .text(name), .text(root), .text(guid), .text(reach.space.key), .text(permission))
    }
    static func remove(_ name: String, in zone: Zone, _ work: Work) throws {
        try work.database.execute("DELETE FROM share WHERE zone = ? AND name = ?", .int(zone.id), .text(name))
        try work.database.execute("DELETE FROM departed WHERE zone = ? AND share = ?", .int(zone.id), .text(name))
    }

    /// Adds to a share's dictionary what differs from reader to reader (cloudkit-web-services.md 8.4).
    static func complete(_ body: inout Value, _ name: String, in reach: Reach, for caller: Caller, _ work: Work) throws
    {
        guard let share = try find(name, in: reach.zone, work) else { return }
        let owner = try ShareParticipant.owner(of: reach, work)
        let others = try ShareParticipant.all(of: name, in: reach.zone, work)
        body["publicPermission"] = .string(share.permission)
        body["owner"] = owner
        let isOwner = caller.account == reach.space.owner
        let me = isOwner ? nil : others.first { $0.account == caller.account }
        // Who takes part sees with whom; who has only the GUID sees whose it is.
        let shown = isOwner || me?.status == "ACCEPTED" ? others : me.map { [$0] } ?? []
        body["participants"] = .array([owner] + (try shown.map { try $0.body(in: reach.space, for: caller, work) }))
        body["currentUserParticipant"] = isOwner ? owner : try me?.body(in: reach.space, for: caller, work)
    }
}

/// Somebody who takes part in a share, or is invited to.
struct ShareParticipant: Hashable {
    var id: Int64
    var share: String
    /// Nil while nobody is known by the lookup info.
    var account: Int64?
    var lookup: Value
    /// `USER` or `PUBLIC_USER`.
    var type: String
    var permission: String
    /// `PENDING` or `ACCEPTED`; who was removed is in the list no more.
    var status: String

    init(_ row: Row) {
        id = row.int(0)
        share = row.text(1)
        account = row.isNull(2) ? nil : row.int(2)
        lookup = (try? Value(json: row.text(3))) ?? .empty
        type = row.text(4)
        permission = row.text(5)
        status = row.text(6)
    }
    static let columns = "id, share, account, lookup, type, permission, status"

    static func all(of share: String, in zone: Zone, _ work: Work) throws -> [ShareParticipant] {
        try work.database.query(
            "SELECT \(columns) FROM participant WHERE zone = ? AND share = ? ORDER BY id", .int(zone.id), .text(share)
        ).map(ShareParticipant.init)
    }
    static func add(
        _ lookup: Value, account: Int64?, type: String, permission: String, status: String, to share: String,
        in zone: Zone, _ work: Work
    ) throws {
        try work.database.execute(
            "INSERT INTO participant(zone, share, account, lookup, type, permission, status) VALUES(?, ?, ?, ?, ?, ?, ?)",
            .int(zone.id), .text(share), account.map(SQLValue.int) ?? .null, .text(lookup.json), .text(type),
            .text(permission), .text(status))
    }
    func update(_ work: Work) throws {
        try work.database.execute(
            "UPDATE participant SET account = ?, permission = ?, status = ? WHERE id = ?",
            account.map(SQLValue.int) ?? .null,
            .text(permission), .text(status), .int(id))
    }
    /// Changes what the participant may do. Who may do nothing any more has the zone no more in his shared database, and has
    /// it again when he may.
    mutating func set(permission: String, in reach: Reach, _ work: Work) throws {
        let was = self.permission
        self.permission = permission
        try update(work)
        guard let account, status == "ACCEPTED", (was == "NONE") != (permission == "NONE") else { return }
        if permission == "NONE" {
            try ShareNotes.left(account, share, in: reach, work)
            try SharedZones.leave(reach, account, work)
        } else {
            ShareNotes.joined(try work.owner(account).name, share, in: reach, work)
            try SharedZones.join(reach, account, work)
        }
    }
    /// Takes the participant out, and the zone from his shared database when nothing else in it is his.
    func remove(in reach: Reach, _ work: Work) throws {
        try work.database.execute("DELETE FROM participant WHERE id = ?", .int(id))
        guard let account else { return }
        if status == "ACCEPTED", permission != "NONE" { try ShareNotes.left(account, share, in: reach, work) }
        try SharedZones.leave(reach, account, work)
    }

    /// The participant dictionary (cloudkit-web-services.md 8.12). Who shares is shown to those with whom he shares.
    ///
    /// Of an invitation that nobody has accepted yet only that is shown by which it was sent: else anybody would learn by an
    /// invitation whether an address is somebody's, and whose. Who lets himself be found may be found so too.
    func body(in space: Space, for caller: Caller, _ work: Work) throws -> Value {
        var identity: Value = .empty
        if let profile = try account.map({ try People.profile(of: $0, work) }),
            status == "ACCEPTED" || profile.isDiscoverable || profile.account == caller.account
        {
            identity = profile.identity(in: space, showsName: true, work)
        }
        identity["lookupInfo"] = lookup
        return [
            "acceptanceStatus": .string(status), "permission": .string(permission), "type": .string(type),
            "userIdentity": identity,
        ]
    }
    static func owner(of reach: Reach, _ work: Work) throws -> Value {
        [
            "acceptanceStatus": "ACCEPTED", "permission": "READ_WRITE", "type": "OWNER",
            "userIdentity": try People.profile(of: reach.space.owner, work).identity(
                in: reach.space, showsName: true, work),
        ]
    }
}
