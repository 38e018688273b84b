import FleetModel

/// Something on the way breaks the handshake, as an inspecting firewall with an unknown certificate does.
public struct HandshakeFailure: Fault {
    public static let name = "tls-failure"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary =
        "the TLS handshake fails: requests fail at once, certainly not sent; heals at the end of its window"
    public static let source = "a school's gateway that breaks the TLS handshake"

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
        outcome.ending = .handshakeFailed
    }
}
