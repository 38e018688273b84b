import FleetModel

/// The account's iCloud storage is full: records and documents that grow it are refused until there is space again.
public struct QuotaExceeded: Fault {
    public static let name = "quota-exceeded"
    public static let family = FaultFamily.cloud
    public static let summary =
        "accounts have only `bytes` of space: the Cloud refuses records and documents that grow (413); the usual space at the end of its window"
    public static let source = "cloudkit-web-services.md 9 (QUOTA_EXCEEDED); S104"

    public let spec: FaultSpec
    private let account: String?
    private let bytes: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "person", "bytes")
        account = try parameters.text("person")
        bytes = try parameters.whole("bytes", 0, in: 0...1_000_000_000_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(6), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        spec.parameters = ["bytes": .int(draw.chance(0.5) ? 0 : draw.below(4000))]
        return spec
    }

    public func begin() -> [FaultAct] { quota(.int(bytes)) }
    public func heal() -> [FaultAct] { quota(.null) }

    private func quota(_ bytes: Value) -> [FaultAct] { cloudCommand(.quota, account: account, ["bytes": bytes]) }
}
