import FleetModel

/// The name of the Cloud cannot be resolved: nobody can be asked, and a request is certainly not sent.
public struct NameFailure: Fault {
    public static let name = "dns-failure"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary =
        "the name of the Cloud is not found: requests fail at once, certainly not sent; heals at the end of its window"
    public static let source = "a school's DNS server that does not know the name"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .refused
    }
}
