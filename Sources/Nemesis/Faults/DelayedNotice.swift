import FleetModel

/// The identity has changed and nobody has told the app yet: what it asks is answered by the new state, what it remembers is of the old one.
public struct DelayedNotice: Fault {
    public static let name = "delayed-notice"
    public static let family = FaultFamily.identity
    public static let summary =
        "as `identity-change`, but apps hear of it `delay` later; its own comes back, with its notice at once, at the end of the window"
    public static let source = "identity.md 1 and 2 (the notice is queued)"

    public let spec: FaultSpec
    private let change: IdentityChange
    private let delay: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "to", "delay")
        delay = try parameters.span("delay", .seconds(20), in: .milliseconds(1) ... .minutes(10))
        var plain = spec
        plain.parameters = .empty
        if let variant = spec.parameters["to"] { plain.parameters["to"] = variant }
        change = try IdentityChange(plain)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = IdentityChange.drawn(id: id, pads: pads, horizon: horizon, &draw)
        spec.kind = name
        spec.parameters["delay"] = Drawn.span(.seconds(1) ... .minutes(2), &draw)
        return spec
    }

    public func begin() -> [FaultAct] {
        change.begin().map { act in
            guard case .command(let pad, let message) = act else { return act }
            var command = PadCommand.ChangeIdentity(lenient: message.body)
            command.noticeAfter = delay.nanoseconds
            return .command(pad, command.message)
        }
    }
    public func heal() -> [FaultAct] { change.heal() }
}
