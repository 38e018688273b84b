import FleetModel
import Storage

/// Why a zone is gone (cloudkit-framework.md 3): the raw value is the table's, the name is what changes tell.
enum ZoneDeletion: Int64 {
    /// An app did it.
    case deleted = 1
    /// The person erased the app's data in Settings.
    case purged
    /// The person reset the keys of encrypted data.
    case encryptedDataReset
}

/// A record zone as it lies in the table.
struct Zone: Hashable {
    static let defaultName = "_defaultZone"
    /// What clients call the owner of their own zones (cloudkit-framework.md 2).
    static let currentOwner = "__defaultOwner__"

    var id: Int64
    var name: String
    /// Sequence at which it was made; a zone made again under the same name is another one.
    var born: Int64
    /// Sequence of the last change in it.
    var sequence: Int64
    /// Nil: it is there.
    var deletion: ZoneDeletion?
    var isDeleted: Bool { deletion != nil }

    var isDefault: Bool { name == Zone.defaultName }
    /// Whether a batch can succeed or fail as one (cloudkit-framework.md 3).
    var isAtomic: Bool { !isDefault }

    init(_ row: Row) {
        id = row.int(0)
        name = row.text(1)
        born = row.int(2)
        sequence = row.int(3)
        deletion = row.int(4) == 0 ? nil : ZoneDeletion(rawValue: row.int(4)) ?? .deleted
    }
    static let columns = "id, name, born, seq, deleted"

    // MARK: Table

    /// The row of a name, deleted ones included.
    static func find(_ name: String, in space: Space, _ work: Work) throws -> Zone? {
        try work.database.query(
            "SELECT \(columns) FROM zone WHERE owner = ? AND space = ? AND name = ?", .int(space.owner),
            .text(space.key),
            .text(name)
        ).first.map(Zone.init)
    }

    /// A zone that is there. The default zone always is; its row is made when it is first asked for.
    /// - Throws: `ZONE_NOT_FOUND`; `USER_DELETED_ZONE` for one that the person erased.
    static func live(_ name: String, in space: Space, _ work: Work) throws -> Zone {
        let zone = try find(name, in: space, work)
        if let zone, !zone.isDeleted { return zone }
        if name == defaultName { return try make(name, in: space, work) }
        var error = Reach.unknown(name, nil, space)
        switch zone?.deletion {
        case .purged:
            error.code = .userDeletedZone
            error.reason = "the person erased the zone '\(name)' of '\(space.container)'; drop what you keep of it"
        case .encryptedDataReset: error = error.naming("encryptedDataReset", true)
        case .deleted, nil: break
        }
        throw error
    }

    /// All zones that are there, by name.
    static func all(in space: Space, _ work: Work) throws -> [Zone] {
        try work.database.query(
            "SELECT \(columns) FROM zone WHERE owner = ? AND space = ? AND deleted = 0 ORDER BY name",
            .int(space.owner),
            .text(space.key)
        ).map(Zone.init)
    }

    static func make(_ name: String, in space: Space, _ work: Work) throws -> Zone {
        let sequence = SQLValue.int(try work.nextSequence(space.owner))
        try work.database.execute(
            "INSERT INTO zone(owner, space, name, born, seq, deleted) VALUES(?, ?, ?, ?, ?, 0) "
                + "ON CONFLICT(owner, space, name) DO UPDATE SET born = excluded.born, seq = excluded.seq, deleted = 0",
            .int(space.owner), .text(space.key), .text(name), sequence, sequence)
        guard let zone = try find(name, in: space, work) else {
            throw CloudError(.internalError, "the zone '\(name)' was saved and is not there")
        }
        return zone
    }

    /// Moves the zone to the front of the database's changes.
    func touch(_ sequence: Int64, _ work: Work) throws {
        try work.database.execute("UPDATE zone SET seq = ? WHERE id = ?", .int(sequence), .int(id))
    }
}
