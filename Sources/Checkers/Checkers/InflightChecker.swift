import FleetModel

/// A key-value set lives in memory until the system flushes it, "a few seconds" later at most (key-value-store.md 3): a kill or
/// a power cut inside that window takes it along. Counted and capped, not invalid.
public struct InflightChecker: Checker {
    /// Makes no run invalid; above `Limits.maxInflight` a run is unknown.
    public static let lossClass = LossClass.inflight
    /// Key-value sets only: for the other services there is no such window here.
    public static let summary = "a key-value set killed inside the documented window before it was persisted"
    /// ASSUMED for "a few seconds": longer than any Pad waits (local-link.md: 2 s), so that no Pad is blamed on its app.
    static let window = Span.seconds(5)
    /// Has no settings: the limit is the judgement's.
    public init() {}

    /// Performed, never handed over, and its app or iPad ended within `window` after it.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.channel == .keyValue, entry.rung == .performed, entry.handedBack == nil, ledger.endsNowhere(id),
                let performed = entry.performed, let kill = kill(entry, after: performed, ledger),
                history[kill].at - history[performed].at <= Self.window
            else { return nil }
            return ledger.finding(
                .inflight, id,
                "killed inside the window before the key-value store was persisted (key-value-store.md 3)",
                doomedBy: kill)
        }
    }

    private func kill(_ entry: Entry, after performed: Int, _ ledger: Ledger) -> Int? {
        [LifeLog.Kind.abruptExit, .powerCut].compactMap {
            ledger.log.life.first($0, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: performed)
        }.min()
    }
}
