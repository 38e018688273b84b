import FleetModel

/// Whether the step that a story marks really doomed the edit (Docs/zoo.md).
struct Doom {
    private let finding: Finding
    private let index: Int
    private let history: [HistoryEvent]
    private var step: HistoryEvent { history[index] }
    /// Runs for one doom, at most.
    private static let triesMax = 8

    init(_ finding: Finding, at index: Int, in history: [HistoryEvent]) {
        (self.finding, self.index, self.history) = (finding, index, history)
    }

    /// `ipad-3 appExited userSwitch at 8m3s`
    static func words(_ step: HistoryEvent) -> String {
        let detail = ["reason", "what", "error", "status", "code", "where"].compactMap {
            step.note.detail[$0].map { $0.string ?? $0.json }
        }
        let by = step.note.detail["by"].map { "by \($0.strings.joined(separator: " "))" }
        return
            ([step.from.description, step.note.kind.rawValue] + detail + [by].compactMap { $0 } + [
                "at \(step.at - .zero)"
            ])
            .joined(separator: " ")
    }

    /// What can be taken away from a run.
    enum Cause: Hashable {
        /// A fault or other edits, by their names.
        case named([String])
        /// The purge at each sign-out.
        case purgeAtSignOut
    }

    /// What became of the edit in a repetition.
    enum Outcome: Hashable {
        case saved
        /// Replaced later than in the first run, by these edits.
        case replacedLater([String])
        case doomed
    }

    /// - Parameter repeated: what becomes of the edit in the same run without a cause.
    /// - Returns: how the step was proved; nil: it is wrong.
    func proof(repeated: (Cause) throws -> Outcome) rethrows -> String? {
        let causes = self.causes
        for cause in causes.prefix(Self.triesMax) {
            if let proof = try proof(without: cause, rounds: Self.roundsMax, repeated) { return proof }
        }
        return isEnd(hasCause: !causes.isEmpty) ? "by rule" : nil
    }
    /// An edit that outlived the step may meet the same mistake again: what replaced it then is taken away too.
    private func proof(without cause: Cause, rounds: Int, _ repeated: (Cause) throws -> Outcome) rethrows -> String? {
        switch (try repeated(cause), cause) {
        case (.saved, .named(let names)): return "saved without \(names.joined(separator: " "))"
        case (.saved, .purgeAtSignOut): return "saved without the purge"
        case (.replacedLater(let more), .named(let names)) where rounds > 1 && !Set(more).isSubset(of: names):
            return try proof(without: .named(names + more.filter { !names.contains($0) }), rounds: rounds - 1, repeated)
        default: return nil
        }
    }
    private static let roundsMax = 4

    // MARK: Causes

    private var causes: [Cause] {
        var found: [Cause] = []
        func add(_ cause: Cause) { if !found.contains(cause) { found.append(cause) } }
        func add(_ names: [String]) { for name in names { add(.named([name])) } }
        let note = step.note
        let faults = faultsAtWork
        if note.kind == .purged, note.detail["reason"]?.string == "signOut" { add(.purgeAtSignOut) }
        add(faults.map(\.id).filter { note.detail.json.contains("\"\($0)\"") })
        if note.kind == .faultBegan { add([note.detail["id"]?.string].compactMap { $0 }) }
        // What was written together replaced it together.
        let others = note.detail["by"]?.strings.filter { $0 != finding.token } ?? []
        if !others.isEmpty { add(.named(others)) }
        // Of two items of one name each was made by an edit of its own.
        let made = note.kind == .committed && finding.lossClass == .duplicated ? note.tokens : []
        if !made.isEmpty, !made.contains(finding.token) { add(.named(made)) }
        if note.kind == .answered { for names in editsInTheWay { add(.named(names)) } }
        add(faults.filter { step.at - $0.began <= Self.moment }.map(\.id))
        add(faults.reversed().map(\.id))
        return found
    }

    /// Edits that the Cloud had taken where this one was refused: the last of them, and all that it had not seen.
    private var editsInTheWay: [[String]] {
        guard let place = step.note.detail["where"]?.string else { return [] }
        let commits = history[..<index].filter {
            $0.note.kind == .committed && $0.note.detail["where"]?.string == place
                && $0.note.person == finding.person && !$0.note.tokens.contains(finding.token)
        }
        let began = history[..<index].first { $0.note.kind == .began && $0.note.tokens.contains(finding.token) }
        let seen = began?.note.detail["saw"]?.strings ?? []
        let all = commits.flatMap(\.note.tokens).filter { !seen.contains($0) }
        let unseen = all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return [commits.last?.note.tokens ?? [], unseen].filter { !$0.isEmpty }
    }

    /// So close to a step, what happened belongs to it.
    private static let moment = Span.seconds(2)

    /// Faults that concern the step's iPad, or the edit's where the step is the Cloud's: at work, or over in the same moment. What is an event is
    /// over at once, but for an expired token, which the app hears of when it asks.
    private var faultsAtWork: [(id: String, began: Instant)] {
        let own = finding.story.filter(history.indices.contains).compactMap { history[$0].from.pad }
        let pads = Set([step.from.pad].compactMap { $0 } + (step.from.pad == nil ? own : [])).map { "ipad-\($0)" }
        let healing = Set(
            history.filter { $0.note.kind == .faultHealed }.compactMap { $0.note.detail["id"]?.string })
        var open: [(id: String, began: Instant)] = []
        let toldLate = step.note.detail["code"]?.int.flatMap { Self.kindsByCode[$0] }
        for event in history[...index] {
            guard let id = event.note.detail["id"]?.string else { continue }
            if event.note.kind == .faultBegan {
                let targets = event.note.detail["target"]?.string?.split(separator: " ").map(String.init) ?? []
                let isLasting = healing.contains(id) || event.note.detail["kind"]?.string == "change-token-expired"
                guard isLasting || step.at - event.at <= Self.moment else { continue }
                if targets.isEmpty || targets.contains(where: pads.contains) { open.append((id, event.at)) }
            } else if event.note.kind == .faultHealed, step.at - event.at > Self.moment,
                event.note.detail["kind"]?.string != toldLate
            {
                open.removeAll { $0.id == id }
            }
        }
        return open
    }

    /// What a CloudKit error tells of: the system keeps an answer for the app, which may hear of it when the fault is over.
    private static let kindsByCode: [Int64: String] = [
        6: "service-unavailable", 7: "too-many-requests", 21: "change-token-expired", 23: "zone-busy",
        25: "quota-exceeded",
    ]

    // MARK: The rule

    /// Whether the edit was in one place only just before the step, and in none after it; for a step of the Cloud: whether it did there what the class
    /// says.
    /// - Parameter hasCause: something was taken away, and did not save the edit.
    private func isEnd(hasCause: Bool) -> Bool {
        func has(
            _ kinds: [FleetModel.Note.Kind], _ range: Range<Int>, _ isMeant: (FleetModel.Note) -> Bool = { _ in true }
        )
            -> Bool
        {
            history[range].contains {
                kinds.contains($0.note.kind) && $0.note.tokens.contains(finding.token) && isMeant($0.note)
            }
        }
        let (before, after) = (0..<index, index + 1..<history.count)
        let isOnlyTheApps =
            has([.performed], before) && !has([.committed], before) && !has([.committed, .handedOver], after)
        switch step.note.kind {
        case .replaced:
            return has([.replaced], index..<index + 1) && has([.committed], before) && !has([.committed], after)
        case .committed where finding.lossClass == .leaked: return has([.committed], index..<index + 1)
        case .committed where finding.lossClass == .resurrected:
            return step.note.tokens.contains { token in
                history[before].contains { $0.note.kind == .replaced && $0.note.tokens.contains(token) }
                    && !history[after].contains { $0.note.kind == .replaced && $0.note.tokens.contains(token) }
            }
        case .committed:
            let place = step.note.detail["where"]?.string
            return has([.committed], index..<index + 1) && !has([.replaced], after)
                && has([.committed], before) { $0.detail["where"]?.string != place }
        case .appExited, .purged, .signedOut, .identityChanged, .powerCut:
            return isOnlyTheApps && !has([.handedOver], before)
                && !has([.answered], before) { $0.detail["cutOff"] != true }
        case .forgotten where step.note.detail["underWay"] == true:
            return has([.handedOver], before) && !has([.committed], before) && !has([.committed, .handedOver], after)
        case .forgotten, .handedBack: return isOnlyTheApps
        case .answered where step.note.detail["success"] == true:
            return has([.began], before) && !has([.committed], before) && !has([.committed, .handedOver], after)
        case .answered: return isOnlyTheApps && !hasCause
        case .fetched:
            let isHanded = step.note.tokens.contains(finding.token) || step.note.detail["more"] == true
            let isRefused = step.note.detail["code"] != nil && !looksLater
            return isInCloud && (isHanded || isRefused)
        case .appLaunched, .appResumed: return isInCloud && !looksLater
        default: return false
        }
    }

    /// Whether the Cloud had what the edit asks for before the step; a deletion leaves no token in what it commits.
    private var isInCloud: Bool {
        finding.story.contains { $0 < index && [.committed, .replaced].contains(history[$0].note.kind) }
    }
    /// Whether the same launch of the step's app was told of changes after it.
    private var looksLater: Bool {
        history[(index + 1)...].contains {
            $0.from == step.from && $0.note.kind == .fetched && $0.note.app == step.note.app
                && $0.note.person == step.note.person && $0.note.detail["launch"] == step.note.detail["launch"]
                && $0.note.detail["code"] == nil
        }
    }
}
