import FleetModel

/// Somebody switches airplane mode on: the Pad itself sends nothing, and knows it.
public struct AirplaneMode: PlainWindow {
    /// Scenarios write `airplane-mode`; under `partition` the iPad does not know that it is offline.
    public static let name = "airplane-mode"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// All requests of the iPad are refused, whatever they ask for.
    public static let reach = FaultReach.bytes
    /// A request is certainly not sent, and its sender hears `unreachable` at once.
    public static let summary = "airplane mode is on; switched off at the end of its window"
    /// The page has that the account and its token stay; how long somebody leaves it on is ASSUMED.
    public static let source = "identity.md 2 (the account stays signed in); S79"
    /// 20 s to 10 min: a lesson's part, ASSUMED.
    public static let lasting = Span.seconds(20) ... .minutes(10)
    /// The person switches it on in the control centre.
    public static let begins = PadCommand.SetAirplane(on: true).message
    /// The person switches it off: the Pad may send again.
    public static let ends = PadCommand.SetAirplane(on: false).message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }

    /// The Pad sends nothing by itself; a client that knows of no airplane mode is told at once.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .refused
    }
}
