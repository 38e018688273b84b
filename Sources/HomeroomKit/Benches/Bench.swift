import CInterpose
import Checkers
import FleetModel
import Foundation
import Glibc
import Nemesis
import Run
import Trace
import World

/// What `homeroom bench` measures: figures of Docs/figures.md, Speed.
struct Bench: Sendable {
    var name: String
    /// By which clock its figures are told; the calibration that stands next to them is timed by the same one.
    var clock = Clock.real
    /// Gets a folder for real files of a fleet. Made by the command, which removes it whatever becomes of a worker.
    var measure: @Sendable (_ scratch: String) throws -> [Figure]

    /// What times a figure.
    enum Clock: String {
        /// Of the processor: a figure of what one process does.
        case cpu
        /// A clock on the wall: a figure of what several processes do together.
        case real

        /// ns.
        func now() -> Int64 { self == .cpu ? hr_cpu_ns() : hr_real_ns() }
    }

    static let all: [Bench] = [
        Bench(name: "machine", clock: .cpu) { _ in [machine()] },
        Bench(name: "sim-single", clock: .cpu) { [try edits(.sim, batch: 1, count: 3000, goal: 5000, $0)] },
        Bench(name: "sim-batch50", clock: .cpu) { [try edits(.sim, batch: 50, count: 10_000, goal: 15_000, $0)] },
        Bench(name: "fleet-single") { [try edits(.fleet, batch: 1, count: 1500, goal: 1000, $0)] },
        Bench(name: "fleet-batch50") { [try edits(.fleet, batch: 50, count: 5000, goal: 3000, $0)] },
        Bench(name: "ipads-1000") { try running(1000, $0) },
        Bench(name: "checkers", clock: .cpu) { _ in [checkers(events: 1_000_000)] },
    ]

    // MARK: The machine

    /// How fast this machine is beside the one on which the goals were set (4.6 us there): every other figure scales with it.
    private static func machine() -> Figure {
        struct Sample: Codable {
            var id = 123_456, kind = "note", title = String(repeating: "t", count: 40)
            var tags = ["one", "two", "three"], counts = [1, 22, 333], body = String(repeating: "b", count: 110)
        }
        let encoder = JSONEncoder()
        let sample = Sample()
        var bytes = 0
        let rounds = 20_000
        for _ in 0..<rounds / 10 { bytes += (try? encoder.encode(sample).count) ?? 0 }
        let started = hr_cpu_ns()
        for _ in 0..<rounds { bytes += (try? encoder.encode(sample).count) ?? 0 }
        precondition(bytes > 0)
        let microseconds = Double(hr_cpu_ns() - started) / 1000 / Double(rounds)
        return Figure(
            name: "machine-json-message", value: microseconds, unit: "us",
            remark: "4.6 us where the goals were set")
    }

    // MARK: Edits

    /// Edits on their whole way: app, Pad, Cloud, acknowledged, pushed to and seen on a second iPad. In `sim`, where all of it is one
    /// process, a second is one of CPU: the figure is "a core".
    private static func edits(_ mode: Mode, batch: Int, count: Int, goal: Double, _ scratch: String) throws
        -> Figure
    {
        var worker = try Worker.start(log: "") { pulse in
            do {
                return Value.double(try measureEdits(mode, batch: batch, count: count, scratch, pulse)).encoded
            } catch {
                return Value.string(RunEnd.of(error).orElse(.temporary).message).encoded
            }
        }
        let end = try worker.end(limitMilliseconds: 120_000)
        guard case .finished(let bytes) = end, let value = try? Value(decoding: bytes) else {
            throw RunEnd.harness("the benchmark ended early: \(end)")
        }
        guard let rate = value.double else {
            throw RunEnd.harness("the benchmark failed: \(value.string ?? "")")
        }
        return Figure(
            name: "edits-\(mode.rawValue)-\(batch == 1 ? "single" : "batch\(batch)")", value: rate, unit: "edits/s",
            goal: goal)
    }

    private static func measureEdits(
        _ mode: Mode, batch: Int, count: Int, _ scratch: String, _ pulse: @escaping () -> Void
    ) throws -> Double {
        guard let app = Homeroom.catalogue.manifest("notebook") else {
            throw RunEnd.harness("the notebook app is not part of this executable")
        }
        try Homeroom.catalogue.require([app.name])
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
        let world = try BenchWorld(
            mode: mode, pads: 2, people: [person], apps: [app], plan: plan, storm: storm, scratch: scratch)
        world.onEvent = pulse
        try world.begin()
        try world.advance(to: begin)
        // People of the plan wait for answers; a benchmark wants the edits at their times.
        for edit in edits { world.schedule(edit) }
        let clock = mode == .sim ? hr_cpu_ns : hr_real_ns
        let started = clock()
        try world.advance(to: .zero + storm)
        let seconds = Double(clock() - started) / 1e9
        let performed = world.history.count { $0.note.kind == .performed }
        let seen = Set(try world.visibleTokens(on: 2, app: app.name))
        world.end()
        // The newest version of every note, not any.
        var newest: [String: Token] = [:]
        for case .perform(let edit) in edits.map(\.deed) { newest[edit.item] = edit.token }
        let missing = newest.values.count { !seen.contains($0) }
        guard performed == count, missing == 0 else {
            throw RunEnd.harness(
                "\(performed) of \(count) edits were performed, and the newest version of \(missing) notes is not on the second iPad"
            )
        }
        return Double(count) / seconds
    }

    // MARK: Running iPads

    /// Signed in, one app in the foreground, both processes counted.
    private static func running(_ count: Int, _ scratch: String) throws -> [Figure] {
        guard let app = Homeroom.catalogue.manifest("quiz") else {
            throw RunEnd.harness("the quiz app is not part of this executable")
        }
        try Homeroom.catalogue.require([app.name])
        let people = (1...count).map { "p\($0)" }
        let plan = people.enumerated().flatMap { index, person in
            [
                PlanStep(at: .zero + .seconds(1), person: person, pad: index + 1, .signIn),
                PlanStep(at: .zero + .seconds(20), person: person, pad: index + 1, .open(app.name)),
            ]
        }
        let started = hr_real_ns()
        let world = try BenchWorld(
            mode: .fleet, pads: count, people: people, apps: [app], plan: plan, storm: .seconds(60), scratch: scratch)
        defer { world.end() }
        try world.begin()
        try world.advance(to: .zero + .seconds(60))
        let seconds = Double(hr_real_ns() - started) / 1e9
        let active = world.history.count { $0.note.kind == .appLaunched }
        var ownKiB = 0
        for (id, pid) in world.processes where id != .cloud { ownKiB += Machine.memory(of: pid)?.privateKiB ?? 0 }
        guard active == count else { throw RunEnd.harness("only \(active) of \(count) apps were launched") }
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
        let started = hr_cpu_ns()
        let judgement = judge(history)
        let seconds = Double(hr_cpu_ns() - started) / 1e9
        precondition(judgement.performed == edits)
        return Figure(name: "checkers", value: Double(events) / seconds, unit: "events/s", goal: 1_000_000)
    }
}
