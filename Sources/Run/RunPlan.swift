import FleetModel
import Nemesis

/// Everything that fixes a run: made from a scenario and a seed, or read from a trace.
public struct RunPlan: Sendable {
    /// The seed of all draws of the run.
    public var seed: UInt64
    /// iPads of the storm, numbered from 1.
    public var pads: Int
    /// iPads that heal and take part in calm; the others may stay dead for ever.
    public var core: [Int]
    /// Everybody who has an account, in the order of the scenario.
    public var people: [Person]
    /// The apps that people use and that the final reading opens.
    public var apps: [AppManifest]
    /// The workload tape.
    public var plan: [PlanStep]
    /// Whether the plan is an open load: people are at several iPads at a time, and wait at each for themselves.
    public var isOpenLoad: Bool
    /// The fault tape.
    public var faults: [FaultSpec]
    /// The schedule tape of a replay: outcomes by key, everything else by default. Nil: outcomes are drawn.
    public var outcomes: [String: Value]?
    /// What the schedule tape does not know is drawn from the seed: a run that goes another way than its recording.
    public var drawsBesideTape = false
    /// The healthy link between iPads and Cloud, before any fault.
    public var network: LinkModel
    /// Length of the first phase, in which people act and faults break things.
    public var storm: Span
    /// Longest time after the storm until nothing may be pending.
    public var calmBudget: Span
    /// Members of a Pad's specification that the scenario sets: slots, purgeAtSignOut.
    public var padSettings: Value
    /// Members of the Cloud's specification that the scenario sets: `settings`, by name.
    public var cloudSettings: Value
    /// More calls than this of one iPad's apps in one instant are an app that waits in a loop for what only time can bring.
    public var maxCallsPerInstant: Int

    /// An import of ten thousand files does not reach it. ASSUMED: the number is ours.
    public static let standardCallsPerInstant = 100_000

    /// Nothing is checked here: scenario and trace were checked where they were read.
    public init(
        seed: UInt64, pads: Int, core: [Int], people: [Person], apps: [AppManifest], plan: [PlanStep],
        faults: [FaultSpec],
        outcomes: [String: Value]? = nil, network: LinkModel, storm: Span, calmBudget: Span,
        padSettings: Value = .empty,
        cloudSettings: Value = .empty, isOpenLoad: Bool = false,
        maxCallsPerInstant: Int = RunPlan.standardCallsPerInstant
    ) {
        self.seed = seed
        self.pads = pads
        self.core = core
        self.people = people
        self.apps = apps
        self.plan = plan
        self.isOpenLoad = isOpenLoad
        self.faults = faults
        self.outcomes = outcomes
        self.network = network
        self.storm = storm
        self.calmBudget = calmBudget
        self.padSettings = padSettings
        self.cloudSettings = cloudSettings
        self.maxCallsPerInstant = maxCallsPerInstant
    }

    package func padSpec(_ pad: Int) -> Value {
        var spec = padSettings
        spec["pad"] = .int(pad)
        spec["seed"] = .int(Int64(bitPattern: seed))
        spec["apps"] = .array(apps.map(\.body))
        return spec
    }
    package var cloudSpec: Value {
        var spec = cloudSettings
        spec["accounts"] = .strings(people)
        spec["seed"] = .int(Int64(bitPattern: seed))
        return spec
    }
}
