import FleetModel

/// Exactly one request of each iPad fails, or each nth: for sweeps over N = 1, 2, ... until nothing is hit any more.
public struct NthRequest: Fault {
    /// What becomes of the nth.
    public enum Ending: String, CaseIterable, Sendable {
        case lost
        case responseLost = "response-lost"
        case reset, refused
    }
    /// Scenarios write `nth-request`; `loss-of-request` draws where this one counts.
    public static let name = "nth-request"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It numbers single requests, or responses, by route.
    public static let reach = FaultReach.messages
    /// The same request fails in each repetition, so a sweep over `nth` meets each one once.
    public static let summary =
        "the nth request of each iPad in the window fails (nth, every, ending, route); heals at the end of its window"
    /// No page: the idea of testing each failing call in turn.
    public static let source = "each request of an app is made to fail once: the Nth, for N = 1, 2, ..."

    /// Window and iPads, with `nth`, `every`, `ending` and `route`.
    public let spec: FaultSpec
    private let nth: Int
    private let every: Bool
    private let ending: Ending
    private let route: String?

    /// `nth` 1 to 10^9 (default 1); `every` means each nth (default false); `ending` (default lost); `route` (else every request).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "nth", "every", "ending", "route")
        nth = try parameters.whole("nth", 1, in: 1...1_000_000_000)
        every = try parameters.flag("every", false)
        ending = try parameters.choice("ending", .lost)
        route = try parameters.text("route")
    }

    /// 20 s to 6 min, the first to the 20th, once or each, with any ending, on every route.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = [
            "nth": .int(1 + draw.below(20)), "every": .bool(draw.chance(0.5)),
            "ending": .string(draw.pick(Ending.allCases)?.rawValue ?? "lost"),
        ]
        return spec
    }

    /// How iPads of live fetch pushes (Docs/cloud-api.md): no message of the other modes, so none here.
    private static let pollRoute = "/push/v1/poll"

    /// Numbers what starts inside the window: requests, or the responses where these shall vanish.
    public func counts(_ message: NetworkMessage) -> Bool {
        guard message.route != Self.pollRoute else { return false }
        return message.direction == (ending == .responseLost ? .response : .request) && selects(message, route: route)
    }
    /// Only a message that it has numbered, and only the right number; one that another fault stopped counts all the same.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.ordinal > 0, every ? message.ordinal % nth == 0 : message.ordinal == nth,
            outcome.ending == .arrives
        else { return }
        switch ending {
        case .lost, .responseLost: outcome.ending = .lost
        case .reset: outcome.ending = .reset
        case .refused: outcome.ending = .refused
        }
    }
}
