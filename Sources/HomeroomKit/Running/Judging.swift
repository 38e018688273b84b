import Checkers
import FleetModel
import Report
import Run
import Workload

extension Scenario {
    /// The checkers' own defaults, where the file says nothing else.
    var checkerLimits: Checkers.Limits {
        let standard = Checkers.Limits()
        return Checkers.Limits(
            maxExcused: limits.maxExcused ?? standard.maxExcused,
            maxInflight: limits.maxInflight ?? standard.maxInflight,
            maxStranded: limits.maxStranded ?? standard.maxStranded,
            maxCrashed: limits.maxCrashed ?? standard.maxCrashed,
            minPerformed: limits.minPerformed ?? standard.minPerformed,
            minAnsweredPercent: limits.minAnsweredPercent ?? standard.minAnsweredPercent)
    }

    /// Judges a history of this scenario.
    /// - Parameter obstacle: what ended the run before its time (an app that spins): then nothing was read. What somebody else saw stands, the
    ///   rest is open. A recorded history holds it.
    func judged(_ history: [HistoryEvent], obstacle: String? = nil) -> Judgement {
        let obstacle = obstacle ?? history.obstacle
        var judgement = judge(history, mustReach: mustReach, limits: checkerLimits, isRun: true)
        guard let obstacle else { return judgement }
        judgement.findings.removeAll { $0.lossClass != .leaked }
        judgement.reasons = [obstacle]
        judgement.verdict = judgement.findings.isEmpty ? .unknown : .invalid
        return judgement
    }
}

extension Judgement {
    /// What can be said of one part of a split run: how much was done there. What became of it the other parts may have seen.
    var ofPart: Judgement {
        var part = self
        part.verdict = .unknown
        part.findings = []
        part.reasons = ["homeroom merge judges all parts together"]
        return part
    }
}

extension [HistoryEvent] {
    /// What ended the run before its time, if anything did.
    var obstacle: String? {
        last { $0.note.kind == .obstacle }.map {
            $0.note.detail["reason"]?.string ?? "the run was cut off"
        }
    }
    /// What apps used of production's schema, by container.
    var usedSchemas: [String: String] {
        var needs: [String: [SchemaNeed]] = [:]
        for event in self where event.note.kind == .schemaUsed {
            guard let need = SchemaNeed(event.note.detail) else { continue }
            needs[event.note.detail["container"]?.string ?? "?", default: []].append(need)
        }
        return needs.mapValues { CloudSchema(needs: $0).text }
    }
    /// Names of the marks that were reached, in their order.
    var marks: [String] { compactMap { $0.note.kind == .mark ? $0.note.detail["name"]?.string : nil } }
}

extension RunReport {
    /// Prints the verdict line; on a terminal it is green when the scenario expects it, yellow when nothing is proved, else red.
    /// - Parameter isAlone: no line above it says whether it is what the scenario expects.
    func sayVerdict(isAlone: Bool = false) {
        let isGood = isAsExpected || part != nil
        let word = isAlone ? (isGood ? "ok    " : "FAIL  ") : ""
        let colour: Terminal.Colour = isGood ? .good : verdict == .unknown ? .open : .bad
        let pieces = Terminal.folded(word + line, width: Terminal.width)
        for (index, piece) in pieces.enumerated() { say(piece, index == 0 ? colour : nil) }
    }

    /// At most so many stories are told: the first ones say what the others repeat.
    private static let storiesMax = 50

    init(
        judgement: Judgement, history: [HistoryEvent], scenario: Scenario, seed: UInt64, mode: String, events: Int?,
        digest: String,
        virtual: Span, wallMilliseconds: Int64, marks: [String]
    ) {
        let told = judgement.violations.prefix(Self.storiesMax).map {
            Told(
                lossClass: $0.lossClass, token: $0.token, summary: $0.summary, story: Story($0, history: history).lines)
        }
        self.init(
            scenario: scenario.name, seed: seed, mode: mode, verdict: judgement.verdict,
            expected: scenario.expect.verdict,
            expectedClass: scenario.expect.lossClass, edits: judgement.performed, attempted: judgement.attempted,
            events: events,
            digest: digest, virtual: virtual, wallMilliseconds: wallMilliseconds,
            counts: Dictionary(
                judgement.counts.filter { $0.count > 0 }.map { ($0.lossClass, $0.count) },
                uniquingKeysWith: { first, _ in first }),
            findings: told, reasons: judgement.reasons, marks: marks)
        undeployed = judgement.undeployed
        broken = judgement.broken
        // A query that is refused costs no edit by itself.
        if !undeployed.isEmpty, counts[.undeployed] == nil { counts[.undeployed] = undeployed.count }
        schema = history.usedSchemas
        refused = judgement.refused
        firstRefusal = refused > 0 ? judgement.firstRefusal : nil
        (crashes, firstCrash) = (judgement.crashes, judgement.firstCrash)
    }
}
