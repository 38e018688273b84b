import FleetModel
import Nemesis
import Trace

/// What the phases of a run need of whoever runs the participants: `World` in virtual time, `LiveWorld` in real time.
///
/// So storm, calm and reading are written once (`RunDriver+Phases.swift`) and mean the same in every mode.
package protocol RunDriver: AnyObject {
    var plan: RunPlan { get }
    var recorder: Recorder { get }
    var nemesis: Nemesis { get set }
    var now: Instant { get }
    /// Virtual seconds a second of the machine, at least 1: real work needs so much more virtual time. 1 where no real time passes.
    var timeScale: Double { get }
    /// How often an app is opened anew for a reading that is not complete: in real time it may have been the machine that was too slow.
    var readings: Int { get }

    /// What the iPads' notes have shown so far.
    var book: MarkBook { get }

    /// The part of the run that is played here; `whole` where it is not split.
    var shard: Shard { get }
    /// Waits until every part of the run is here. `what` names the place, for messages.
    /// - Returns: whether any of them said `flag`.
    func meet(_ what: String, _ flag: Bool) throws -> Bool

    /// Makes a participant and lets it wait for what comes.
    func start(_ id: ParticipantID, spec: Value) throws
    /// Starts what is down; an iPad gets its boot command, and whoever comes back what had waited for it. Nothing happens to the living.
    func boot(_ id: ParticipantID) throws
    /// Ends a participant without notice to anybody.
    func end(_ id: ParticipantID)
    /// Ends an iPad and all that runs on it.
    func switchOff(_ pad: Int)
    func isAlive(_ id: ParticipantID) -> Bool

    /// From now on faults come and go as planned.
    func scheduleFaults()
    func perform(_ act: FaultAct) throws
    /// Everything heals; nothing begins any more.
    func healEverything() throws
    /// The iPads' way to the Cloud is there, and the Cloud can write: what waits in calm otherwise is nobody's bug.
    /// - Throws: `RunEnd.input` that says what is not.
    func requireHealth() throws
    /// People look at their plan for the first time.
    func wakePeople() throws

    func note(_ note: Note, from id: ParticipantID) throws
    /// Sends a command to be answered; the number is that of the answer.
    func send(_ message: Message, to id: ParticipantID) -> UInt64
    func takeAnswer(to exchange: UInt64) -> Message?
    /// Runs everything that happens up to and including `end`.
    func run(until end: Instant) throws
    /// The same, but no longer than until these answers are there.
    func run(until end: Instant, orAnswersTo exchanges: [UInt64]) throws
}

/// One process plays all of it, unless it says otherwise.
extension RunDriver {
    package var shard: Shard { .whole }
    package func meet(_ what: String, _ flag: Bool) throws -> Bool { flag }
    /// Of a modelled network and disk everything is known.
    package func requireHealth() throws {}

    /// A note about the run as a whole: of a split run one part makes it.
    package func noteOfRun(_ note: Note) throws { if shard.leads { try self.note(note, from: .people) } }
}

/// Faults come and go.
extension RunDriver {
    package func faultBegins(_ index: Int) throws {
        let fault = nemesis.faults[index]
        try noteOfRun(Note(.faultBegan, detail: describe(fault.spec)))
        nemesis.begin(index)
        for act in fault.begin() { try perform(act) }
    }
    package func faultHeals(_ index: Int) throws {
        guard nemesis.isActive(index) else { return }
        let fault = nemesis.faults[index]
        nemesis.heal(index)
        for act in nemesis.healing(index) { try perform(act) }
        try noteOfRun(Note(.faultHealed, detail: describe(fault.spec)))
    }
    /// All but those that stay.
    package func healFaults() throws {
        for index in nemesis.faults.indices where !nemesis.faults[index].spec.stays { try faultHeals(index) }
    }

    private func describe(_ spec: FaultSpec) -> Value {
        let target = spec.pads.map { "ipad-\($0)" }.joined(separator: " ")
        var detail: Value = ["id": .string(spec.id), "kind": .string(spec.kind), "target": .string(target)]
        if spec.stays { detail["stays"] = true }
        return detail
    }
}
