import FleetModel

/// The iCloud identity of the session changes under the apps, and comes back.
public struct IdentityChange: Fault {
    /// What apps see instead of the account's own identity. Raw values are the words of `to`.
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
    /// Scenarios write `identity-change`; `delayed-notice` keeps the change from apps for a while.
    public static let name = "identity-change"
    /// Something that happens to an account: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.identity
    /// Data of the first account stay on the iPad and must neither show nor move under the second.
    public static let summary =
        "the iCloud identity that apps see changes (to: other, none, unavailable, restricted); its own comes back at the end of its window"
    /// The page has token, status and duties for each change; how long it lasts is ours.
    public static let source = "identity.md 2 and 3; S81, S87-S90, S223"

    /// Window and iPads, with `to`.
    public let spec: FaultSpec
    private let variant: Variant

    /// `to` is a `Variant` (default `other`).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        variant = try Parameters(spec, window: true, "to").choice("to", .other)
    }

    /// 10 s to 4 min, to any variant.
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

    /// `identity.change` to the variant; signed out is null.
    public func begin() -> [FaultAct] {
        switch variant {
        case .none: command(PadCommand.ChangeIdentity(to: nil))
        case .other, .unavailable, .restricted: command(PadCommand.ChangeIdentity(to: variant.rawValue))
        }
    }
    /// `identity.change` to `own`: whatever the variant was, the account's own identity is back.
    public func heal() -> [FaultAct] { command(PadCommand.ChangeIdentity(to: "own")) }
}
