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
    public static let name = "partition"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary =
        "iPads and Cloud hear nothing of each other (answer: silence or refused); repaired at the end of its window"
    public static let source = "cloudkit-framework.md 13, errors 3 and 4; S211"

    public let spec: FaultSpec
    private let answer: Answer

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        answer = try Parameters(spec, window: true, "answer").choice("answer", .silence)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = ["answer": .string(draw.chance(0.5) ? "silence" : "refused")]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), outcome.ending == .arrives else { return }
        outcome.ending = answer == .refused && message.direction == .request ? .refused : .lost
    }
}
