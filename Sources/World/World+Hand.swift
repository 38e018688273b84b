import FleetModel
import Nemesis
import Run

/// A run by hand: a test that runs says what happens next, instead of a plan and faults that are known before.
///
/// Whatever it does has a moment of its own, at which nothing else happens. So it makes no difference that a scenario which says the same
/// would have put it into the heap long before, and both runs have the same trace.
extension World {
    private static let grain: Int64 = 1000

    /// Runs on to the first whole microsecond after now at which nothing else happens, and stops before that.
    package func goToFreeMoment() throws {
        var moment = Instant(nanoseconds: (now.nanoseconds / Self.grain + 1) * Self.grain)
        while true {
            try run(until: Instant(nanoseconds: moment.nanoseconds - 1))
            guard queue.next == moment else { return startInstant(moment) }
            moment = moment + Span(nanoseconds: Self.grain)
        }
    }

    /// Lets people look at their steps, as at a time that they had planned.
    package func stepPeople() throws {
        lives[.people]?.timer = nil
        try step(.people, [])
    }
    /// Runs as long as something is to come and `goesOn`, at the longest until that moment.
    package func run(until end: Instant, while goesOn: () -> Bool) throws {
        while goesOn(), try runOne(until: end) {}
    }

    /// A fault begins now.
    /// - Returns: its place among the faults, for `endFault`.
    /// - Throws: `RunEnd.input` for one that cannot be.
    package func beginFault(_ spec: FaultSpec) throws -> Int {
        let index: Int
        do throws(FaultProblem) { index = try nemesis.add(spec) } catch {
            throw RunEnd.input("the fault '\(spec.kind)' cannot be: \(error.message)")
        }
        plan.faults.append(spec)
        try faultBegins(index)
        if nemesis.isActive(index), nemesis.faults[index].spec.until < .zero + Self.endless {
            queue.add(.faultHeals(index), at: spec.until)
        }
        try run(until: now)
        return index
    }
    /// Longer than any storm: the end of a window that is ended by hand.
    package static let endless = Span.hours(7 * 24)

    /// A window that is open ends now.
    package func endFault(_ index: Int) throws {
        guard nemesis.isActive(index) else { return }
        do throws(FaultProblem) { try nemesis.end(index, at: now) } catch {
            throw RunEnd.input("the fault cannot end now: \(error.message)")
        }
        plan.faults[index].until = now
        try faultHeals(index)
        try run(until: now)
    }
    package func isOpen(_ index: Int) -> Bool { nemesis.isActive(index) }

    /// Steps the newest app of an iPad that is alive, past the iPad: for what only a test in the same process can have put among its jobs.
    /// - Returns: the launch; nil where no app runs.
    package func poke(appOf pad: Int) throws -> ParticipantID? {
        guard let app = newestApp(of: pad) else { return nil }
        try step(app, [])
        return app
    }
    /// The newest app of an iPad that is alive and not suspended.
    package func newestApp(of pad: Int) -> ParticipantID? {
        liveApps(of: pad).last { lives[$0]?.isSuspended == false }
    }
}
