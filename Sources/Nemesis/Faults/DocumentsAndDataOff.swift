import FleetModel

/// The person switches Documents & Data off in Settings: the account stays, its documents and their token are gone for apps.
public struct DocumentsAndDataOff: Fault {
    public static let name = "documents-and-data-off"
    public static let family = FaultFamily.identity
    public static let summary =
        "iCloud Documents & Data is switched off: no identity token and no containers, though the account is there; on again at the end of its window"
    public static let source = "identity.md 2; S80"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(10) ... .minutes(4), horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command("identity.change", ["to": "withoutDocuments"]) }
    public func heal() -> [FaultAct] { command("identity.change", ["to": "own"]) }
}
