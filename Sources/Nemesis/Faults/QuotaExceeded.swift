import FleetModel

/// The account's iCloud storage is full: records and documents that grow it are refused until there is space again.
public struct QuotaExceeded: Fault {
    /// Scenarios write `quota-exceeded`; `disk-full` is the iPad's own space.
    public static let name = "quota-exceeded"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// A refused record or document is not saved; what is there already stays and may shrink.
    public static let summary =
        "accounts have only `bytes` of space: the Cloud refuses records and documents that grow (413); the usual space at the end of its window"
    /// The page has code and status; how small the space is is ASSUMED.
    public static let source = "cloudkit-web-services.md 9 (QUOTA_EXCEEDED); S104"

    /// The window. Its iPads say nothing: the space is the account's.
    public let spec: FaultSpec
    private let account: String?
    private let bytes: Int

    /// `person` limits it to one account (else all); `bytes` of space, 0 to 10^12 (default 0).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "person", "bytes")
        account = try parameters.text("person")
        bytes = try parameters.whole("bytes", 0, in: 0...1_000_000_000_000)
    }

    /// 30 s to 6 min for all accounts; no byte in half of the draws, else fewer than 4,000.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(6), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        spec.parameters = ["bytes": .int(draw.chance(0.5) ? 0 : draw.below(4000))]
        return spec
    }

    /// `cloud.quota` with the bytes.
    public func begin() -> [FaultAct] { quota(.int(bytes)) }
    /// `cloud.quota` with null: the usual space.
    public func heal() -> [FaultAct] { quota(.null) }

    private func quota(_ bytes: Value) -> [FaultAct] { cloudCommand(.quota, account: account, ["bytes": bytes]) }
}
