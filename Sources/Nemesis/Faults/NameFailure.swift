import FleetModel

/// The name of the Cloud cannot be resolved: nobody can be asked, and a request is certainly not sent.
public struct NameFailure: Fault {
    /// Scenarios write `dns-failure`; under `tls-failure` the name is known.
    public static let name = "dns-failure"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// All requests fail before a byte of them is sent.
    public static let reach = FaultReach.bytes
    /// The requester hears `unreachable` at once and may send the request again.
    public static let summary =
        "the name of the Cloud is not found: requests fail at once, certainly not sent; heals at the end of its window"
    /// No page: what name servers of schools do, for a time that is ASSUMED.
    public static let source = "a school's DNS server that does not know the name"

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

    /// Only requests that would arrive; each asks for the name, as if nobody kept it.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .refused
    }
}
