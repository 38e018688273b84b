import FleetModel
import Foundation
import Testing
import Trace

@testable import HomeroomKit

/// A whole run that is cut into parts as a split one would have left them.
private struct CutRun {
    let trace: RecordedTrace
    let text: String

    static let valid = record("two-ipads")
    static let broken = record("broken-notebook")

    /// The trace of a scenario of the fleet, recorded once for all tests.
    private static func record(_ name: String) -> Result<String, any Error> {
        Result {
            try withFolder { folder in
                let file = CommandLineRun.package.appending(path: "Fleet/\(name).yaml").path
                let run = try CommandLineRun.of(["run", file, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
                guard run.status == 0 else { throw SmallRun.Problem(text: "\(run.output)\(run.errors)") }
                return try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            }
        }
    }
    init(_ recorded: Result<String, any Error> = valid) throws {
        text = try recorded.get()
        trace = try RecordedTrace.read(bytes: Array(text.utf8), file: "whole")
    }

    /// Each iPad's notes go to its part, what is of the whole run to the first.
    func part(
        _ shard: Shard, run: String = "r", seed: UInt64? = nil, clockError: Int64? = nil, in folder: URL
    ) throws -> String {
        let place = folder.appending(path: "part-\(shard.index)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        var header = trace.header
        header.seed = seed ?? header.seed
        header.isLive = true
        let file = try TraceFile(path: place.appending(path: "trace.jsonl").path, header: header)
        let recorder = Recorder(sink: file, header: header)
        for step in trace.plan { try recorder.plan(step) }
        for fault in trace.faults { try recorder.fault(fault) }
        let sign = Note(.part, detail: ["shard": .string("\(shard)"), "run": .string(run)])
        try recorder.note(HistoryEvent(at: .zero, from: .people, sign))
        if let clockError {
            let detail: Value = ["error": .int(clockError), "inRun": .int(clockError * 20)]
            try recorder.note(HistoryEvent(at: .zero, from: .people, Note(.clocks, detail: detail)))
        }
        for event in trace.history where event.from.pad.map(shard.holds) ?? shard.leads {
            // Only all together show it.
            guard event.note.detail["name"] != "second-ipad-saw" else { continue }
            try recorder.note(event)
        }
        try file.finish(lines: recorder.lines, digest: recorder.hex)
        return place.path
    }
}

@Suite("Merge", .timeLimit(.minutes(20))) struct MergeTests {
    private func shards(_ count: Int) -> [Shard] { (1...count).compactMap { Shard("\($0)/\(count)") } }

    @Test(
        "Parts of a run: joined, they are the run: verdict, edits, marks, notes (parameters: parts, given in any order)",
        arguments: [2, 3])
    func joined(count: Int) throws {
        try withFolder { folder in
            let cut = try CutRun()
            let parts = try shards(count).map { try cut.part($0, in: folder) }
            let run = try CommandLineRun.of(["merge"] + parts.reversed() + ["--out", "all"], in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(run.output.contains("valid  two-ipads"), "\(run.output)")
            let trace = try RecordedTrace.read(path: folder.appending(path: "all/trace.jsonl").path, checkDigest: true)
            func sorted(_ history: [HistoryEvent]) -> [String] { history.map { $0.body.json }.sorted() }
            #expect(sorted(trace.history) == sorted(cut.trace.history))
            #expect(trace.history.map(\.at) == trace.history.map(\.at).sorted())
            #expect(trace.plan == cut.trace.plan)
            let again = try CommandLineRun.of(["check", "all"], in: folder)
            // How much was handled a trace of live does not tell.
            #expect(again.status == 0 && again.output.contains(" violations=0 digest="), "\(again.output)")
        }
    }

    @Test("A loss of which each part saw a piece: found in all of it, with its story")
    func loss() throws {
        try withFolder { folder in
            let cut = try CutRun(CutRun.broken)
            let parts = try shards(2).map { try cut.part($0, in: folder) }
            let run = try CommandLineRun.of(["merge"] + parts, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains("invalid  broken-notebook"), "\(run.output)")
            #expect(run.output.contains("violations=1 (overwritten 1)"))
            #expect(run.output.contains("is replaced by"))
        }
    }

    @Test(
        "A part whose clock was not known: no verdict, though its edits look lost; check finds it in the merged trace too"
    )
    func clocks() throws {
        try withFolder { folder in
            let cut = try CutRun(CutRun.broken)
            let errors: [Int64] = [2_000_000, 200_000_000]
            let parts = try zip(shards(2), errors).map { try cut.part($0, clockError: $1, in: folder) }
            let run = try CommandLineRun.of(["merge"] + parts + ["--out", "all"], in: folder)
            #expect(run.status == 2, "\(run.output)\(run.errors)")
            #expect(run.output.contains("unknown because: the Cloud's clock may be wrong by 4s"), "\(run.output)")
            #expect(run.output.contains("clocks agreed with the Cloud's to 200 ms"), "\(run.output)")
            #expect(try CommandLineRun.of(["check", "all"], in: folder).status == 2)
        }
    }

    @Test(
        "A part alone: check and explain refuse it and say what to do; nothing is judged",
        arguments: ["check", "explain"])
    func alone(command: String) throws {
        try withFolder { folder in
            let part = try CutRun().part(shards(2)[1], in: folder)
            let run = try CommandLineRun.of([command, part], in: folder)
            #expect(run.status == 3)
            #expect(run.errors.contains("is part 2/2 of a split run"), "\(run.errors)")
        }
    }

    @Test("What does not make a run: refused with status 3 and the reason, earlier results stay")
    func refused() throws {
        try withFolder { folder in
            let cut = try CutRun()
            let (one, two) = (try cut.part(shards(2)[0], in: folder), try cut.part(shards(2)[1], in: folder))
            let whole = try folder.appending(path: "whole.jsonl").write(cut.text)
            let other = folder.appending(path: "other")
            let foreign = try cut.part(shards(2)[1], run: "another", in: other)
            let seeded = try cut.part(shards(3)[2], seed: 99, in: other)
            let results = folder.appending(path: "all")
            try Earlier.leave(in: results)
            let cases: [([String], String)] = [
                ([one], "part 2/2 of the run is missing"), ([two], "part 1/2 of the run is missing"),
                ([one, one], "given twice"), ([one, foreign], "are not of one run"),
                ([one, seeded], "are not of one run"),
                ([one, whole], "is no part of a split run"), ([one, "/nowhere"], "/nowhere"), ([], "parts"),
            ]
            for (parts, reason) in cases {
                let run = try CommandLineRun.of(["merge"] + parts + ["--out", "all"], in: folder)
                #expect(run.status == 3, "\(parts)")
                #expect(run.errors.contains(reason), "\(run.errors)")
            }
            let own = try CommandLineRun.of(["merge", one, two, "--out", one], in: folder)
            #expect(own.status == 3 && own.errors.contains("holds one of the parts"), "\(own.errors)")
            #expect(try contents(of: results).values.allSatisfy { $0 == "earlier" })
        }
    }
}
