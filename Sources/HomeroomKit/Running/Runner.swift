import CInterpose
import Checkers
import FleetModel
import Glibc
import Live
import Load
import Nemesis
import Report
import Run
import Trace
import Workload
import World

/// One run, from a scenario and a seed (or from a recording) to a report, in a forked worker of its own.
struct Runner {
    var loaded: LoadedScenario
    var seed: UInt64
    var mode: Mode
    /// Folder of results; nil: nothing is kept (explore).
    var out: String?
    /// Its tapes are followed instead of drawing, and its lines are compared.
    var recorded: RecordedTrace?
    /// The recording's name, for messages about its lines.
    var traceFile = "the trace"
    /// iPads note what apps do, and the report tells the habits (`homeroom lint`).
    var judgesHabits = false
    /// Wall time after which a step that did not end counts as a spin.
    var limitMilliseconds: Int32 = 10_000
    /// Real files of a fleet that keeps no results. Made by the supervisor, which removes it whatever becomes of the worker.
    var scratch: String?
    /// The folder of results while it is ours; a run that is repeated in the other mode goes on in it.
    var results: ResultsFolder?

    /// Faults (by id) and edits (by token) that are left out; everything else is drawn as if they were there.
    var without: Set<String> = []

    /// A run whose trace would be longer ends there, and nothing is said about the app; nil: none does.
    var linesMax: Int?

    /// The report tells what became of this edit.
    var watched: Token?

    /// In live.
    var live = LiveSettings(speed: 1)
    /// Only measured and not judged: calm and readings are left out. Live only.
    var endsAfterStorm = false

    /// `report.html` also for a valid run: the others have it anyhow.
    var isPictured = false
    /// Options that the command which repeats the run needs in addition to its scenario, seed and mode; each after a blank.
    var options = ""

    /// What the progress line calls this run; nil: none is shown.
    var title: String?
    let clock = SharedClock()

    /// Runs and reports. A worker of `sim` that dies or spins is run again in `fleet`, which can tell what the app did.
    /// - Throws: `RunEnd`, of kind `differs` for a replay that does; then earlier results are as they were, and of this run only logs that
    ///   tell what failed are left.
    func run() throws -> RunReport {
        Interruption.install()
        if results == nil, let out { return try run(into: out) }
        var runner = self
        defer { if let scratch = runner.scratch { Folders.remove(scratch) } }
        if let results { try results.begin() } else if mode != .sim { runner.scratch = try Folders.temporary() }
        clock.now = .zero
        defer { Progress.clear() }
        // Before the worker may have run: the first line says the same on every machine.
        showProgress()
        var worker = try runner.start()
        let limit = limitMilliseconds * (mode == .sim ? 1 : 6)
        return try runner.conclude(
            try worker.end(limitMilliseconds: limit, hasLastWords: isPart, waiting: showProgress))
    }

    private func run(into out: String) throws -> RunReport {
        let results = try ResultsFolder.open(out)
        defer { results.close() }
        var runner = self
        runner.results = results
        do {
            let report = try runner.run()
            guard !Interruption.isAsked else { throw RunEnd.interrupted }
            try results.keep()
            return report
        } catch {
            let end = RunEnd.of(error)
            let hasLogs = results.discard(keepingLogs: end.status == .harness || end.kind == .differs)
            // A difference has lines of its own to print.
            guard hasLogs, end.kind != .differs else { throw end }
            throw end.saying(end.message + Self.words(forLogs: results.failedLogs))
        }
    }
    /// What the message of a run that left logs ends with.
    static func words(forLogs logs: String) -> String { "; its logs are in \(logs)" }

    /// Starts the worker and returns; `conclude` takes its end.
    /// - Throws: `RunEnd.input` when one of the scenario's apps cannot run, or the machine allows too few open files.
    func start() throws -> RunningWorker {
        Interruption.install()
        try Homeroom.catalogue.require(loaded.scenario.apps)
        if mode == .fleet {
            try Machine.requireFiles(
                forFleet: loaded.scenario.ipads, people: loaded.scenario.people.count, apps: loaded.scenario.apps.count)
        }
        // Read once, before workers are forked.
        _ = NearMisses(loaded.scenario.apps)
        return try Worker.start(log: log) { body(pulse: $0) }
    }

    func conclude(_ end: WorkerEnd) throws -> RunReport {
        switch end {
        case .finished(let bytes): return try outcome(bytes)
        case .leaked(let text): throw RunEnd.harness("\(loaded.scenario.name) seed \(seed): \(text)")
        case .died(let how):
            guard mode == .sim else {
                throw RunEnd.harness("the run itself died: \(how)")
            }
            return try inFleet()
        case .spun:
            guard mode == .sim else { throw RunEnd.harness("the run itself hangs") }
            return try inFleet()
        }
    }

    /// The other parts wait for what becomes of this one.
    var isPart: Bool { mode == .live && !live.shard.isWhole }

    private func inFleet() throws -> RunReport {
        var again = self
        again.mode = .fleet
        return try again.run()
    }

    private var log: String { results.map { $0.unfinished + "/logs/run.log" } ?? "" }

    // MARK: Inside the worker

    private func body(pulse: @escaping () -> Void) -> [UInt8] {
        Interruption.leaveToSupervisor()
        do { return Value.object(Value.Object([("report", try work(pulse: pulse).body)])).encoded } catch {
            return Value.object(Value.Object([("end", RunEnd.of(error).orElse(way).body)])).encoded
        }
    }

    private func outcome(_ bytes: [UInt8]) throws -> RunReport {
        let value = (try? Value(decoding: bytes)) ?? .null
        if let report = value["report"].flatMap(RunReport.init) { return report }
        let end = value["end"].flatMap { RunEnd($0) } ?? .harness("the worker's report is unreadable")
        throw end.status == .harness ? end.saying("\(loaded.scenario.name) seed \(seed): \(end.message)") : end
    }

    private func work(pulse: @escaping () -> Void) throws -> RunReport {
        let started = hr_real_ns()
        let scenario = loaded.scenario
        let manifests = scenario.apps.compactMap(Homeroom.catalogue.manifest)
        let plan = try runPlan(manifests)
        let nemesis = try self.nemesis(plan)
        let comparison = recorded.map(Comparison.init)
        let place = results?.unfinished
        let file = try place.map { try TraceFile(path: $0 + "/trace.jsonl", header: header) }
        let recorder = Recorder(sink: ComparedFile(file, comparison, linesMax: linesMax), header: header)
        let misses = NearMisses(scenario.apps)
        misses.count(pads: scenario.ipads)
        let played: Played
        do { played = try play(plan, nemesis, recorder, pulse) } catch {
            file?.abandon()
            throw error
        }
        if let obstacle = played.obstacle, !endsAfterStorm {
            let note = Note(.obstacle, detail: ["reason": .string(obstacle)])
            try recorder.note(HistoryEvent(at: played.end, from: .people, note))
        }
        try comparison?.finish(lines: recorder.lines)
        try file?.finish(lines: recorder.lines, digest: recorder.hex, virtual: played.end - .zero)
        var judgement = scenario.judged(recorder.history, obstacle: played.obstacle)
        if !live.shard.isWhole { judgement = judgement.ofPart }
        var report = RunReport(
            judgement: judgement, history: recorder.history,
            scenario: scenario, seed: seed, mode: mode.rawValue,
            events: played.events, digest: recorder.hex, virtual: played.end - .zero,
            wallMilliseconds: (hr_real_ns() - started) / 1_000_000, marks: played.marks.sorted())
        report.drawn = drawn
        if mode == .live {
            report.remarks = live.remarks + (played.clockError.map { [live.remark(clockError: $0)] } ?? [])
        }
        if judgesHabits {
            report.habits = HabitLint.findings(recorder.history, violations: judgement.violations).map(\.line)
            report.advice = PurgeAdvice.lines(recorder.history)
        }
        report.hints = misses.lines
        report.fate = watched.map { Fate(of: $0, in: judgement, recorder.history).word }
        report.part = live.shard.isWhole ? nil : live.shard
        if let place, live.shard.isWhole {
            try OutputFile(place + "/verdict.json", orElse: .out).write(report.body.json + "\n")
        }
        if scenario.isMeasured, live.shard.isWhole, let place {
            try report.measure(
                recorder.history, plan: plan.plan, of: scenario, speed: mode == .live ? live.speed : 1,
                costs: played.costs, into: place)
        }
        if let place { try picture(report, judgement, recorder.history, in: place) }
        if let place { Folders.remove(place + "/disks") }
        return report
    }
}
