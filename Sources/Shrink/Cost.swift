import FleetModel
import Workload

/// How much there is to read in a scenario. A shrink only ever goes to what costs less, so it ends.
struct Cost: Comparable {
    /// By weight: the first difference decides.
    private let parts: [Int64]

    init(_ scenario: Scenario, isOfAnySeed: Bool) {
        let moments = scenario.moments
        let gaps = zip(moments, [.zero] + moments).map { $0 - $1 }
        parts = [
            Int64(scenario.steps.count + scenario.faults.count),
            Int64(scenario.people.count + scenario.guests.count),
            Int64(scenario.ipads),
            Int64(scenario.apps.count),
            isOfAnySeed ? 0 : 1,
            Int64(Setting.all.count { !$0.isUsual(scenario) }) + Self.network(scenario.linkModel),
            Int64(scenario.steps.count { $0.number != nil } + scenario.steps.count { $0.opens }),
            Int64(scenario.namedFaults),
            scenario.faults.reduce(0) { $0 + Self.parameters($1) },
            Int64(scenario.faults.reduce(0) { $0 + Self.pads($1, scenario) }),
            scenario.steps.reduce(0) { $0 + Self.words($1) },
            gaps.reduce(0) { $0 + Roughness.of($1) },
            gaps.reduce(0) { $0 + $1.nanoseconds },
            scenario.storm.nanoseconds,
        ]
    }

    static func < (a: Cost, b: Cost) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }

    /// No time on the way is the least to think about, then the same time for all.
    private static func network(_ link: LinkModel) -> Int64 {
        if link == .instant { return 0 }
        if link.least == link.most { return 1 }
        return link == LinkModel() ? 2 : 3
    }
    private static func parameters(_ fault: FaultSpec) -> Int64 {
        (fault.parameters.object?.pairs ?? []).reduce(0) { sum, pair in
            // Messages are counted by nobody who reads a file.
            let hops: Int64 = pair.key == "hops" ? 20 : 0
            return sum + 20 + hops + Int64(min(19, pair.value.json.utf8.count))
        }
    }
    /// All together are less to read than each by its number.
    private static func pads(_ fault: FaultSpec, _ scenario: Scenario) -> Int {
        if FaultChoices.ofTheCloud.contains(fault.kind) { return fault.pads.count }
        return fault.pads.isEmpty ? 2 * scenario.ipads - 1 : 2 * fault.pads.count
    }
    private static func words(_ step: Scenario.WrittenStep) -> Int64 {
        guard case .edit(_, _, let item, let text) = step.deed else { return 0 }
        return Int64(item?.utf8.count ?? 0) + (text.map { 1 + Int64($0.utf8.count) } ?? 0)
    }
}

/// How many digits a length of time has that nobody wants to read.
enum Roughness {
    private static let units: [Int64] = [10_000_000_000, 1_000_000_000, 100_000_000, 1_000_000, 1_000]

    static func of(_ span: Span) -> Int64 {
        Int64(units.firstIndex { span.nanoseconds % $0 == 0 } ?? units.count)
    }
    /// Lengths to try in place of one: round and short ones first.
    static func choices(for span: Span) -> [Span] {
        let whole = [Span.seconds(10), .minutes(1), .minutes(10)] + rounded(span, to: units[0])
        let fine = [Span.seconds(1)] + units.dropFirst().dropLast().flatMap { rounded(span, to: $0) }
        return (whole + fine).filter { $0 > .zero && $0 != span }
    }
    private static func rounded(_ span: Span, to unit: Int64) -> [Span] {
        let below = span.nanoseconds / unit * unit
        return [Span(nanoseconds: below), Span(nanoseconds: below + unit)]
    }
}

extension LinkModel {
    /// Messages take no time.
    static let instant = LinkModel(least: .zero, most: .zero, bytesPerSecond: 0)
    /// Each takes the same time.
    static let steady = LinkModel(least: .milliseconds(20), most: .milliseconds(20), bytesPerSecond: 0)
}
