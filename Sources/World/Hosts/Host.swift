import FleetModel
import Glibc

/// Where participants run: objects of one process, or processes. The World cannot tell by anything that reaches the trace.
public protocol Host: AnyObject {
    /// Creates a participant, or creates it anew after a kill.
    func start(_ id: ParticipantID, spec: Value) throws(HarnessProblem)
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
}

/// Serves a call: the caller's posts so far in this step, then the question. Nil: the caller is dead.
public typealias CallHandler = (_ message: Message, _ posts: [Output]) -> Message?

/// Makes the participants of a run; wired by HomeroomKit, because the World knows no core.
public typealias ParticipantFactory = (ParticipantID, Value) throws -> any Participant

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
}

/// The machine cannot keep the run's files: for the caller of the command to mend, and nothing is said about the app.
public struct MachineProblem: Error, Hashable, Sendable {
    public var message: String
    public init(_ message: String) { self.message = message }
}

/// What a participant process tells its host before it ends itself.
public enum LastWords {
    /// The machine failed: the run ends with `MachineProblem`.
    public static func machineFailed(_ text: String) -> Never { ParticipantServer.end(.machine, text) }
}

/// The run cannot go on, and says nothing about the app's data: its verdict is `unknown`.
public struct Obstacle: Error, Hashable, Sendable {
    public var reason: String
    public init(_ reason: String) { self.reason = reason }
}

/// The testbed itself failed, or was misused: nothing is said about the app.
public struct HarnessProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String
    /// A determinism leak of app code: the message says what to change.
    public var isLeak: Bool
    /// The machine allows too little of something: for the caller of the command to mend.
    public var isLimit: Bool
    public init(_ message: String, isLeak: Bool = false, isLimit: Bool = false) {
        self.message = message
        self.isLeak = isLeak
        self.isLimit = isLimit
    }
    /// Of a socket or a pipe that cannot be opened.
    static func noFile(_ what: String) -> HarnessProblem {
        HarnessProblem("\(what): raise the limit of open files (ulimit -n) or use fewer iPads", isLimit: true)
    }
    /// Of a process that cannot be forked; the reason is in `errno`.
    static func noProcess(_ what: String) -> HarnessProblem {
        let reason = String(cString: strerror(errno))
        return HarnessProblem(
            "\(what) cannot be forked (\(reason)): raise the limit of processes (ulimit -u) or use fewer iPads",
            isLimit: true)
    }
    public var description: String { message }
}
