import FleetModel
import Storage

/// What every service of an iPad shares: its clock and timers, what it remembers across a restart, and the ways out of it.
///
/// It knows no service. A service reaches the others by `pad`, and only by what is not private there.
final class Kernel {
    private enum Life {
        /// Daemons have read nothing yet.
        case new
        case running
        /// The power is gone: nothing happens until the World makes this iPad again.
        case down
    }

    let spec: PadSpec
    let systemDisk: Disk

    // What survives a restart
    var state: SystemState { didSet { if state != oldValue { isStateDirty = true } } }
    private var isStateDirty = false

    // What does not
    private(set) var now = Instant.zero
    private var life = Life.new
    var timers = TimerQueue()
    /// Something has changed: what follows from it is to be done.
    var needsSettling = false
    private var outputs: [Output] = []
    private(set) var reachedMarks: Set<Mark> = []
    /// Failures of the machine's own disk: a harness error, told to the World.
    private(set) var problems: [String] = []
    /// Exchanges of the Pad's own questions; far from those that apps choose, since an answer is found by its number.
    private var nextExchange: UInt64 = 1 << 32
    /// Those who look on, in the order in which they hear.
    private var observers: [any PadObserver] = []
    private(set) unowned var pad: Pad!

    /// - Throws: `PadProblem` for a wrong specification, or what the disk throws.
    init(_ spec: PadSpec, systemDisk: Disk) throws {
        self.spec = spec
        self.systemDisk = systemDisk
        systemDisk.processEnded()
        state = try SystemState(from: systemDisk) ?? SystemState(spec)
    }
    /// Called once, before anything happens.
    func attach(_ pad: Pad, observers: [any PadObserver]) {
        self.pad = pad
        self.observers = observers
    }

    /// The iPad is gone: those who look on hold the kernel, and must not keep it.
    func detach() { observers = [] }

    // MARK: Time

    func begin(_ now: Instant) {
        self.now = max(now, self.now)
        systemDisk.now = self.now
    }
    /// What goes out of a step. The next one begins with nothing.
    func end(nextTimer: Instant?) -> StepResult {
        defer { (outputs, problems) = ([], []) }
        return StepResult(outputs: outputs, nextTimer: nextTimer, problems: problems)
    }
    var isRunning: Bool { life == .running }
    var isDown: Bool { life == .down }
    /// - Returns: false when it has started before.
    func boot() -> Bool {
        guard life == .new else { return false }
        life = .running
        return true
    }
    /// Nothing falls due any more.
    func goDown() {
        life = .down
        timers = TimerQueue()
    }

    // MARK: The ways out

    /// The way out of the iPad, for everything.
    func emit(_ output: Output) {
        outputs.append(output)
        // Each message is one: it is reported only where somebody looks into them.
        if spec.watches.arrivals { report(.left(output)) }
    }
    func noteAll(_ notes: [Note]) {
        for note in notes { emit(Output(to: .pad(spec.number), .note(note))) }
        report(.noted(notes))
    }
    func mark(_ mark: Mark) {
        guard reachedMarks.insert(mark).inserted else { return }
        noteAll([.mark(mark)])
    }
    func reply(_ body: Value, to command: Command) {
        guard command.exchange != 0 else { return }
        emit(Output(to: command.from, .post(Message(command.message.name, body)), exchange: command.exchange))
    }
    func reply(_ answer: CommandAnswer, to command: Command) { reply(answer.body, to: command) }
    func problem(_ what: String) { problems.append(what) }
    /// Those who look on hear it; nothing on the iPad depends on what they make of it.
    func report(_ event: PadEvent) {
        for observer in observers { observer.saw(event) }
    }
    func newExchange() -> UInt64 {
        nextExchange += 1
        return nextExchange
    }

    /// Called at the end of each step and where something else must not happen before it is durable.
    func saveState() {
        guard isStateDirty, !isDown else { return }
        isStateDirty = false
        do { try state.save(to: systemDisk) } catch {
            problem("the system volume of \(spec.deviceName) cannot be written: \(error)")
        }
    }
}

extension Kernel: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        try timers.checkInvariants()
        try invariant(
            !isDown || timers.next == nil,
            "an iPad without power waits for the timer at \(timers.next?.wallClock ?? "")")
        try invariant(
            Set(state.residents.map(\.person)).count == state.residents.count,
            "somebody is on the iPad twice: \(state.residents.map(\.person))")
        try invariant(
            state.residents.allSatisfy { $0.left <= state.counters.signOuts },
            "somebody left after the last of \(state.counters.signOuts) sign-outs")
    }
}
