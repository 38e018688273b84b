import FleetModel

/// One kind of fault: what it does and how it heals. Each is one short file in `Faults/` and one line in `FaultRegistry`.
///
/// Faults decide and never send: the World asks and acts.
public protocol Fault: Sendable {
    /// The name in scenarios: `loss-of-response`.
    static var name: String { get }
    static var family: FaultFamily { get }
    /// One line for `homeroom list faults`: what it does, how it heals.
    static var summary: String { get }
    /// Reference section or S-numbers; ASSUMED where we chose.
    static var source: String { get }
    /// Checks the parameters of a specification.
    /// - Throws: `FaultProblem` naming the parameter and what would be right.
    init(_ spec: FaultSpec) throws(FaultProblem)
    /// Draws a specification for the swarm: when, where, how hard. `horizon` is the end of the storm.
    static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec
    var spec: FaultSpec { get }
    /// Commands at the beginning of the window.
    func begin() -> [FaultAct]
    /// Commands that heal, at the end of the window or when calm begins.
    func heal() -> [FaultAct]
    /// Bends the fate of one message that starts its way inside the window. Called for network messages only.
    func bend(_ fate: inout Fate, of passage: Passage, _ draw: inout Draw)
}

extension Fault {
    public func begin() -> [FaultAct] { [] }
    public func heal() -> [FaultAct] { [] }
    public func bend(_ fate: inout Fate, of passage: Passage, _ draw: inout Draw) {}
}

public enum FaultFamily: String, Sendable, CaseIterable {
    case network, cloud, identity, people, appLife, device, clock
    /// What somebody decides: a swarm draws it only when it is named.
    case administration
}

/// A parameter that cannot be.
public struct FaultProblem: Error, Hashable, Sendable {
    public var parameter: String
    public var message: String
    public init(_ parameter: String, _ message: String) {
        self.parameter = parameter
        self.message = message
    }
}

/// What the World shall do.
public enum FaultAct: Hashable, Sendable {
    /// A command to a Pad or the Cloud (Docs/pad-commands.md).
    case command(ParticipantID, Message)
    /// The same some time later, unless calm has begun by then.
    case commandLater(ParticipantID, after: Span, Message)
    /// The same to a Pad, after its next `hops` messages (0: at once): keyed by count, never by wall time.
    case commandAfterHops(pad: Int, hops: Int, Message)
    /// SIGKILL to the newest live app of a Pad after its next `hops` messages (0: at once): keyed by count, never by wall time.
    case killApp(pad: Int, afterHops: Int)
    /// Power cut: the command is stepped, then the Pad and its apps die; it boots after `outage`.
    case powerCut(pad: Int, seed: UInt64, outage: Span)
    case reboot(pad: Int, outage: Span)
    case crashCloud(seed: UInt64, outage: Span)
}

/// A network message about to start its way.
public struct Passage: Hashable, Sendable {
    public enum Direction: String, Hashable, Sendable { case request, response, push }
    public var direction: Direction
    public var pad: Int
    /// Target of the request; for a response that of its request; for a push its service.
    public var route: String
    public var cause: String
    /// Counts messages with the same link and cause from 0.
    public var attempt: Int
    public var at: Instant
    public var bytes: Int

    public init(direction: Direction, pad: Int, route: String, cause: String, attempt: Int, at: Instant, bytes: Int) {
        self.direction = direction
        self.pad = pad
        self.route = route
        self.cause = cause
        self.attempt = attempt
        self.at = at
        self.bytes = bytes
    }
}

/// What becomes of a network message. What is written to the schedule tape.
public struct Fate: Hashable, Sendable {
    public enum Ending: Hashable, Sendable {
        case arrives
        /// Lost on the way: the requester sees `connectionLost` after its timeout.
        case lost
        /// Not sent at all: the requester sees `unreachable` at once.
        case refused
        /// Someone on the way answers instead of the Cloud (503, captive portal).
        case answered(HTTPResponse)
        /// Kept until the instant, then delivered.
        case held(until: Instant)
    }
    public var latency: Span
    public var ending: Ending
    /// A second copy arrives this much later.
    public var duplicate: Span?

    public init(latency: Span, ending: Ending = .arrives, duplicate: Span? = nil) {
        self.latency = latency
        self.ending = ending
        self.duplicate = duplicate
    }
}
