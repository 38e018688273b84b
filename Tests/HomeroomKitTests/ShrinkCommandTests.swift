import FleetModel
import Foundation
import Testing

/// `homeroom shrink` and `explain --cause` on real runs.
@Suite("Shrink", .serialized, .timeLimit(.minutes(20))) struct ShrinkCommandTests {
    private static let fleet = CommandLineRun.package.appending(path: "Fleet").path
    private static let broken = [
        (name: "broken-notebook", app: "notebook-overwrites", correct: "notebook"),
        (name: "broken-homework", app: "homework-late-upload", correct: "homework"),
        (name: "broken-queue", app: "notebook-memory-queue", correct: "notebook"),
        (name: "broken-quiz", app: "quiz-local-flag", correct: "quiz"),
        (name: "broken-account", app: "notebook-one-account", correct: "notebook"),
    ]

    /// The tapes and what happened, without the header, which holds the scenario, and the footer, whose digest knows it.
    private static func lines(of out: URL) throws -> [Substring] {
        try String(contentsOf: out.appending(path: "trace.jsonl"), encoding: .utf8).split(separator: "\n").dropFirst()
            .dropLast()
    }

    @Test(
        "Written out: the file plays the run of the seed line by line: all faults, all axes, open loads (4 runs)",
        arguments: [
            ("everything-at-once", 3), ("everything-at-once", 7), ("classroom-day", 5),
            ("regressions/pairs-quiz-764", 764),
        ])
    func writtenOut(name: String, seed: Int) throws {
        try withFolder { folder in
            func run(_ arguments: [String]) throws {
                let run = try CommandLineRun.of(arguments, in: folder)
                #expect([0, 1].contains(run.status), "\(run.output)\(run.errors)")
            }
            let file = "\(Self.fleet)/\(name).yaml"
            try run(["run", file, "--seed", "\(seed)", "--mode", "sim", "--quiet", "--out", "drawn"])
            try run(["shrink", file, "--seed", "\(seed)", "--write-out", "-o", "written.yaml"])
            let text = try String(contentsOf: folder.appending(path: "written.yaml"), encoding: .utf8)
            #expect(!text.contains("swarm:") && !text.contains("timetable:") && !text.contains("draw:"))
            try run(["run", "written.yaml", "--mode", "sim", "--quiet", "--out", "written"])
            let (drawn, written) = (
                try Self.lines(of: folder.appending(path: "drawn")),
                try Self.lines(of: folder.appending(path: "written"))
            )
            let isSame = drawn == written
            #expect(drawn.count > 1_000 && isSame)
        }
    }

    @Test(
        "Broken apps: small, without the seed, in fleet too, valid with the correct app; shrunk again it is the same file (5 scenarios)",
        arguments: broken)
    func small(name: String, app: String, correct: String) throws {
        try withFolder { folder in
            let shrunk = try CommandLineRun.of(
                ["shrink", "\(Self.fleet)/\(name).yaml", "-o", "small.yaml", "--json"], in: folder)
            #expect(shrunk.status == 0, "\(shrunk.output)\(shrunk.errors)")
            let body = try Value(json: Array(shrunk.output.utf8))
            #expect(try SchemaCheck.problems(of: body, "shrink") == [])
            let (steps, faults) = (body["after"]?["steps"]?.int ?? 99, body["after"]?["faults"]?.int ?? 99)
            #expect(steps <= 8 && faults <= 2 && body["failsInFleet"]?.bool == true && body["anySeed"]?.bool == true)
            let small = folder.appending(path: "small.yaml")
            let text = try String(contentsOf: small, encoding: .utf8)
            let lossClass = body["class"]?.string ?? "?"
            #expect(
                text.hasPrefix("# How the edit comes to harm") && text.contains("<- data lost here")
                    && !text.contains("\nseed:"))
            #expect(text.contains("expect: {verdict: invalid, class: \(lossClass)}"))
            for seed in [1, 99] {
                let run = try CommandLineRun.of(
                    ["run", "small.yaml", "--quiet", "--seed", "\(seed)", "--out", "out"], in: folder)
                #expect(run.status == 0 && run.output.contains("(\(lossClass) "), "\(run.output)\(run.errors)")
            }
            let again = try CommandLineRun.of(["shrink", "small.yaml", "-o", "again.yaml", "--jobs", "1"], in: folder)
            #expect(again.status == 0 && again.output.contains(", as it was"), "\(again.output)\(again.errors)")
            #expect(try String(contentsOf: folder.appending(path: "again.yaml"), encoding: .utf8) == text)
            let fixed = text.replacing(app, with: correct).replacing(/expect: .*/, with: "expect: valid")
            _ = try folder.appending(path: "fixed.yaml").write(fixed)
            let run = try CommandLineRun.of(["run", "fixed.yaml", "--quiet", "--out", "fixed"], in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }

    @Test("A trace: gives the file that its scenario gives; --minutes ends the search with the smallest so far")
    func trace() throws {
        try withFolder { folder in
            let file = "\(Self.fleet)/broken-notebook.yaml"
            for arguments in [
                ["run", file, "--mode", "sim", "--quiet", "--out", "out"], ["shrink", "out", "-o", "a.yaml"],
                ["shrink", file, "-o", "b.yaml", "--jobs", "3"],
                ["shrink", file, "-o", "c.yaml", "--minutes", "0.00001"],
            ] {
                let run = try CommandLineRun.of(arguments, in: folder)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                #expect(run.output.contains("the time is over") == arguments.contains("--minutes"))
            }
            let files = try ["a", "b", "c"].map {
                try String(contentsOf: folder.appending(path: "\($0).yaml"), encoding: .utf8)
            }
            #expect(files[0] == files[1] && files[2].count > files[0].count)
        }
    }

    @Test("Nothing to shrink: a valid run, a class that nothing has, a seed for a trace, the scenario itself as output")
    func refused() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let broken = "\(Self.fleet)/broken-notebook.yaml"
            _ = try CommandLineRun.of(["run", broken, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            for (arguments, words) in [
                ([file], "is valid with seed 1, so there is nothing to shrink"),
                ([broken, "--class", "leaked"], "no edit is 'leaked' with seed 1, but overwritten"),
                (["out", "--seed", "2"], "a trace has its own seed"), ([file, "-o", file], "would be replaced"),
                ([Self.fleet], "takes one scenario"),
            ] {
                let run = try CommandLineRun.of(["shrink"] + arguments, in: folder)
                #expect(run.status == 3 && run.errors.contains(words), "\(arguments): \(run.output)\(run.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: ".homeroom/small-shrunk.yaml").path))
        }
    }

    @Test("Cause: the fault and the edit without which nothing happens, and from when on nothing saves the edit")
    func cause() throws {
        try withFolder { folder in
            _ = try CommandLineRun.of(
                ["run", "\(Self.fleet)/broken-notebook.yaml", "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            let run = try CommandLineRun.of(["explain", "out", "maya.3", "--cause"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            for words in [
                "without the fault partition-1 (partition on ipad-2, 08:02:20.000 to 08:04:00.000) maya.3 is saved",
                "without the edit maya.2 (note-1 on ipad-2 at 08:02:40.000) maya.3 is saved", "1 others change nothing",
                "when all faults end at 08:03:30.069, it is saved", "from 08:05:04.386 on it is not saved",
            ] { #expect(run.output.contains(words), "\(run.output)") }
            let json = try CommandLineRun.of(["explain", "out", "maya.3", "--cause", "--json"], in: folder)
            #expect(try SchemaCheck.problems(of: Value(json: Array(json.output.utf8)), "explain") == [])
            let fine = try CommandLineRun.of(["explain", "out", "maya.1", "--cause"], in: folder)
            #expect(fine.status == 3 && fine.errors.contains("nothing went wrong with maya.1"))
        }
    }
}
