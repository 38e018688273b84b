import FleetModel

/// An administrator takes cached people off the iPad.
public struct DeleteUser: Fault {
    public static let name = "delete-user"
    public static let family = FaultFamily.administration
    public static let summary =
        "an administrator deletes a cached person (person; else all), with `force` also what was not sent yet; `polled` through the management server; nothing to heal"
    public static let source = "shared-ipad.md 9.3 (DeleteUser), 5"

    public let spec: FaultSpec
    private let request: Value
    private let isPolled: Bool

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

    public func begin() -> [FaultAct] { manage("DeleteUser", request, isPolled: isPolled) }
}
