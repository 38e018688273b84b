import FleetModel

/// `ck.modify`: saves and deletes records of one zone.
///
/// Save policies become operations of the web service (cloudkit-framework.md 8, cloudkit-web-services.md 5.2):
/// policy 0 is `update` with a change tag and `create` without; 1 and 2 are `forceUpdate` (which fields travel is the app
/// side's choice: changed ones or all). Deletes carry no tag: `forceDelete`.
///
/// An atomic operation is one request, because two are not one commit: iPads may send as many operations at once as the framework allows
/// (ASSUMED: their protocol is not that of web clients, which has 200). Others are split at 200.
struct ModifyOperation: RecordOperation {
    /// The framework's guideline for one operation (cloudkit-framework.md 9).
    static let itemsMax = 400
    static let bytesMax = 2_000_000
    /// The web service's limit for one request (cloudkit-web-services.md 10).
    static let wireOperationsMax = 200

    private let zone: String
    private let policy: Int64
    /// Only custom zones are atomic, of a private and of a shared database.
    private let isAtomic: Bool
    private let device: String
    private let isPersistent: Bool

    /// What has no answer yet; the first `batchCount` items of saves, then deletes, are on their way.
    private var remaining: RecordBatch
    private var phase = Phase.modifying
    private var saved: [Value] = []
    private var deleted: [String] = []
    private var errors = Value.Object()
    private var outcomes: [RecordOutcome] = []

    private enum Phase {
        case modifying
        /// Asking for the server's copies of records that were refused.
        case comparing(BatchVerdict, names: [String])
    }

    init(_ message: RecordMessage, scope: RecordScope, device: String, persistent: Bool) throws(RecordFault) {
        zone = try message.zoneName()
        policy = RecordMessages.Modify(lenient: message.body).policy ?? 0
        guard (0...2).contains(policy) else { throw .malformed("ck.modify: 'policy' must be 0, 1 or 2") }
        let wantsAtomic = try message.flag("atomic", default: true)
        isAtomic = wantsAtomic && scope.database != "public" && zone != RecordZone.defaultName
        self.device = device
        isPersistent = persistent
        remaining = RecordBatch(save: try message.list("save"), delete: try message.texts("delete"))
        try checkShape()
        try checkLimits(message.body)
        try takeOut(message.body["refused"]?.object ?? Value.Object())
    }

    /// Records whose files are not there fail by themselves, unless the operation is one commit or has nothing else to do.
    private mutating func takeOut(_ refused: Value.Object) throws(RecordFault) {
        guard let first = refused.pairs.first else { return }
        let rest = remaining.without(Set(refused.keys))
        guard !isAtomic, rest.count > 0 else { throw .refused(CloudKitFailure(stored: first.value)) }
        for record in remaining.save {
            guard let failure = refused[record.recordName ?? ""] else { continue }
            add(record, .failure(CloudKitFailure(stored: failure)))
        }
        remaining = rest
    }

    private func checkShape() throws(RecordFault) {
        guard remaining.count > 0 else { throw .malformed("ck.modify: 'save' or 'delete' must hold something") }
        for record in remaining.save {
            guard let name = record.recordName, !name.isEmpty, record.recordType?.string != nil,
                record["fields"] == nil || record.recordFields != nil
            else {
                // A name made by the service would be another one at each retry.
                throw .malformed("ck.modify: a record needs 'recordName', 'recordType' and a dictionary of 'fields'")
            }
        }
        guard Set(remaining.names).count == remaining.count else {
            throw .refused(
                CloudKitFailure(code: 12, "a record is named twice in one operation; send one change for each"))
        }
    }
    private func checkLimits(_ body: Value) throws(RecordFault) {
        guard remaining.count <= Self.itemsMax else {
            throw .refused(
                CloudKitFailure(
                    code: 27, "\(remaining.count) items are more than \(Self.itemsMax); split the operation in half"))
        }
        // Measured on the local link's form, which is close to the size on the wire.
        guard body.encoded.count <= Self.bytesMax else {
            throw .refused(CloudKitFailure(code: 27, "the operation is larger than 2 MB; split it in half"))
        }
    }

    var orderedZones: [String] { [zone] }

    // MARK: Asking

    private var batch: RecordBatch { remaining.prefix(isAtomic ? Self.itemsMax : Self.wireOperationsMax) }

    mutating func start() -> OperationStep { .send(modifyCall()) }

    private mutating func modifyCall() -> WebCall {
        phase = .modifying
        let batch = self.batch
        let saves = batch.save.map { record -> Value in
            let hasTag = record.recordChangeTag?.string != nil
            return [
                "operationType": .string(policy > 0 ? "forceUpdate" : hasTag ? "update" : "create"), "record": record,
            ]
        }
        let deletes = batch.delete.map { name -> Value in
            ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
        }
        return WebCall(
            "records/modify",
            ["zoneID": RecordZone.id(zone), "atomic": .bool(isAtomic), "operations": .array(saves + deletes)])
    }

    // MARK: Hearing

    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        switch phase {
        case .modifying: modified(answer, retried: retried)
        case .comparing(let verdict, let names): compared(answer, verdict, names)
        }
    }

    private mutating func modified(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        var verdict = BatchVerdict(batch, isAtomic: isAtomic, retried: retried)
        switch answer {
        case .success(let body): verdict.read(RecordAnswers(body))
        case .failure(let failure):
            // A batch refused as one after a retry may be refused because of itself.
            guard retried, ["ATOMIC_ERROR", "CONFLICT", "EXISTS"].contains(failure.serverCode) else {
                return refuse(failure)
            }
            verdict.readAll(failure)
        }
        let names = verdict.namesToCompare
        guard !names.isEmpty else { return settle(verdict) }
        phase = .comparing(verdict, names: names)
        return .send(LookupOperation.call(names, zone: zone))
    }

    private mutating func compared(_ answer: WebAnswer, _ verdict: BatchVerdict, _ names: [String]) -> OperationStep {
        var verdict = verdict
        // Without the server's copies the refusal stands as it is: the app has to fetch them itself.
        if case .success(let body) = answer { verdict.compare(RecordAnswers(body), names: names, device: device) }
        return settle(verdict)
    }

    /// The request was refused as a whole: so is what would follow it.
    private mutating func refuse(_ failure: CloudKitFailure) -> OperationStep {
        for record in remaining.save { add(record, .failure(failure)) }
        for name in remaining.delete { errors[name] = failure.value }
        let isWhole = saved.isEmpty && deleted.isEmpty && errors.count == remaining.count
        remaining = RecordBatch(save: [], delete: [])
        return isWhole ? .finish(OperationResult(failure.answer, outcomes: outcomes)) : finish()
    }

    /// Takes over what is certain, and goes on with what is not.
    private mutating func settle(_ verdict: BatchVerdict) -> OperationStep {
        remaining = remaining.dropFirst(batch)
        let patience = isPersistent ? verdict.patience : nil
        for (record, answer) in zip(verdict.batch.save, verdict.saves) {
            if patience != nil, verdict.isWaiting(answer) { remaining.save.append(record) } else { add(record, answer) }
        }
        for (name, failure) in zip(verdict.batch.delete, verdict.deletes) {
            if patience != nil, let failure, verdict.isWaiting(.failure(failure)) {
                remaining.delete.append(name)
            } else if let failure {
                errors[name] = failure.value
            } else {
                deleted.append(name)
            }
        }
        if remaining.count == 0 { return finish() }
        return patience.map { .sendLater(modifyCall(), $0) } ?? .send(modifyCall())
    }

    private mutating func add(_ record: Value, _ answer: WebAnswer) {
        let name = record.recordName ?? ""
        var failure: CloudKitFailure?
        switch answer {
        case .success(let server): saved.append(server)
        case .failure(let reason):
            failure = reason
            errors[name] = reason.value
        }
        let tokens = EditPayload.scan(record).tokens
        if !tokens.isEmpty {
            outcomes.append(RecordOutcome(place: "\(RecordZone.plain(zone))/\(name)", tokens: tokens, failure: failure))
        }
    }

    private func finish() -> OperationStep {
        .finish(OperationResult(answerSoFar, outcomes: outcomes))
    }
    private var answerSoFar: Value {
        RecordMessages.Modify.Answer {
            ($0.zone, $0.saved, $0.deleted, $0.errors) = (zone, saved, deleted, errors)
        }.body
    }

    // MARK: Surviving a restart

    /// What is answered, and the names of what is not; the records themselves are in the journaled message.
    var progress: Value? {
        guard saved.count + deleted.count + errors.count > 0 else { return nil }
        return ["soFar": answerSoFar]
    }
    mutating func resume(from progress: Value) {
        guard let soFar = progress["soFar"] else { return }
        let answered = RecordMessages.Modify.Answer(lenient: soFar)
        (saved, deleted, errors) = (answered.saved, answered.deleted, answered.errors)
        let done = Set(saved.compactMap { $0.recordName } + deleted + errors.keys)
        for record in remaining.save where done.contains(record.recordName ?? "") {
            let name = record.recordName ?? ""
            let failure = errors[name].map { CloudKitFailure(stored: $0) }
            let tokens = EditPayload.scan(record).tokens
            if !tokens.isEmpty {
                outcomes.append(
                    RecordOutcome(place: "\(RecordZone.plain(zone))/\(name)", tokens: tokens, failure: failure))
            }
        }
        remaining = remaining.without(done)
    }
}
