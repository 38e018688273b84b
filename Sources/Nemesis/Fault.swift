import FleetModel

/// One kind of fault: what it does and how it heals. Each is one short file in `Faults/` and one line in `FaultRegistry`.
///
/// Faults decide and never send: the World asks and acts.
public protocol Fault: Sendable {
    /// The name in scenarios: `loss-of-response`.
    static var name: String { get }
    static var family: FaultFamily { get }
    /// What of a network link it bends, so that whoever carries real bytes knows how closely it has to look at them.
    static var reach: FaultReach { get }
    /// One line for `homeroom list faults`: what it does, how it heals.
    static var summary: String { get }
    /// Reference section or S-numbers; ASSUMED where we chose.
    static var source: String { get }
    /// Checks the parameters of a specification.
    /// - Throws: `FaultProblem` naming the parameter and what would be right.
    init(_ spec: FaultSpec) throws(FaultProblem)
    /// Draws a specification for the swarm: when, where, how hard. `horizon` is the end of the storm.
    static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec
    /// Whether it is about a person whom the swarm has to name: `drawn` cannot know who there is.
    static var needsPerson: Bool { get }
    /// Whether it opens an app for that person, where the swarm names one.
    static var opensApp: Bool { get }
    /// Whether it may stay after the storm: whatever is tried again arrives under it at last, so that it excuses nobody (decision 0017).
    static var mayStay: Bool { get }
    var spec: FaultSpec { get }
    /// Commands at the beginning of the window.
    func begin() -> [FaultAct]
    /// Commands that heal, at the end of the window or when calm begins.
    func heal() -> [FaultAct]
    /// Bends the outcome of one message that starts its way inside the window. Called for network messages only.
    func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw)
    /// Whether this fault numbers the message; `bend` then finds its number in `NetworkMessage.ordinal`.
    func counts(_ message: NetworkMessage) -> Bool
}

extension Fault {
    /// Acts on a participant and bends no link, as most faults do.
    public static var reach: FaultReach { .elsewhere }
    /// About nobody in particular: `drawn` says all.
    public static var needsPerson: Bool { false }
    /// Opens no app.
    public static var opensApp: Bool { false }
    /// Has to end with the storm: what stays must be shown to close no road.
    public static var mayStay: Bool { false }
    /// Numbers nothing: `NetworkMessage.ordinal` stays 0.
    public func counts(_ message: NetworkMessage) -> Bool { false }
    /// Gives no command: a fault that only bends messages.
    public func begin() -> [FaultAct] { [] }
    /// Heals by itself when its window closes: nothing was set that would have to be set back.
    public func heal() -> [FaultAct] { [] }
    /// Leaves every message as it is.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {}
}

/// What a fault is about: the sections of Docs/faults.md, and what a swarm moves close to a bell.
public enum FaultFamily: String, Sendable, CaseIterable {
    case network, cloud, identity, people, appLife, device, clock
    /// What somebody decides: a swarm draws it only when it is named.
    case administration
}

/// What of a network link a fault bends.
public enum FaultReach: Sendable {
    /// Nothing: it acts on a participant.
    case elsewhere
    /// Bytes in a direction: it needs to know neither messages nor routes.
    case bytes
    /// Single messages: who carries bytes has to split them into requests and responses.
    case messages
}

/// A parameter that cannot be.
public struct FaultProblem: Error, Hashable, Sendable {
    /// The parameter, or the key of the specification (`from`, `until`, `ipads`, `fault`): where a reader of the file has to look.
    public var parameter: String
    /// What is wrong with it and what would be right, as a sentence for the person who wrote it.
    public var message: String
    /// The name of a parameter first, then the message.
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
    /// SIGKILL to the newest live app of a Pad after its next `hops` messages (0: at once): keyed by count, never by wall time. `reason`:
    /// what the system takes it for.
    case killApp(pad: Int, afterHops: Int, reason: KillReason)
    /// Power cut: the command is stepped, then the Pad and its apps die; it boots after `outage`.
    case powerCut(pad: Int, seed: UInt64, outage: Span)
    /// Right after the iPad has done what the nth message of that name asks for, counted from now on and over all its apps: a kill then is
    /// that of the app which sent it, before it hears the answer.
    indirect case afterCall(pad: Int, name: String, nth: Int, FaultAct)
    case reboot(pad: Int, outage: Span)
    case crashCloud(seed: UInt64, outage: Span)

    /// Whether both are the same command to the same participant, whatever it says.
    func setsTheSame(as other: FaultAct) -> Bool {
        guard case .command(let id, let message) = self, case .command(id, let wanted) = other else { return false }
        return message.name == wanted.name
    }
}

/// What a dead process died of, as the iPad's books have it.
public enum KillReason: String, Sendable {
    /// From outside, as when memory is short.
    case kill
    /// By an error of its own.
    case crash
}

/// A network message about to start its way.
public struct NetworkMessage: Hashable, Sendable {
    /// From an iPad to the Cloud, back, or without being asked.
    public enum Direction: String, Hashable, Sendable { case request, response, push }
    /// Which way it goes; part of the key of its draws.
    public var direction: Direction
    /// The iPad at the other end, from 1.
    public var pad: Int
    /// Target of the request; for a response that of its request; for a push its service.
    public var route: String
    /// Why it is sent: the token of the edit that it carries, or what asked for it. Part of the key of its draws.
    public var cause: String
    /// Counts messages with the same link and cause from 0.
    public var attempt: Int
    /// When it starts its way.
    public var at: Instant
    /// Bytes of the body; 0 where they are not known yet and `DeliveryOutcome.bytesPerSecond` is applied to them as they come.
    public var bytes: Int
    /// Its number among the messages that the asked fault counts on this iPad, from 1; 0 where it does not count it. Filled in by
    /// the nemesis.
    public var ordinal = 0

    /// A message that no fault has numbered yet (`ordinal` 0).
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
public struct DeliveryOutcome: Hashable, Sendable {
    /// Where its way ends, and what the requester sees of that.
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
        /// Nobody could be asked, because the two ends could not agree on keys: certainly not sent, `unreachable` at once.
        case handshakeFailed
        /// The connection is torn down instead of the message: the requester sees `connectionLost` at once.
        case reset
        /// The connection ends after so many bytes of the message's body: nobody gets it whole, the requester sees
        /// `connectionLost` at once. A body that is no longer arrives.
        case truncated(afterBytes: Int)
    }
    /// Time on the way, with that of every fault that lengthens it.
    public var latency: Span
    /// Where its way ends. A fault that stops messages changes it only while it is `arrives`, so the first one decides.
    public var ending: Ending
    /// A second copy arrives this much later.
    public var duplicate: Span?
    /// Narrowest place on the way; nil: unlimited. Already part of `latency` for a message whose length was known, so the tape
    /// does without it.
    public var bytesPerSecond: Int?

    /// Without further arguments it arrives once, on a line of unlimited width.
    public init(latency: Span, ending: Ending = .arrives, duplicate: Span? = nil) {
        self.latency = latency
        self.ending = ending
        self.duplicate = duplicate
    }

    /// What a scenario may want to have reached of it (Docs/scenarios.md, "Marks"); nil: nothing with a name.
    public func mark(of direction: NetworkMessage.Direction) -> Mark? {
        switch (ending, direction) {
        case (.arrives, .request): duplicate == nil ? nil : .requestDuplicated
        case (.arrives, _), (.held, _), (.refused, .request), (.handshakeFailed, .request): nil
        case (.lost, .request): .requestLost
        // Without the hint it is nobody who speaks for the Cloud: a portal, a filter.
        case (.answered(let response), .request):
            response.headers["Retry-After"] != nil ? .retryAfter : .foreignAnswer
        case (.reset, .request), (.truncated, .request), (.reset, .response), (.truncated, .response):
            .connectionBroken
        case (_, .response): .responseLost
        case (_, .push): .pushLost
        }
    }
}
