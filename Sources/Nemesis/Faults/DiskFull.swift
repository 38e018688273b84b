import FleetModel

/// Nothing more fits on the iPad: what the system may remove goes, then writes fail.
public struct DiskFull: Fault {
    /// Scenarios write `disk-full`; `low-space-purge` and `document-evicted` are what the system does about it.
    public static let name = "disk-full"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// A write that does not fit fails, and its app gets the error.
    public static let summary =
        "the disk has `free` bytes left and refuses more with NSFileWriteOutOfSpaceError 640; the space comes back at the end of the window"
    /// The pages have what the system removes first and the errors; how full a disk gets is ASSUMED.
    public static let source =
        "app-lifecycle.md 13; shared-ipad.md 5 and 6; NSFileWriteOutOfSpaceError 640, SQLITE_FULL"

    /// Window and iPads, with `free`.
    public let spec: FaultSpec
    private let free: Int

    /// `free` in bytes, 0 to 10^12 (default 0: nothing fits).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        free = try Parameters(spec, window: true, "free").whole("free", 0, in: 0...1_000_000_000_000)
    }

    /// 5 s to 3 min; no byte is free in half of the draws, else fewer than 20,000.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(5) ... .minutes(3), horizon: horizon, &draw)
        spec.parameters = ["free": .int(draw.chance(0.5) ? 0 : draw.below(20_000))]
        return spec
    }

    /// `storage.fill` with `free`: something else takes the rest of the disk.
    public func begin() -> [FaultAct] { command(PadCommand.FillStorage(free: free)) }
    /// `storage.fill` with 0 bytes: nothing else takes space any longer.
    public func heal() -> [FaultAct] { command(PadCommand.FillStorage(bytes: 0)) }
}
