import FleetModel
import Storage

/// The operations of one request: decided one by one, checked against each other, then written together.
struct RecordBatch {
    /// What one operation comes to.
    struct Plan {
        var change: RecordChange
        var name: String
        /// The row of the name, tombstone included; nil also for one that the caller may not see.
        var present: RecordRow?
        /// The stored record dictionary; null when there is none.
        var stored: Value
        var outcome: RecordChange.Outcome?
        var failure: CloudError?
        /// References of the record after the save that the service acts on.
        var links: [RecordLink] = []
        /// Name of the parent after the save; empty for none.
        var parent = ""
        /// Digests of the receipts that the save spends.
        var receipts: [String] = []
        /// The row as it was saved.
        var saved: RecordRow?

        var isSaving: Bool { if case .save = outcome, failure == nil { true } else { false } }
        var isRemoving: Bool { outcome == .remove && failure == nil }
        var isShare: Bool {
            savedType == ShareRecord.type || present?.type == ShareRecord.type && present?.isDeleted == false
        }
        private var savedType: String? { if case .save(let type, _) = outcome { type } else { nil } }
    }

    let reach: Reach
    let caller: Caller
    let work: Work
    var plans: [Plan] = []
    private(set) var written: [WrittenRecord] = []
    private var catalogue: Catalogue
    /// Bytes that the batch adds to the payer's account so far.
    private var growth: Int64 = 0

    init(reach: Reach, caller: Caller, work: Work) {
        self.reach = reach
        self.caller = caller
        self.work = work
        catalogue = Catalogue(reach.space.place, work)
    }

    var hasFailure: Bool { plans.contains { $0.failure != nil } }
    private var space: Space { reach.space }
    private var zone: Zone { reach.zone }

    // MARK: Decide

    mutating func decide(_ change: RecordChange) throws {
        let name = try change.name ?? work.newUUID(space.owner)
        try UserRecords.prepare(name, in: reach, caller, work)
        let row = try RecordRow.find(name, in: zone, work)
        // What the caller may not see is not there for him, and its name cannot be taken by him either.
        let isHidden = row.map { !$0.isDeleted && !reach.grant.canRead($0) } ?? false
        let present = isHidden ? nil : row
        let live = present.flatMap { $0.isDeleted ? nil : $0 }
        var plan = Plan(change: change, name: name, present: present, stored: try live?.body() ?? .null)
        do {
            if let problem = change.problem { throw problem }
            try checkPermission(live, change, isHidden: isHidden)
            var outcome = try change.decide(
                present: live, stored: plan.stored["fields"]?.object ?? .init(), work.policy.settings)
            if case .save(let type, var fields) = outcome {
                if live == nil {
                    try RecordChange.checkType(type)
                    try UserRecords.checkType(type)
                    try checkCreation(type)
                    try UserRecords.checkName(name, in: reach, caller, work)
                }
                try prepare(type, &fields, &plan)
                outcome = .save(type: type, fields: fields)
            }
            plan.outcome = outcome
        } catch let problem as CloudError {
            plan.failure = problem
        }
        plans.append(plan)
    }

    /// Some records of a batch are refused for the moment, where the nemesis says so (fault `partial-failure`).
    mutating func refuseSome() {
        for index in plans.indices
        where plans[index].failure == nil && work.refuses(plans[index].name, of: caller.account) {
            plans[index].failure = CloudError(
                .tryAgainLater, "record '\(plans[index].name)' could not be saved now; try again", retryAfter: 2)
            work.mark(.partialFailure)
        }
    }

    /// In the public database roles say who makes records of a type (`Roles`).
    private func checkCreation(_ type: String) throws(CloudError) {
        guard reach.grant.roles?.canCreate(type) ?? true else {
            throw CloudError(.accessDenied, "no role of yours makes records of type '\(type)' in the public database")
        }
    }
    /// In the public database roles say who changes a record (`Roles`). In somebody else's zone the share says what is
    /// allowed (cloudkit-framework.md 16).
    private func checkPermission(_ live: RecordRow?, _ change: RecordChange, isHidden: Bool) throws(CloudError) {
        // A create changes nothing, whoever made what is there: the table of cloudkit-web-services.md 5.2 answers it.
        if space.isPublic, let live, change.kind != .create, !reach.grant.canWrite(live) {
            throw CloudError(
                .accessDenied,
                "no role of yours changes record '\(live.name)' of the public database, which was made by somebody else"
            )
        }
        if isHidden, !change.kind.isDelete, change.kind != .update, change.kind != .replace {
            throw CloudError(.accessDenied, "record '\(change.name ?? "")' cannot be made here")
        }
        guard let live, space.isShared else { return }
        // Who deletes the share record leaves the share: everybody may.
        if live.marks.contains(.share) {
            guard !change.kind.isDelete else { return }
            throw CloudError(.accessDenied, "only the owner changes a share; delete it to leave")
        }
        guard reach.grant.canWrite(live) else {
            throw CloudError(.accessDenied, "record '\(live.name)' is shared to be read only")
        }
        if live.marks.contains(.root), change.kind.isDelete {
            throw CloudError(.accessDenied, "record '\(live.name)' is the root of a share; only its owner deletes it")
        }
    }

    /// Checks what is to be saved by itself: schema, assets, size, space.
    private mutating func prepare(_ type: String, _ fields: inout Value.Object, _ plan: inout Plan) throws {
        var given = plan.change.fields
        if space.isPublic, let secret = given.pairs.first(where: { RecordFields.isSecret($0.value) }) {
            throw CloudError.badRequest(
                "field '\(secret.key)' cannot be encrypted in the public database; use the private one")
        }
        let isShare = type == ShareRecord.type
        if !isShare, let name = given.pairs.first(where: { RecordFields.isSystemName($0.key) })?.key {
            throw CloudError.badRequest("field '\(name)' is one of shares; choose a name without 'cloudkit.'")
        }
        if !isShare { try SchemaGate(space.place, work).checkSave(type, given, guessed: plan.change.guessed) }
        let known =
            isShare ? [:] : try catalogue.check(type, &given, guessed: plan.change.guessed, zone: zone.name)
        let claim = try Assets.claim(&given, record: plan.name, in: reach, caller, work)
        for pair in given.pairs where fields[pair.key] != nil { fields[pair.key] = pair.value }
        plan.receipts = claim.receipts
        plan.links = RecordLink.all(in: fields)
        plan.parent = plan.change.parent.applied(
            to: plan.present?.parent ?? "", isReplacing: !plan.change.kind.keepsOtherFields)
        let size = Value.object(fields).approximateBytes
        guard size <= ModifyRecords.recordBytesMax else {
            throw CloudError.badRequest(
                "record '\(plan.name)' has about \(size) bytes; \(ModifyRecords.recordBytesMax) are the limit")
        }
        let more = Int64(size) - Int64(plan.present?.json.count ?? 0) + claim.growth
        try work.checkQuota(growth + more, in: space)
        growth += more
        if !isShare { catalogue.expect(type, known) }
    }

    // MARK: Write

    /// Writes what was accepted.
    /// - Returns: the answer's entry for each operation, in order.
    mutating func write(_ view: RecordView) throws -> [[UInt8]] {
        for index in plans.indices where plans[index].failure == nil {
            switch plans[index].outcome {
            case .save(let type, let fields): plans[index].saved = try save(plans[index], type, fields)
            case .remove: try remove(plans[index])
            case .nothing, nil: break
            }
        }
        let hasTree = try settleTree()
        try cascade()
        if let last = written.last { try zone.touch(max(last.sequence, try work.owner(space.owner).sequence), work) }
        return try plans.map { try entry($0, view, isCurrent: !hasTree) }
    }

    private func entry(_ plan: Plan, _ view: RecordView, isCurrent: Bool) throws -> [UInt8] {
        if let failure = plan.failure {
            return failure.naming("recordName", .string(plan.name)).body(uuid: ModifyRecords.uuid(plan.name, work))
                .jsonBytes
        }
        guard let saved = plan.saved else {
            return (["deleted": true, "recordName": .string(plan.name)] as Value).jsonBytes
        }
        // A share that was made in the same request has changed its root's tag.
        let row = isCurrent ? saved : try RecordRow.find(plan.name, in: zone, work) ?? saved
        return try view.json(row, in: reach, caller, work)
    }

    private mutating func save(_ plan: Plan, _ type: String, _ fields: Value.Object) throws -> RecordRow {
        let sequence = try work.nextSequence(space.owner)
        let now = work.stamp(by: caller, in: space)
        let tag = try work.newTag(space.owner)
        var body: Value = [
            "created": plan.stored["created"] ?? now, "fields": .object(fields), "modified": now,
            "recordChangeTag": .string(tag), "recordName": .string(plan.name), "recordType": .string(type),
        ]
        var row = RecordRow(
            name: plan.name, sequence: sequence, type: type, tag: tag, creator: caller.account,
            tokens: RecordFields.tokens(in: .object(fields)).tokens, json: [])
        if !plan.stored.isNull, let present = plan.present {
            (row.creator, row.share) = (present.creator, present.share)
            row.marks = present.marks.intersection([.root])
        }
        if !plan.parent.isEmpty {
            row.parent = plan.parent
            body["parent"] = ["recordName": .string(plan.parent)]
        }
        body["share"] = plan.stored["share"]
        body["shortGUID"] = try plan.stored["shortGUID"] ?? newGUID(plan, type)
        if type == ShareRecord.type {
            row.marks.insert(.share)
            row.share = plan.name
        }
        if !plan.links.isEmpty { row.marks.insert(.links) }
        if fields.pairs.contains(where: { RecordFields.isAsset($0.value) }) { row.marks.insert(.assets) }
        row.json = body.jsonBytes
        try row.save(in: zone, work)
        // Those who took part when the record was deleted may not have heard of that yet, and the tombstone is no more.
        if let gone = plan.present, gone.isDeleted {
            try ShareCover.depart(gone, to: row.share, at: sequence, in: reach, work)
        }
        try keep(row, plan, fields)
        written.append(
            WrittenRecord(
                name: plan.name, type: type, creator: row.creator, reason: plan.stored.isNull ? .created : .updated,
                body: body, sequence: sequence, shares: [row.share, plan.present?.share ?? ""]))
        return row
    }
    /// The GUID of a share, and of a record that asks for one: a root and its share have the same, whichever was first.
    private func newGUID(_ plan: Plan, _ type: String) throws -> Value? {
        let isShare = type == ShareRecord.type
        guard isShare || plan.change.wantsGUID else { return nil }
        let known =
            isShare
            ? try shareRoot(plan).flatMap { try guid(of: $0) }
            : try plans.first { $0.saved != nil && $0.isShare && shareRoot($0) == plan.name }?.saved?.body()[
                "shortGUID"]
                ?? plan.stored["share"]?["recordName"]?.string.flatMap { try guid(of: $0) }
        return try known ?? .string(work.newToken(space.owner, "guid"))
    }
    private func guid(of name: String) throws -> Value? {
        guard !name.isEmpty, let row = try RecordRow.find(name, in: zone, work), !row.isDeleted else { return nil }
        return try row.body()["shortGUID"]
    }
    /// Everything about a saved record that lies in other tables.
    private mutating func keep(_ row: RecordRow, _ plan: Plan, _ fields: Value.Object) throws {
        let old = plan.present?.marks ?? []
        if row.marks.contains(.links) || old.contains(.links) {
            try RecordLink.replace(of: row.name, with: plan.links, in: zone.id, work)
        }
        if row.marks.contains(.assets) || old.contains(.assets) {
            try Assets.use(fields, record: row.name, spending: plan.receipts, in: reach, work)
        }
        try FieldIndex.update(
            row.name, row.type, old: plan.stored["fields"], new: .object(fields), in: zone.id, work)
        if row.type != ShareRecord.type { try catalogue.learn(row.type, fields) }
        try work.use(bytes: Int64(row.json.count) - Int64(plan.present?.json.count ?? 0), in: space)
        work.noteWrite(
            .record, of: caller.name, at: "\(zone.name)/\(row.name)", old: plan.present?.tokens ?? [], new: row.tokens,
            detail: try writer())
    }

    /// Who wrote, and where that was not in a database of the writer's own whose it is.
    private func writer() throws -> Value {
        var detail: Value = ["device": .string(caller.device)]
        if space.isShared { detail["owner"] = .string(try work.owner(space.owner).name) }
        return detail
    }

    private mutating func remove(_ plan: Plan) throws {
        // A share that went with its root a moment ago is gone already.
        guard let row = try RecordRow.find(plan.name, in: zone, work), !row.isDeleted else { return }
        if space.isShared, row.marks.contains(.share) {
            for me in try ShareParticipant.all(of: row.name, in: zone, work) where me.account == caller.account {
                try me.remove(in: reach, work)
            }
            try ShareCover.touch(row.name, in: reach, by: caller, work)
            return
        }
        written.append(try RecordRemoval.perform(row, in: reach, by: caller.name, work))
    }

    /// Shares and the place of records under them.
    /// - Returns: whether rows may be other than they were saved.
    private mutating func settleTree() throws -> Bool {
        var hasTree = false
        for plan in plans where plan.isSaving && plan.isShare {
            hasTree = true
            let root = shareRoot(plan) ?? ""
            let guid = try plan.saved?.body()["shortGUID"]?.string ?? ""
            try ShareCover.save(plan.change.shareWish, plan.name, root: root, guid: guid, in: reach, work)
        }
        for plan in plans
        where plan.isSaving && !plan.isShare && (!plan.parent.isEmpty || plan.saved?.share.isEmpty == false) {
            hasTree = true
            try ShareCover.settle(plan.name, in: reach, work)
        }
        guard hasTree else { return false }
        // Who takes part hears of what came under a share, and of what left one.
        for index in written.indices {
            written[index].shares.insert(try RecordRow.find(written[index].name, in: zone, work)?.share ?? "")
        }
        return true
    }

    /// Takes the sources of what was deleted: at once in a custom zone, later in a default zone (cloudkit-web-services.md 8.8).
    private mutating func cascade() throws {
        for name in written.filter({ $0.reason == .deleted }).map(\.name) {
            guard zone.isAtomic else {
                guard try !RecordLink.sources(of: name, .deleteSelf, in: zone.id, work).isEmpty else { continue }
                try Chores.add(
                    .cascade, ["name": .string(name), "zone": .int(zone.id)], after: Cascade.delay, work)
                continue
            }
            for source in try Cascade.closure(of: [name], in: zone.id, work) {
                guard let row = try RecordRow.find(source, in: zone, work), !row.isDeleted else { continue }
                written.append(try RecordRemoval.perform(row, in: reach, by: caller.name, work))
            }
        }
    }
}
