import FleetModel

/// Space is short and the system removes the data of documents that iCloud has and nobody uses; their names stay.
public struct DocumentEvicted: Fault {
    public static let name = "document-evicted"
    public static let family = FaultFamily.device
    public static let summary =
        "space is short: documents that iCloud has and that are not in use lose their local data (bytes); nothing to heal"
    public static let source = "icloud-documents.md 4; S66-S69"

    public let spec: FaultSpec
    private let bytes: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        bytes = try Parameters(spec, window: false, "bytes").whole("bytes", 1_000_000_000, in: 1...1_000_000_000_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.PressStorage(bytes: bytes)) }
}
