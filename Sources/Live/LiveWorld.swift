import CInterpose
import FleetModel
import Glibc
import Nemesis
import Run
import Trace

/// A run in real time: iPads, apps and the Cloud are processes that go on by themselves, the network is a real one.
///
/// The supervisor plays the same phases as the `World`: people and nemesis act from here, and what everybody notes is gathered here.
/// It fixes who does what and which faults come; the order of things is the machine's.
public final class LiveWorld: RunDriver {
    /// Who does what; the same for all parts of a split run.
    public let plan: RunPlan
    package let recorder: Recorder
    package var nemesis: Nemesis
    let settings: Settings
    let cloud: CloudService
    /// Between iPads and Cloud; nil when no fault of the run has anything to do there.
    var network: SchoolNetwork?
    let zygote: Zygote
    let make: ParticipantFactory
    /// The others, when the run is split.
    let parts: Parts?
    /// Running since the Cloud answered for the first time.
    var clock: LiveClock?
    var pads: [Int: PadHandle] = [:]
    private var people: (any Participant)?
    private var peopleTimer: Instant?
    var agenda = EventQueue()
    /// Everything noted, in the order in which it came here; `finish` puts it into the order of time.
    private var history: [HistoryEvent] = []
    package private(set) var book = MarkBook()
    private var phases: [(name: String, began: Instant)] = []
    var answers: [UInt64: Message] = [:]
    private var nextExchange: UInt64 = 1 << 40
    var afterBoot: [ParticipantID: [Message]] = [:]
    var isCloudUp = false
    var isCalm = false
    /// What went wrong where nothing can be thrown.
    var problem: (any Error)?
    /// Messages that iPads handled.
    public internal(set) var handled = 0
    /// The calendar clock against the monotonic one at the beginning, ns: the Cloud notes by the former.
    var wallOffset: Int64 = 0
    /// How far that may be wrong.
    public internal(set) var clockError: Int64 = 0
    /// When clocks were compared; real ns.
    var comparedAt: Int64 = 0
    /// Called in each round: a worker's pulse.
    public var onEvent: (() -> Void)?
    /// Called once, when the storm has ended and everybody is still there.
    public var onStormEnd: (() -> Void)?
    /// Gets the requests of iPads that are started from now on, some time after they ended.
    public var onRequest: ((RequestEnd) -> Void)?
    /// Asked at the end of a part for what it cost, which its note tells whoever joins the parts.
    public var onSign: (() -> Value?)?

    /// How a run is set up.
    public struct Settings: Sendable {
        /// Virtual seconds a second.
        public var speed: Double
        /// The program of the Cloud's server, or a server that is there.
        public var program: String?
        /// A server that is there; nil: `program` is started.
        public var cloud: CloudAddress?
        /// The part of the run that is played here.
        public var shard: Shard
        /// Its name, which requests bear.
        public var scenario: String?
        /// Differs between plans: parts of a run must play the same one.
        public var identity: String
        /// Differs between executables, which may do different things with one plan.
        public var build = ""
        /// Serves as the school's network, in a process of its own; nil: iPads bend whole messages themselves.
        public var network: (@Sendable (SchoolNetworkPlan) -> Never)?
        /// Folder of the Cloud's data, and of what participants print.
        public var data: String
        /// Folder of what participants print, a file each.
        public var logs: String

        /// From its parts; nothing is checked before the run.
        public init(
            speed: Double, program: String?, cloud: CloudAddress?, shard: Shard = .whole, identity: String = "",
            data: String, logs: String
        ) {
            self.speed = speed
            self.program = program
            self.cloud = cloud
            self.shard = shard
            self.identity = identity
            self.data = data
            self.logs = logs
        }
    }

    /// To be called before the process has threads or a large heap.
    public init(
        plan: RunPlan, nemesis: Nemesis, recorder: Recorder, settings: Settings, make: @escaping ParticipantFactory
    ) throws(RunEnd) {
        self.plan = plan
        self.nemesis = nemesis
        self.recorder = recorder
        self.settings = settings
        self.make = make
        let source: CloudService.Source =
            if let given = settings.cloud { .given(given) } else {
                .program(
                    settings.program ?? "", data: settings.data, log: settings.logs + "/cloud.log",
                    settings: plan.cloudSettings["settings"] ?? .empty)
            }
        let cloud = CloudService(source)
        self.cloud = cloud
        parts = settings.shard.isWhole ? nil : Parts(settings.shard, board: { try cloud.board($0) })
        HTTPClient.prepare()
        zygote = try Zygote { id, spec, socket in
            try LivePad(id: id, spec: spec, socket: socket, make: make).run()
        }
    }

    /// Names of the marks that were reached so far.
    public var marks: Set<String> { book.names }
    /// Name of the run's phase at that moment; nil before the first.
    public func phase(at moment: Instant) -> String? { phases.last { $0.began <= moment }?.name }
    /// Virtual time; zero until the Cloud answers.
    public var now: Instant { clock?.now ?? .zero }

    /// Processes of the iPads that are up, and of the Cloud's server when it is ours.
    public var padProcesses: [Int32] { pads.values.map(\.pid) }
    /// The Cloud's server when it is ours and up; else nil.
    public var cloudProcess: Int32? { cloud.process }
    /// Counters of the Cloud; nil before it answers.
    public var cloudMetrics: CloudMetrics? { CloudMetrics(cloud) }

    /// Runs the whole plan, or its storm alone. What was found is in the recorder's history.
    /// - Throws: `RunEnd.harness`, `RunEnd` of kind `disk`, `RunEnd.input` or `TraceProblem`: then nothing is said about the app. `RunEnd.inconclusive` when the
    ///   run proves nothing.
    public func run(onlyStorm: Bool = false) throws {
        defer { shutDown() }
        do {
            do { if onlyStorm { try playStorm() } else { try play() } } catch let stopped as RunEnd
                where stopped.kind == .inconclusive
            {
                try finish()
                throw stopped
            }
            try finish()
            try parts?.end()
        } catch {
            parts?.fail(.of(error))
            throw error
        }
    }

    func shutDown() {
        for pad in pads.keys { kill(pad) }
        network?.end()
        cloud.crash()
        zygote.shutDown()
    }

    // MARK: The loop

    /// Goes on until the end, or throws what went wrong anywhere meanwhile.
    public func run(until end: Instant) throws { while try runOne(until: end) {} }
    package func run(until end: Instant, orAnswersTo exchanges: [UInt64]) throws {
        while exchanges.contains(where: { answers[$0] == nil }), try runOne(until: end) {}
    }
    package func takeAnswer(to exchange: UInt64) -> Message? { answers.removeValue(forKey: exchange) }

    /// One round: what is due, then what has come; false when the end is reached.
    func runOne(until end: Instant) throws -> Bool {
        onEvent?()
        if let problem { throw problem }
        try doWhatIsDue()
        try cloud.check()
        try network?.check()
        try hear()
        for number in listen(until: min(end, agenda.next ?? end, peopleTimer ?? end)) { try take(from: number) }
        return now < end
    }

    private func doWhatIsDue() throws {
        while let next = agenda.next, next <= now, let (_, happening) = agenda.pop() {
            switch happening {
            case .faultBegins(let index): if !isCalm { try faultBegins(index) }
            case .faultHeals(let index): try faultHeals(index)
            case .laterCommand(let id, let message): if !isCalm { try command(id, message) }
            // In calm the phases say who comes back.
            case .boot(let id): if !isCalm { try boot(id) }
            case .arrival, .timer: break
            }
        }
        if let peopleTimer, peopleTimer <= now { try stepPeople([]) }
        for pad in pads.values where pad.fall.map({ $0.deadline < hr_real_ns() }) ?? false { fallen(pad.number) }
    }

    /// Longest wait: the worker's pulse and the Cloud's end are looked at in between.
    private var waitMilliseconds: Int32 { parts == nil ? 250 : 50 }

    /// Waits, but no longer than until `instant`.
    /// - Returns: iPads from which something has come, that take something again, or that are gone.
    private func listen(until instant: Instant) -> [Int] {
        let numbers = pads.keys.sorted()
        var descriptors = numbers.compactMap { pads[$0]?.wire }.map {
            pollfd(fd: $0.fd, events: Int16($0.wantsToSend ? POLLIN | POLLOUT : POLLIN), revents: 0)
        }
        let wait = clock?.milliseconds(until: instant, atMost: waitMilliseconds) ?? waitMilliseconds
        _ = poll(&descriptors, nfds_t(descriptors.count), wait)
        return zip(numbers, descriptors).filter { $1.revents != 0 || pads[$0]?.wire.isClosed == true }.map(\.0)
    }

    // MARK: The history

    package func note(_ note: Note, from id: ParticipantID) throws { keep(note, from: id, at: now) }
    func keep(_ note: Note, from id: ParticipantID, at instant: Instant) {
        if note.kind == .phase, let name = note.detail["name"]?.string { phases.append((name, instant)) }
        history += book.events(for: HistoryEvent(at: instant, from: id, note))
    }

    /// Everybody's notes in the order of time; equal moments in the order in which they came here.
    private func finish() throws {
        try requireHealth()
        try compareClocks()
        signPart()
        if shard.leads { history += try cloudHistory().filter { book.takes($0.note) } }
        let order = history.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        for event in order { try recorder.note(event.element) }
    }

    // MARK: People

    func startPeople(_ spec: Value) throws { people = try make(.people, spec) }
    func endPeople() { (people, peopleTimer) = (nil, nil) }
    package func wakePeople() throws { try stepPeople([]) }

    func stepPeople(_ inputs: [Input]) throws {
        guard let people else { return }
        let result = people.step(now: now, inputs: inputs, link: Nobody())
        peopleTimer = result.nextTimer
        for output in result.outputs {
            switch output.payload {
            case .note(let note): keep(note, from: .people, at: now)
            case .command(let message): try send(message, to: output.to, exchange: output.exchange)
            case .post(let message): parts?.tell(message)
            default: throw RunEnd.harness("people sent a \(output.payload.kindName)")
            }
        }
    }

    func nextNumber() -> UInt64 {
        nextExchange += 1
        return nextExchange
    }
    func answered(_ exchange: UInt64, _ message: Message) { answers[exchange] = message }
}

/// People call nobody.
private final class Nobody: CallLink {
    func call(_ message: Message, after posts: [Output]) -> Message? { nil }
}
