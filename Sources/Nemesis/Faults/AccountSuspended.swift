import FleetModel

/// The school suspends an account: iCloud refuses it, also for requests under way, and so does every sign-in that asks the Cloud.
///
/// The iPad lets in whoever is cached there, and what apps send to their own servers goes on: neither asks the account.
public struct AccountSuspended: Fault {
    /// Scenarios write `account-suspended`; `credential-revoked` is the milder kind, after which a new sign-in helps.
    public static let name = "account-suspended"
    /// Something that happens to an account: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.identity
    /// It is about one account, which only the scenario knows.
    public static let needsPerson = true
    /// The Cloud answers again after the window, or earlier after a `cloud-crash`: the suspension is not kept through a restart.
    public static let summary =
        "iCloud and every sign-in that asks it refuse the account; given back at the end of its window, or when the Cloud starts again"
    /// The sources say what a refused account means for apps; the answer that carries it is ours.
    public static let source =
        "identity.md 3 and 5; shared-ipad.md 3 (a cached person is let in offline); how iCloud refuses is ASSUMED"

    /// The window. Its iPads say nothing: the account is suspended at the Cloud, so on each iPad.
    public let spec: FaultSpec
    private let person: String

    /// `person`, the account's name, has no default: without it the fault is refused.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        guard let person = try Parameters(spec, window: true, "person").text("person") else {
            throw FaultProblem("person", "'\(Self.name)' needs 'person': say whose account is suspended")
        }
        self.person = person
    }

    /// 20 s to 6 min; the swarm adds the person (`needsPerson`).
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        return spec
    }

    /// `cloud.suspend` with `on: true` for the person's account.
    public func begin() -> [FaultAct] { suspend(true) }
    /// `cloud.suspend` with `on: false` for the same account.
    public func heal() -> [FaultAct] { suspend(false) }

    private func suspend(_ on: Bool) -> [FaultAct] {
        cloudCommand(.suspend, account: person, ["on": .bool(on)])
    }
}
