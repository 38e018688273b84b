import FleetModel

/// One person on two iPads at once: both have the account, both sync.
public struct SamePersonTwice: Fault {
    /// Scenarios write `same-person-twice`.
    public static let name = "same-person-twice"
    /// About an account, which is in use on two iPads. A swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.identity
    /// It is about one person, whom only the scenario knows.
    public static let needsPerson = true
    /// In 7 of 10 draws the swarm names an app, which then syncs next to the person's first one.
    public static let opensApp = true
    /// A person who is there on these iPads is logged out first; what they made stays in their queues.
    public static let summary =
        "the person takes these iPads too and opens `app` after 5 s; logged out at the end of the window"
    /// The page allows it; that an app is opened after 5 s is ours.
    public static let source = "shared-ipad.md 1 (one session an iPad, one account on many)"

    /// Window and iPads, with `person` and `app`.
    public let spec: FaultSpec
    private let person: String
    private let app: String?

    /// `person` who takes the iPads has no default; `app` is opened for them (else none).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "person", "app")
        guard let person = try parameters.text("person") else {
            throw FaultProblem("person", "'\(Self.name)' needs 'person': say who is signed in once more")
        }
        self.person = person
        app = try parameters.text("app")
    }

    /// The swarm puts in who it is.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(4), horizon: horizon, &draw)
        spec.pads = draw.pick(pads).map { [$0] } ?? []
        return spec
    }

    /// A sign-in waits for the log-out; the app is opened when a first sign-in over an ordinary network is over.
    public func begin() -> [FaultAct] {
        let acts = command(PadCommand.LogOut()) + command(PadCommand.SignIn(person: person))
        guard let app else { return acts }
        return acts
            + spec.pads.map {
                .commandLater(.pad($0), after: .seconds(5), PadCommand.OpenApp(app: app).message)
            }
    }
    /// Logs the person out of these iPads, and nobody else who may have come since.
    public func heal() -> [FaultAct] { command(PadCommand.LogOut(person: person)) }
}
