import FleetModel
import Workload

extension Scenario {
    /// When something happens, each moment once, in order.
    var moments: [Instant] {
        let faults = faults.flatMap { $0.stays ? [$0.from] : [$0.from, $0.until] }
        return Set(steps.map(\.at) + faults).sorted()
    }

    /// The same things in the same order, each at the time that is given for its place among the moments.
    func with(moments: [Instant]) -> Scenario {
        let times = Dictionary(uniqueKeysWithValues: zip(self.moments, moments))
        var scenario = self
        for index in steps.indices { scenario.steps[index].at = times[steps[index].at] ?? steps[index].at }
        for index in faults.indices {
            let fault = faults[index]
            scenario.faults[index].from = times[fault.from] ?? fault.from
            if !fault.stays { scenario.faults[index].until = times[fault.until] ?? fault.until }
        }
        if storm == usualStorm {
            scenario.storm = scenario.usualStorm
        } else {
            let rest = storm.nanoseconds - (self.moments.last ?? .zero).nanoseconds
            scenario.storm = Span(nanoseconds: (moments.last ?? .zero).nanoseconds + max(1_000_000_000, rest))
        }
        return scenario
    }

    /// Every moment so long after the one before.
    func evenly(_ gap: Span) -> Scenario {
        with(moments: moments.indices.map { .zero + gap * Int64($0 + 1) })
    }

    /// The moment at this place so long after the one before, and what follows as much later or earlier.
    func with(gap: Span, before place: Int) -> Scenario {
        let moments = self.moments
        let before = place == 0 ? Instant.zero : moments[place - 1]
        let shift = (before + gap) - moments[place]
        return with(moments: moments.enumerated().map { $0.offset < place ? $0.element : $0.element + shift })
    }
}
