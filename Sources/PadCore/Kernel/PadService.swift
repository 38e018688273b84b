import FleetModel

/// A part of the emulated system that owns its state. A new one is one folder and one line in `Pad`.
///
/// What a service keeps is private to it. It asks the others by their methods, and hears by `ends` what of its state has to go: no service
/// resets the state of another.
protocol PadService: ProblemReporter, InvariantHolder {
    var kernel: Kernel { get }
    /// Something ends, and what belongs to it goes.
    func ends(_ ending: Ending)
}

/// What comes to an end on an iPad. Every service hears of it, in the order of `Pad.services`.
enum Ending: Hashable {
    /// A process is gone, whatever the reason.
    case launch(Int)
    /// The person is on the way out: nothing begins any more, and what waits for an app gets this answer.
    case session(Person, reason: String)
    /// Nobody is signed in any more, and nobody's apps run.
    case loginScreen
    /// An account and all that lies here of it is off the iPad. Somebody of the same name who comes later is new here.
    case account(Person)
    /// Reboot, loss of power, erasure: who still waits gets this answer and no other.
    case life(reason: String)
}

extension PadService {
    func ends(_ ending: Ending) {}
    func checkInvariants() throws(BrokenInvariant) {}

    var pad: Pad { kernel.pad }
    var now: Instant { kernel.now }
    var deviceName: String { kernel.spec.deviceName }

    func emit(_ output: Output) { kernel.emit(output) }
    func newExchange() -> UInt64 { kernel.newExchange() }
    func note(_ note: Note) { kernel.noteAll([note]) }
    func note(_ note: Note?) { if let note { kernel.noteAll([note]) } }
    func noteAll(_ notes: [Note]) { kernel.noteAll(notes) }
    func mark(_ mark: Mark) { kernel.mark(mark) }
    func problem(_ what: String) { kernel.problem(what) }

    func reply(_ body: Value, to command: Command) { kernel.reply(body, to: command) }
    func reply(_ answer: some FieldGroup, to command: Command) { kernel.reply(answer.body, to: command) }
    func done(_ command: Command) { kernel.reply(CommandAnswer.done, to: command) }
    func refuse(_ command: Command, _ reason: String) { kernel.reply(CommandAnswer.refused(reason), to: command) }
}
