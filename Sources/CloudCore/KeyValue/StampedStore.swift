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
        let isSealed = channel == .keychain && work.policy.seals
        let entry = try StampedEntry(write, of: caller.account, in: store, isSealed: isSealed, work.policy)
        let present = try entry.present(work)
        let (old, new) = (present?.tokens ?? [], EditPayload.scan(write.value).tokens)
        let detail: Value = ["stamp": .int(write.stamp), "device": .string(write.device), "store": .string(store)]
        if let present, (write.stamp, write.device) <= (present.stamp, present.device) {
            // The same write again changes nothing; an older one has lost by the rule before it arrived.
            if (write.stamp, write.device) != (present.stamp, present.device) {
                work.noteReplaced(channel, of: caller.name, at: write.key, old: new, by: old, detail: detail)
            }
            return false
        }
        try entry.save(work)
        work.noteWrite(channel, of: caller.name, at: write.key, old: old, new: new, detail: detail)
        return true
    }

    /// Entries that are read at once, and those of one answer at most: about twice as many as a store may have keys
    /// (key-value-store.md 2).
    private static let (chunk, changesMax) = (64, 2000)

    private func changes(_ since: Int64, _ caller: Caller, _ work: Work) throws -> Answer {
        var budget = AnswerBudget(records: Self.changesMax, work.policy)
        var (seq, changes, isWhole) = (since, [[UInt8]](), false)
        while !budget.isSpent, !isWhole {
            let rows = try work.database.query(
                "SELECT seq, json FROM entry WHERE owner = ? AND store = ? AND seq > ? ORDER BY seq LIMIT ?",
                .int(caller.account), .text(store), .int(seq), .int(Self.chunk))
            isWhole = rows.count < Self.chunk
            for row in rows {
                guard !budget.isSpent else { isWhole = false; break }
                let json = try StampedEntry.unseal(row.blob(1), store, caller.account, work.policy)
                changes.append(json)
                budget.spend(records: 1, bytes: json.count)
                seq = row.int(0)
            }
        }
        var writer = ObjectWriter()
        writer.add("changes", raws: changes)
        // Said only where it is so: the rest comes after `seq`.
        if !isWhole { writer.add("moreComing", true) }
        writer.add("seq", .int(seq))
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
