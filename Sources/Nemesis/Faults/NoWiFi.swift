import FleetModel

/// Only a cellular network is left: what is discretionary waits, everything else goes on.
public struct NoWiFi: Fault {
    public static let name = "no-wifi"
    public static let family = FaultFamily.device
    public static let summary =
        "no Wi-Fi, a cellular network is left: discretionary transfers wait; there again at the end of its window"
    public static let source = "app-lifecycle.md 7 (isDiscretionary); when an iPad of a school has both is ASSUMED"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(10), horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command("device.wifi", ["on": false]) }
    public func heal() -> [FaultAct] { command("device.wifi", ["on": true]) }
}
