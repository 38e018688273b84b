import FleetModel

/// The iCloud identity of the session changes under the apps, and comes back.
public struct IdentityChange: Fault {
    public enum Variant: String, CaseIterable, Sendable {
        /// The person's second account, with data of its own: nothing made or held for the first may come to it, and what was made under the
        /// first is there again when that is back.
        case other
        /// Signed out of iCloud, or Documents & Data switched off: no token.
        case none
        /// The account cannot be used for now (password or terms pending).
        case unavailable
        /// Forbidden by management.
        case restricted
    }
    public static let name = "identity-change"
    public static let family = FaultFamily.identity
    public static let summary =
        "the iCloud identity that apps see changes (to: other, none, unavailable, restricted); its own comes back at the end of its window"
    public static let source = "identity.md 2 and 3; S81, S87-S90, S223"

    public let spec: FaultSpec
    private let variant: Variant

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        variant = try Parameters(spec, window: true, "to").choice("to", .other)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(10) ... .minutes(4), horizon: horizon, &draw)
        spec.parameters = ["to": .string(draw.pick(Variant.allCases)?.rawValue ?? "other")]
        return spec
    }

    /// Whether a fault brings in a second account: then there is more to be read at the end.
    public static func changesAccount(_ spec: FaultSpec) -> Bool {
        [name, DelayedNotice.name].contains(spec.kind)
            && (spec.parameters["to"]?.string ?? Variant.other.rawValue) == Variant.other.rawValue
    }

    public func begin() -> [FaultAct] {
        switch variant {
        case .none: command(PadCommand.ChangeIdentity(to: nil))
        case .other, .unavailable, .restricted: command(PadCommand.ChangeIdentity(to: variant.rawValue))
        }
    }
    public func heal() -> [FaultAct] { command(PadCommand.ChangeIdentity(to: "own")) }
}
