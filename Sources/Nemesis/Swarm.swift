import FleetModel

/// Draws which faults a run has: first a subset of the kinds, then how many of each, when, where and how hard.
///
/// The coin that lets a kind in has a drawn bias, so that runs without any fault and runs with nearly all kinds both occur.
/// Each kind draws from a stream of its own: leaving one out changes no other.
public struct Swarm: Hashable, Sendable {
    /// Kinds that a swarm draws only when it names them, beside those of administrators: what somebody destroys on purpose.
    private static let onlyWhenNamed = ["zone-deleted"]
    /// Kinds that a swarm draws when it names none.
    public static var ordinary: [any Fault.Type] {
        FaultRegistry.all.filter { $0.family != .administration && !onlyWhenNamed.contains($0.name) }
    }

    /// Names of the kinds to draw from; empty: `ordinary`.
    public var kinds: [String]
    /// Names of the kinds that are left out; the others draw what they would draw beside them.
    public var but: [String]
    /// 1 is ordinary; multiplies the coin's bias and the number of faults a kind.
    public var intensity: Double
    /// Times at which many people do something at once: bells. Faults of people, apps and devices are likelier near them.
    public var busy: [Instant]
    /// Who a fault can be about that needs somebody, and apps that it can open for them. With nobody, such faults are not drawn.
    public var people: [Person]
    /// Apps that a fault with `opensApp` may open; with none, it opens none.
    public var apps: [AppName]

    /// All defaults together: every ordinary kind, at ordinary intensity, about nobody.
    public init(
        kinds: [String] = [], but: [String] = [], intensity: Double = 1, busy: [Instant] = [], people: [Person] = [],
        apps: [AppName] = []
    ) {
        self.people = people
        self.apps = apps
        self.kinds = kinds
        self.but = but
        self.intensity = intensity
        self.busy = busy
    }

    /// - Parameter horizon: the end of the storm.
    /// - Returns: specifications ordered by kind as registered, with ids `swarm-KIND-1`, ... that no written fault may have
    public func specs(pads: [Int], horizon: Instant, seed: UInt64) -> [FaultSpec] {
        guard horizon > .zero, !pads.isEmpty else { return [] }
        var coin = Draw(seed: seed, name: "swarm")
        let bias = max(0, min(1, coin.unit() * intensity))
        let wanted = kinds.isEmpty ? Self.ordinary : FaultRegistry.all.filter { kinds.contains($0.name) }
        return wanted.flatMap { type -> [FaultSpec] in
            var draw = Draw(seed: seed, name: "swarm/\(type.name)")
            guard !but.contains(type.name), !type.needsPerson || !people.isEmpty else { return [] }
            return draw.chance(bias) ? instances(of: type, pads: pads, horizon: horizon, &draw) : []
        }
    }

    private func instances(of type: any Fault.Type, pads: [Int], horizon: Instant, _ draw: inout Draw) -> [FaultSpec] {
        let most = Int(min(16, max(1, 4 * intensity)))
        return (1...1 + draw.below(most)).map { number in
            var own = Draw(seed: draw.next(), name: String(number))
            var spec = type.drawn(id: "swarm-\(type.name)-\(number)", pads: pads, horizon: horizon, &own)
            if type.needsPerson { name(in: &spec, of: type, &own) }
            return isNearBells(type.family) && own.chance(0.5) ? moved(spec, horizon: horizon, &own) : spec
        }
    }

    private func name(in spec: inout FaultSpec, of type: any Fault.Type, _ draw: inout Draw) {
        if let person = draw.pick(people) { spec.parameters["person"] = .string(person) }
        if type.opensApp, draw.chance(0.7), let app = draw.pick(apps) { spec.parameters["app"] = .string(app) }
    }

    private func isNearBells(_ family: FaultFamily) -> Bool {
        switch family {
        case .people, .appLife, .device, .identity: true
        case .network, .cloud, .clock, .administration: false
        }
    }

    /// Shifts a fault to a busy time, within half a minute; its length stays.
    private func moved(_ spec: FaultSpec, horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let bells = busy.filter { $0 < horizon }
        guard let bell = draw.pick(bells) else { return spec }
        let length = spec.until - spec.from
        var spec = spec
        let last = Instant(nanoseconds: horizon.nanoseconds - 1)
        spec.from = max(.zero, min(last, bell + draw.span(.seconds(-30) ... .seconds(30))))
        spec.until = length == .zero ? spec.from : min(horizon, spec.from + length)
        return spec
    }
}
