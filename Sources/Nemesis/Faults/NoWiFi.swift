import FleetModel

/// Only a cellular network is left: what is discretionary waits, everything else goes on.
public struct NoWiFi: PlainWindow {
    /// Scenarios write `no-wifi`; under `airplane-mode` nothing is sent at all.
    public static let name = "no-wifi"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// Only discretionary transfers wait; apps see a network as before.
    public static let summary =
        "the iPad has no Wi-Fi but a cellular network: discretionary transfers wait, the rest goes on; there again at the end of its window"
    /// The page has what discretionary transfers wait for; that a school's iPad has a cellular network is ASSUMED.
    public static let source = "app-lifecycle.md 7 (isDiscretionary); when an iPad of a school has both is ASSUMED"
    /// 20 s to 10 min, ASSUMED.
    public static let lasting = Span.seconds(20) ... .minutes(10)
    /// The iPad leaves the Wi-Fi; the cellular network carries on.
    public static let begins = PadCommand.SetWiFi(on: false).message
    /// The Wi-Fi is there again, and what waited may begin.
    public static let ends = PadCommand.SetWiFi(on: true).message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
