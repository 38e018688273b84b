import FleetModel

/// Nothing more fits on the iPad: what the system may remove goes, then writes fail.
public struct DiskFull: Fault {
    public static let name = "disk-full"
    public static let family = FaultFamily.device
    public static let summary =
        "the disk has `free` bytes left and refuses more with NSFileWriteOutOfSpaceError 640; the space comes back at the end of the window"
    public static let source =
        "app-lifecycle.md 13; shared-ipad.md 5 and 6; NSFileWriteOutOfSpaceError 640, SQLITE_FULL"

    public let spec: FaultSpec
    private let free: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        free = try Parameters(spec, window: true, "free").whole("free", 0, in: 0...1_000_000_000_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(5) ... .minutes(3), horizon: horizon, &draw)
        spec.parameters = ["free": .int(draw.chance(0.5) ? 0 : draw.below(20_000))]
        return spec
    }

    public func begin() -> [FaultAct] { command(PadCommand.FillStorage(free: free)) }
    public func heal() -> [FaultAct] { command(PadCommand.FillStorage(bytes: 0)) }
}
