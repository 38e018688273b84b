import FleetModel
import Storage

/// Keys of which each keeps the write with the largest (device stamp, device): the rule of key-value-store.md 6, in any
/// order of arrival. Key-value stores and the keychain share it.
///
/// Removal is a write of null and competes as one. Limits of size are the device's to hold (key-value-store.md 2): what it
/// accepted is not dropped here.
struct StampedStore {
    let channel: Channel
    /// Name in the table.
    let store: String
    let service: HintedService
    /// Topic of the push.
    let topic: String

    /// `{since, writes: [{key, value, stamp, device}]}` -> `{seq, changes}`.
    func sync(_ call: Call, _ work: Work) throws -> Answer {
        let body = try call.json()
        let since = try body.integer("since")
        guard since >= 0 else { throw CloudError.badRequest("'since' must not be negative; 0 asks for everything") }
        let writes = try body.list("writes").map { (value) throws(CloudError) in try StampedWrite(value) }
        var hasChanged = false
        for write in writes where try take(write, call.caller, work) { hasChanged = true }
        if hasChanged { try work.pushHint(service, topic: topic, call.caller) }
        return try changes(since, call.caller, work)
    }

    /// - Returns: whether the key's state changed.
    private func take(_ write: StampedWrite, _ caller: Caller, _ work: Work) throws -> Bool {
        let owner = SQLValue.int(caller.account)
        let present = try work.database.query(
            "SELECT stamp, device, tokens FROM entry WHERE owner = ? AND store = ? AND key = ?", owner, .text(store),
            .text(write.key)
        ).first
        let old = present.map { TokenList.read($0.text(2)) } ?? []
        let new = EditPayload.scan(write.value).tokens
        let detail: Value = ["stamp": .int(write.stamp), "device": .string(write.device), "store": .string(store)]
        if let present, (write.stamp, write.device) <= (present.int(0), present.text(1)) {
            // The same write again changes nothing; an older one has lost by the rule before it arrived.
            if (write.stamp, write.device) != (present.int(0), present.text(1)) {
                work.noteReplaced(channel, of: caller.name, at: write.key, old: new, by: old, detail: detail)
            }
            return false
        }
        try work.database.execute(
            "INSERT OR REPLACE INTO entry(owner, store, key, stamp, device, seq, tokens, json) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            owner, .text(store), .text(write.key), .int(write.stamp), .text(write.device),
            .int(try work.nextSequence(caller.account)), .text(TokenList.text(new)),
            .blob(try seal(write.json, caller.account, work.policy)))
        work.noteWrite(channel, of: caller.name, at: write.key, old: old, new: new, detail: detail)
        return true
    }

    /// Keychain items lie encrypted where the disk is a server's (S: identity.md 5).
    private func seal(_ json: [UInt8], _ owner: Int64, _ policy: CloudPolicy) throws -> [UInt8] {
        guard channel == .keychain, policy.sealsKeychain else { return json }
        return try Secret.enclose(json, place: "\(store) \(owner)", key: policy.secret)
    }
    static func unseal(_ bytes: [UInt8], _ store: String, _ owner: Int64, _ policy: CloudPolicy) throws -> [UInt8] {
        do { return try Secret.disclose(bytes, place: "\(store) \(owner)", key: policy.secret) } catch {
            throw CloudError(
                .internalError, "an entry of '\(store)' cannot be decrypted: the secret is another, or it was altered")
        }
    }

    private func changes(_ since: Int64, _ caller: Caller, _ work: Work) throws -> Answer {
        let rows = try work.database.query(
            "SELECT seq, json FROM entry WHERE owner = ? AND store = ? AND seq > ? ORDER BY seq", .int(caller.account),
            .text(store), .int(since))
        var writer = ObjectWriter()
        writer.add("changes", raws: try rows.map { try Self.unseal($0.blob(1), store, caller.account, work.policy) })
        writer.add("seq", .int(max(since, rows.last?.int(0) ?? 0)))
        return Answer(body: writer.finished())
    }
}

/// One write as a device stamped it.
struct StampedWrite: Hashable {
    var key: String
    var value: Value
    /// The device's clock when the value was set, nanoseconds.
    var stamp: Int64
    var device: String

    init(_ body: Value) throws(CloudError) {
        key = try body.text("key")
        guard !key.isEmpty else { throw .badRequest("'key' must not be empty") }
        value = body["value"] ?? .null
        stamp = try body.integer("stamp")
        device = try body.text("device")
    }

    /// The form in which readers get it.
    var json: [UInt8] {
        var writer = ObjectWriter()
        writer.add("device", .string(device))
        writer.add("key", .string(key))
        writer.add("stamp", .int(stamp))
        writer.add("value", value)
        return writer.finished()
    }
}
