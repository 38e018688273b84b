import FleetModel

/// The school suspends an account: iCloud refuses it, also for requests under way, and so does every sign-in that asks the Cloud.
///
/// The iPad lets in whoever is cached there, and what apps send to their own servers goes on: neither asks the account.
public struct AccountSuspended: Fault {
    public static let name = "account-suspended"
    public static let family = FaultFamily.identity
    public static let needsPerson = true
    public static let summary =
        "iCloud and every sign-in that asks it refuse the account; given back at the end of its window, or when the Cloud starts again"
    public static let source =
        "identity.md 3 and 5; shared-ipad.md 3 (a cached person is let in offline); how iCloud refuses is ASSUMED"

    public let spec: FaultSpec
    private let person: String

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        guard let person = try Parameters(spec, window: true, "person").text("person") else {
            throw FaultProblem("person", "'\(Self.name)' needs 'person': say whose account is suspended")
        }
        self.person = person
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        return spec
    }

    public func begin() -> [FaultAct] { suspend(true) }
    public func heal() -> [FaultAct] { suspend(false) }

    private func suspend(_ on: Bool) -> [FaultAct] {
        cloudCommand(.suspend, account: person, ["on": .bool(on)])
    }
}
