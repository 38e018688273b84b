import FleetModel
import Storage

/// A record that a request has changed, as subscriptions look at it.
struct WrittenRecord: Hashable {
    /// Reasons of a query notification (cloudkit-web-services.md 7.5).
    enum Reason: Int64 { case created = 1, updated, deleted }

    var name: String
    var type: String
    var reason: Reason
    /// The fields now; of a deleted record the last ones.
    var fields: Value.Object
}

/// The operations of one request: decided one by one, written together.
struct RecordBatch {
    /// What one operation comes to.
    struct Plan {
        var name: String
        /// The row of the name, tombstone included.
        var present: RecordRow?
        /// The stored record dictionary; null when there is none.
        var stored: Value
        var outcome: RecordChange.Outcome?
        var failure: CloudError?
    }

    let space: Space
    let zone: Zone
    let caller: Caller
    let work: Work
    private(set) var plans: [Plan] = []
    private(set) var written: [WrittenRecord] = []
    /// Bytes that the batch adds to the account so far.
    private var growth: Int64 = 0

    init(space: Space, zone: Zone, caller: Caller, work: Work) {
        self.space = space
        self.zone = zone
        self.caller = caller
        self.work = work
    }

    var hasFailure: Bool { plans.contains { $0.failure != nil } }

    // MARK: Decide

    mutating func decide(_ change: RecordChange) throws {
        let name = try change.name ?? work.newUUID(space.owner)
        let present = try RecordRow.find(name, in: zone, work)
        let live = present.flatMap { $0.isDeleted ? nil : $0 }
        var plan = Plan(name: name, present: present, stored: try live?.body() ?? .null)
        do throws(CloudError) {
            try checkPermission(live)
            let outcome = try change.decide(present: live, stored: plan.stored["fields"]?.object ?? .init())
            try checkSize(outcome, of: plan)
            plan.outcome = outcome
        } catch {
            plan.failure = error
        }
        plans.append(plan)
    }

    /// In the public database only its maker may change a record: Apple's default roles (cloudkit-framework.md 1). ASSUMED.
    private func checkPermission(_ live: RecordRow?) throws(CloudError) {
        guard space.isPublic, let live, live.creator != caller.account else { return }
        throw CloudError(.accessDenied, "record '\(live.name)' of the public database was made by somebody else")
    }

    private mutating func checkSize(_ outcome: RecordChange.Outcome, of plan: Plan) throws(CloudError) {
        guard case .save(_, let fields) = outcome else { return }
        let size = Value.object(fields).approximateBytes
        guard size <= ModifyRecords.recordBytesMax else {
            throw .badRequest(
                "record '\(plan.name)' has about \(size) bytes; \(ModifyRecords.recordBytesMax) are the limit")
        }
        let more = Int64(size) - Int64(plan.present?.json.count ?? 0)
        do {
            try work.owner(space.owner).checkQuota(growth: growth + more)
        } catch let refused as CloudError {
            throw refused
        } catch {
            throw CloudError(.internalError, "the account's books cannot be read: \(error)")
        }
        growth += more
    }

    // MARK: Write

    /// Writes what was accepted.
    /// - Returns: the answer's entry for each operation, in order.
    mutating func write(_ desiredKeys: [String]?) throws -> [[UInt8]] {
        var last: Int64?
        var answers: [[UInt8]] = []
        answers.reserveCapacity(plans.count)
        for plan in plans {
            if let failure = plan.failure {
                let body = failure.naming("recordName", .string(plan.name)).body(
                    uuid: ModifyRecords.uuid(plan.name, work))
                answers.append(body.jsonBytes)
                continue
            }
            switch plan.outcome {
            case .save(let type, let fields): answers.append(try save(plan, type, fields, &last).json(desiredKeys))
            case .remove:
                try remove(plan, &last)
                fallthrough
            case .nothing, nil:
                answers.append((["deleted": true, "recordName": .string(plan.name)] as Value).jsonBytes)
            }
        }
        if let last { try zone.touch(last, work) }
        return answers
    }

    private mutating func save(
        _ plan: Plan, _ type: String, _ fields: Value.Object, _ last: inout Int64?
    ) throws -> RecordRow {
        let sequence = try work.nextSequence(space.owner)
        let now: Value = [
            "deviceID": .string(caller.device), "timestamp": .int(work.timestamp),
            "userRecordName": .string(UsersCaller.recordName(of: caller.name, in: space, work)),
        ]
        let tag = try work.newTag(space.owner)
        let body: Value = [
            "created": plan.stored["created"] ?? now, "fields": .object(fields), "modified": now,
            "recordChangeTag": .string(tag), "recordName": .string(plan.name), "recordType": .string(type),
        ]
        let isNew = plan.stored.isNull
        let row = RecordRow(
            name: plan.name, sequence: sequence, type: type, tag: tag,
            creator: isNew ? caller.account : plan.present?.creator ?? caller.account,
            tokens: RecordFields.tokens(in: .object(fields)).tokens, json: body.jsonBytes)
        try row.save(in: zone, work)
        try work.use(bytes: Int64(row.json.count) - Int64(plan.present?.json.count ?? 0), of: space.owner)
        work.noteWrite(.record, of: caller.name, at: place(plan.name), old: plan.present?.tokens ?? [], new: row.tokens)
        written.append(WrittenRecord(name: plan.name, type: type, reason: isNew ? .created : .updated, fields: fields))
        last = sequence
        return row
    }

    /// Leaves a tombstone, so that readers of changes learn of it.
    private mutating func remove(_ plan: Plan, _ last: inout Int64?) throws {
        guard let present = plan.present else { return }
        let sequence = try work.nextSequence(space.owner)
        try RecordRow(
            name: plan.name, sequence: sequence, isDeleted: true, type: present.type, tag: "", creator: present.creator,
            tokens: [], json: []
        ).save(in: zone, work)
        try work.use(bytes: -Int64(present.json.count), of: space.owner)
        work.noteReplaced(.record, of: caller.name, at: place(plan.name), old: present.tokens, by: [])
        written.append(
            WrittenRecord(
                name: plan.name, type: present.type, reason: .deleted, fields: plan.stored["fields"]?.object ?? .init())
        )
        last = sequence
    }

    private func place(_ name: String) -> String { "\(zone.name)/\(name)" }
}
