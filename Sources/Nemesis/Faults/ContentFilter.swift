import FleetModel

/// The school's filter forbids it: 403 with a page. Nothing happened behind it.
public struct ContentFilter: Fault {
    /// Scenarios write `content-filter`; `captive-portal` answers 200.
    public static let name = "content-filter"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It answers single requests, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// The Cloud hears nothing; the 403 carries no `serverErrorCode`, so it is not the Cloud's.
    public static let summary =
        "a filter answers in place of the Cloud: 403 with HTML (probability, route); heals at the end of its window"
    /// No page: what filters answer is what networks do, and the page's text is ours.
    public static let source = "a school's filter that answers in place of the server"

    /// Window and iPads, with `probability` and `route`.
    public let spec: FaultSpec
    private let probability: Double
    private let route: String?

    /// `probability` 0 to 1 for each request (default 1); `route` is the beginning of a request's target (else every request).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "route")
        probability = try parameters.probability("probability", 1)
        route = try parameters.text("route")
    }

    /// 20 s to 6 min, with a probability of 0.2 to 1 on every route.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.2...1, &draw)]
        return spec
    }

    /// Only requests that would arrive: the filter's page comes back instead, after the way there and back.
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
