import FleetModel

/// Something on the way breaks the handshake, as an inspecting firewall with an unknown certificate does.
public struct HandshakeFailure: Fault {
    /// Scenarios write `tls-failure`; under `dns-failure` there is not even an address.
    public static let name = "tls-failure"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// All requests fail before a byte of them is sent.
    public static let reach = FaultReach.bytes
    /// The requester hears `unreachable` at once and may send the request again.
    public static let summary =
        "the TLS handshake fails: requests fail at once, certainly not sent; heals at the end of its window"
    /// No page: what inspecting gateways do, for a time that is ASSUMED.
    public static let source = "a school's gateway that breaks the TLS handshake"

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec

    /// Takes no parameters.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    /// 20 s to 6 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
    }

    /// Only requests that would arrive; each meets the handshake, as if no connection were open.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .handshakeFailed
    }
}
