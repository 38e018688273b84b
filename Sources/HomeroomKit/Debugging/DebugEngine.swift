import CInterpose
import Checkers
import FleetModel
import Glibc
import Nemesis
import Run
import Trace
import Workload
import World

/// A process that plays a recorded run in `sim`, and stands still between two turns to be asked, changed and forked.
///
/// A run of `sim` is one process without threads whose disks are in memory, so a fork of it is a snapshot of everything
/// (Docs/decisions/0030-a-debugger-of-forks.md). Each process has a socket of its own to the debugger, and ends when that is closed.
final class DebugEngine {
    /// What the run is doing.
    enum Mode {
        case standing
        /// On to the end, leaving a snapshot after so many messages.
        case loading(every: Int)
        /// On to a turn, or to the first hit of a break.
        case going(to: Int, breaks: [DebugBreak], isScan: Bool)
    }
    let runner: Runner
    let world: World
    var view: WorldView { WorldView(world) }
    let tape: DebugTape
    var socket: FrameSocket
    private let pulse: UnsafeMutablePointer<UInt64>
    private(set) var turn = 0
    /// The run has come to its end.
    private(set) var isOver = false
    /// Why it proves nothing; nil: it came to its end.
    private(set) var obstacle: String?
    private var mode = Mode.standing
    private var index = DebugIndex(first: 0)
    private var nextSnapshot = 0
    private var children: [pid_t] = []
    var search = BreakSearch()

    /// - Parameters:
    ///   - socket: the way to the debugger.
    ///   - pulse: counts steps, odd while the code of a participant runs.
    init(_ runner: Runner, _ recorded: RecordedTrace, _ socket: FrameSocket, _ pulse: UnsafeMutablePointer<UInt64>)
        throws
    {
        (self.runner, self.socket, self.pulse) = (runner, socket, pulse)
        Wiring.prepareProcess()
        tape = DebugTape(recorded: recorded.lines)
        var plan = try runner.runPlan(runner.loaded.scenario.apps.compactMap(Homeroom.catalogue.manifest))
        plan.drawsBesideTape = true
        let wiring = Wiring(
            catalogue: Homeroom.catalogue, seed: runner.seed, diskRoot: nil,
            limitMilliseconds: runner.limitMilliseconds)
        world = World(
            plan: plan, nemesis: try runner.nemesis(plan), host: InProcessHost(make: wiring.make),
            recorder: Recorder(sink: tape, header: runner.header))
    }

    /// Plays and serves until the debugger is gone.
    func run() -> Never {
        world.onEvent = { [pulse] in pulse.pointee &+= 1 }
        world.onTurn = { [unowned self] in try turnEnded() }
        do {
            serve()
            do { try world.play() } catch let end as RunEnd where end.kind == .inconclusive { obstacle = end.message }
            if let obstacle {
                let note = Note(.obstacle, detail: ["reason": .string(obstacle)])
                try world.recorder.note(HistoryEvent(at: world.now, from: .people, note))
            }
        } catch {
            obstacle = "the testbed failed: \(RunEnd.of(error).message)"
        }
        isOver = true
        if pulse.pointee % 2 == 1 { pulse.pointee &+= 1 }
        arrive()
        serve()
        _exit(0)
    }

    private var entry: DebugIndex.Entry {
        DebugIndex.Entry(
            time: world.now.nanoseconds, events: world.recorder.events, lines: world.recorder.lines)
    }

    // MARK: Turns

    private func turnEnded() throws {
        turn += 1
        switch mode {
        case .standing: break
        case .loading(let every):
            index.append(entry)
            if world.recorder.events >= nextSnapshot {
                nextSnapshot = world.recorder.events + every
                leaveSnapshot()
            }
        case .going(let goal, let breaks, let isScan):
            let hit = search.look(breaks, at: self)
            if let hit, isScan { search.last = (turn, hit) }
            if turn >= goal || hit != nil && !isScan { arrive(hit: isScan ? nil : hit) }
        }
        if case .standing = mode { serve() }
        tape.beginTurn()
    }

    /// Says where it is, and stands still.
    private func arrive(hit: DebugBreak? = nil) {
        var answer = place
        switch mode {
        case .standing: return
        case .loading:
            answer["index"] = .data(index.takeNew())
            answer["difference"] = tape.difference?.body
        case .going(_, _, true):
            if let last = search.last {
                answer["hitTurn"] = .int(last.turn)
                answer["hit"] = .string(last.found.text)
            }
        case .going: answer["hit"] = hit.map { .string($0.text) }
        }
        mode = .standing
        reply(answer)
    }

    // MARK: Serving

    /// Answers questions until one of them lets the run go on.
    private func serve() {
        while let (kind, body) = try? socket.receive(), kind == .question,
            let question = try? Value(decoding: body)
        {
            switch question["do"]?.string {
            case "fork": fork { ["pid": .int(Int($0))] }
            case "play":
                if let change = question["change"]?.strings {
                    do { try self.change(change) } catch {
                        reply(["error": .string("\(error)")])
                        continue
                    }
                }
                let every = Int(clamping: question["every"]?.int ?? 1000)
                index = DebugIndex(first: turn, entries: [entry])
                nextSnapshot = world.recorder.events + every
                mode = .loading(every: every)
                // The child stands here, as the first snapshot; it goes on when it is asked to.
                if leaveSnapshot() { continue }
                guard isOver else { return }
                arrive()
            case "go":
                let breaks = (question["breaks"]?.array ?? []).compactMap { try? DebugBreak($0.strings) }
                mode = .going(
                    to: Int(clamping: question["turn"]?.int ?? .max), breaks: breaks,
                    isScan: question["scan"]?.bool ?? false)
                search.begin(breaks, at: self)
                guard isOver || turn >= Int(clamping: question["turn"]?.int ?? .max) else { return }
                arrive()
            case "look":
                do { reply(["answer": try look(question)]) } catch { reply(["error": .string("\(error)")]) }
            default: reply(["error": "the debugger does not know this question"])
            }
        }
        // The debugger has gone, or no longer needs this process.
        _exit(0)
    }
    func reply(_ answer: Value) { if !socket.send(.reply, answer.encoded) { _exit(0) } }

    // MARK: Forks

    /// - Returns: true in the snapshot, when the debugger lets it go on.
    @discardableResult private func leaveSnapshot() -> Bool {
        let isChild = fork { [turn] pid in
            ["snapshot": .int(turn), "pid": .int(Int(pid)), "index": .data(self.index.takeNew())]
        }
        guard isChild else { return false }
        mode = .standing
        return true
    }

    /// A second process that is where this one is, with a socket of its own, which goes to the debugger with the answer.
    /// - Returns: true in the new one, which stands still.
    @discardableResult private func fork(_ answer: (pid_t) -> Value) -> Bool {
        children.removeAll { hr_wait($0, 0) >= 0 }
        var ends: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0 else {
            refuse("no socket for another process: raise the limit of open files (ulimit -n)")
            return false
        }
        let pid = hr_fork_bound()
        guard pid != 0 else {
            close(ends[0])
            close(socket.fd)
            socket = FrameSocket(fd: ends[1])
            LastWords.reportLeak(to: socket)
            (children, mode) = ([], .standing)
            return true
        }
        close(ends[1])
        defer { close(ends[0]) }
        guard pid > 0 else {
            refuse("no process for a fork: raise the limit of processes (ulimit -u)")
            return false
        }
        children.append(pid)
        reply(answer(pid))
        if hr_send_fd(socket.fd, ends[0]) != 0 { _exit(0) }
        return false
    }
    /// A snapshot that cannot be made is no error: the one before is the nearest then.
    private func refuse(_ reason: String) {
        if case .loading = mode { return }
        reply(["error": .string(reason)])
    }
}

/// What a run on its way is held against.
struct BreakSearch {
    /// Whether what each break waits for held after the turn before, for those that wait for a state.
    private var held: [Bool] = []
    /// The last hit of a scan.
    var last: (turn: Int, found: DebugBreak)?

    mutating func begin(_ breaks: [DebugBreak], at engine: DebugEngine) {
        last = nil
        held = breaks.map { engine.holds($0) ?? false }
    }
    /// The first break that is hit by the turn that has just ended.
    mutating func look(_ breaks: [DebugBreak], at engine: DebugEngine) -> DebugBreak? {
        var hit: DebugBreak?
        for (place, one) in breaks.enumerated() {
            if let holds = engine.holds(one) {
                if holds, !held[place] { hit = hit ?? one }
                held[place] = holds
            } else if hit == nil, engine.tape.fresh.contains(where: one.isHit) {
                hit = one
            }
        }
        return hit
    }
}

extension DebugEngine {
    func holds(_ one: DebugBreak) -> Bool? {
        one.holds(now: world.now) { view.inspect($0, Message("state")) }
    }
}
