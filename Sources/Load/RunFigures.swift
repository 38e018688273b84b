import FleetModel

/// What a run measured: how long edits took from the moment they were meant to be made to the moment somebody else saw them.
///
/// Times are those of the run: virtual in `sim` and `fleet`, in `live` the machine's times `speed`. An edit counts from its place in the plan, not from when its person came to
/// it: whoever waits behind a slow answer has waited (no coordinated omission).
public struct RunFigures: Hashable, Sendable {
    /// The scenario's name.
    public var scenario: String
    /// The seed of all draws of the run.
    public var seed: UInt64
    /// `sim`, `fleet` or `live`.
    public var mode: String
    /// Names the plan: equal when the same people were to do the same at the same times, in whatever app.
    public var plan: String
    /// Of the machine; says how fast the testbed was.
    public var wallMilliseconds: Int64
    /// All edits first, then those of each channel where there are several, and each by what went on.
    public var rows: [Row]
    /// What happened when, in bins.
    public var timeline: Timeline
    /// How classes came in after each bell; empty for a scenario without a timetable.
    public var bells: [Bell] = []
    /// What it cost the machine; only in `live`.
    public var costs: Costs?
    /// Seconds of the run's time in a second of the machine; 1 where time is virtual.
    public var speed = 1.0

    /// From its parts; bells, costs and speed are set afterwards.
    public init(
        scenario: String, seed: UInt64, mode: String, plan: String, wallMilliseconds: Int64, rows: [Row],
        timeline: Timeline
    ) {
        self.scenario = scenario
        self.seed = seed
        self.mode = mode
        self.plan = plan
        self.wallMilliseconds = wallMilliseconds
        self.rows = rows
        self.timeline = timeline
    }

    /// Edits that were performed in one second of the machine.
    public var performedPerWallSecond: Double {
        Double(rows.first?.performed ?? 0) * 1000 / Double(max(1, wallMilliseconds))
    }

    /// A stretch of an edit's way.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// From the plan until the app's handler returned.
        case performed
        /// From there until a system service answered for it; zero when the handler had waited for that.
        case handedOver
        /// From there until the Cloud had it.
        case committed
        /// From the plan until the first other iPad handed it to an app of the same person.
        case firstSight
        /// From the plan until the last of the iPads that showed it did so for the first time.
        case lastSight
    }

    /// What went on when an edit was to be made.
    public enum Situation: String, Hashable, Sendable, CaseIterable {
        /// Whatever went on.
        case all
        /// No fault was at work anywhere.
        case quiet
        /// At least one was.
        case faults
    }

    /// Edits of one channel in one situation.
    public struct Row: Hashable, Sendable {
        /// Nil: all of them.
        public var channel: Channel?
        /// What went on at the times of its edits.
        public var situation: Situation
        /// Edits in the plan.
        public var planned = 0
        /// Of these, never tried: their person was not signed in where they should have been.
        public var skipped = 0
        /// Edits that the app took.
        public var performed = 0
        /// Refused by the app or the device.
        public var refused = 0
        /// Times that a service handed an edit back, to be tried again by the app.
        public var handedBack = 0
        /// Performed edits with a text that no other iPad showed before the storm ended.
        public var unseen = 0
        /// Of these, those whose item was deleted next: nobody needed to see them any more.
        public var overtaken = 0
        /// Edits in the plan for each second between the first and the last.
        public var plannedPerSecond = 0.0
        /// Performed edits for each second between the first and the last of them.
        public var performedPerSecond = 0.0
        /// By stretch; a stretch that nothing was measured of is missing.
        public var latencies: [Stage: LatencyHistogram] = [:]

        /// A row without edits.
        public init(channel: Channel?, situation: Situation) {
            self.channel = channel
            self.situation = situation
        }

        /// `record`, `all`, `record.faults`: what figures of this row are called.
        public var name: String {
            (channel?.rawValue ?? "all") + (situation == .all ? "" : ".\(situation.rawValue)")
        }
        /// An empty histogram where nothing was measured.
        public subscript(stage: Stage) -> LatencyHistogram { latencies[stage] ?? LatencyHistogram() }
    }

    /// What happened when, for plots.
    public struct Timeline: Hashable, Sendable {
        /// Length of each of the bins, the first of which begins with the run.
        public var bin: Span
        /// Edits by when they were to be made, and when they were; first sights by when they happened.
        public var planned: [Int]
        /// Edits by the bin in which they were performed.
        public var performed: [Int]
        /// Edits by the bin in which another iPad showed them first.
        public var seen: [Int]
        /// Of the edits that were to be made in each bin and were seen elsewhere: the median of the time from the plan to the first sight, and the
        /// longest; nil where there is none.
        public var medianSight: [Span?] = []
        /// As `medianSight`: the longest.
        public var longestSight: [Span?] = []
        /// Ends of periods.
        public var bells: [Instant]
        /// Faults at work, in the order of their beginnings.
        public var faults: [Window]

        /// A fault at work.
        public struct Window: Hashable, Sendable {
            /// The fault's kind.
            public var name: String
            /// When it begins.
            public var from: Instant
            /// When it is healed; the same as `from` for what happens at one moment.
            public var until: Instant
            /// From its parts.
            public init(name: String, from: Instant, until: Instant) {
                self.name = name
                self.from = from
                self.until = until
            }
        }

        /// The bins are of one number; nothing is checked.
        public init(
            bin: Span, planned: [Int], performed: [Int], seen: [Int], bells: [Instant] = [], faults: [Window] = []
        ) {
            self.bin = bin
            self.planned = planned
            self.performed = performed
            self.seen = seen
            self.bells = bells
            self.faults = faults
        }
    }
}
