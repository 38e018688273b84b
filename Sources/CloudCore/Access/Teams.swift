import FleetModel
import Storage

/// Whose container it is: names are registered once in the whole service, and development is its team's alone
/// (cloudkit-framework.md 1, 15; S228, S285).
///
/// A container that nobody has registered is there at its first use and open to everybody, as the World's apps need it (ASSUMED).
enum Teams {
    /// Registers a container for a team.
    /// - Throws: `BAD_REQUEST` for a name that is no reverse domain name, `EXISTS` for one that is registered, by whomever.
    static func register(_ container: String, for team: String, _ work: Work) throws {
        guard isReverseDomain(container) else {
            throw CloudError.badRequest(
                "'\(container)' is no reverse domain name; use the form 'iCloud.com.example.notebook'")
        }
        guard !team.isEmpty else { throw CloudError.badRequest("'team' must not be empty") }
        guard try self.team(of: container, work) == nil else {
            throw CloudError(
                .exists,
                "container '\(container)' is registered already; names are unique in all of iCloud, choose another")
        }
        try work.database.execute(
            "INSERT INTO registration(container, team) VALUES(?, ?)", .text(container), .text(team))
    }
    /// `iCloud.` and two labels or more, each of letters, digits and inner hyphens (RFC 1123 2.1).
    private static func isReverseDomain(_ container: String) -> Bool {
        let labels = container.split(separator: ".", omittingEmptySubsequences: false)
        return labels.first == "iCloud" && labels.count > 2
            && labels.dropFirst().allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                            || byte == UInt8(ascii: "-")
                    }
            }
    }

    /// Takes an account into a team, or out of it.
    static func setMember(_ account: Int64, of team: String, _ isMember: Bool, _ work: Work) throws {
        try work.database.execute(
            isMember
                ? "INSERT INTO teammember(team, owner) VALUES(?, ?) ON CONFLICT DO NOTHING"
                : "DELETE FROM teammember WHERE team = ? AND owner = ?", .text(team), .int(account))
    }

    /// - Throws: `ACCESS_DENIED` to a person who is not of the team, in development. An app's API token and the developer's key
    ///   are the team's own (ASSUMED).
    static func check(_ caller: Caller, at place: Place, _ work: Work) throws {
        guard place.environment == "development", caller.isPerson, let team = try team(of: place.container, work) else {
            return
        }
        let isMember = try !work.database.query(
            "SELECT 1 FROM teammember WHERE team = ? AND owner = ?", .text(team), .int(caller.account)
        ).isEmpty
        guard isMember else {
            throw CloudError(
                .accessDenied,
                "development of '\(place.container)' is open to the team '\(team)' only; use production, or join the team"
            )
        }
    }
    private static func team(of container: String, _ work: Work) throws -> String? {
        try work.database.query("SELECT team FROM registration WHERE container = ?", .text(container)).first?.text(0)
    }
}
