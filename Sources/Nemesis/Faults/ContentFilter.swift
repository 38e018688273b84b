import FleetModel

/// The school's filter forbids it: 403 with a page. Nothing happened behind it.
public struct ContentFilter: Fault {
    public static let name = "content-filter"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.messages
    public static let summary =
        "a filter answers in place of the Cloud: 403 with HTML (probability, route); heals at the end of its window"
    public static let source = "a school's filter that answers in place of the server"

    public let spec: FaultSpec
    private let probability: Double
    private let route: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "route")
        probability = try parameters.probability("probability", 1)
        route = try parameters.text("route")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.2...1, &draw)]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message, route: route), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .answered(Self.page)
    }

    private static let page = HTTPResponse(
        status: 403, headers: ["Content-Type": "text/html; charset=utf-8"],
        body: Array(
            "<!DOCTYPE html><title>Blocked</title><p>This site is blocked by the content filter of the school.</p>"
                .utf8))
}
