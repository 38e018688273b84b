import FleetModel

/// Only a cellular network is left: what is discretionary waits, everything else goes on.
public struct NoWiFi: PlainWindow {
    public static let name = "no-wifi"
    public static let family = FaultFamily.device
    public static let summary =
        "the iPad has no Wi-Fi but a cellular network: discretionary transfers wait, the rest goes on; there again at the end of its window"
    public static let source = "app-lifecycle.md 7 (isDiscretionary); when an iPad of a school has both is ASSUMED"
    public static let lasting = Span.seconds(20) ... .minutes(10)
    public static let begins = PadCommand.SetWiFi(on: false).message
    public static let ends = PadCommand.SetWiFi(on: true).message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
