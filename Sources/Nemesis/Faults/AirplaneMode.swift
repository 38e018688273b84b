import FleetModel

/// Somebody switches airplane mode on: the Pad itself sends nothing, and knows it.
public struct AirplaneMode: PlainWindow {
    public static let name = "airplane-mode"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary = "airplane mode is on; switched off at the end of its window"
    public static let source = "identity.md 2 (the account stays signed in); S79"
    public static let lasting = Span.seconds(20) ... .minutes(10)
    public static let begins = PadCommand.SetAirplane(on: true).message
    public static let ends = PadCommand.SetAirplane(on: false).message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }

    /// The Pad sends nothing by itself; a client that knows of no airplane mode is told at once.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .refused
    }
}
