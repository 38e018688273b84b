import FleetModel

/// The iPad is taken off its charger: what is discretionary waits.
public struct OnBattery: PlainWindow {
    /// Scenarios write `on-battery`; `no-wifi` withholds the other thing that discretionary transfers wait for.
    public static let name = "on-battery"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// Only discretionary transfers wait; that a battery runs out is `power-cut`.
    public static let summary =
        "the iPad has no power: discretionary transfers (also those begun in the background) wait; on the charger again at the end of its window"
    /// The page has what discretionary transfers wait for; when an iPad stands on its charger is ASSUMED.
    public static let source = "app-lifecycle.md 7 (isDiscretionary); when an iPad of a school has both is ASSUMED"
    /// 20 s to 10 min, ASSUMED.
    public static let lasting = Span.seconds(20) ... .minutes(10)
    /// Somebody takes the iPad off its charger.
    public static let begins = PadCommand.SetPower(on: false).message
    /// It is on the charger again, and what waited may begin.
    public static let ends = PadCommand.SetPower(on: true).message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
