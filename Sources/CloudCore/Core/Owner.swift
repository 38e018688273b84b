import FleetModel
import Storage

/// The books of one account: its change sequence, its draws, its space.
///
/// Counters are per account and persisted, so that one person's ids and tokens do not depend on what others do, and a
/// restart reuses none. The public databases have an owner of their own.
struct Owner: Hashable {
    let id: Int64
    /// Account name; empty for the owner of the public databases.
    let name: Person
    /// Last change; every committed change of anything the owner has takes the next number.
    var sequence: Int64
    /// Random names given out so far.
    var drawn: Int64
    var usedBytes: Int64
    /// Space of private records and documents together (S: icloud-documents.md 10).
    var quotaBytes: Int64
    /// Change tokens of an older epoch are expired.
    var tokenEpoch: Int64

    /// Row of the public databases' owner, made with the schema.
    static let publicID: Int64 = 1

    init?(_ row: Row?) {
        guard let row else { return nil }
        id = row.int(0)
        name = row.text(1)
        sequence = row.int(2)
        drawn = row.int(3)
        usedBytes = row.int(4)
        quotaBytes = row.int(5)
        tokenEpoch = row.int(6)
    }
    static let columns = "id, name, sequence, drawn, used, quota, epoch"

    func save(in database: Database) throws {
        try database.execute(
            "UPDATE owner SET sequence = ?, drawn = ?, used = ?, quota = ?, epoch = ? WHERE id = ?", .int(sequence),
            .int(drawn),
            .int(usedBytes), .int(quotaBytes), .int(tokenEpoch), .int(id))
    }

    /// Refuses what would outgrow the account; what shrinks it is always taken.
    func checkQuota(growth: Int64) throws(CloudError) {
        let (total, overflows) = usedBytes.addingReportingOverflow(growth)
        guard growth > 0, overflows || total > quotaBytes else { return }
        throw CloudError(
            .quotaExceeded,
            "account '\(name)' uses \(usedBytes) of \(quotaBytes) bytes and cannot take \(growth) more; free space first"
        )
    }
}

/// Who pays for what lies in a database: the person for the private one, the app for the public one
/// (cloudkit-web-services.md 9), the owner of the zone for the shared one.
extension Work {
    /// - Throws: `QUOTA_EXCEEDED` for what would outgrow the payer.
    func checkQuota(_ growth: Int64, in space: Space) throws {
        guard space.isPublic else { return try owner(space.owner).checkQuota(growth: growth) }
        guard growth > 0 else { return }
        let row = try database.query("SELECT used, quota FROM container WHERE name = ?", .text(space.container)).first
        let used = row?.int(0) ?? 0
        let quota = row.map { $0.isNull(1) ? policy.publicQuotaBytes : $0.int(1) } ?? policy.publicQuotaBytes
        let (total, overflows) = used.addingReportingOverflow(growth)
        guard overflows || total > quota else { return }
        throw CloudError(
            .quotaExceeded,
            "the app of '\(space.container)' uses \(used) of \(quota) bytes of public space and cannot take \(growth) more"
        )
    }
    /// Checked by `checkQuota` before.
    func use(bytes: Int64, in space: Space) throws {
        guard bytes != 0 else { return }
        guard space.isPublic else { return try use(bytes: bytes, of: space.owner) }
        try database.execute(
            "INSERT INTO container(name, used, quota) VALUES(?, ?, NULL) ON CONFLICT(name) DO UPDATE SET used = used + ?",
            .text(space.container), .int(bytes), .int(bytes))
    }
}
