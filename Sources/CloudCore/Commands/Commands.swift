import FleetModel
import Storage

/// What World and nemesis do to the Cloud (Docs/cloud-api.md, "Commands").
extension Cloud {
    /// Carries a command out; one with an exchange is answered by a post of the same name.
    func obey(_ message: Message, from sender: ParticipantID, exchange: UInt64, now: Instant) -> [Output] {
        var outputs: [Output] = []
        var answer: Value = ["ok": true]
        do {
            switch message.name {
            case CloudCommand.crash.rawValue:
                crash(seed: UInt64(bitPattern: message["seed"]?.int ?? 0))
                return []
            case CloudCommand.observe.rawValue: outputs = try observe().map { Output(to: .cloud, .note($0)) }
            case CloudCommand.deleteZones.rawValue:
                let (notes, pushes) = try deleteZones(message, now)
                outputs = CloudReply.outputs(pushes, notes, cause: message.name)
            case CloudCommand.mdm.rawValue:
                let done = try manageDevice(message, now)
                (answer, outputs) = (done.answer, CloudReply.outputs(done.pushes, [], cause: message.name))
            default: answer = try carryOut(message, now)
            }
        } catch {
            answer = ["refused": .string((error as? CloudError)?.reason ?? "\(error)")]
        }
        if exchange != 0 {
            outputs.append(
                Output(to: sender, .post(Message(message.name, answer)), exchange: exchange, cause: message.name))
        }
        return outputs
    }

    /// What needs no more than an answer: faults of a run, and management.
    func carryOut(_ message: Message, _ now: Instant) throws -> Value {
        switch message.name {
        case CloudCommand.quota.rawValue: try setQuota(message, now)
        case CloudCommand.expireTokens.rawValue: try expireTokens(message, now)
        case CloudCommand.revoke.rawValue: try revoke(message, now)
        case CloudCommand.suspend.rawValue: try suspendAccount(message)
        case CloudCommand.refuseRecords.rawValue: try refuseRecords(message)
        case CloudCommand.delayIndex.rawValue: try delayIndex(message)
        default: return try manage(message, now)
        }
        return ["ok": true]
    }

    /// `cloud.quota {account?, bytes}`: space of one account, or of all; bytes null restores the usual one.
    private func setQuota(_ message: Message, _ now: Instant) throws {
        let bytes = message["bytes"] ?? .null
        guard let quota = bytes.isNull ? Schema.quotaBytesDefault : bytes.int, quota >= 0 else {
            throw CloudError.badRequest("'bytes' must be a number of bytes or null")
        }
        let owners = try owners(message)
        try transact(now) { work in for owner in owners { try work.setQuota(quota, of: owner) } }
    }

    /// `cloud.expireTokens {account?}`: change tokens given out so far are refused from now on; of one account, or of all.
    private func expireTokens(_ message: Message, _ now: Instant) throws {
        let owners = try owners(message)
        try transact(now) { work in for owner in owners { try work.expireTokens(of: owner) } }
    }

    /// `cloud.revoke {account, device?}`: the account's tokens are dead, on one device or on all.
    private func revoke(_ message: Message, _ now: Instant) throws {
        let owner = SQLValue.int(try account(message.body.text("account")))
        try transact(now) { work in
            if let device = message["device"]?.string {
                try work.database.execute("DELETE FROM session WHERE owner = ? AND device = ?", owner, .text(device))
            } else {
                try work.database.execute("DELETE FROM session WHERE owner = ?", owner)
            }
        }
    }

    /// The account that a command names, or all; the public database is nobody's.
    func owners(_ message: Message) throws -> [Int64] {
        guard message["account"] == nil else { return [try account(message.body.text("account"))] }
        return try database.query("SELECT id FROM owner WHERE id <> ? ORDER BY id", .int(Owner.publicID)).map {
            $0.int(0)
        }
    }
    private func account(_ name: String) throws -> Int64 {
        guard
            let row = try database.query(
                "SELECT id FROM owner WHERE name = ? AND id <> ?", .text(name), .int(Owner.publicID)
            ).first
        else { throw CloudError.badRequest("there is no account '\(name)'") }
        return row.int(0)
    }
}
