import FleetModel

/// A property of a run, beside its faults, that each seed may draw: what hid bugs as long as every seed had the same of it.
///
/// Each axis draws from a stream of its own, named after it: a new axis shifts no other draw. What the file says itself is fixed and
/// not drawn. ASSUMED: all choices and odds; they are meant to make each side common.
public enum Axis: String, CaseIterable, Hashable, Sendable {
    /// Whether local data goes at sign-out: a purge repairs what is stale.
    case purgeAtSignOut
    /// Cached people that an iPad has room for.
    case slots
    /// GB of each iPad.
    case capacity
    /// What an app has for its launch methods.
    case launchLimit
    /// The sides that iPads take where the sources differ, each drawn by itself.
    case switches
    /// The sides that the Cloud takes where the sources differ, each drawn by itself.
    case cloud
    /// What people type.
    case texts
    /// How people name things.
    case items
    /// iPads at which a person is signed in at a time.
    case ipadsEach
    /// How often an edit is made in the same instant as the one before it.
    case together
    /// How often an edit is made within a second of a change of account.
    case close
    /// How many items one person brings at once.
    case bulk

    /// What the axis is in a run of this seed.
    /// - Returns: nil for what the scenario has no use for.
    func drawn(for scenario: Scenario, seed: UInt64) -> Value? {
        var draw = Draw(seed: seed, name: "axis/\(rawValue)")
        switch self {
        case .purgeAtSignOut: return .bool(draw.chance(0.5))
        case .slots: return .int(draw.pick([2, 3, 4, 6, 10]) ?? 10)
        case .capacity: return .int(draw.pick([32, 64, 128, 256]) ?? 64)
        case .launchLimit: return .string("\(draw.pick([Span.seconds(20), .seconds(5)]) ?? .seconds(20))")
        case .switches: return Self.switches(for: scenario, seed: seed).body
        case .cloud: return scenario.cloud.all.isEmpty ? nil : Self.settings(for: scenario, seed: seed).body
        case .texts: return .string((draw.pick(TextStyle.allCases) ?? .words).rawValue)
        case .items: return .string((draw.pick(ItemStyle.allCases) ?? .plain).rawValue)
        case .ipadsEach: return scenario.periods.contains { $0.seats.count > 1 } ? .int(1 + draw.below(2)) : nil
        case .together: return scenario.periods.isEmpty ? nil : .double(draw.chance(0.5) ? 0.3 : 0)
        case .close: return scenario.periods.isEmpty ? nil : .double(draw.chance(0.5) ? 0.4 : 0)
        case .bulk: return scenario.periods.isEmpty ? nil : .int(draw.chance(0.15) ? 500 : 0)
        }
    }

    /// Those that the file sets stay.
    private static func switches(for scenario: Scenario, seed: UInt64) -> PadSwitches {
        var switches = scenario.switches
        for known in PadSwitches.all where !scenario.fixedSwitches.contains(known.name) {
            if let side = turned(known, seed, "switches") { _ = switches.set(known.name, to: side) }
        }
        return switches
    }
    private static func settings(for scenario: Scenario, seed: UInt64) -> Switches {
        var settings = scenario.cloud
        for known in settings.all where !scenario.fixedSettings.contains(known.name) {
            if let side = turned(known, seed, "cloud") { _ = settings.set(known.name, to: side) }
        }
        return settings
    }
    /// Another side than the default, of one in three.
    private static func turned(_ known: Switches.Switch, _ seed: UInt64, _ axis: String) -> String? {
        var draw = Draw(seed: seed, name: "axis/\(axis)/\(known.name)")
        return draw.chance(1.0 / 3) ? draw.pick(Array(known.values.dropFirst())) : nil
    }

    /// Puts a drawn value into the scenario, in place of the default.
    /// - Returns: false for a value that cannot be: a recording from outside may hold anything.
    func put(_ value: Value, into scenario: inout Scenario) -> Bool {
        switch self {
        case .purgeAtSignOut: return Self.set(&scenario.purgeAtSignOut, value.bool)
        case .slots: return Self.set(&scenario.slots, value.whole(Ranges.slots))
        case .capacity: return Self.set(&scenario.capacity, value.whole(Ranges.capacity))
        case .launchLimit:
            guard let span = value.string.flatMap({ Span(parsing: $0) }), Ranges.launchLimit.contains(span) else {
                return false
            }
            return Self.set(&scenario.launchLimit, span)
        case .switches:
            var switches = PadSwitches()
            for pair in value.object?.pairs ?? [] {
                guard switches.set(pair.key, to: pair.value.string ?? "") == nil else { return false }
            }
            scenario.switches = switches
            return value.object != nil
        case .cloud:
            var settings = Switches(scenario.cloud.all, noun: "setting", tellsDefaults: false)
            for pair in value.object?.pairs ?? [] {
                guard settings.set(pair.key, to: pair.value.string ?? "") == nil else { return false }
            }
            scenario.cloud = settings
            return value.object != nil
        case .texts: return Self.set(&scenario.texts, value.string.flatMap(TextStyle.init))
        case .items: return Self.set(&scenario.items, value.string.flatMap(ItemStyle.init))
        case .ipadsEach: return Self.set(&scenario.work.ipadsEach, value.whole(Ranges.ipadsEach))
        case .together: return Self.set(&scenario.work.together, value.double.flatMap(Self.probability))
        case .close: return Self.set(&scenario.work.close, value.double.flatMap(Self.probability))
        case .bulk: return Self.set(&scenario.work.bulk, value.whole(Ranges.bulk))
        }
    }
    private static func probability(_ number: Double) -> Double? { (0...1).contains(number) ? number : nil }
    private static func set<T>(_ place: inout T, _ value: T?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }
    private static func set<T>(_ place: inout T?, _ value: T?) -> Bool {
        place = value
        return value != nil
    }

    /// Values that a scenario may have, drawn or written.
    enum Ranges {
        static let slots = 1...32
        static let capacity = 32...4096
        static let launchLimit: ClosedRange<Span> = .seconds(1) ... .minutes(10)
        static let ipadsEach = 1...2
        static let bulk = 0...1_000
    }
}

extension Value {
    fileprivate func whole(_ range: ClosedRange<Int>) -> Int? {
        int.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
}

extension Scenario {
    /// What a seed draws of this scenario, by axis; empty where `draw` names none. The same in every mode.
    public func drawn(seed: UInt64) -> Value {
        .object(
            Value.Object(
                draw.compactMap { axis in axis.drawn(for: self, seed: seed).map { (axis.rawValue, $0) } }))
    }

    /// The scenario with what was drawn in its places.
    /// - Parameter drawn: what `drawn(seed:)` gave, or what a recording of such a run holds.
    /// - Returns: nil when it holds what no seed draws.
    public func with(drawn: Value) -> Scenario? {
        var scenario = self
        for pair in drawn.object?.pairs ?? [] {
            guard let axis = Axis(rawValue: pair.key), axis.put(pair.value, into: &scenario) else { return nil }
        }
        return drawn.object == nil ? nil : scenario
    }
}
