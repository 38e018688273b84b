import FleetModel

/// A portal answers in place of the Cloud: 200, and a page that asks for a sign-in. Whoever trusts the status alone believes it was heard.
public struct CaptivePortal: Fault {
    /// Scenarios write `captive-portal`; `content-filter` answers 403, which nobody takes for success.
    public static let name = "captive-portal"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It answers single requests, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// The Cloud hears nothing; the requester holds a 200 that is not the Cloud's.
    public static let summary =
        "a sign-in page answers in place of the Cloud: 200 with HTML (probability, route); heals at the end of its window"
    /// No page: what portals answer is what networks do, and the page's text is ours.
    public static let source = "a network that wants a sign-in page answered before it lets anything through"

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

    /// Only requests that would arrive: the sign-in page comes back instead, after the way there and back.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message, route: route), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .answered(Self.page)
    }

    private static let page = HTTPResponse(
        status: 200, headers: ["Content-Type": "text/html; charset=utf-8"],
        body: Array(
            "<!DOCTYPE html><title>Sign in to the school network</title><p>Please sign in to use this network.</p>"
                .utf8))
}
