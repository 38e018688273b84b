import FleetModel

/// The identity has changed and nobody has told the app yet: what it asks is answered by the new state, what it remembers is of the old one.
public struct DelayedNotice: Fault {
    /// Scenarios write `delayed-notice`; `identity-change` tells apps at once.
    public static let name = "delayed-notice"
    /// Something that happens to an account: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.identity
    /// It shows an app that trusts what it remembers until a notice comes.
    public static let summary =
        "as `identity-change`, but apps hear of it `delay` later, or after a reboot; its own comes back, with its notice, at the window's end"
    public static let source = "identity.md 1 and 2 (the notice is queued)"

    /// Window and iPads, with `to` and `delay`.
    public let spec: FaultSpec
    private let change: IdentityChange
    private let delay: Span

    /// `to` as in `identity-change`; `delay` 1 ms to 10 min until apps hear of the change (default 20 s).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "to", "delay")
        delay = try parameters.span("delay", .seconds(20), in: .milliseconds(1) ... .minutes(10))
        var plain = spec
        plain.parameters = .empty
        if let variant = spec.parameters["to"] { plain.parameters["to"] = variant }
        change = try IdentityChange(plain)
    }

    /// The draw of `identity-change`, with a delay of 1 s to 2 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = IdentityChange.drawn(id: id, pads: pads, horizon: horizon, &draw)
        spec.kind = name
        spec.parameters["delay"] = Drawn.span(.seconds(1) ... .minutes(2), &draw)
        return spec
    }

    /// The change of `identity-change`, with `noticeAfter` in nanoseconds.
    public func begin() -> [FaultAct] {
        change.begin().map { act in
            guard case .command(let pad, let message) = act else { return act }
            var command = PadCommand.ChangeIdentity(lenient: message.body)
            command.noticeAfter = delay.nanoseconds
            return .command(pad, command.message)
        }
    }
    /// As `identity-change`: the account's own identity, with its notice at once.
    public func heal() -> [FaultAct] { change.heal() }
}
