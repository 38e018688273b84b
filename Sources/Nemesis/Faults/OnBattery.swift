import FleetModel

/// The iPad is taken off its charger: what is discretionary waits.
public struct OnBattery: PlainWindow {
    public static let name = "on-battery"
    public static let family = FaultFamily.device
    public static let summary =
        "the iPad has no power: discretionary transfers (also those begun in the background) wait; on the charger again at the end of its window"
    public static let source = "app-lifecycle.md 7 (isDiscretionary); when an iPad of a school has both is ASSUMED"
    public static let lasting = Span.seconds(20) ... .minutes(10)
    public static let begins = PadCommand.SetPower(on: false).message
    public static let ends = PadCommand.SetPower(on: true).message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
