import FleetModel

/// A fault that its window and its iPads say all of: each iPad gets a command when it begins, and one that undoes it when it ends.
public protocol PlainWindow: Fault {
    /// How long it lasts in a swarm.
    static var lasting: ClosedRange<Span> { get }
    /// Whether a swarm draws it for one iPad and never for several.
    static var isOfOneIPad: Bool { get }
    /// The command that each iPad gets when the window opens.
    static var begins: Message { get }
    /// The command that undoes it, at the end of the window or when calm begins.
    static var ends: Message { get }
    /// Takes a specification that can be.
    init(checked spec: FaultSpec)
}

extension PlainWindow {
    /// A swarm draws it for a part of the iPads.
    public static var isOfOneIPad: Bool { false }

    /// Checks that the window ends after it begins and that there are no parameters.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        _ = try Parameters(spec, window: true)
        self.init(checked: spec)
    }

    /// A window of `lasting`, for a part of the iPads or for one of them.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(id: id, kind: name, pads: pads, lasting: lasting, horizon: horizon, &draw)
        if isOfOneIPad { spec.pads = draw.pick(pads).map { [$0] } ?? [] }
        return spec
    }

    /// `begins`, to each iPad.
    public func begin() -> [FaultAct] { command(Self.begins) }
    /// `ends`, to each iPad.
    public func heal() -> [FaultAct] { command(Self.ends) }
}
