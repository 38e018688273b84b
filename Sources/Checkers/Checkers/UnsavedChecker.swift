import FleetModel

/// An app hands over what a person did before its iPad can take it away. When only the app held an edit and it is gone,
/// that is the app's own bug; the story names the kill, power cut or purge after which nobody saw the edit again.
public struct UnsavedChecker: Checker {
    public static let lossClass = LossClass.unsaved
    public static let summary = "performed, never handed over, destroyed by a purge, kill or power cut"
    public init() {}

    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.rung < .handedOver, ledger.endsNowhere(id) else { return nil }
            let doom = ledger.destroyer(of: entry, after: entry.lastAlive)
            let held = entry.handedBack == nil ? "never handed over" : "handed back and not handed over again"
            return ledger.finding(.unsaved, id, "performed, \(held), \(words(doom, history))", doomedBy: doom)
        }
    }

    private func words(_ doom: Int?, _ history: [HistoryEvent]) -> String {
        guard let doom else { return "and dropped by the app itself" }
        let note = history[doom].note
        let reason = note.detail["reason"]?.string.map { " (\($0))" } ?? ""
        switch note.kind {
        case .powerCut: return "gone with a power cut"
        case .purged: return "gone with a purge of local data\(reason)"
        default: return "gone when the app ended\(reason)"
        }
    }
}
