import CInterpose
import Checkers
import FleetModel
import Glibc
import Nemesis
import Trace
import World

/// What `homeroom bench` measures: the figures of design 7.
struct Bench: Sendable {
    var name: String
    var measure: @Sendable () throws -> [Figure]

    static let all: [Bench] = [
        Bench(name: "sim-single") { [try edits(.sim, batch: 1, count: 3000, goal: 5000)] },
        Bench(name: "sim-batch50") { [try edits(.sim, batch: 50, count: 10_000, goal: 15_000)] },
        Bench(name: "fleet-single") { [try edits(.fleet, batch: 1, count: 1500, goal: 1000)] },
        Bench(name: "fleet-batch50") { [try edits(.fleet, batch: 50, count: 5000, goal: 3000)] },
        Bench(name: "ipads-1000") { try running(1000) },
        Bench(name: "checkers") { [checkers(events: 1_000_000)] },
    ]

    // MARK: Edits

    /// Edits on their whole way: app, Pad, Cloud, acknowledged, pushed to and seen on a second iPad.
    private static func edits(_ mode: Mode, batch: Int, count: Int, goal: Double) throws -> Figure {
        var worker = try Worker.start(log: "") { pulse in
            do { return Value.double(try measureEdits(mode, batch: batch, count: count, pulse)).encoded } catch {
                return Value.string("\(error)").encoded
            }
        }
        let end = try worker.end(limitMilliseconds: 120_000)
        guard case .finished(let bytes) = end, let value = try? Value(decoding: bytes) else {
            throw CommandProblem.harness("the benchmark ended early: \(end)")
        }
        guard let rate = value.double else {
            throw CommandProblem.harness("the benchmark failed: \(value.string ?? "")")
        }
        return Figure(
            name: "edits-\(mode.rawValue)-\(batch == 1 ? "single" : "batch\(batch)")", value: rate, unit: "edits/s",
            goal: goal)
    }

    private static func measureEdits(_ mode: Mode, batch: Int, count: Int, _ pulse: @escaping () -> Void) throws
        -> Double
    {
        guard let app = Homeroom.catalogue.manifest("notebook") else {
            throw CommandProblem.harness("the notebook app is not part of this executable")
        }
        let person = "maya"
        var plan: [PlanStep] = []
        for pad in 1...2 {
            plan.append(PlanStep(at: .zero + .seconds(1), person: person, pad: pad, .signIn))
            plan.append(PlanStep(at: .zero + .seconds(20), person: person, pad: pad, .open(app.name)))
        }
        let begin = Instant.zero + .seconds(60)
        let pause: Span = batch == 1 ? .milliseconds(500) : .seconds(2)
        let edits = (0..<count).map { index -> PlanStep in
            let token = "\(person).\(index + 1)"
            let edit = Edit(
                token: token, person: person, app: app.name, action: "write", item: "note-\(index % 500 + 1)",
                verb: .put,
                value: EditPayload.text(token: token, "some words of a note"))
            return PlanStep(at: begin + pause * Int64(index / batch), person: person, pad: 1, .perform(edit))
        }
        let storm = edits[count - 1].at - .zero + .seconds(30)
        let world = try BenchWorld(mode: mode, pads: 2, people: [person], apps: [app], plan: plan, storm: storm)
        world.onEvent = pulse
        try world.begin()
        try world.advance(to: begin)
        // People of the plan wait for answers; a benchmark wants the edits at their times.
        for edit in edits { world.schedule(edit) }
        let started = hr_real_ns()
        try world.advance(to: .zero + storm)
        let seconds = Double(hr_real_ns() - started) / 1e9
        let performed = world.history.count { $0.note.kind == .performed }
        let seen = try world.visibleTokens(on: 2, app: app.name)
        world.end()
        guard performed == count, seen.count >= min(count, 500) else {
            throw CommandProblem.harness(
                "only \(performed) of \(count) edits were performed and \(seen.count) notes seen on the second iPad")
        }
        return Double(count) / seconds
    }

    // MARK: Running iPads

    /// Signed in, one app in the foreground, both processes counted.
    private static func running(_ count: Int) throws -> [Figure] {
        guard let app = Homeroom.catalogue.manifest("quiz") else {
            throw CommandProblem.harness("the quiz app is not part of this executable")
        }
        let people = (1...count).map { "p\($0)" }
        let plan = people.enumerated().flatMap { index, person in
            [
                PlanStep(at: .zero + .seconds(1), person: person, pad: index + 1, .signIn),
                PlanStep(at: .zero + .seconds(20), person: person, pad: index + 1, .open(app.name)),
            ]
        }
        let started = hr_real_ns()
        let world = try BenchWorld(
            mode: .fleet, pads: count, people: people, apps: [app], plan: plan, storm: .seconds(60))
        defer { world.end() }
        try world.begin()
        try world.advance(to: .zero + .seconds(60))
        let seconds = Double(hr_real_ns() - started) / 1e9
        let active = world.history.count { $0.note.kind == .appLaunched }
        var ownKiB = 0
        for (id, pid) in world.processes where id != .cloud { ownKiB += Machine.memory(of: pid)?.privateKiB ?? 0 }
        guard active == count else { throw CommandProblem.harness("only \(active) of \(count) apps were launched") }
        return [
            Figure(name: "ipads-\(count)-start", value: seconds, unit: "s", goal: 3),
            Figure(
                name: "ipads-\(count)-private-memory", value: Double(ownKiB) / 1024 / Double(count), unit: "MiB each",
                goal: 2.5),
        ]
    }

    // MARK: Checkers

    private static func checkers(events: Int) -> Figure {
        var history: [HistoryEvent] = []
        history.reserveCapacity(events)
        let edits = events / 4
        for index in 0..<edits {
            let person = "p\(index % 100)"
            let edit = Edit(
                token: "\(person).\(index)", person: person, app: "notebook", action: "write", item: "note-\(index)",
                verb: .put, value: "")
            let at = Instant(nanoseconds: Int64(index) * 1000)
            let base: (Note.Kind) -> Note = {
                Note($0, person: person, app: "notebook", channel: .record, tokens: [edit.token])
            }
            var invoked = base(.invoked)
            invoked.detail = ["edit": edit.body]
            history.append(HistoryEvent(at: at, from: .people, invoked))
            for kind in [Note.Kind.performed, .handedOver, .committed] {
                history.append(HistoryEvent(at: at, from: .pad(1), base(kind)))
            }
        }
        let started = hr_real_ns()
        let judgement = judge(history)
        let seconds = Double(hr_real_ns() - started) / 1e9
        precondition(judgement.performed == edits)
        return Figure(name: "checkers", value: Double(events) / seconds, unit: "events/s", goal: 1_000_000)
    }
}
