import FleetModel
import Run

/// Participants as objects of this process: fast, for searching seeds. Cannot show: a trap or a spin of an app (the worker
/// dies; the same seed is run again in `fleet`), statics shared by apps, real memory.
public final class InProcessHost: Host {
    private let make: ParticipantFactory
    private var participants: [ParticipantID: any Participant] = [:]

    /// - Parameter make: creates a participant from its specification, at each start.
    public init(make: @escaping ParticipantFactory) { self.make = make }

    /// Makes the participant; one of the same id is dropped. Throws `harness` where the factory does.
    public func start(_ id: ParticipantID, spec: Value) throws(RunEnd) {
        do { participants[id] = try make(id, spec) } catch { throw RunEnd.harness("\(id) cannot start: \(error)") }
    }

    /// Calls the object. Throws `killed` when a call was refused, after the object has returned.
    public func step(
        _ id: ParticipantID, now: Instant, inputs: [Input], onCall: @escaping CallHandler
    ) throws(ParticipantEnd) -> StepResult {
        guard let participant = participants[id] else { throw .died("it was never started") }
        let link = DirectLink(onCall)
        let result = participant.step(now: now, inputs: inputs, link: link)
        // What a killed app still does inside its step has no effect: no call gets through and the result is dropped.
        if link.isDead { throw .killed }
        return result
    }

    public func inspect(_ id: ParticipantID, _ question: Message) -> Value? {
        (participants[id] as? any Inspectable)?.inspect(question)
    }
    public func kill(_ id: ParticipantID) { participants[id] = nil }
    /// Drops all objects; the host may be used again.
    public func shutDown() { participants = [:] }
}

/// The call link of an object: a function call.
private final class DirectLink: CallLink {
    private let serve: CallHandler
    private(set) var isDead = false
    init(_ serve: @escaping CallHandler) { self.serve = serve }

    func call(_ message: Message, after posts: [Output]) -> Message? {
        guard !isDead, let answer = serve(message, posts) else {
            isDead = true
            return nil
        }
        return answer
    }
}
