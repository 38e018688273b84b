import FleetModel
import Storage

/// One key of a stamped store as it lies in the table.
///
/// Keychain items lie encrypted where the disk is a server's (S: identity.md 5): then the key is a keyed digest, and device
/// and tokens are in the encrypted content alone.
struct StampedEntry {
    private let write: StampedWrite
    private let owner: Int64
    private let store: String
    private let isSealed: Bool
    private let key: String
    private let json: [UInt8]

    init(_ write: StampedWrite, of owner: Int64, in store: String, isSealed: Bool, _ policy: CloudPolicy) throws {
        (self.write, self.owner, self.store, self.isSealed) = (write, owner, store, isSealed)
        key =
            isSealed
            ? Hex.text(Secret.seal("key \(store) \(owner) \(write.key)", key: policy.secret).prefix(16)) : write.key
        json =
            isSealed
            ? try Secret.enclose(write.json, place: Self.place(store, owner), key: policy.secret) : write.json
    }
    private static func place(_ store: String, _ owner: Int64) -> String { "\(store) \(owner)" }

    /// What the key holds; nil: it was never written.
    func present(_ work: Work) throws -> (stamp: Int64, device: String, tokens: [Token])? {
        let rows = try work.database.query(
            "SELECT stamp, device, tokens, json FROM entry WHERE owner = ? AND store = ? AND key = ?", .int(owner),
            .text(store), .text(key))
        guard let row = rows.first else { return nil }
        guard isSealed else { return (row.int(0), row.text(1), TokenList.read(row.text(2))) }
        let inner = try Self.content(row.blob(3), store, owner, work.policy)
        return (row.int(0), inner.device, EditPayload.scan(inner.value).tokens)
    }
    func save(_ work: Work) throws {
        let sequence = try work.nextSequence(owner)
        try insert(at: sequence, work.database)
    }
    private func insert(at sequence: Int64, _ database: Database) throws {
        try database.execute(
            "INSERT OR REPLACE INTO entry(owner, store, key, stamp, device, seq, tokens, json) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            .int(owner), .text(store), .text(key), .int(write.stamp), .text(isSealed ? "" : write.device),
            .int(sequence), .text(isSealed ? "" : TokenList.text(EditPayload.scan(write.value).tokens)), .blob(json))
    }

    /// The form in which readers get it.
    static func unseal(_ bytes: [UInt8], _ store: String, _ owner: Int64, _ policy: CloudPolicy) throws -> [UInt8] {
        do { return try Secret.disclose(bytes, place: place(store, owner), key: policy.secret) } catch {
            throw CloudError(
                .internalError, "an entry of '\(store)' cannot be decrypted: the secret is another, or it was altered")
        }
    }
    static func content(_ bytes: [UInt8], _ store: String, _ owner: Int64, _ policy: CloudPolicy) throws -> StampedWrite
    {
        let json = try unseal(bytes, store, owner, policy)
        guard let body = try? Value(json: json) else {
            throw CloudError(.internalError, "an entry of '\(store)' is stored as what is not JSON")
        }
        return try StampedWrite(body)
    }

    /// Hides what earlier versions have left in clear beside encrypted items.
    static func hideAll(in store: String, _ database: Database, _ policy: CloudPolicy) throws {
        guard policy.seals else { return }
        for row in try database.query(
            "SELECT owner, key, seq, json FROM entry WHERE store = ? ORDER BY owner, key", .text(store))
        {
            let write = try content(row.blob(3), store, row.int(0), policy)
            guard write.key == row.text(1) else { continue }
            try database.execute(
                "DELETE FROM entry WHERE owner = ? AND store = ? AND key = ?", .int(row.int(0)), .text(store),
                .text(row.text(1)))
            let entry = try StampedEntry(write, of: row.int(0), in: store, isSealed: true, policy)
            try entry.insert(at: row.int(2), database)
        }
    }
}
