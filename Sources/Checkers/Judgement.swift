import FleetModel

/// How much may go wrong by documented rules, and how much has to be done, before a run proves anything.
public struct Limits: Hashable, Sendable {
    /// Above these the run is `unknown`: a rule that excuses so much hides something.
    public var maxExcused: Int
    public var maxInflight: Int
    public var maxStranded: Int
    /// More crashes of apps by their own fault; nil: any number, told beside the verdict.
    public var maxCrashed: Int?
    /// Fewer performed edits prove nothing.
    public var minPerformed: Int
    /// Percent of the attempts that must be performed or visibly refused in time.
    public var minAnsweredPercent: Int
    /// The Cloud's notes may stand so far from their place: with more, which edit came after which is not known.
    public var maxClockError: Span

    /// The defaults suit a school day of some hundred edits. ASSUMED: the numbers are ours.
    public init(
        maxExcused: Int = 20, maxInflight: Int = 50, maxStranded: Int = 200,
        maxCrashed: Int? = nil, minPerformed: Int = 1, minAnsweredPercent: Int = 50,
        maxClockError: Span = Self.clockErrorMax
    ) {
        self.maxExcused = maxExcused
        self.maxInflight = maxInflight
        self.maxStranded = maxStranded
        self.maxCrashed = maxCrashed
        self.minPerformed = minPerformed
        self.minAnsweredPercent = minAnsweredPercent
        self.maxClockError = maxClockError
    }
    /// ASSUMED: nobody sees on one iPad what was committed from another and has changed it within less. What the checkers measure in time bears
    /// more: `InflightChecker` gives the Pads' 2 s five.
    public static let clockErrorMax = Span.seconds(1)
}

/// What a history proves.
public struct Judgement: Hashable, Sendable {
    public var verdict: Verdict
    /// One for each edit that did not end well or needs a reason, in the order the edits were invoked.
    public var findings: [Finding]
    /// Edits that people tried; that were performed (or that a service answers for); that were refused.
    public var attempted: Int
    public var performed: Int
    public var refused: Int
    /// The first refusal by an app, or else by an iPad: which edit, by whom, when and why.
    public var firstRefusal: String?
    /// How often an app ended by its own fault, and the first time: which, where, when, how.
    public var crashes = 0
    public var firstCrash: String?
    /// What production's schema lacks, one line each, whether an edit or a query was refused for it.
    public var undeployed: [String] = []
    /// Items seen in complete final readings.
    public var readItems: Int
    /// Why the run does not prove enough; printed even when the verdict is `invalid`.
    public var reasons: [String]

    /// Findings of one class.
    public func count(_ lossClass: LossClass) -> Int { findings.count { $0.lossClass == lossClass } }
    /// Count by class, for all classes in their fixed order; the three that excuse are counted too.
    public var counts: [(lossClass: LossClass, count: Int)] { LossClass.allCases.map { ($0, count($0)) } }
    /// Edits whose loss makes the run invalid.
    public var violations: [Finding] { findings.filter(\.lossClass.isViolation) }
}

/// Judges a history: `invalid` if any violation is found, else `unknown` if there is a reason, else `valid`. Where clocks leave open what came
/// first nothing is proved either way: then it is `unknown`, whatever is found.
///
/// - Parameters:
///   - history: every note of the run, in order.
///   - mustReach: marks that must have occurred.
///   - limits: what the scenario allows.
///   - isRun: it is a whole run's, from its first phase to its last: what is missing from it makes the verdict `unknown`.
public func judge(
    _ history: [HistoryEvent], mustReach: [String] = [], limits: Limits = Limits(), isRun: Bool = false
) -> Judgement {
    judge(Ledger(history), history, mustReach: mustReach, limits: limits, isRun: isRun)
}

/// Judges a history whose ledger is known.
func judge(
    _ ledger: Ledger, _ history: [HistoryEvent], mustReach: [String] = [], limits: Limits = Limits(),
    isRun: Bool = false
) -> Judgement {
    var findings: [EntryID: Finding] = [:]
    for checker in CheckerRegistry.all {
        for finding in checker.init().findings(ledger: ledger, history: history) {
            guard let id = ledger.ids[finding.token], findings[id] == nil else { continue }
            findings[id] = finding
        }
    }
    var judgement = Judgement(
        verdict: .valid, findings: ledger.entries.indices.compactMap { findings[$0] }, attempted: ledger.entries.count,
        performed: ledger.entries.count(where: \.happened),
        refused: ledger.entries.count { $0.refused != nil && $0.performed == nil },
        firstRefusal: firstRefusal(history), readItems: ledger.readItems, reasons: [])
    (judgement.crashes, judgement.firstCrash) = crashes(history)
    judgement.undeployed = UndeployedChecker.lines(history)
    judgement.reasons = Wholeness(history, isRun: isRun, clockError: limits.maxClockError).doubts
    judgement.reasons += reasons(for: judgement, ledger: ledger, mustReach: mustReach, limits: limits)
    if ledger.clockError > limits.maxClockError {
        judgement.verdict = .unknown
    } else if !judgement.violations.isEmpty || !judgement.undeployed.isEmpty {
        judgement.verdict = .invalid
    } else if !judgement.reasons.isEmpty {
        judgement.verdict = .unknown
    }
    return judgement
}

/// What keeps the run from proving anything.
private func reasons(for judgement: Judgement, ledger: Ledger, mustReach: [String], limits: Limits) -> [String] {
    var reasons = ledger.doubts
    if ledger.clockError > limits.maxClockError {
        reasons.append(
            "the Cloud's clock may be wrong by \(ledger.clockError) of the run's time, more than \(limits.maxClockError): what came first is "
                + "not known; run with a smaller --speed, or with the Cloud nearer")
    }
    if judgement.performed < limits.minPerformed {
        var remedy = "let people do more"
        if let refusal = judgement.firstRefusal, judgement.performed + judgement.refused >= limits.minPerformed {
            remedy = "\(judgement.refused) were refused, first \(refusal)"
        }
        reasons.append(
            "only \(judgement.performed) edits were performed, \(limits.minPerformed) are needed: \(remedy)")
    }
    let answered = judgement.performed + judgement.refused
    if answered * 100 < judgement.attempted * limits.minAnsweredPercent {
        reasons.append(
            "of \(judgement.attempted) attempts only \(answered) were performed or visibly refused, "
                + "\(limits.minAnsweredPercent) % are needed: apps may hang, or people arrive too early")
    }
    reasons += readingReasons(ledger)
    for name in mustReach where !ledger.marks.contains(name) {
        reasons.append("the mark '\(name)' never occurred: this run did not show what the scenario is about")
    }
    let caps: [(LossClass, Int)] = [
        (.excused, limits.maxExcused), (.inflight, limits.maxInflight), (.stranded, limits.maxStranded),
    ]
    for (lossClass, cap) in caps where judgement.count(lossClass) > cap {
        reasons.append("\(judgement.count(lossClass)) edits are \(lossClass.rawValue), at most \(cap) are allowed")
    }
    if let cap = limits.maxCrashed, judgement.crashes > cap {
        reasons.append(
            "apps crashed \(judgement.crashes) times, at most \(cap) are allowed; first \(judgement.firstCrash ?? "")")
    }
    return reasons
}

/// What an app refuses says more than that it was not on the screen: its own refusals go first.
private func firstRefusal(_ history: [HistoryEvent]) -> String? {
    var begun: Set<Token> = []
    var byPad: String?
    for event in history {
        if event.note.kind == .began { begun.formUnion(event.note.tokens) }
        guard event.note.kind == .refused, let token = event.note.tokens.first else { continue }
        let why = "on \(event.from) at \(event.at): \(event.note.detail["reason"]?.string ?? "no reason")"
        if begun.contains(token) { return "\(token) by \(event.note.app ?? "its app") \(why)" }
        byPad = byPad ?? "\(token) \(why)"
    }
    return byPad
}

/// One that a fault brought about says nothing of how it died, and nothing about the app.
private func crashes(_ history: [HistoryEvent]) -> (count: Int, first: String?) {
    let crashed = history.filter {
        $0.note.kind == .appExited && $0.note.detail["reason"]?.string == "crash" && $0.note.detail["detail"] != nil
    }
    let first = crashed.first.map { event in
        let launch = event.note.detail["launch"]?.int.map { "; its log is \(event.from)-app-\($0).log" } ?? ""
        return "\(event.note.app ?? "an app") on \(event.from) at \(event.at): "
            + "\(event.note.detail["detail"]?.string ?? "it ended")\(launch)"
    }
    return (crashed.count, first)
}

private func readingReasons(_ ledger: Ledger) -> [String] {
    guard !ledger.readings.isEmpty else { return ["nothing was read at the end"] }
    var reasons: [String] = []
    for reading in ledger.readings where !reading.isComplete {
        let place = reading.pad.map { " on ipad-\($0)" } ?? ""
        reasons.append(
            "the \(reading.reader) reading of \(reading.app) for \(reading.person)\(place) is not complete: \(reading.reason ?? "some objects did not open")"
        )
    }
    for account in ledger.accounts
    where account.firstHappened != nil && !account.hasNewReading && !ledger.guests.all.contains(account.person)
        && !ledger.isKnownToAppsOnly(account)
    {
        reasons.append("\(account.app) was not read on a brand-new iPad for \(account.person), who edited in it")
    }
    return reasons
}
