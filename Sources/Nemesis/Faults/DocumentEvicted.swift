import FleetModel

/// Space is short and the system removes the data of documents that iCloud has and nobody uses; their names stay.
public struct DocumentEvicted: Fault {
    /// Scenarios write `document-evicted`; `low-space-purge` takes containers and caches of apps.
    public static let name = "document-evicted"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// Nothing is lost: names and metadata stay, and the data come back from the Cloud when a network is there.
    public static let summary =
        "space is short: documents that iCloud has and that are not in use lose their local data (bytes); nothing to heal"
    /// The statements have what evicted files still show; when space is short is ours.
    public static let source = "icloud-documents.md 4; S66-S69"

    /// An event on each of its iPads, with `bytes`.
    public let spec: FaultSpec
    private let bytes: Int

    /// `bytes` wanted free, 1 to 10^12 (default 10^9, so everything that may go does).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        bytes = try Parameters(spec, window: false, "bytes").whole("bytes", 1_000_000_000, in: 1...1_000_000_000_000)
    }

    /// One iPad, with the default.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `storage.pressure`: documents unused for longest go first, until the bytes are free.
    public func begin() -> [FaultAct] { command(PadCommand.PressStorage(bytes: bytes)) }
}
