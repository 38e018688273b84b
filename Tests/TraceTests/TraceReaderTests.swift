import FleetModel
import Foundation
import Mutator
import Testing

@testable import Trace

@Suite("Trace reader", .timeLimit(.minutes(20))) struct TraceReaderTests {
    @Test("Round trip: header, three tapes, history and count come back as they were written")
    func roundTrip() throws {
        let trace = try read(SmallRecording.bytes, checkDigest: true).get()
        #expect(trace.header == SmallRecording.header)
        #expect(trace.plan == SmallRecording.plan)
        #expect(trace.faults == SmallRecording.faults)
        #expect(trace.outcomes == Dictionary(uniqueKeysWithValues: SmallRecording.outcomes))
        #expect(trace.history == SmallRecording.history)
        #expect(trace.events == SmallRecording.events.count)
        #expect(trace.planLines == [2, 3, 4, 5, 6] && trace.faultLines == [7])
        let recorder = try SmallRecording.record(into: nil)
        #expect(trace.footer == TraceFooter(lines: recorder.lines, digest: recorder.hex))
        #expect(
            trace.isIntact && recorder.history == SmallRecording.history
                && recorder.events == SmallRecording.events.count)
    }

    @Test(
        "For judging: the same history, plan and digest; of lines and outcomes, which are most of a trace, nothing stays"
    )
    func judging() throws {
        try withFolder { folder in
            let path = folder.path + "/t.jsonl"
            try Data(SmallRecording.bytes).write(to: URL(filePath: path))
            let whole = try RecordedTrace.read(path: path)
            let judged = try RecordedTrace.read(path: path, checkDigest: true, isReplayed: false)
            #expect(judged.isIntact && judged.lines.isEmpty && judged.outcomes.isEmpty)
            #expect(!whole.lines.isEmpty && !whole.outcomes.isEmpty)
            #expect(judged.history == whole.history && judged.plan == whole.plan && judged.events == whole.events)
            #expect(judged.footer == whole.footer && judged.faultLines == whole.faultLines)
        }
    }

    @Test(
        "Lines of a file: whole, however they lie in the pieces it is read in (lengths about a piece, with and without an end)"
    )
    func pieces() throws {
        try withFolder { folder in
            let path = folder.path + "/t"
            for length in [1, 65_534, 65_535, 65_536, 65_537, 131_072, 200_000] {
                for end in ["\n", ""] {
                    let lines = ["{", String(repeating: "x", count: length), "", "last"]
                    try Data((lines.joined(separator: "\n") + end).utf8).write(to: URL(filePath: path))
                    let source = try TraceLines(path: path)
                    var read: [String] = []
                    while let line = try source.next() { read.append(String(decoding: line, as: UTF8.self)) }
                    #expect(read == lines && source.isCut == end.isEmpty, "\(length)")
                }
            }
        }
    }

    @Test("Packed: a trace that unpacks to more than a trace should have is refused, with what to do")
    func packed() throws {
        try withFolder { folder in
            let path = folder.path + "/t.jsonl"
            try Data(SmallRecording.bytes).write(to: URL(filePath: path))
            let gzip = try Process.run(URL(filePath: "/bin/gzip"), arguments: ["-k", path])
            gzip.waitUntilExit()
            let size = SmallRecording.bytes.count
            #expect(throws: Never.self) { try lines(of: TraceLines(path: path + ".gz", unpackedMax: size)) }
            #expect(throws: Never.self) { try lines(of: TraceLines(path: path, unpackedMax: 0)) }
            let problem = #expect(throws: TraceProblem.self) {
                try lines(of: TraceLines(path: path + ".gz", unpackedMax: size - 1))
            }
            let message = problem?.message ?? ""
            #expect(message.hasSuffix("if it is one, unpack it first (gzip -d)"), "\(message)")
        }
    }
    private func lines(of source: TraceLines) throws { while try source.next() != nil {} }

    @Test(
        "A pipe: one that nobody writes into is told at once, another is read; a packed one has to be unpacked on the way"
    )
    func pipe() throws {
        try withFolder { folder in
            let path = folder.path + "/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            func problem() -> String {
                do { _ = try RecordedTrace.read(path: path) } catch { return error.message }
                return ""
            }
            #expect(problem().contains("is a pipe into which nobody writes"))
            for (bytes, says) in [(SmallRecording.bytes, ""), ([0x1f, 0x8b, 8], "unpack it on the way, by gzip -dc")] {
                // Small enough for the pipe itself; read and write, so that opening it waits for nobody.
                let end = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                #expect(bytes.count < 65_536 && write(end, bytes, bytes.count) == bytes.count)
                let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                close(end)
                #expect(problem().hasSuffix(says))
                close(reader)
            }
        }
    }

    @Test("Truncated: after every byte of a file, always with line and column (1 recording)")
    func truncated() throws {
        let bytes = SmallRecording.bytes
        for length in 0..<bytes.count {
            guard case .failure(let problem) = read(Array(bytes[..<length])) else {
                Issue.record("\(length) of \(bytes.count) bytes were accepted")
                continue
            }
            #expect(problem.kind == .unreadable && place(problem.message) != nil, "\(length) bytes: \(problem.message)")
        }
    }

    @Test("Truncated: at every line, says that the end is missing and what to do")
    func truncatedLines() throws {
        let lines = SmallRecording.lines
        for count in 1..<lines.count {
            guard case .failure(let problem) = read(SmallRecording.text(Array(lines[..<count]))) else {
                Issue.record("\(count) lines were accepted")
                continue
            }
            #expect(problem.message.hasPrefix("t.jsonl:\(count):1: the trace is truncated"))
            #expect(problem.message.hasSuffix("record it again"))
        }
    }

    @Test("A line missing, doubled or empty: refused, with the line of an editor")
    func lines() throws {
        for index in 1..<SmallRecording.lines.count - 1 {
            var missing = SmallRecording.lines
            missing.remove(at: index)
            var doubled = SmallRecording.lines
            doubled.insert(doubled[index], at: index)
            for lines in [missing, doubled] {
                guard case .failure(let problem) = read(SmallRecording.text(lines)) else {
                    Issue.record("accepted"); continue
                }
                #expect(problem.message.hasPrefix("t.jsonl:\(lines.count):1: the trace says that it has"))
            }
            var empty = SmallRecording.lines
            empty[index] = ""
            guard case .failure(let problem) = read(SmallRecording.text(empty)) else {
                Issue.record("accepted"); continue
            }
            #expect(place(problem.message)?.line == index + 1)
        }
    }

    @Test(
        "Strange lines: no part of a trace (each kind)",
        arguments: [
            "{}", "[]", "7", "null", #""text""#, #"{"plan":{}}"#,
            #"{"plan":{"t":1,"person":"maya","pad":1,"do":"fly"}}"#, #"{"fault":[]}"#,
            #"{"fault":{"id":"x"}}"#, #"{"pass":7,"fate":{}}"#, #"{"pass":"x"}"#,
            #"{"note":"nothing","t":1,"from":"people"}"#,
            #"{"note":"phase","t":"1","from":"people"}"#, #"{"note":"phase","t":1,"from":"nowhere"}"#, #"{"e":1}"#,
            #"{"t":1}"#,
        ])
    func strange(line: String) throws {
        var lines = SmallRecording.lines
        lines[3] = line
        guard case .failure(let problem) = read(SmallRecording.text(lines)) else {
            Issue.record("\(line) was accepted"); return
        }
        #expect(problem == TraceProblem(.unreadable, "t.jsonl:4:1: this line is no part of a trace; record it again"))
    }

    private static let noTraces: [(String, String)] = [
        ("", "t.jsonl:1:1: the file is empty"),
        ("\n", "t.jsonl:1:1: the trace is corrupted"),
        ("hello\n", "t.jsonl:1:1: the trace is corrupted"),
        ("{}\n{}\n", "t.jsonl:1:1: not a Homeroom trace"),
        ("[1]\n", "t.jsonl:1:1: not a Homeroom trace"),
        ("{\"homeroom\":2}\n", "t.jsonl:1:1: the header of the trace is damaged"),
        ("{\"homeroom\":0}\n", "t.jsonl:1:1: the trace has format 0, this homeroom reads format 2; record"),
        ("{\"homeroom\":-9223372036854775808}\n", "t.jsonl:1:1: the trace has format -9"),
        (#"{"homeroom":2,"scenario":"x","text":"","seed":"-1"}"#, "t.jsonl:1:1: the header of the trace is damaged"),
        (
            #"{"homeroom":2,"scenario":"x","text":"","seed":"18446744073709551616"}"#,
            "t.jsonl:1:1: the header of the trace"
        ),
        (String(repeating: "[", count: 100_000), "t.jsonl:1:"),
    ]
    @Test("Not a trace: the first line says what is wrong", arguments: noTraces)
    func noTrace(text: String, message: String) throws {
        guard case .failure(let problem) = read(Array(text.utf8)) else { Issue.record("accepted"); return }
        #expect(problem.kind == .unreadable && problem.message.hasPrefix(message), "\(problem.message)")
    }

    @Test("Newer format: refused before anything else is looked at, with what to do")
    func newer() throws {
        for version in ["3", "9223372036854775807"] {
            let bytes = Array(#"{"homeroom":\#(version),"shape":"of the future"}"#.utf8) + [10]
            guard case .failure(let problem) = read(bytes) else { Issue.record("accepted"); continue }
            #expect(problem.kind == .newer)
            #expect(
                problem.message
                    == "t.jsonl:1:1: the trace has format \(version), this homeroom reads format 2; use a newer one")
        }
    }

    @Test("Edited tape: accepted for a replay but not intact; refused where it has to be intact")
    func edited() throws {
        var lines = SmallRecording.lines
        let index = try #require(lines.firstIndex { $0.contains("\"latency\":30000000") })
        lines[index] = lines[index].replacing(":30000000", with: ":40000000")
        let trace = try read(SmallRecording.text(lines)).get()
        #expect(!trace.isIntact)
        #expect(trace.outcomes["response ipad-1 maya.1 0"]?["latency"]?.int == 40_000_000)
        guard case .failure(let problem) = read(SmallRecording.text(lines), checkDigest: true) else {
            Issue.record("accepted"); return
        }
        #expect(problem.kind == .unreadable)
        #expect(problem.message.hasPrefix("t.jsonl:\(lines.count):1: the trace has been changed"))
    }

    @Test("Files: a missing one, a folder and an endless device are named with their reason")
    func files() throws {
        try withFolder { folder in
            #expect(throws: TraceProblem(.unreadable, "cannot read \(folder.path)/none: No such file or directory")) {
                _ = try RecordedTrace.read(path: folder.path + "/none")
            }
            #expect(throws: TraceProblem(.unreadable, "cannot read \(folder.path): is it a folder?")) {
                _ = try RecordedTrace.read(path: folder.path)
            }
            #expect(
                throws: TraceProblem(
                    .unreadable, "/dev/zero:1:1: not a Homeroom trace: the first line is no JSON object")
            ) {
                _ = try RecordedTrace.read(path: "/dev/zero")
            }
        }
    }
}

/// Whatever disks, editors and people make of a trace.
@Suite("Trace reader: any input", .timeLimit(.minutes(20))) struct TraceFuzzTests {
    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", "\"", "\\", ",", ":", "\n", "\r\n", "\\u", "\\ud800", "null", "-", "1e999",
            "9223372036854775808",
            "-9223372036854775808", "1.5", "{\"$data\":\"!\"}", "{\"$data\":\"AA==\"}", "\u{0}", "ä", "🍎",
            "ipad-99999999999999999999", "\"t\":-1",
            "\"pad\":9223372036854775807", "{\"end\":0,\"digest\":\"\"}\n", "{\"plan\":{}}\n",
        ].map { Array($0.utf8) } + [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]]

    static func mutated(_ original: [UInt8], _ draw: inout Draw) -> [UInt8] {
        Mutator(pieces: pieces, changesMax: 4, lengthMax: 200).mutated(original, &draw)
    }

    @Test("Mutations: never a trap; a problem with line and column, or a trace that is not intact (6,000 files)")
    func mutations() {
        var (accepted, refused) = (0, 0)
        for seed in 0..<6_000 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "trace-fuzz")
            let bytes = Self.mutated(SmallRecording.bytes, &draw)
            switch read(bytes) {
            case .success(let trace):
                accepted += 1
                // What a changed header or footer leaves intact are the lines between them.
                #expect(
                    !trace.isIntact || trace.lines.map(Array.init) == Self.body || bytes == SmallRecording.bytes,
                    "seed \(seed)")
            case .failure(let problem):
                refused += 1
                #expect(place(problem.message) != nil, "seed \(seed): \(problem.message)")
            }
        }
        #expect(
            accepted > 100 && refused > 3_000,
            "the mutations are too tame or too wild: \(accepted) accepted, \(refused) refused")
    }
    private static let body = SmallRecording.lines.dropFirst().dropLast().map { Array($0.utf8) }

    @Test(
        "Every bit of a recording: flipped alone, it is noticed by the reader, the digest or the header (1 recording)")
    func bits() throws {
        let original = try read(SmallRecording.bytes).get()
        let bytes = SmallRecording.bytes
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << UInt8(index % 8)
            guard case .success(let trace) = read(flipped, checkDigest: true) else { continue }
            #expect(trace.header != original.header, "a flipped bit in byte \(index) went unnoticed")
        }
    }
}
