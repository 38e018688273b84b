import FleetModel

/// One question about how edits ended. A checker sees the ledger and the history and nothing else.
///
/// A checker answers its own definition and does not look at what the others say; where two claim the same edit,
/// the order of `CheckerRegistry.all` decides. Its work is linear in the history.
public protocol Checker: Sendable {
    /// The class of its findings; its raw value is the checker's name.
    static var lossClass: LossClass { get }
    /// One line for `homeroom list checkers`.
    static var summary: String { get }
    init()
    /// Every edit that ended in this class, in the order the edits were invoked.
    func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding]
}

extension Checker {
    /// The name that scenarios and `homeroom list checkers` use.
    public static var name: String { lossClass.rawValue }
}

/// All checkers, in order of precedence: an edit has one class, that of the first checker which claims it.
///
/// 0. `undeployed`: what the app uses is not in production; everything else may follow from that.
/// 1. `leaked` and `damaged` come first: they stand whatever else befell the edit.
/// 2. `resurrected` and `duplicated`: the Cloud did what was asked, and it did not last or happened twice.
/// 3. `stuck` and `stranded`: a copy still waits somewhere, so nothing is lost yet.
/// 4. `excused` and `inflight`: gone by a documented rule.
/// 5. `overwritten`, `lost`, `unsaved`: gone. Overwritten names who did it, so it goes before lost.
/// 6. `diverged`: not gone, but not everywhere.
///
/// An edit that is missing somewhere and not superseded is claimed by at least one checker of 2 to 6.
public enum CheckerRegistry {
    /// In order of precedence; `homeroom list checkers` prints them in it.
    public static let all: [any Checker.Type] = [
        UndeployedChecker.self, LeakedChecker.self, DamagedChecker.self,
        ResurrectedChecker.self, DuplicatedChecker.self,
        StuckChecker.self, StrandedChecker.self,
        ExcusedChecker.self, InflightChecker.self,
        OverwrittenChecker.self, LostChecker.self, UnsavedChecker.self,
        DivergedChecker.self,
    ]
}
