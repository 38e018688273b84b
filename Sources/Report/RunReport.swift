import Checkers
import FleetModel
import Trace

/// What one run came to: what the verdict line, `verdict.json`, JUnit and the exit status are made of.
public struct RunReport: Hashable, Sendable {
    /// A finding with its story already told.
    public struct Told: Hashable, Sendable {
        /// What the checkers found.
        public var lossClass: LossClass
        /// Which edit it is about.
        public var token: Token
        /// One line: what became of the edit.
        public var summary: String
        /// Lines for people, the whole story.
        public var story: [String]

        /// From its parts.
        public init(lossClass: LossClass, token: Token, summary: String, story: [String]) {
            self.lossClass = lossClass
            self.token = token
            self.summary = summary
            self.story = story
        }
    }

    /// What only the command knows of a run.
    public struct Origin: Hashable, Sendable {
        /// The scenario's file as it was given.
        public var file: String?
        /// The command that repeats the run.
        public var command: String?
        /// The trace that it left.
        public var trace: String?

        /// Nil for what is not known, or was not left.
        public init(file: String? = nil, command: String? = nil, trace: String? = nil) {
            (self.file, self.command, self.trace) = (file, command, trace)
        }
    }

    /// The scenario's name.
    public var scenario: String
    /// The seed of all draws of the run.
    public var seed: UInt64
    /// `sim`, `fleet` or `live`; `check` for a trace that was judged again.
    public var mode: String
    /// What the checkers say.
    public var verdict: Verdict
    /// What the scenario expects: the verdict and, for `invalid`, the class that must be among the findings.
    public var expected: Verdict
    /// For an expected `invalid`: the class that must be among the findings; nil: any verdict of that kind.
    public var expectedClass: LossClass?
    /// Edits that were performed.
    public var edits: Int
    /// Edits that people tried to make.
    public var attempted: Int
    /// Attempts that were visibly refused: by the app, which threw an error, or by an iPad that could not ask it.
    public var refused = 0
    /// One of them: which edit, by whom, when and why.
    public var firstRefusal: String?
    /// How often apps trapped or ended themselves: no loss by itself, but the edit of that moment was not taken.
    public var crashes = 0
    /// The first of them: when, where, how, and which log tells more.
    public var firstCrash: String?
    /// Messages that were handled; nil where the trace does not tell: one of a live run holds none.
    public var events: Int?
    /// The digest of the run, 64 hex digits; equal for equal runs.
    public var digest: String
    /// How long the run took by its own clock.
    public var virtual: Span
    /// How long it took the machine; 0 for a trace that was judged again.
    public var wallMilliseconds: Int64
    /// Findings by class, counted ones included.
    public var counts: [LossClass: Int]
    /// Violations, told; the first of each class first.
    public var findings: [Told]
    /// Why the verdict is unknown.
    public var reasons: [String]
    /// What is to be deployed to production, one line each.
    public var undeployed: [String] = []
    /// What the Cloud's own answers break, one line each.
    public var broken: [String] = []
    /// What apps used of production's schema, by container, in CloudKit's schema language; empty where the run does not watch it.
    public var schema: [String: String] = [:]
    /// Names of the marks that were reached.
    public var marks: [String]
    /// What a reader of the verdict must know of the mode: what it cannot show.
    public var remarks: [String] = []
    /// Methods of apps that nobody calls because their names miss those of the iPad by a little, one line each.
    public var hints: [String] = []
    /// One part of a split run: it has no verdict of its own.
    public var part: Shard?
    /// What the seed drew of the scenario beside its faults, by axis; empty where it draws nothing.
    public var drawn = Value.empty
    /// What `homeroom lint` found, one line each; nothing in other runs.
    public var habits: [String] = []
    /// What `homeroom lint` recommends though nothing is wrong, one line each.
    public var advice: [String] = []
    /// What became of the edit that was asked for; not part of `verdict.json`, because nobody asks there.
    public var fate: String?
    /// Where the run came from and what it left, for JUnit; not part of `verdict.json`, which lies in the same place.
    public var origin = Origin()
    /// What a measured run measured, as lines for the terminal; not part of `verdict.json`.
    public var figures: [String] = []

    /// What every run has; the rest is set afterwards.
    public init(
        scenario: String, seed: UInt64, mode: String, verdict: Verdict, expected: Verdict, expectedClass: LossClass?,
        edits: Int, attempted: Int, events: Int?, digest: String, virtual: Span, wallMilliseconds: Int64,
        counts: [LossClass: Int], findings: [Told], reasons: [String], marks: [String]
    ) {
        self.scenario = scenario
        self.seed = seed
        self.mode = mode
        self.verdict = verdict
        self.expected = expected
        self.expectedClass = expectedClass
        self.edits = edits
        self.attempted = attempted
        self.events = events
        self.digest = digest
        self.virtual = virtual
        self.wallMilliseconds = wallMilliseconds
        self.counts = counts
        self.findings = findings
        self.reasons = reasons
        self.marks = marks
    }

    /// Findings of a class, counted ones included; 0 for a class without one.
    public func count(_ lossClass: LossClass) -> Int { counts[lossClass] ?? 0 }

    /// Whether the run gave what its scenario expects.
    public var isAsExpected: Bool {
        guard verdict == expected else { return false }
        guard let expectedClass else { return true }
        return count(expectedClass) > 0
    }

    /// What the scenario expects: `valid`, `invalid (lost)`.
    public var wanted: String { expected.rawValue + (expectedClass.map { " (\($0.rawValue))" } ?? "") }

    /// By the verdict; never 0 when it is not as expected: a valid run of a scenario that expects a loss is a hole in the testbed.
    public var exitStatus: ExitStatus {
        if isAsExpected || part != nil { return .asExpected }
        return verdict == .unknown ? .unknown : .unexpected
    }

    /// Enough of the digest to tell runs apart by eye, and to fit on a terminal; `verdict.json` has all of it.
    public var shortDigest: String { String(digest.prefix(12)) }

    /// The one line for people and scripts: how many edits ended in a way that makes a run invalid, and by which classes; then those that
    /// are counted only.
    public var line: String {
        // Of production's schema a query may lack something, which costs no edit.
        let isOfQueries = count(.undeployed) > 0 && !findings.contains { $0.lossClass == .undeployed }
        let violations = LossClass.allCases.filter {
            $0.isViolation && count($0) > 0 && !($0 == .undeployed && isOfQueries)
        }
        var words = ["seed=\(seed)", "mode=\(mode)", "edits=\(edits)"]
        words.append("violations=\(violations.reduce(0) { $0 + count($1) })")
        if !violations.isEmpty {
            words.append("(\(violations.map { "\($0.rawValue) \(count($0))" }.joined(separator: ", ")))")
        }
        for lossClass in LossClass.allCases where !lossClass.isViolation && count(lossClass) > 0 {
            words.append("\(lossClass.rawValue)=\(count(lossClass))")
        }
        if isOfQueries { words.append("undeployed=\(count(.undeployed))") }
        if !broken.isEmpty { words.append("broken=\(broken.count)") }
        if refused > 0 { words.append("refused=\(refused)") }
        if crashes > 0 { words.append("crashed=\(crashes)") }
        if let events { words.append("events=\(events)") }
        words += [
            "digest=\(shortDigest)", "virtual=\(virtual)",
            "wall=\(wallMilliseconds / 1000).\((wallMilliseconds % 1000) / 100)s",
        ]
        let verdict = part.map { "part \($0)" } ?? verdict.rawValue
        return "\(verdict)  \(scenario)  \(words.joined(separator: " "))"
    }

    /// `purgeAtSignOut=true slots=3 ...`; nil where nothing is drawn.
    public var drawnLine: String? {
        let pairs = drawn.object?.pairs ?? []
        return pairs.isEmpty
            ? nil : pairs.map { "\($0.key)=\($0.value.string ?? $0.value.json)" }.joined(separator: " ")
    }

    /// More lines than a person reads.
    private static let brokenMost = 20

    /// What stands above the line when a person should look: expectations missed, reasons, stories.
    /// - Parameter command: repeats this run.
    public func explanation(command: String) -> [String] {
        guard part == nil else { return reasons.map { "  judged later: \($0)" } }
        var lines: [String] = []
        if !isAsExpected {
            lines.append("\(scenario): expected \(wanted), got \(verdict.rawValue)")
        } else if expected != .valid {
            lines.append("\(scenario): \(wanted), as expected")
        }
        if let drawnLine { lines.append("  drawn: \(drawnLine)") }
        if let firstCrash { lines.append("  an app crashed, \(crashes) times in all; first \(firstCrash)") }
        if let firstRefusal { lines.append("  \(refused) of \(attempted) edits refused; first \(firstRefusal)") }
        if !undeployed.isEmpty {
            lines.append("  production does not have what the apps use; deploy, or add to the schema's file:")
            lines += undeployed.map { "    \($0)" }
        }
        if !broken.isEmpty {
            lines.append("  the Cloud answered what it must not; this is no fault of an app:")
            lines += broken.prefix(Self.brokenMost).map { "    \($0)" }
            if broken.count > Self.brokenMost { lines.append("    ... and \(broken.count - Self.brokenMost) more") }
        }
        for reason in reasons { lines.append("  unknown because: \(reason)") }
        var told: Set<LossClass> = []
        for finding in findings where told.insert(finding.lossClass).inserted {
            lines += [""] + finding.story
            let more = count(finding.lossClass) - 1
            if more > 0 { lines.append("   ... and \(more) more \(finding.lossClass.rawValue)") }
        }
        for remark in remarks { lines.append("  \(mode): \(remark)") }
        for hint in hints { lines.append("  hint: \(hint)") }
        if !isAsExpected || !findings.isEmpty { lines += ["", "repeat with: \(command)"] }
        return lines
    }
}

extension RunReport {
    /// `verdict.json`, and what a worker sends to its supervisor.
    public var body: Value {
        var body: Value = [
            "scenario": .string(scenario), "seed": .string(String(seed)), "mode": .string(mode),
            "verdict": .string(verdict.rawValue), "expected": .string(expected.rawValue),
            "expectedClass": .optional(expectedClass?.rawValue), "asExpected": .bool(isAsExpected),
            "edits": .int(edits),
            "attempted": .int(attempted), "refused": .int(refused), "firstRefusal": .optional(firstRefusal),
            "crashed": .int(crashes), "firstCrash": .optional(firstCrash),
            "events": events.map { .int($0) } ?? .null, "digest": .string(digest),
            "virtualNanoseconds": .int(virtual.nanoseconds), "wallMilliseconds": .int(wallMilliseconds),
            "counts": .object(Value.Object(counts.map { ($0.key.rawValue, .int($0.value)) })),
            "findings": .array(
                findings.map {
                    [
                        "class": .string($0.lossClass.rawValue), "edit": .string($0.token),
                        "summary": .string($0.summary),
                        "story": .strings($0.story),
                    ]
                }),
            "reasons": .strings(reasons), "marks": .strings(marks), "remarks": .strings(remarks),
        ]
        if !hints.isEmpty { body["hints"] = .strings(hints) }
        if drawn != .empty { body["drawn"] = drawn }
        if let fate { body["fate"] = .string(fate) }
        if let part { body["part"] = .string("\(part)") }
        if !habits.isEmpty { body["habits"] = .strings(habits) }
        if !advice.isEmpty { body["advice"] = .strings(advice) }
        if !figures.isEmpty { body["figures"] = .strings(figures) }
        if !undeployed.isEmpty { body["undeployed"] = .strings(undeployed) }
        if !broken.isEmpty { body["broken"] = .strings(broken) }
        if !schema.isEmpty { body["schema"] = .object(Value.Object(schema.map { ($0.key, .string($0.value)) })) }
        return body
    }

    /// Reads what `body` writes; nil without scenario, seed, mode, verdict, expectation or digest. Other members that are missing count
    /// as none.
    public init?(_ body: Value) {
        guard let scenario = body["scenario"]?.string, let seed = body["seed"]?.string.flatMap({ UInt64($0) }),
            let mode = body["mode"]?.string, let verdict = body["verdict"]?.string.flatMap(Verdict.init),
            let expected = body["expected"]?.string.flatMap(Verdict.init), let digest = body["digest"]?.string
        else { return nil }
        func number(_ key: String) -> Int { Int(clamping: body[key]?.int ?? 0) }
        self.init(
            scenario: scenario, seed: seed, mode: mode, verdict: verdict, expected: expected,
            expectedClass: body["expectedClass"]?.string.flatMap(LossClass.init), edits: number("edits"),
            attempted: number("attempted"), events: body["events"]?.int.map { Int(clamping: $0) }, digest: digest,
            virtual: Span(nanoseconds: body["virtualNanoseconds"]?.int ?? 0),
            wallMilliseconds: body["wallMilliseconds"]?.int ?? 0,
            counts: Dictionary(
                (body["counts"]?.object?.pairs ?? []).compactMap { pair in
                    LossClass(rawValue: pair.key).map { ($0, Int(clamping: pair.value.int ?? 0)) }
                }, uniquingKeysWith: { first, _ in first }),
            findings: (body["findings"]?.array ?? []).compactMap(Told.init), reasons: body["reasons"]?.strings ?? [],
            marks: body["marks"]?.strings ?? [])
        refused = number("refused")
        firstRefusal = body["firstRefusal"]?.string
        crashes = number("crashed")
        firstCrash = body["firstCrash"]?.string
        remarks = body["remarks"]?.strings ?? []
        hints = body["hints"]?.strings ?? []
        drawn = body["drawn"] ?? .empty
        fate = body["fate"]?.string
        part = body["part"]?.string.flatMap { Shard($0) }
        habits = body["habits"]?.strings ?? []
        advice = body["advice"]?.strings ?? []
        figures = body["figures"]?.strings ?? []
        undeployed = body["undeployed"]?.strings ?? []
        broken = body["broken"]?.strings ?? []
        schema = Dictionary(
            (body["schema"]?.object?.pairs ?? []).map { ($0.key, $0.value.string ?? "") },
            uniquingKeysWith: { first, _ in first })
    }
}

extension RunReport.Told {
    init?(_ body: Value) {
        guard let lossClass = body["class"]?.string.flatMap(LossClass.init), let token = body["edit"]?.string else {
            return nil
        }
        self.init(
            lossClass: lossClass, token: token, summary: body["summary"]?.string ?? "",
            story: body["story"]?.strings ?? [])
    }
}
