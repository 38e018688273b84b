import FleetModel
import Storage

/// What is out of order at the service for a while, by order of the nemesis. Kept in memory: a service that starts again is in order.
struct Disorder: Hashable {
    /// Accounts that their school has suspended: no sign-in, no service of iCloud.
    ///
    /// Source: none of the reference says how iCloud refuses one; ASSUMED as a token that is dead. The app's own server goes on, since it
    /// asks no account of iCloud (app-lifecycle.md 7).
    var suspended: Set<Int64> = []
    /// Of a batch that is not atomic so many records in a thousand are refused for now, by account.
    var refusedPerMille: [Int64: Int] = [:]
    /// Queries do not find what was saved within so long: the index is behind (cloudkit-framework.md 6).
    var indexDelay = Span.zero

    /// - Throws: `AUTHENTICATION_FAILED` for whoever comes in the name of a suspended account, but to the app's own server.
    func check(_ caller: Caller, at target: Target) throws(CloudError) {
        guard suspended.contains(caller.account), target.path.first != "upload" else { return }
        throw Self.isSuspended(caller.name)
    }
    static func isSuspended(_ name: Person) -> CloudError {
        CloudError(.authenticationFailed, "the account '\(name)' is suspended; ask the school that manages it")
    }
}

extension Cloud {
    /// `cloud.suspend {account, on}`.
    func suspendAccount(_ message: Message) throws {
        guard message["account"] != nil, let on = message["on"]?.bool, let owner = try owners(message).first else {
            throw CloudError.badRequest("'account' and 'on' are needed: say who is suspended, true or false")
        }
        if on { disorder.suspended.insert(owner) } else { disorder.suspended.remove(owner) }
    }

    /// `cloud.refuseRecords {account?, share}`: of one account or of all, a share of the records of each batch, 0 to 1.
    func refuseRecords(_ message: Message) throws {
        guard let share = message["share"]?.double, (0...1).contains(share) else {
            throw CloudError.badRequest("'share' is missing: which part of the records is refused, 0 to 1")
        }
        for owner in try owners(message) { disorder.refusedPerMille[owner] = share > 0 ? Int(share * 1000) : nil }
    }

    /// `cloud.delayIndex {behind}`: nanoseconds by which queries lag behind; 0: they do not.
    func delayIndex(_ message: Message) throws {
        guard let behind = message["behind"]?.int, (0...Span.hours(24).nanoseconds).contains(behind) else {
            throw CloudError.badRequest("'behind' is missing: nanoseconds from 0 to a day")
        }
        disorder.indexDelay = Span(nanoseconds: behind)
    }
}

extension Work {
    /// Whether a record of a batch is refused for now: drawn from its name and the moment, so that another try has other luck.
    func refuses(_ record: String, of account: Int64) -> Bool {
        guard let perMille = disorder.refusedPerMille[account] else { return false }
        return StableHash.of(seed, record, String(now.nanoseconds)) % 1000 < UInt64(perMille)
    }

    /// Whether a record was saved too lately for an index that is behind. ASSUMED: one that was changed is not found either until the
    /// index has it again, and one that was deleted is gone at once.
    func isUnindexed(_ record: Value) -> Bool {
        guard disorder.indexDelay > .zero, let saved = record["modified"]?["timestamp"]?.int else { return false }
        return saved > timestamp - disorder.indexDelay.nanoseconds / 1_000_000
    }

    func mark(_ mark: Mark) { note(.mark(mark)) }
}
