import ArgumentParser
import CInterpose
import FleetModel
import Glibc
import Run
import Trace

/// `homeroom debug TRACE`
struct DebugCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug",
        abstract: "Look at any moment of a recorded run, go forward and back, change one thing and compare.",
        discussion: """
            Reads commands from standard input, one a line; 'help' lists them, Docs/debug.md has examples. With --json each line is an \
            object {"id", "command"}, and each answer one line (Docs/schemas/debug.schema.json).
            """)

    @Argument(help: RecordedFiles.help) var trace: String
    @Flag(help: "Lines of JSON on standard input and output, for editors and programs.") var json = false

    func run() throws {
        Interruption.install()
        let path = try RecordedFiles.trace(trace)
        let began = hr_real_ns()
        let recorded = try RecordedFiles.read(path)
        try ReplayCommand.requireOrder(of: recorded, path, .sim)
        let loaded = try RecordedFiles.scenario(of: recorded, path, isPlayed: true)
        try Homeroom.catalogue.require(loaded.scenario.apps)
        let runner = Runner(
            loaded: loaded, seed: recorded.header.seed, mode: .sim, recorded: recorded, traceFile: path)
        let session: DebugSession
        do {
            session = try DebugSession(runner, recorded) { now in
                if !json { Progress.show("loading \(recorded.header.scenario): \(now.wallClock)") }
            }
        } catch let death as DebugDeath {
            throw RunEnd.harness("\(path): the run cannot be played in sim: \(death.reason); try replay --mode fleet")
        } catch let problem as DebugProblem {
            throw RunEnd.input("\(path): \(problem)")
        }
        Progress.clear()
        defer { session.end() }
        let index = session.line.index
        greet(recorded, session, milliseconds: (hr_real_ns() - began) / 1_000_000, turns: index.last)
        var input = LineInput()
        try prompt(session)
        while let line = try input.next() {
            let words = line.split(separator: " ")
            if !json, ["quit", "q", "exit"].contains(words.first.map(String.init)) { break }
            guard json ? answer(line, session) : tell(line, session) else { break }
            // Who reads the answers may have gone.
            fflush(nil)
            guard !isReaderGone else { break }
            try prompt(session)
        }
    }

    private func greet(_ recorded: RecordedTrace, _ session: DebugSession, milliseconds: Int64, turns: Int) {
        let difference = session.lines[0].difference
        if json {
            var body: Value = [
                "homeroom": .string(Homeroom.version), "scenario": .string(recorded.header.scenario),
                "seed": .string(String(recorded.header.seed)), "turns": .int(turns),
                "messages": .int(recorded.events), "snapshots": .int(session.line.snapshots.count),
                "loadMilliseconds": .int(milliseconds), "at": session.place,
            ]
            body["difference"] = difference
            print(body.json)
        } else {
            say(
                "\(recorded.header.scenario) seed \(recorded.header.seed): \(turns) turns, \(recorded.events) messages, "
                    + "\(session.line.snapshots.count) snapshots, loaded in \(milliseconds) ms; 'help' lists the commands"
            )
            if let line = difference?["line"]?.int {
                say(
                    "this build plays another run from line \(line) of the trace on: what you see from there is not what was recorded"
                )
            }
            for line in DebugText.place(session.place) { say(line) }
        }
        fflush(nil)
    }
    private func prompt(_ session: DebugSession) throws {
        guard !json, isatty(0) == 1 else { return }
        print("\(session.place["clock"]?.string ?? "") \(session.line.name)> ", terminator: "")
        fflush(nil)
    }

    /// Nobody reads the answers any longer.
    private var isReaderGone: Bool {
        var end = pollfd(fd: 1, events: 0, revents: 0)
        return poll(&end, 1, 0) > 0 && end.revents & Int16(POLLERR) != 0
    }

    private func tell(_ line: String, _ session: DebugSession) -> Bool {
        do {
            guard let (name, result) = try DebugCommands.run(line, in: session) else { return true }
            for line in DebugText.lines(result, of: name) { print(line.visible) }
        } catch let end as RunEnd where end.kind == .interrupted {
            return false
        } catch {
            print("\(error)".visible)
        }
        return true
    }

    private func answer(_ line: String, _ session: DebugSession) -> Bool {
        var body: Value = ["ok": false]
        do {
            guard let request = try? Value(json: Array(line.utf8)), let command = request["command"]?.string else {
                throw DebugProblem("a line is an object with 'command' (a text), and 'id' (anything)")
            }
            body["id"] = request["id"]
            if command == "quit" { return false }
            let done = try DebugCommands.run(command, in: session)
            body["command"] = .string(done?.name ?? "")
            body["result"] = done?.result ?? .null
            body["ok"] = true
        } catch let end as RunEnd where end.kind == .interrupted {
            return false
        } catch {
            body["error"] = .string("\(error)")
        }
        body["at"] = session.place
        body["line"] = .string(session.line.name)
        print(body.json)
        return true
    }
}

/// Lines of standard input, with an eye on Ctrl-C.
private struct LineInput {
    /// ASSUMED: no command is longer but by mistake.
    private static let bytesMax = 1 << 20
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    /// - Returns: nil at the end of the input.
    /// - Throws: `RunEnd.interrupted`, or `RunEnd.input` for a line without an end.
    mutating func next() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard !isAtEnd else {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
            }
            guard buffer.count <= Self.bytesMax else {
                throw RunEnd.input(
                    "standard input: a line has more than \(Self.bytesMax) bytes; is it the right input?")
            }
            var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            let got = poll(&ready, 1, 250)
            guard !Interruption.isAsked else { throw RunEnd.interruptedDebugger }
            if got > 0 { read() }
        }
    }
    private mutating func read() {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let got = Glibc.read(0, &piece, piece.count)
        if got > 0 { buffer.append(contentsOf: piece[..<got]) } else if got == 0 || errno != EINTR { isAtEnd = true }
    }
}
