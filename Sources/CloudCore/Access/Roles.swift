import FleetModel
import Storage

/// What a role may do with records of one type in a public database (cloudkit-framework.md 15).
struct RecordRights: OptionSet, Hashable {
    let rawValue: Int64
    static let create = RecordRights(rawValue: 1)
    static let read = RecordRights(rawValue: 2)
    /// To change and to delete.
    static let write = RecordRights(rawValue: 4)
}

/// What one caller may do in the public database of a place, by type of record (S233). Private and shared databases have
/// no roles: there owner and share decide (`Grant`).
///
/// Everybody is `_world`, a person also `_icloud`, of what he made `_creator`, and what else `cloud.member` has made him. A type
/// of which the administrator said nothing is read by all, made by every person and changed by its maker alone; the
/// developer's key may do everything. Names and usual rights are those of Apple's schema language, from general knowledge (ASSUMED).
struct Roles: Hashable {
    static let world = "_world"
    static let person = "_icloud"
    static let creator = "_creator"
    private static let usual: [String: RecordRights] = [world: .read, person: .create, creator: [.read, .write]]

    private let account: Int64
    private let isDeveloper: Bool
    /// What the caller is whoever has made a record.
    private let held: [String]
    /// As set, by type and role.
    private let granted: [String: [String: RecordRights]]

    init(of caller: Caller, in place: Place, _ work: Work) throws {
        account = caller.isPerson ? caller.account : 0
        isDeveloper = caller.kind == .developer
        let rows = try work.database.query(
            "SELECT record, role, rights FROM recordrole WHERE container = ? AND environment = ?",
            .text(place.container), .text(place.environment))
        granted = rows.reduce(into: [:]) {
            $0[$1.text(0), default: [:]][$1.text(1)] = RecordRights(rawValue: $1.int(2))
        }
        var held = caller.isPerson ? [Self.world, Self.person] : [Self.world]
        if caller.isPerson, !granted.isEmpty {
            held += try work.database.query(
                "SELECT role FROM rolemember WHERE container = ? AND environment = ? AND owner = ? ORDER BY role",
                .text(place.container), .text(place.environment), .int(caller.account)
            ).map { $0.text(0) }
        }
        self.held = held
    }

    func canCreate(_ type: String) -> Bool { may(.create, type, madeBy: 0) }
    func canRead(_ type: String, madeBy creator: Int64) -> Bool { may(.read, type, madeBy: creator) }
    func canWrite(_ type: String, madeBy creator: Int64) -> Bool { may(.write, type, madeBy: creator) }

    private func may(_ right: RecordRights, _ type: String, madeBy creator: Int64) -> Bool {
        if isDeveloper { return true }
        let own = granted[type]
        func has(_ role: String) -> Bool { (own?[role] ?? Self.usual[role] ?? []).contains(right) }
        return held.contains(where: has) || account != 0 && creator == account && has(Self.creator)
    }
}

/// What the administrator does to roles.
extension Roles {
    /// Sets the rights of a role to a type of record. In a closed production roles come by deployment, as all of the schema does.
    /// - Throws: `BAD_REQUEST` for a role that cannot be or cannot have these rights, `NOT_FOUND` for a type that development does not have.
    static func grant(
        _ rights: RecordRights, to role: String, of type: String, in place: Place, _ work: Work
    ) throws {
        try check(role, rights)
        guard !place.isClosed(work.policy) else {
            throw CloudError.badRequest("roles of production are those of development; set them there and deploy")
        }
        var catalogue = Catalogue(place, work)
        guard try place.environment != "development" || catalogue.hasType(type) else {
            throw CloudError(.notFound, "there is no record type '\(type)' in development of '\(place.container)'")
        }
        try work.database.execute(
            "INSERT OR REPLACE INTO recordrole(container, environment, record, role, rights) VALUES(?, ?, ?, ?, ?)",
            .text(place.container), .text(place.environment), .text(type), .text(role), .int(rights.rawValue))
    }
    private static func check(_ role: String, _ rights: RecordRights) throws(CloudError) {
        switch role {
        case world where !rights.subtracting(.read).isEmpty:
            throw .badRequest("'\(world)' can only read: who makes and changes records must be a person")
        case creator where rights.contains(.create):
            throw .badRequest("'\(creator)' cannot create: a record that is not made yet has no creator")
        case world, person, creator: return
        default: try checkName(role)
        }
    }
    /// A role of the app's own: letters, digits and low lines, the first a letter.
    private static func checkName(_ role: String) throws(CloudError) {
        let isName =
            role.utf8.count <= 255 && role.first?.isLetter == true
            && role.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
        guard isName else {
            throw .badRequest(
                "'\(role)' is no role: use '\(world)', '\(person)', '\(creator)' or a name of letters, digits and '_'")
        }
    }

    /// Gives an account one of the app's own roles, or takes it away.
    static func setMember(_ account: Int64, of role: String, _ isMember: Bool, in place: Place, _ work: Work) throws {
        try checkName(role)
        try work.database.execute(
            isMember
                ? "INSERT INTO rolemember(container, environment, role, owner) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING"
                : "DELETE FROM rolemember WHERE container = ? AND environment = ? AND role = ? AND owner = ?",
            .text(place.container), .text(place.environment), .text(role), .int(account))
    }

    /// Production gets the roles of every type that development has; who holds them is each environment's own.
    static func deploy(_ container: String, _ work: Work) throws {
        try work.database.execute(
            "DELETE FROM recordrole WHERE container = ?1 AND environment = 'production' AND record IN "
                + "(SELECT name FROM recordtype WHERE container = ?1 AND environment = 'development')",
            .text(container))
        try work.database.execute(
            "INSERT OR REPLACE INTO recordrole(container, environment, record, role, rights) "
                + "SELECT container, 'production', record, role, rights FROM recordrole "
                + "WHERE container = ? AND environment = 'development'", .text(container))
    }
}
