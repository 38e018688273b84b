/// The one seam: everything in a run is a participant, and a participant cannot tell where it runs.
///
/// Participants are synchronous state machines. Time, entropy, disk and messages come only through this seam.
public protocol Participant: AnyObject {
    /// Takes the inputs of one moment, in order, and returns what follows from them.
    ///
    /// - Parameters:
    ///   - now: the virtual time; never smaller than at the step before.
    ///   - inputs: what arrived. Empty when only the timer fired.
    ///   - link: the way to a synchronous answer in the same instant. Only apps use it.
    /// - Returns: messages in the order they were sent, and when to step again if nothing arrives before.
    func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult
}

/// Apple has synchronous calls (`SecItemCopyMatching`); a call is answered by the Pad in the same instant, re-entrantly and traced.
public protocol CallLink: AnyObject {
    /// Sends `message` to the caller's Pad and waits for the answer.
    /// - Parameter posts: what the caller sent before the call in this step; it reaches the Pad first (one connection, one order).
    /// - Returns: the answer, or nil when the caller was killed at this point: it must stop without further effect.
    func call(_ message: Message, after posts: [Output]) -> Message?
}

/// A named message with its arguments, like an XPC dictionary.
public struct Message: Hashable, Sendable {
    /// `service.verb`: `kvs.set`, `app.launch`, `person.signIn`.
    public var name: String
    /// Its arguments, nearly always an object.
    public var body: Value

    /// Without arguments unless some are given.
    public init(_ name: String, _ body: Value = .empty) {
        self.name = name
        self.body = body
    }
    /// Member of the body.
    public subscript(key: String) -> Value? { body[key] }
}

/// What travels between participants.
public enum Payload: Hashable, Sendable {
    /// A local message; answered, if at all, by another post in a later step of the same instant.
    case post(Message)
    /// A synchronous question of an app to its Pad.
    case call(Message)
    /// The Pad's answer to a call; leaves in the very step that took the call, with the same exchange.
    case answer(Message)
    /// Pad to Cloud, over the network.
    case request(HTTPRequest)
    /// Cloud to Pad, over the network, with the exchange of its request.
    case response(HTTPResponse)
    /// A request that failed on the way: Pad's own network stack says so. The outcome at the Cloud may be unknown.
    case failure(NetworkFailure)
    /// Cloud to Pad, through the push courier; may be lost, late or doubled.
    case push(Message)
    /// From the World, the people or the nemesis: what a user or the environment does to a device.
    case command(Message)
    /// Pad to World: start, stop or suspend a participant.
    case host(HostOrder)
    /// To the history: what a participant knows and a checker needs.
    case note(Note)
}

/// How a request failed to be answered, as the requesting network stack sees it.
public enum NetworkFailure: UInt8, Hashable, Sendable, CaseIterable {
    /// No network, or the name did not resolve: certainly not sent.
    case unreachable = 1
    /// The connection broke or timed out after sending: the Cloud may have acted.
    case connectionLost = 2

    /// `fail` when the request certainly did not take effect, `info` when nobody knows.
    public var outcome: Outcome { self == .unreachable ? .fail : .info }
}

/// The three outcomes of an operation.
public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// It happened.
    case ok
    /// It certainly did not happen.
    case fail
    /// Nobody knows; it may still happen.
    case info
}

/// What a Pad asks the World to do with processes.
public enum HostOrder: Hashable, Sendable {
    /// Start launch number `launch` of an app on the asking Pad; `spec` goes to the app's participant.
    case launch(launch: Int, app: AppName, spec: Value)
    /// Kill it without notice.
    case kill(launch: Int)
}

/// A message as its receiver gets it.
public struct Input: Hashable, Sendable {
    /// The sender, as its host knows it: a participant cannot name another one.
    public var from: ParticipantID
    /// What was sent.
    public var payload: Payload
    /// Pairs a request with its response and a question with its answer; unique per sender of the question.
    public var exchange: UInt64

    /// Exchange 0 is none: nothing waits for an answer and nothing is one.
    public init(from: ParticipantID, _ payload: Payload, exchange: UInt64 = 0) {
        self.from = from
        self.payload = payload
        self.exchange = exchange
    }
}

/// A message as its sender gives it.
public struct Output: Hashable, Sendable {
    /// The receiver. A note goes to the history; the participant itself stands here then.
    public var to: ParticipantID
    /// What is sent.
    public var payload: Payload
    /// As in `Input`: 0 for what is neither a question nor an answer.
    public var exchange: UInt64
    /// Stable identity of what made it (an edit's token or a daemon's task): the World draws this message's outcome from it,
    /// so that removing one edit or adding an iPad shifts nobody else's. Never holds a counter that unrelated work advances.
    public var cause: String

    /// Without exchange and cause unless they are given.
    public init(to: ParticipantID, _ payload: Payload, exchange: UInt64 = 0, cause: String = "") {
        self.to = to
        self.payload = payload
        self.exchange = exchange
        self.cause = cause
    }
}

/// What one step came to.
public struct StepResult: Hashable, Sendable {
    /// In the order in which they were sent; a network may deliver them in another.
    public var outputs: [Output]
    /// When to step again if nothing arrives before; nil: never. A new value replaces the old one.
    public var nextTimer: Instant?
    /// Rolling digest of all entropy the participant has drawn; folded into the run's digest.
    public var entropy: UInt64
    /// What the participant could not do and must not pass over, such as writing its own state: each ends the run as a problem of the
    /// testbed.
    public var problems: [String]
    /// How the program behind the participant ended in this step; then nothing else of the result counts. Nil: it goes on, or there is none.
    public var end: ProgramEnd?

    /// Nothing sent, no timer, no problem, unless they are given.
    public init(
        outputs: [Output] = [], nextTimer: Instant? = nil, entropy: UInt64 = 0, problems: [String] = [],
        end: ProgramEnd? = nil
    ) {
        self.outputs = outputs
        self.nextTimer = nextTimer
        self.entropy = entropy
        self.problems = problems
        self.end = end
    }
}

/// How a program ended that is a participant (Docs/app-protocol.md). The participant itself is still there to tell.
public enum ProgramEnd: Hashable, Sendable {
    /// By itself: for the iPad the app crashed.
    case died(String)
    /// It did not keep to the protocol: the run ends with a message for its author.
    case broke(String)
    /// It did not end its step in time. How far it got depends on the machine: the run is `unknown`.
    case stalled(String)
}
