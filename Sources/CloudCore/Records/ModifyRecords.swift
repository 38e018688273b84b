import FleetModel
import Storage

/// `records/modify`: saves and deletes records of one zone (cloudkit-web-services.md 5.2).
///
/// All operations are decided against the table first, then the accepted ones are written: an atomic batch that fails has
/// written nothing. That is sound because a request may name a record only once.
enum ModifyRecords {
    /// cloudkit-web-services.md 10.
    static let operationsMax = 200
    /// Of an iPad, whose own protocol has the framework's limit (cloudkit-framework.md 9; cloudkit-web-services.md 10: two limits, kept
    /// apart). ASSUMED: also for the copies that it looks up after a refusal.
    static let deviceOperationsMax = 400
    static func operationsMax(of caller: Caller) -> Int { caller.kind == .device ? deviceOperationsMax : operationsMax }
    /// Record size without assets (cloudkit-web-services.md 10).
    static let recordBytesMax = 1 << 20

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try call.requireWriter("saving")
        let body = try call.json()
        let zoneName = try Zone.name(body["zoneID"])
        let changes = try operations(body, zone: zoneName, max: operationsMax(of: call.caller))
        // Forced operations carry no tag, and a nameless create no name: only the request id tells a retry from a new wish.
        guard changes.contains(where: { $0.kind.isForced || $0.name == nil }) else {
            return try modify(changes, space, body, call, work)
        }
        return try RequestLog.once(call, work) { try modify(changes, space, body, call, work) }
    }

    private static func operations(_ body: Value, zone: String, max: Int) throws(CloudError) -> [RecordChange] {
        let list = try body.list("operations")
        guard list.count <= max else {
            throw .badRequest("\(list.count) operations are more than \(max); split the request")
        }
        var changes: [RecordChange] = []
        changes.reserveCapacity(list.count)
        var seen: Set<String> = []
        for (index, operation) in list.enumerated() {
            do throws(CloudError) {
                let change = try RecordChange.read(operation, zone: zone)
                if let name = change.name, !seen.insert(name).inserted {
                    throw CloudError.badRequest("record '\(name)' is named twice; send one operation a record")
                }
                changes.append(change)
            } catch { throw error.at("operations", index) }
        }
        return changes
    }

    private static func modify(
        _ changes: [RecordChange], _ space: Space, _ body: Value, _ call: Call, _ work: Work
    ) throws -> Answer {
        let reach = try Reach(body["zoneID"], space, call.caller, work)
        let view = try RecordView(body)
        let isAtomic = try body.flag("atomic", otherwise: true) && reach.zone.isAtomic
        var batch = RecordBatch(reach: reach, caller: call.caller, work: work)
        for change in changes { try batch.decide(change) }
        // What leans on a record that is refused for the moment is refused with it.
        if !isAtomic { batch.refuseSome() }
        try batch.checkTogether()
        if isAtomic, batch.hasFailure { return refusal(batch, work) }
        var writer = ObjectWriter()
        writer.add("records", raws: try batch.write(view))
        try SubscriptionCourier.announce(batch.written, in: reach, call.caller, work)
        return Answer(body: writer.finished())
    }

    /// The culprit carries its own code, the others `ATOMIC_ERROR`, the whole is 400 (cloudkit-web-services.md 5.2).
    private static func refusal(_ batch: RecordBatch, _ work: Work) -> Answer {
        let culprit = batch.plans.first { $0.failure != nil }
        let echo = CloudError(
            .atomicError, "the batch is atomic and '\(culprit?.name ?? "")' was refused; nothing was saved")
        var body = echo.body(uuid: uuid(echo.reason, work))
        body["records"] = .array(
            batch.plans.map { plan in
                (plan.failure ?? echo).naming("recordName", .string(plan.name)).body(uuid: uuid(plan.name, work))
            })
        return Answer(status: ServerErrorCode.atomicError.httpStatus, json: body)
    }
    /// Names a refusal; nothing was written, so no counter can.
    static func uuid(_ text: String, _ work: Work) -> String {
        Work.uuid(sealing: "refusal \(work.now.nanoseconds) \(text)", work.policy)
    }
}
