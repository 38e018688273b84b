import FleetModel
import Workload

/// What became of one try: how a run of a scenario failed.
public struct Trial: Hashable, Sendable {
    /// Violations by class; empty: it did not fail.
    public var counts: [LossClass: Int]
    /// Edits that came to harm, by class, in the order of the report.
    public var tokens: [LossClass: [Token]]

    /// Keeps of the counts what is a violation; `tokens` is taken as it is.
    public init(counts: [LossClass: Int] = [:], tokens: [LossClass: [Token]] = [:]) {
        self.counts = counts.filter { $0.key.isViolation && $0.value > 0 }
        self.tokens = tokens
    }

    /// The class with most findings, the first of several in the order of the classes; nil: it did not fail.
    public var leading: LossClass? {
        let most = counts.values.max() ?? 0
        return LossClass.allCases.first { counts[$0] == most && most > 0 }
    }

    /// What a smaller run must have in common with the first one.
    public struct Goal: Hashable, Sendable {
        /// The class in which it has to fail.
        public var lossClass: LossClass
        /// Whether it is the class with most findings, as it was at first: else a run that is shrunk again would end elsewhere.
        public var isLeading: Bool

        /// - Parameter wanted: nil: the class with most findings.
        /// - Returns: nil when the run did not fail, or not in that class.
        public init?(_ wanted: LossClass? = nil, of trial: Trial) {
            guard let leading = trial.leading, trial.counts[wanted ?? leading] != nil else { return nil }
            lossClass = wanted ?? leading
            isLeading = leading == lossClass
        }
        /// Whether a run that failed like this counts as the same failure.
        public func isMet(by trial: Trial) -> Bool {
            isLeading ? trial.leading == lossClass : trial.counts[lossClass] != nil
        }
    }
}

/// A scenario to try, and the seeds with each of which it has to fail.
public struct Candidate: Hashable, Sendable {
    /// What is played.
    public var scenario: Scenario
    /// Whether it has to fail with whatever seed: then its file names none.
    public var isOfAnySeed: Bool

    /// With `isOfAnySeed` the scenario's own seed is not used.
    public init(_ scenario: Scenario, isOfAnySeed: Bool) {
        self.scenario = scenario
        self.isOfAnySeed = isOfAnySeed
    }

    /// ASSUMED: what fails with three seeds fails with others too.
    public var seeds: [UInt64] { isOfAnySeed ? [1, 2, 3] : [scenario.seed] }

    /// The file: what is tried is what it says.
    public var yaml: String { yaml(comments: []) }
    /// The same file with these lines of comment above everything, given without their `#`.
    public func yaml(comments: [String]) -> String {
        ScenarioWriter.yaml(scenario, comments: comments, namesSeed: !isOfAnySeed)
    }
    var cost: Cost { Cost(scenario, isOfAnySeed: isOfAnySeed) }
    var key: UInt64 { StableHash.of(0, yaml) }
}
