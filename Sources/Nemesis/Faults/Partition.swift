import FleetModel

/// Selected iPads and the Cloud hear nothing of each other.
public struct Partition: Fault {
    /// What the iPad's own network stack makes of it.
    public enum Answer: String, CaseIterable, Sendable {
        /// Packets vanish: a request times out, and nobody knows whether it was heard.
        case silence
        /// The nearest router says so: a request is certainly not sent.
        case refused
    }
    /// Scenarios write `partition`; under `airplane-mode` the iPad knows that it is offline.
    public static let name = "partition"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// All messages in both directions.
    public static let reach = FaultReach.bytes
    /// With `silence` nobody knows what was heard; with `refused` a request is certainly not sent.
    public static let summary =
        "iPads and Cloud hear nothing of each other (answer: silence or refused); repaired at the end of its window"
    /// The page has the two errors that apps see; how long a network is away is ASSUMED.
    public static let source = "cloudkit-framework.md 13, errors 3 and 4; S211"

    /// Window and iPads, with `answer`.
    public let spec: FaultSpec
    private let answer: Answer

    /// `answer` is an `Answer` (default `silence`).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        answer = try Parameters(spec, window: true, "answer").choice("answer", .silence)
    }

    /// 20 s to 10 min, silent or refused.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = ["answer": .string(draw.chance(0.5) ? "silence" : "refused")]
        return spec
    }

    /// Everything that would arrive is lost; with `refused` a request fails at once instead.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), outcome.ending == .arrives else { return }
        outcome.ending = answer == .refused && message.direction == .request ? .refused : .lost
    }
}
