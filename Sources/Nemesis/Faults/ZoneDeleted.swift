import FleetModel

/// A person deletes what apps keep in iCloud: zones of records go with all that is in them, under the apps that use them.
public struct ZoneDeleted: Fault {
    /// Scenarios write `zone-deleted`; a swarm draws it only when it is named.
    public static let name = "zone-deleted"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// After `encryptedDataReset` iPads send again what they have; apps decide what they do after the other reasons.
    public static let summary =
        "custom zones of the private database go with their records (person, zone; else all); edits that no iPad sends again are `excused`; nothing to heal"
    /// The page has the two errors and the reasons; who deletes, and when, is ours.
    public static let source = "cloudkit-framework.md 3, errors 26 and 28; Manage Storage"

    /// Why they go, as apps are told it.
    private enum Reason: String, CaseIterable {
        /// The person erased the app's data in Settings.
        case purged
        /// An app did it, on a device that is not here.
        case deleted
        /// The person reset the keys of encrypted data: iPads send again what they have.
        case encryptedDataReset
    }

    /// An event at the Cloud; iPads say nothing.
    public let spec: FaultSpec
    private let account: String?
    private let body: Value

    /// `person` (else all accounts), `zone` (else all custom zones), `reason` purged, deleted or encryptedDataReset (default purged).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "person", "zone", "reason")
        account = try parameters.text("person")
        var body = Value.empty
        let reason: Reason = try parameters.choice("reason", .purged)
        if reason != .purged { body["reason"] = .string(reason.rawValue) }
        if let zone = try parameters.text("zone") { body["zone"] = .string(zone) }
        self.body = body
    }

    /// All zones of all accounts, for any reason.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        let reason = draw.pick(Reason.allCases) ?? .purged
        if reason != .purged { spec.parameters = ["reason": .string(reason.rawValue)] }
        return spec
    }

    /// `cloud.deleteZones` for the account or for all, with zone and reason where they are not the usual.
    public func begin() -> [FaultAct] { cloudCommand(.deleteZones, account: account, body) }
}
