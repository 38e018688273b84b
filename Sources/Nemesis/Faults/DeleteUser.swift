import FleetModel

/// An administrator takes cached people off the iPad.
public struct DeleteUser: Fault {
    /// Scenarios write `delete-user`; `evict-person` is the iPad's own decision, which never loses anything.
    public static let name = "delete-user"
    /// An administrator's decision: a swarm draws it only when it is named.
    public static let family = FaultFamily.administration
    /// Only `force` can destroy edits; without it a person with something to send stays.
    public static let summary =
        "an administrator deletes a cached person (person; else all), with `force` also what was not sent yet; `polled` through the management server; nothing to heal"
    /// The page has the command's keys and what `ForceDeletion` takes; who gives it, and when, is ours.
    public static let source = "shared-ipad.md 9.3 (DeleteUser), 5"

    /// An event on each of its iPads, with `person`, `force` and `polled`.
    public let spec: FaultSpec
    private let request: Value
    private let isPolled: Bool

    /// `person` (else all who are cached); `force` also deletes what was not sent (default false); `polled` sends it by push and poll
    /// (default false).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "person", "force", "polled")
        var request: Value = ["ForceDeletion": .bool(try parameters.flag("force", false))]
        if let person = try parameters.text("person") {
            request["UserName"] = .string(person)
        } else {
            request["DeleteAllUsers"] = true
        }
        self.request = request
        isPolled = try parameters.flag("polled", false)
    }

    /// Never by force: what is drawn shows what must not be lost.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// The management command `DeleteUser`, to the iPads or through the Cloud.
    public func begin() -> [FaultAct] { manage("DeleteUser", request, isPolled: isPolled) }
}
