import FleetModel
import Foundation
import Testing

@testable import Trace

@Suite("Trace file", .timeLimit(.minutes(20))) struct TraceFileTests {
    @Test("Finished: only the final name is there; before that only the partial one")
    func finished() throws {
        try withFolder { folder in
            let file = try TraceFile(path: folder.path + "/t.jsonl", header: SmallRecording.header)
            let recorder = try SmallRecording.record(into: file)
            #expect(try names(in: folder) == ["t.jsonl.partial"])
            try file.finish(lines: recorder.lines, digest: recorder.hex)
            #expect(try names(in: folder) == ["t.jsonl"])
            file.abandon()
            #expect(try names(in: folder) == ["t.jsonl"])
            #expect(
                try RecordedTrace.read(path: folder.path + "/t.jsonl", checkDigest: true).footer.digest == recorder.hex)
        }
    }

    @Test("Abandoned, or dropped by an error on the way: nothing is left, an earlier trace stays")
    func abandoned() throws {
        try withFolder { folder in
            try Data("earlier".utf8).write(to: folder.appending(path: "t.jsonl"))
            let file = try TraceFile(path: folder.path + "/t.jsonl", header: SmallRecording.header)
            try SmallRecording.record(into: file)
            file.abandon()
            #expect(try names(in: folder) == ["t.jsonl"])
            #expect(throws: TraceProblem.self) { try file.take([10], number: 1) }
            _ = try TraceFile(path: folder.path + "/t.jsonl", header: SmallRecording.header)
            #expect(try names(in: folder) == ["t.jsonl"])
            #expect(try String(contentsOf: folder.appending(path: "t.jsonl"), encoding: .utf8) == "earlier")
        }
    }

    /// `/dev/full` behind the partial name: the disk takes nothing, whenever the buffer reaches it.
    @Test(
        "Full disk: named with its reason, nothing is left (at the header, on the way, at the end)",
        arguments: [2_000_000, 10, 1])
    func full(size: Int) throws {
        try withFolder { folder in
            let path = folder.path + "/t.jsonl"
            try FileManager.default.createSymbolicLink(atPath: path + ".partial", withDestinationPath: "/dev/full")
            var header = SmallRecording.header
            if size > 1_000_000 { header.scenarioText = String(repeating: "x", count: size) }
            let problem = #expect(throws: TraceProblem.self) {
                let file = try TraceFile(path: path, header: header)
                let recorder = try SmallRecording.record(into: file, edits: size == 10 ? 1_000 : 1)
                try file.finish(lines: recorder.lines, digest: recorder.hex)
            }
            #expect(problem?.kind == .unwritable)
            #expect(
                problem?.message
                    == "cannot write \(path).partial: No space left on device; free space or choose another --out")
            #expect(try names(in: folder) == [])
        }
    }

    @Test("Full disk: whoever writes on is told the same once more")
    func fullAgain() throws {
        try withFolder { folder in
            let path = folder.path + "/trace.jsonl"
            try FileManager.default.createSymbolicLink(atPath: path + ".partial", withDestinationPath: "/dev/full")
            let file = try TraceFile(path: path, header: SmallRecording.header)
            let line = [UInt8](repeating: 0x20, count: 1 << 16)
            let problems = (0..<2).map { number in
                #expect(throws: TraceProblem.self) { try file.take(line, number: number) }
            }
            #expect(problems[0]?.message.contains("No space left on device") == true && problems[0] == problems[1])
        }
    }

    @Test("Unwritable place: a missing folder, a folder in the way of the partial name, of the final name")
    func unwritable() throws {
        try withFolder { folder in
            let missing = #expect(throws: TraceProblem.self) {
                _ = try TraceFile(path: folder.path + "/no/t.jsonl", header: SmallRecording.header)
            }
            #expect(
                missing?.message
                    == "cannot write \(folder.path)/no/t.jsonl.partial: No such file or directory; free space or choose another --out"
            )
            try FileManager.default.createDirectory(
                at: folder.appending(path: "a.jsonl.partial"), withIntermediateDirectories: true)
            let folderThere = #expect(throws: TraceProblem.self) {
                _ = try TraceFile(path: folder.path + "/a.jsonl", header: SmallRecording.header)
            }
            #expect(folderThere?.message.contains("Is a directory") == true)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "b.jsonl"), withIntermediateDirectories: true)
            let file = try TraceFile(path: folder.path + "/b.jsonl", header: SmallRecording.header)
            let renamed = #expect(throws: TraceProblem.self) { try file.finish(lines: 0, digest: "") }
            #expect(renamed?.message.hasPrefix("cannot write \(folder.path)/b.jsonl: Is a directory") == true)
            #expect(try names(in: folder) == ["a.jsonl.partial", "b.jsonl"])
        }
    }
}

@Suite("Replay comparison", .timeLimit(.minutes(20))) struct ComparisonTests {
    private func comparison() throws -> Comparison { Comparison(with: try read(SmallRecording.bytes).get()) }

    @Test("Same run: every line is compared, the end is the same")
    func same() throws {
        let comparison = try comparison()
        let recorder = try SmallRecording.record(into: comparison)
        try comparison.finish(lines: recorder.lines)
        #expect(comparison.compared == recorder.lines && recorder.lines == SmallRecording.lines.count - 2)
    }

    @Test("First difference: names the line of the file and both lines; the run stops there")
    func different() throws {
        let comparison = try comparison()
        let recorder = Recorder(sink: comparison)
        try recorder.plan(SmallRecording.plan[0])
        var step = SmallRecording.plan[1]
        step.pad = 2
        let problem = #expect(throws: TraceProblem.self) { try recorder.plan(step) }
        #expect(problem?.kind == .differs)
        #expect(
            problem?.message
                == """
                first difference at line 3:
                  recorded  \(SmallRecording.lines[2])
                  replayed  \((["plan": step.body] as Value).json)
                """)
    }

    @Test("Lengths: a replay that ends early and one that goes on are differences too")
    func lengths() throws {
        let short = try comparison()
        let recorder = Recorder(sink: short)
        for step in SmallRecording.plan { try recorder.plan(step) }
        let early = #expect(throws: TraceProblem.self) { try short.finish(lines: recorder.lines) }
        #expect(early?.message.contains("at line 7:") == true)
        #expect(
            early?.message.contains("recorded  \(SmallRecording.lines[6])") == true
                && early?.message.contains("(the replay has ended)") == true)
        let long = try comparison()
        let whole = try SmallRecording.record(into: long)
        let late = #expect(throws: TraceProblem.self) { try whole.plan(SmallRecording.plan[0]) }
        #expect(late?.message.contains("(the recording has ended)") == true)
    }
}

@Suite("Run digest", .timeLimit(.minutes(20))) struct RunDigestTests {
    @Test("Value: SHA-256 of the lines, may be asked for on the way")
    func value() {
        var digest = RunDigest()
        #expect(digest.hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        digest.add(Array("a".utf8))
        _ = digest.hex
        digest.add(Array("bc".utf8))
        #expect(digest.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("Recorder: the same run has the same digest; another outcome, order, entropy or payload has another")
    func sensitive() throws {
        let first = try SmallRecording.record(into: nil)
        #expect(try SmallRecording.record(into: nil).hex == first.hex)
        var seen: Set<String> = [first.hex]
        func other(_ change: (inout TracedEvent) -> Void) throws {
            let recorder = Recorder(sink: nil)
            var event = SmallRecording.events[0]
            change(&event)
            try recorder.event(event)
            #expect(seen.insert(recorder.hex).inserted)
        }
        try other { _ in }
        try other { $0.entropy = 1 }
        try other { $0.at = .zero }
        try other { $0.exchange = 8 }
        try other { $0.to = .pad(2) }
        try other { $0.payload = .command(Message("app.perform", ["value": "other"])) }
    }
}
