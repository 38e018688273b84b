import FleetModel
import Run

/// Where participants run: objects of one process, or processes. The World cannot tell by anything that reaches the trace.
public protocol Host: AnyObject {
    /// Creates a participant, or creates it anew after a kill.
    func start(_ id: ParticipantID, spec: Value) throws(RunEnd)
    /// Steps one participant.
    /// - Parameter onCall: serves a synchronous call; nil means that the caller is to be killed at this point.
    /// - Throws: how the participant ended instead of returning.
    func step(
        _ id: ParticipantID, now: Instant, inputs: [Input], onCall: @escaping CallHandler
    ) throws(ParticipantEnd) -> StepResult
    /// Ends it at once, without notice. Idempotent.
    func kill(_ id: ParticipantID)
    /// Ends everything.
    func shutDown()
    /// What a participant answers to somebody who looks at its state (`Inspectable`); nil: it shows nothing, or runs where nobody can look.
    func inspect(_ id: ParticipantID, _ question: Message) -> Value?
}

extension Host {
    public func inspect(_ id: ParticipantID, _ question: Message) -> Value? { nil }
}

/// Serves a call: the caller's posts so far in this step, then the question. Nil: the caller is dead.
public typealias CallHandler = (_ message: Message, _ posts: [Output]) -> Message?

/// How a step ended when it did not return.
public enum ParticipantEnd: Error, Hashable, Sendable {
    /// Killed by the World inside a call.
    case killed
    /// The process died by itself: a trap, a signal, an exit.
    case died(String)
    /// Somebody else killed it, as the machine does when its memory runs out: nothing is said about the app.
    case killedFromOutside
    /// It did not come back within the wall limit.
    case spun
    /// It did what a deterministic participant must not do.
    case leaked(String)
    /// The machine's own disk failed beneath it: full, or no rights.
    case machineFailed(String)
    /// A program behind it did not end its step in time.
    case stalled(String)

    init(_ end: ProgramEnd) {
        switch end {
        case .died(let how): self = .died(how)
        case .broke(let how): self = .leaked(how)
        case .stalled(let how): self = .stalled(how)
        }
    }
}
