import FleetModel
import Storage

/// What a caller may do with the records of one zone.
struct Grant: Hashable {
    struct Share: Hashable {
        var name: String
        var canWrite: Bool
    }
    /// Shares the caller takes part in; nil in a zone of one's own, where everything is allowed, and in public databases.
    var shares: [Share]?
    /// What the caller's roles allow; nil but in public databases.
    var roles: Roles?

    static let everything = Grant(shares: nil)

    init(shares: [Share]?) { self.shares = shares }
    /// Of a caller in a database of his own, or in a public one.
    init(of caller: Caller, in space: Space, _ work: Work) throws {
        if space.isPublic { roles = try Roles(of: caller, in: space.place, work) }
    }

    private func share(of row: RecordRow) -> Share? {
        shares?.first { $0.name == Share.wholeZone || $0.name == row.share }
    }
    func canRead(_ row: RecordRow) -> Bool {
        roles?.canRead(row.type, madeBy: row.creator) ?? (shares == nil || share(of: row) != nil)
    }
    func canWrite(_ row: RecordRow) -> Bool {
        roles?.canWrite(row.type, madeBy: row.creator) ?? (shares == nil || share(of: row)?.canWrite == true)
    }
    /// Whether a new record may be made under `share`, which is empty for one that hangs on no shared record.
    func canCreate(under share: String) -> Bool {
        shares?.contains { $0.canWrite && ($0.name == Share.wholeZone || $0.name == share && !share.isEmpty) } ?? true
    }
}

extension Grant.Share {
    /// Record name of a share that covers a whole zone (cloudkit-framework.md 16).
    static let wholeZone = "cloudkit.zoneshare"
}

/// Where a zone ID leads: the database that owns the zone, the zone, and what the caller may do there.
struct Reach: Hashable {
    var space: Space
    var zone: Zone
    var grant = Grant.everything
    /// Zone ID as the caller writes it.
    var identifier: Value

    /// - Throws: `ZONE_NOT_FOUND` also for a zone of somebody else who has not shared it: not even its name is told.
    init(_ id: Value?, _ space: Space, _ caller: Caller, _ work: Work) throws {
        let name = try Zone.name(id)
        let owner = try Zone.ownerName(id)
        if space.isShared {
            guard let owner else {
                throw CloudError.badRequest(
                    "zone '\(name)' of the shared database names no 'ownerRecordName'; send the zone ID as changes/database shows it"
                )
            }
            guard let found = try SharedZones.find(name, owner: owner, in: space, caller, work) else {
                throw Self.unknown(name, owner, space)
            }
            try RestrictUser.check(owner: found.space.owner, found.space.container, work)
            self = found
            return
        }
        try Self.checkOwner(of: id, in: space, caller, work)
        try RestrictUser.check(space, work)
        self.space = space
        zone = try Zone.live(name, in: space, work)
        identifier = Zone.identifier(name)
        grant = try Grant(of: caller, in: space, work)
    }
    init(space: Space, zone: Zone, grant: Grant = .everything, identifier: Value? = nil) {
        self.space = space
        self.zone = zone
        self.grant = grant
        self.identifier = identifier ?? Zone.identifier(zone.name)
    }

    static func unknown(_ name: String, _ owner: String?, _ space: Space) -> CloudError {
        CloudError(.zoneNotFound, "there is no zone '\(name)' in '\(space.container)'; save the zone first")
            .naming("zoneID", Zone.identifier(name, owner: owner ?? Zone.currentOwner))
    }
    /// - Throws: `ZONE_NOT_FOUND` for a zone ID in the private database that names another owner: it means no zone of the
    ///   caller's, though he may have one of that name.
    static func checkOwner(of id: Value?, in space: Space, _ caller: Caller, _ work: Work) throws(CloudError) {
        guard space.scope == .own, let owner = try Zone.ownerName(id), !meansCaller(owner, space, caller, work) else {
            return
        }
        throw unknown(try Zone.name(id), owner, space)
    }
    private static func meansCaller(_ owner: String, _ space: Space, _ caller: Caller, _ work: Work) -> Bool {
        owner == Zone.currentOwner || owner == "_defaultOwner"
            || owner == UsersCaller.recordName(of: caller.name, in: space, work)
    }

    /// The record of a name that the caller may see; tombstones included.
    func find(_ name: String, _ work: Work) throws -> RecordRow? {
        try RecordRow.find(name, in: zone, work).flatMap { grant.canRead($0) ? $0 : nil }
    }
}
