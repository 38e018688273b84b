import FleetModel
import Glibc
import Run
import Trace

/// A debugging session: the lines that there are, and where on them somebody stands.
final class DebugSession {
    /// How far apart snapshots are: so many over the run. ASSUMED: a process costs what of its memory has changed since, and the way between
    /// two of them is then short enough (Docs/figures.md).
    static let snapshotsPerRun = 96
    private static let messagesMin = 200

    let family: DebugFamily
    private let every: Int
    private(set) var lines: [DebugLine] = []
    private(set) var line: DebugLine
    private var cursor: DebugProcess
    private(set) var place: Value
    private(set) var breaks: [DebugBreak] = []

    var turn: Int { Int(clamping: place["turn"]?.int ?? 0) }
    var now: Instant { Instant(nanoseconds: place["time"]?.int ?? 0) }
    private var isOver: Bool { place["over"]?.bool ?? false }

    /// Plays the run once, and stands at its beginning.
    init(_ runner: Runner, _ recorded: RecordedTrace, progress: (Instant) -> Void) throws {
        family = try DebugFamily(limitMilliseconds: runner.limitMilliseconds)
        // A program outside cannot be forked with its iPad: there is one snapshot, before anything has started.
        let hasPrograms = runner.loaded.scenario.apps.contains { Homeroom.catalogue.programs[$0] != nil }
        every = hasPrograms ? .max : max(Self.messagesMin, recorded.events / Self.snapshotsPerRun)
        let first = try family.start { socket, pulse in
            do {
                try DebugEngine(runner, recorded, socket, pulse).run()
            } catch {
                _ = socket.send(.reply, (["error": .string(RunEnd.of(error).message)] as Value).encoded)
                _exit(1)
            }
        }
        do {
            line = try DebugLine("original", from: first, at: 0, change: [], every: every, progress: progress)
        } catch {
            family.end()
            throw error
        }
        lines = [line]
        cursor = try line.snapshots[0].process.fork()
        place = try cursor.ask(["do": "look", "at": "place"])["answer"] ?? .empty
    }
    func end() { family.end() }

    // MARK: Going

    /// Stands at a turn of the present line.
    @discardableResult func go(to turn: Int) throws -> Value {
        let turn = min(max(turn, line.index.first), line.index.last)
        guard let nearest = line.nearest(to: turn) else { throw DebugProblem("there is no snapshot to go from") }
        // What lies before is reached from a snapshot; what lies ahead from here, unless a snapshot is nearer.
        if self.turn > turn || nearest.turn > self.turn || (isOver && turn < line.index.last) {
            try stand(at: nearest.process)
        }
        return try goOn(["do": "go", "turn": .int(turn)])
    }
    /// On to the next break, or the end.
    func goOn() throws -> Value {
        try goOn(["do": "go", "turn": .int(Int.max), "breaks": .array(breaks.map { .strings($0.words) })])
    }
    /// Back to the last break before this turn, or the beginning of the line.
    func goBack() throws -> Value {
        var end = turn - 1
        for snapshot in line.snapshots.reversed() where snapshot.turn <= end {
            let scout = try snapshot.process.fork()
            defer { scout.end() }
            let answer = try scout.ask([
                "do": "go", "turn": .int(end), "scan": true, "breaks": .array(breaks.map { .strings($0.words) }),
            ])
            if let turn = answer["hitTurn"]?.int {
                var place = try go(to: Int(turn))
                place["hit"] = answer["hit"]
                return place
            }
            end = snapshot.turn
        }
        return try go(to: line.index.first)
    }

    private func stand(at process: DebugProcess) throws {
        let fork = try process.fork()
        cursor.end()
        cursor = fork
    }
    private func goOn(_ question: Value) throws -> Value {
        do { place = try cursor.ask(question) } catch let death as DebugDeath {
            // Back to where it stood, so that the session goes on.
            if let nearest = line.nearest(to: turn) {
                try stand(at: nearest.process)
                place = try cursor.ask(["do": "go", "turn": .int(turn)])
            }
            throw DebugProblem("the run cannot go on from here: \(death.reason)")
        }
        return place
    }

    // MARK: Looking

    func look(_ at: String, _ more: Value = .empty) throws -> Value { try Self.look(cursor, at, more) }
    /// The same in a process that ends afterwards: for what may change the run, or never end.
    func lookAside(_ at: String, _ more: Value = .empty) throws -> Value {
        let fork = try cursor.fork()
        defer { fork.end() }
        return try Self.look(fork, at, more, limitMilliseconds: Self.asideMilliseconds)
    }
    /// ASSUMED: who waits longer for an answer has asked for too much.
    private static let asideMilliseconds: Int64 = 5_000
    private static func look(
        _ process: DebugProcess, _ at: String, _ more: Value, limitMilliseconds: Int64? = nil
    ) throws -> Value {
        var question = more
        question["do"] = "look"
        question["at"] = .string(at)
        do { return try process.ask(question, limitMilliseconds: limitMilliseconds)["answer"] ?? .null } catch let death
            as DebugDeath
        {
            throw DebugProblem("no answer: \(death.reason)")
        }
    }

    // MARK: Breaks and branches

    func add(_ one: DebugBreak) { if !breaks.contains(one) { breaks.append(one) } }
    func removeBreak(_ number: Int) throws {
        guard breaks.indices.contains(number - 1) else {
            throw DebugProblem("there is no break \(number); 'breaks' lists them")
        }
        breaks.remove(at: number - 1)
    }

    /// A new line in which something is done otherwise at this turn; it is played to its end, and becomes the present one.
    /// - Throws: `DebugProblem`; then the present line stays.
    func branch(_ change: [String]) throws -> DebugLine {
        guard lines.count <= 20 else { throw DebugProblem("there are 20 branches: 'forget' one first") }
        let number = (lines.compactMap { Int($0.name.split(separator: " ").last ?? "") }.max() ?? 0) + 1
        // Not from the cursor, which is killed at the next step back, and would take its children along.
        guard let nearest = line.nearest(to: turn) else { throw DebugProblem("there is no snapshot to go from") }
        do {
            let fork = try nearest.process.fork()
            _ = try fork.ask(["do": "go", "turn": .int(turn)])
            let branch = try DebugLine(
                "branch \(number)", from: fork, at: turn, change: change, every: every, parent: line)
            lines.append(branch)
            line = branch
            try stand(at: branch.snapshots[0].process)
            place = try Self.look(cursor, "place", .empty)
            return branch
        } catch let death as DebugDeath {
            throw DebugProblem("the branch cannot be played: \(death.reason)")
        }
    }
    /// Stands on another line, at the same turn where it has that.
    func use(_ name: String) throws {
        guard let other = named(name) else {
            throw DebugProblem("there is no line '\(name)'; 'branches' lists them")
        }
        let turn = turn
        line = other
        let place = min(max(turn, other.index.first), other.index.last)
        guard let nearest = other.nearest(to: place) else { return }
        try stand(at: nearest.process)
        self.place = try cursor.ask(["do": "go", "turn": .int(place)])
    }
    /// Ends a branch and its processes.
    func forget(_ name: String) throws {
        guard let branch = named(name), branch !== lines[0] else { throw DebugProblem("there is no branch '\(name)'") }
        if line === branch { try use("original") }
        lines.removeAll { $0 === branch }
    }
    private func named(_ name: String) -> DebugLine? {
        lines.first { $0.name == name || $0.name == "branch \(name)" }
    }
}
