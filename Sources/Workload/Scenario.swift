import FleetModel

/// One scenario: what a file of `Fleet/` says, checked and with all defaults filled in.
///
/// Invariants, kept by `ScenarioReader`: people, iPads, apps and classes named anywhere exist; periods do not overlap; nobody sits on
/// two iPads in one period and no iPad has two people; everything happens inside the storm.
public struct Scenario: Hashable, Sendable {
    /// File name form: letters, digits and hyphens.
    public var name: String
    /// One sentence: what the scenario shows.
    public var purpose: String
    /// What the run is meant to end with.
    public var expect: Expectation
    /// Seed of all draws where the command line gives none.
    public var seed: UInt64
    /// Names of the apps in the order of the file.
    public var apps: [AppName]
    /// iPads are numbered from 1 to this.
    public var ipads: Int
    /// People with an account, in the order of the file.
    public var people: [Person]
    /// Visitors without an account; they act by written steps only, and nobody reads for them.
    public var guests: [Person]
    /// In time order.
    public var periods: [Period]
    /// Written steps, in time order. Whoever has one is not generated at all: their day is written.
    public var steps: [WrittenStep]
    /// How the generated part of the workload behaves.
    public var work: Work
    /// Edits at fixed times on iPads that share a person; then there are neither periods nor steps.
    public var load: Load?
    /// Whether iPads note when edits reach them, and the run ends with figures.
    public var isMeasured: Bool
    /// Length of the storm: faults and people act inside it.
    public var storm: Span
    /// Longest virtual time that calm may take until nothing is pending.
    public var calmBudget: Span
    /// iPads that heal and must converge; the others may stay dead for ever (Docs/scenarios.md, Keys).
    public var core: [Int]
    /// Cached people that an iPad has room for; nil: the Pad's own default (shared-ipad.md 6).
    public var slots: Int?
    /// Of each iPad, in GB; nil: the Pad's own default.
    public var capacity: Int?
    /// SharedDeviceConfiguration with Apple's keys; nil: nothing is configured.
    public var configuration: Value?
    /// Whether sign-out purges the apps that declare purgeable storage; nil: the Pad's own default.
    public var purgeAtSignOut: Bool?
    /// Whether iPads that are new or erased wait for their management server (shared-ipad.md 9.2); nil: they do not.
    public var awaitDeviceConfigured: Bool?
    /// What an app has for its launch methods (S165); nil: the Pad's own 20 s.
    public var launchLimit: Span?
    /// Sides that iPads take where the sources differ.
    public var switches: PadSwitches
    /// Names of those that the file sets itself.
    public var fixedSwitches: Set<String> = []
    /// Sides that the Cloud takes where the sources differ, of those that this executable knows.
    public var cloud = Switches([], noun: "setting", tellsDefaults: false)
    /// Names of those that the file sets itself.
    public var fixedSettings: Set<String> = []
    /// Files with what production has of each app's containers, as the file names them; where one is given nothing else is taken.
    public var schemaFiles: [AppName: String] = [:]
    /// Whether the run tells what apps use of production's schema; always where one is given.
    public var watchesSchema = false
    /// Whether the Cloud notes what it answers about records, and the checks of the service judge it.
    public var isAudited = false
    /// What people type, and how they name things, where the file does not say.
    public var texts = TextStyle.words
    /// How people name items where the file does not say.
    public var items = ItemStyle.plain
    /// What each seed draws of all this, in the order of `Axis`.
    public var draw: [Axis] = []
    /// The healthy network, before any fault.
    public var linkModel: LinkModel
    /// Faults of the file, in its order; those of the swarm come on top.
    public var faults: [FaultSpec]
    /// Faults that each seed draws; nil: none.
    public var swarm: Swarming?
    /// Marks without which a run proves too little.
    public var mustReach: [String]
    /// What a run may come to at most or has to come to at least.
    public var limits: Limits

    /// The verdict that the scenario is meant to end with.
    public struct Expectation: Hashable, Sendable {
        /// The verdict of the run.
        public var verdict: Verdict
        /// For `invalid`: the class that must be among the findings.
        public var lossClass: LossClass?
        /// A loss class has a meaning with `invalid` only; `ScenarioReader` refuses others.
        public init(_ verdict: Verdict, _ lossClass: LossClass? = nil) {
            self.verdict = verdict
            self.lossClass = lossClass
        }
    }

    /// One period of the timetable; the bell rings at its end.
    public struct Period: Hashable, Sendable {
        /// When it begins; each of its people signs in after a walk.
        public var start: Instant
        /// The bell at its end; later than `start`.
        public var end: Instant
        /// Who sits where, in the order of the file.
        public var seats: [Seat]
        /// From its parts; nothing is checked.
        public init(start: Instant, end: Instant, seats: [Seat]) {
            self.start = start
            self.end = end
            self.seats = seats
        }
        /// Longest walk at its beginning: a quarter of it. ASSUMED: who comes later has no lesson.
        public var walkMax: Span { (end - start).scaled(by: 0.25) }
    }
    /// One person at one iPad for one period.
    public struct Seat: Hashable, Sendable {
        /// Who sits there.
        public var person: Person
        /// The iPad's number, from 1.
        public var pad: Int
        /// From its parts; nothing is checked.
        public init(_ person: Person, pad: Int) {
            self.person = person
            self.pad = pad
        }
    }

    /// A step of a person as the file has it.
    public struct WrittenStep: Hashable, Sendable {
        /// What the person does.
        public enum Deed: Hashable, Sendable {
            /// Signs in; signs out; leaves the app for the home screen.
            case signIn, signOut, home
            /// Goes without signing out: the next one at the iPad does it.
            case walkAway
            /// What else happens at the iPad: a command of Docs/pad-commands.md.
            case command(Message)
            /// The person's data of the iPad are backed up; the newest backup comes to the iPad.
            case backUp, restore
            /// Opens the app, which is in front then.
            case open(AppName)
            /// Item and text are drawn where the file gives none.
            case edit(AppName, action: String, item: String?, text: String?)
        }
        /// When it is tried; later where the person still waits for an answer.
        public var at: Instant
        /// Who does it.
        public var person: Person
        /// The iPad's number, from 1.
        public var pad: Int
        /// What is done.
        public var deed: Deed
        /// Of an edit: the number that its token ends with, from which its draws come; nil: one more than the person's edit before.
        public var number: Int?
        /// Of an edit: the person opens its app first where it is not in front.
        public var opens = false
        /// A step without a number of its own, in an app that is in front.
        public init(at: Instant, person: Person, pad: Int, _ deed: Deed) {
            self.at = at
            self.person = person
            self.pad = pad
            self.deed = deed
        }
    }

    /// How generated people work.
    public struct Work: Hashable, Sendable {
        /// Edits for each person and period.
        public var edits: Int
        /// Apps and how often each is chosen; an app that is left out is never opened.
        public var apps: [Choice]
        /// Time between two edits; shortened where the bell would come first.
        public var pause: ClosedRange<Span>
        /// Time from the bell until a person signs in: the walk to the next iPad.
        public var walk: ClosedRange<Span>
        /// Probability that a person goes to another app after an edit.
        public var switching: Double
        /// Probability that a person looks at the home screen and comes back after an edit.
        public var home: Double
        /// Probability that a person walks away at the bell without signing out; whoever comes next does it.
        public var forget: Double
        /// iPads at which a person is signed in at a time, 1 or 2: with 2 each period has half of its people, at two iPads each.
        public var ipadsEach = 1
        /// Probability that an edit is made in the same instant as the one before it.
        public var together = 0.0
        /// Probability that an edit is moved to within a second of a change of account.
        public var close = 0.0
        /// Items that one person brings at once, in one of the periods.
        public var bulk = 0

        /// How often an app is chosen, compared with the others.
        public struct Choice: Hashable, Sendable {
            /// Which app it is; one of the scenario's.
            public var app: AppName
            /// At least 1; parts of the sum of all weights.
            public var weight: Int
            /// From its parts.
            public init(_ app: AppName, weight: Int = 1) {
                self.app = app
                self.weight = weight
            }
        }
        /// ASSUMED: a lively class.
        public init(
            edits: Int = 6, apps: [Choice] = [], pause: ClosedRange<Span> = .seconds(5) ... .seconds(60),
            walk: ClosedRange<Span> = .seconds(2) ... .seconds(20), switching: Double = 0.15, home: Double = 0.08,
            forget: Double = 0
        ) {
            self.edits = edits
            self.apps = apps
            self.pause = pause
            self.walk = walk
            self.switching = switching
            self.home = home
            self.forget = forget
        }
    }

    /// An open load: each edit has its time, whatever became of the ones before it.
    public struct Load: Hashable, Sendable {
        /// One person's iPads and the app in front on them.
        public struct Place: Hashable, Sendable {
            /// Who edits there.
            public var person: Person
            /// The iPads' numbers, at each of which the person is signed in.
            public var pads: [Int]
            /// The app that stays in front on them.
            public var app: AppName
            /// From its parts; nothing is checked.
            public init(_ person: Person, pads: [Int], app: AppName) {
                self.person = person
                self.pads = pads
                self.app = app
            }
        }
        /// Each person once.
        public var places: [Place]
        /// Between two edits of one iPad, when the load begins. A person's iPads take turns, and people are spread over it by the seed.
        public var every: Span
        /// The same when it ends: in between, the number of edits a second goes linearly from the one to the other.
        public var atLast: Span
        /// Before it everybody signs in and opens their app, which stays in front.
        public var from: Instant
        /// No edit is made after it; what is under way comes to its end.
        public var until: Instant

        /// From its parts; nothing is checked.
        public init(places: [Place], every: Span, atLast: Span, from: Instant, until: Instant) {
            self.places = places
            self.every = every
            self.atLast = atLast
            self.from = from
            self.until = until
        }
    }

    /// Whether people are at several iPads at a time, and wait at each for themselves.
    public var isAtSeveral: Bool { load != nil || work.ipadsEach > 1 }

    /// Faults that each seed draws anew.
    public struct Swarming: Hashable, Sendable {
        /// Empty: all kinds.
        public var kinds: [String]
        /// Kinds that are left out.
        public var but: [String]
        /// How many faults are drawn; 1 is the usual number, 0 none.
        public var intensity: Double
        /// All kinds in the usual number unless said otherwise.
        public init(kinds: [String] = [], but: [String] = [], intensity: Double = 1) {
            self.kinds = kinds
            self.but = but
            self.intensity = intensity
        }
    }

    /// What the checkers and the World allow; nil leaves their own default.
    public struct Limits: Hashable, Sendable {
        /// Edits at most that are gone by a documented rule.
        public var maxExcused: Int?
        /// Key-value sets at most that were killed inside their documented window.
        public var maxInflight: Int?
        /// Edits at most whose only copy is on an iPad outside the core.
        public var maxStranded: Int?
        /// Crashes at most that are an app's own fault.
        public var maxCrashed: Int?
        /// Edits at least that were performed.
        public var minPerformed: Int?
        /// Attempts at least of each 100 that were performed or visibly refused.
        public var minAnsweredPercent: Int?
        /// Calls at most that the apps of one iPad may make in one instant: more is a loop that only time can end. At least 1.
        public var maxCallsPerInstant: Int?
        /// Every default stays.
        public init() {}
    }

    /// Times at which a class switches: ends of periods.
    public var bells: [Instant] { periods.map(\.end) }

    /// Members of a Pad's specification that the scenario sets (Docs/pad-commands.md).
    public var padSettings: Value {
        var settings = Value.empty
        if let slots { settings["slots"] = .int(slots) }
        if let capacity { settings["capacity"] = .int(capacity) }
        if let configuration { settings["configuration"] = configuration }
        if let purgeAtSignOut { settings["purgeAtSignOut"] = .bool(purgeAtSignOut) }
        if isMeasured { settings["notesArrivals"] = true }
        if let awaitDeviceConfigured { settings["awaitDeviceConfigured"] = .bool(awaitDeviceConfigured) }
        if let launchLimit { settings["launchLimit"] = .double(Double(launchLimit.nanoseconds) / 1e9) }
        if switches != PadSwitches() { settings["switches"] = switches.body }
        return settings
    }
}
