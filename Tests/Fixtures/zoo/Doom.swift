import FleetModel

/// Whether the step that a story marks really doomed the edit.
///
/// Taking the step's cause away has to save the edit. A cause is a fault that the step names, that happened in its moment, or that was at work there;
/// or the edit by which this one was replaced. Where the step has no such cause, or taking it away leaves the mistake of the app as it was, a rule
/// decides: the step is right if the edit was in one place only just before it, and in none after it.
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

    /// - Parameter saves: whether the edit is fine in the same run without a fault or another edit.
    /// - Returns: how the step was proved; nil: it is wrong.
    func proof(saves: (String) throws -> Bool) rethrows -> String? {
        for cause in causes.prefix(Self.triesMax) where try saves(cause) { return "saved without \(cause)" }
        return isLastPlace ? "by rule" : nil
    }

    // MARK: Causes

    private var causes: [String] {
        var found: [String] = []
        func add(_ ids: [String]) { for id in ids where !found.contains(id) { found.append(id) } }
        let faults = faultsAtWork
        add(faults.map(\.id).filter { step.note.detail.json.contains("\"\($0)\"") })
        if step.note.kind == .faultBegan { add([step.note.detail["id"]?.string].compactMap { $0 }) }
        add(step.note.detail["by"]?.strings.filter { $0 != finding.token } ?? [])
        add(faults.filter { step.at - $0.began <= .seconds(2) }.map(\.id))
        add(faults.reversed().map(\.id))
        return found
    }

    /// Faults that concern the step's iPad, or the edit's where the step is the Cloud's: at work, or over in the same moment.
    private var faultsAtWork: [(id: String, began: Instant)] {
        let own = finding.story.filter(history.indices.contains).compactMap { history[$0].from.pad }
        let pads = Set([step.from.pad].compactMap { $0 } + (step.from.pad == nil ? own : [])).map { "ipad-\($0)" }
        var open: [(id: String, began: Instant)] = []
        for event in history[...index] {
            guard let id = event.note.detail["id"]?.string else { continue }
            if event.note.kind == .faultBegan {
                let targets = event.note.detail["target"]?.string?.split(separator: " ").map(String.init) ?? []
                if targets.isEmpty || targets.contains(where: pads.contains) { open.append((id, event.at)) }
            } else if event.note.kind == .faultHealed, step.at - event.at > .seconds(2) {
                open.removeAll { $0.id == id }
            }
        }
        return open
    }

    // MARK: The rule

    /// The edit was in one place before the step (with the app, with a system service, in the cloud) and in none after it.
    private var isLastPlace: Bool {
        let own = { (kinds: [FleetModel.Note.Kind], range: Range<Int>) in
            history[range].contains { kinds.contains($0.note.kind) && $0.note.tokens.contains(finding.token) }
        }
        let (before, after) = (0..<index, index + 1..<history.count)
        let comesLater = own([.committed, .handedOver], after)
        switch step.note.kind {
        case .replaced:
            return step.note.tokens.contains(finding.token) && own([.committed], before) && !own([.committed], after)
        case .appExited, .purged, .signedOut, .identityChanged, .powerCut, .transfersCancelled, .handedBack:
            return own([.performed], before) && !own([.committed], before) && !comesLater
        default: return false
        }
    }
}
