import FleetModel
import Storage

/// What the operations of one request must be to each other and to the zone. A refusal may break what leans on it, so the
/// checks run until nothing more fails.
extension RecordBatch {
    mutating func checkTogether() throws {
        let needsChecks = plans.contains {
            $0.isRemoving || $0.isShare || !$0.links.isEmpty || !$0.parent.isEmpty || $0.change.share != .untouched
        }
        guard needsChecks || reach.space.isShared else { return }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in plans.indices where plans[index].failure == nil {
                do {
                    try check(plans[index])
                } catch let problem as CloudError {
                    plans[index].failure = problem
                    hasChanged = true
                }
            }
        }
    }

    private func check(_ plan: Plan) throws {
        if plan.isRemoving { return try checkRemoval(plan) }
        guard plan.isSaving else { return }
        for link in plan.links {
            switch link.action {
            case .validate: try require(link.target, by: plan, "validated")
            case .deleteSelf: try checkCount(link.target)
            }
        }
        if !plan.parent.isEmpty {
            try require(plan.parent, by: plan, "named as parent")
            try checkAncestors(plan)
        }
        // A record that moves is a new one where it comes to.
        if reach.space.isShared, plan.stored.isNull || plan.parent != plan.present?.parent {
            guard reach.grant.canCreate(under: try share(above: plan)) else {
                throw CloudError(
                    .accessDenied,
                    "record '\(plan.name)' hangs on no shared record that may be written; set its 'parent'")
            }
        }
        if plan.isShare { try checkShare(plan) } else { try checkRoot(plan) }
    }

    // MARK: References

    /// Whether a record is there after the batch.
    private func isThere(_ name: String) throws -> Bool {
        if let plan = plans.first(where: { $0.name == name }), plan.failure == nil {
            return plan.isSaving || plan.outcome == nil && plan.present?.isDeleted == false
        }
        return try reach.find(name, work).map { !$0.isDeleted } ?? false
    }
    private func require(_ target: String, by plan: Plan, _ what: String) throws {
        guard try isThere(target) else {
            throw CloudError(
                .validatingReferenceError, "record '\(target)', \(what) by '\(plan.name)', is not there; save it first")
        }
    }
    private func checkCount(_ target: String) throws {
        var sources = Set(try RecordLink.sources(of: target, .deleteSelf, in: reach.zone.id, work))
        for plan in plans where plan.isSaving {
            if plan.links.contains(RecordLink(target: target, action: .deleteSelf)) {
                sources.insert(plan.name)
            } else {
                sources.remove(plan.name)
            }
        }
        guard sources.count <= RecordLink.deleteSelfMax else {
            throw CloudError.badRequest(
                "record '\(target)' would have more than \(RecordLink.deleteSelfMax) sources with 'DELETE_SELF'")
        }
    }
    /// A record that others validate stays, and so does the parent of others, which is a validating reference too
    /// (cloudkit-framework.md 4, 16); those that go with it or let go of it do not count.
    private func checkRemoval(_ plan: Plan) throws {
        let leaves = reach.space.isShared && plan.isShare
        guard !leaves else { return }
        let others = Set(plans.filter(\.isRemoving).map(\.name))
        // A default zone's cascade comes later, and looks again: of a large tree the request looks at the top alone.
        let isAtOnce = reach.zone.isAtomic
        let limit = isAtOnce ? Int.max : Cascade.lookedAtMax
        let all = try Cascade.closure(of: [plan.name], in: reach.zone.id, upTo: limit, work)
        try checkChildren(of: [plan.name] + (all.count < limit ? all : []), with: plan, followed: all, others)
        let going = isAtOnce ? all : []
        for name in [plan.name] + going {
            for source in try RecordLink.sources(of: name, .validate, in: reach.zone.id, work) {
                guard source != name, !going.contains(source), !others.contains(source) else { continue }
                let after = plans.first { $0.name == source && $0.isSaving }
                if let after, !after.links.contains(RecordLink(target: name, action: .validate)) { continue }
                // Of what hangs on a record the caller may not see everything.
                let (what, by) = try (shown(name) ?? "what goes with '\(plan.name)'", shown(source) ?? "another record")
                throw CloudError(.validatingReferenceError, "\(what) is validated by \(by); delete that one first")
            }
        }
    }

    /// - Parameter followed: what goes with the record by `DELETE_SELF`.
    private func checkChildren(of parents: [String], with plan: Plan, followed: [String], _ others: Set<String>) throws
    {
        let going = others.union(followed).union([plan.name])
        // One more than can be in order.
        let limit = going.count + plans.count + 1
        for name in parents {
            for child in try RecordRow.childNames(of: name, in: reach.zone, limit: limit, work)
            where !going.contains(child) {
                if let after = plans.first(where: { $0.name == child && $0.isSaving }), after.parent != name {
                    continue
                }
                let (what, by) = try (
                    shown(name) ?? "what goes with '\(plan.name)'", shown(child) ?? "another record"
                )
                throw CloudError(
                    .validatingReferenceError,
                    "\(what) is the parent of \(by); delete that one in the same request, or clear its 'parent' first")
            }
        }
    }

    /// How a refusal may name a record; nil: not at all.
    private func shown(_ name: String) throws -> String? { try reach.find(name, work).map { "record '\($0.name)'" } }

    // MARK: The tree

    /// Name of the parent after the batch.
    private func parent(of name: String) throws -> String {
        if let plan = plans.first(where: { $0.name == name && $0.isSaving }) { return plan.parent }
        return try RecordRow.find(name, in: reach.zone, work)?.parent ?? ""
    }
    private func checkAncestors(_ plan: Plan) throws {
        var seen: Set<String> = [plan.name]
        var above = plan.parent
        while !above.isEmpty {
            guard seen.insert(above).inserted else {
                throw CloudError.badRequest("record '\(plan.name)' would be an ancestor of itself")
            }
            above = try parent(of: above)
        }
    }
    /// The share that will cover a new record.
    private func share(above plan: Plan) throws -> String {
        var above = plan.parent
        var steps = 0
        while !above.isEmpty, steps < 1000 {
            if let row = try RecordRow.find(above, in: reach.zone, work), !row.isDeleted { return row.share }
            above = try parent(of: above)
            steps += 1
        }
        return ""
    }

    // MARK: Shares

    /// The root that a share is about: named by the share, or naming it; empty for the whole zone.
    func shareRoot(_ plan: Plan) -> String? {
        if plan.name == Grant.Share.wholeZone { return "" }
        if let share = try? ShareRecord.find(plan.name, in: reach.zone, work) { return share.root }
        return plan.change.shareWish.root ?? plans.first { $0.isSaving && $0.change.share == .set(plan.name) }?.name
    }

    private func checkShare(_ plan: Plan) throws {
        guard reach.space.scope == .own, reach.zone.isAtomic else {
            throw CloudError.badRequest("a share lies in a custom zone of its owner's private database")
        }
        guard let root = shareRoot(plan) else {
            throw CloudError.badRequest("share '\(plan.name)' names no root: set 'forRecord', or 'share' of the root")
        }
        guard plan.stored.isNull else { return }
        let shares = try ShareRecord.all(in: reach.zone, work)
        if root.isEmpty {
            guard shares.isEmpty else {
                throw CloudError.badRequest("the zone holds shared records; end their shares first")
            }
            return
        }
        guard !shares.contains(where: \.root.isEmpty) else {
            throw CloudError.badRequest("the zone itself is shared; a record in it cannot be shared too")
                .naming("shareProblem", "zoneIsShared")
        }
        guard try isThere(root) else { throw CloudError(.notFound, "there is no record '\(root)' to share") }
        guard let row = try RecordRow.find(root, in: reach.zone, work), !row.isDeleted else { return }
        let isSaved = plans.contains { $0.name == root && $0.isSaving }
        if let tag = plan.change.shareWish.rootTag, tag != row.tag, !isSaved {
            throw CloudError(.conflict, "record '\(root)' has another change tag than '\(tag)'; fetch it again")
        }
        try checkUnshared(row)
    }
    /// A record, what hangs on it and what it hangs on have one share at most.
    private func checkUnshared(_ root: RecordRow) throws {
        var rest = [root][...]
        var seen: Set<String> = [root.name]
        while let row = rest.popFirst() {
            guard row.share.isEmpty else {
                throw CloudError.badRequest("record '\(row.name)' is shared already; a hierarchy has one share")
                    .naming("shareProblem", "alreadyShared")
            }
            for child in try RecordRow.children(of: row.name, in: reach.zone, work)
            where seen.insert(child.name).inserted {
                rest.append(child)
            }
        }
    }
    /// A record that names a share must be its root.
    private func checkRoot(_ plan: Plan) throws {
        guard case .set(let share) = plan.change.share else { return }
        if plan.stored["share"]?["recordName"]?.string == share { return }
        let isMade = plans.contains { $0.name == share && $0.isSaving && $0.isShare && shareRoot($0) == plan.name }
        guard isMade else {
            throw CloudError.badRequest("record '\(plan.name)' names share '\(share)', which is not saved with it")
        }
    }
}
