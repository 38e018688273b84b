import FleetModel
import Foundation
import Load
import StubProgram
import Testing

/// Two iPads share a person; each writes three times.
private func pair(
    _ name: String = "pair", app: String = "quiz", load: String = "{every: 20s, length: 1m}", calm: String = "5m",
    more: String = ""
) -> String {
    """
    name: \(name)
    purpose: What is written on one iPad is seen on the other.
    apps: [\(app)]
    people: [maya]
    ipads: 2
    load: \(load)
    calm: \(calm)
    \(more)
    """
}

@Suite("Measured runs", .timeLimit(.minutes(20))) struct MeasuredRunTests {
    private func run(_ text: String, in folder: URL, _ more: [String] = ["--mode", "sim"]) throws -> CommandLineRun {
        let file = try folder.appending(path: "s.yaml").write(text)
        return try CommandLineRun.of(["run", file, "--out", "out"] + more, in: folder)
    }
    private func figures(_ folder: URL) throws -> RunFigures {
        let data = try Data(contentsOf: folder.appending(path: "out/figures.json"))
        return try RunFigures(try Value(json: Array(data)))
    }

    @Test("Results: figures beside the verdict, a table on the terminal, a page without network")
    func results() throws {
        try withFolder { folder in
            let run = try run(pair(), in: folder)
            #expect(run.status == 0 && run.output.contains("plan to first sight"), "\(run.output)\(run.errors)")
            let figures = try figures(folder)
            let row = try #require(figures.rows.first)
            #expect(row.channel == .keyValue && row.planned == 6 && row.performed == 6)
            #expect(row[.firstSight].count + row.unseen == 6 && row[.firstSight].count >= 4)
            let page = try String(contentsOf: folder.appending(path: "out/figures.html"), encoding: .utf8)
            #expect(page.hasSuffix("</html>\n") && !page.contains("http") && page.contains("<svg"))
        }
    }

    @Test("Modes: the same trace in both, and the same latencies")
    func modes() throws {
        try withFolder { folder in
            let sim = try run(pair(), in: folder)
            let rows = try figures(folder).rows
            let fleet = try run(pair(), in: folder, ["--mode", "fleet"])
            #expect(try sim.digest == fleet.digest && rows == figures(folder).rows)
        }
    }

    @Test("A run that measures nothing leaves no figures of an earlier one, and prints none")
    func stale() throws {
        try withFolder { folder in
            _ = try run(pair(), in: folder)
            let run = try run(pair(more: "measure: false"), in: folder)
            #expect(run.status == 0 && !run.output.contains("first sight"))
            #expect(try left(in: folder.appending(path: "out")).filter { $0.hasPrefix("figures") }.isEmpty)
            let trace = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            #expect(!trace.contains(#""arrived""#))
        }
    }

    @Test("Replay: a measured run is identical")
    func replay() throws {
        try withFolder { folder in
            _ = try run(pair(), in: folder)
            let replay = try CommandLineRun.of(["replay", "out", "--mode", "sim"], in: folder)
            #expect(replay.status == 0 && replay.output.hasPrefix("identical"), "\(replay.output)\(replay.errors)")
        }
    }
}

@Suite("Bench compare", .timeLimit(.minutes(20))) struct CompareTests {
    private func compare(_ arguments: [String], in folder: URL) throws -> CommandLineRun {
        try CommandLineRun.of(["bench", "compare"] + arguments, in: folder)
    }

    @Test("Two settings, run in turns: ratios, and the exit status of the limits")
    func settings() throws {
        try withFolder { folder in
            let quick = try folder.appending(path: "quick.yaml").write(pair("quick"))
            let slow = try folder.appending(path: "slow.yaml").write(
                pair("slow", more: "network: {latency: [400ms, 500ms]}"))
            let limits = try folder.appending(path: "limits").write("keyValue.firstSight.p50 1.01\n")
            let words = ["--mode", "sim", "--rounds", "2", "--limits", limits]
            let worse = try compare([quick, slow] + words, in: folder)
            #expect(worse.status == 1 && worse.output.contains("BEYOND"), "\(worse.output)\(worse.errors)")
            let better = try compare([slow, quick] + words, in: folder)
            #expect(better.status == 0 && better.output.contains("all 1 limits are kept"), "\(better.output)")
            let lines = try compare([quick, slow, "--json"] + words, in: folder).output.split(separator: "\n")
            let bodies = try lines.map { try Value(json: Array($0.utf8)) }
            let sight = try #require(bodies.first { $0["name"] == "keyValue.firstSight.p50" })
            #expect(sight["kept"] == false && (sight["ratio"]?.double ?? 0) > 1.01)
            #expect(try left(in: folder).sorted() == ["limits", "quick.yaml", "slow.yaml"])
        }
    }

    /// What the machine makes of it is not the test's business, but both sides have gone as fast as was asked.
    @Test("Two runs in live: ratios, of what the Cloud costs too", .enabled(if: hasServer, noServer))
    func live() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(
                pair(load: "{every: 5s, length: 20s}", calm: "1m", more: "storm: 2m"))
            let words = ["--mode", "live", "--speed", "50", "--cloud-program", server, "--rounds", "1", "--json"]
            let run = try compare([file, file] + words, in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            let bodies = try run.output.split(separator: "\n").map { try Value(json: Array($0.utf8)) }
            for name in ["keyValue.firstSight.p50", "run.cpu.cloud"] {
                let line = try #require(bodies.first { $0["name"] == .string(name) }, "\(run.output)")
                #expect((line["ratio"]?.double ?? 0) > 0, "\(line)")
            }
            #expect(try left(in: folder) == ["s.yaml"])
        }
    }

    @Test(
        "Options of live: each run gets them, another mode refuses them, a Cloud that is not there is told before the first run"
    )
    func liveOptions() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(pair())
            let program = try folder.appending(path: "program").stub(
                "touch started; echo first >&2; echo \"got $*\" >&2; exit 3")
            let words = [program, program, "--scenario", file]
            let refused = [
                (["--speed", "20"], "--speed and --cloud-program are for --mode live"),
                (["--cloud-program", "/bin/true"], "--speed and --cloud-program are for --mode live"),
                (["--mode", "live", "--speed", "0"], "--speed takes more than 0"),
                (["--mode", "live", "--cloud-program", "/nowhere/cloud"], "there is none at /nowhere/cloud"),
            ]
            for (options, message) in refused {
                let run = try compare(words + options, in: folder)
                #expect(run.status == 3 && run.errors.contains(message), "\(options): \(run.status) \(run.errors)")
            }
            #expect(try !left(in: folder).contains("started"))
            let run = try compare(
                words + ["--mode", "live", "--speed", "20", "--cloud-program", "/bin/true"], in: folder)
            let asked = "run \(file) --seed 1 --mode live --speed 20.0 --cloud-program /bin/true"
            #expect(
                run.status == 3 && run.errors.contains("\(asked)' ended with status 3: got \(asked) --out "),
                "\(run.errors)")
        }
    }

    @Test("A run that cannot be judged: its own words say why, and name no logs that are gone")
    func failed() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(pair())
            let none = try compare(
                [file, file, "--mode", "live", "--cloud-program", "/bin/false", "--rounds", "1"], in: folder)
            #expect(none.status == 3 && none.errors.contains("the Cloud's server does not start"), "\(none.errors)")
            let broken = try folder.appending(path: "program").stub(
                "while [ \"$1\" != --out ]; do shift; done; echo \"homeroom: ipad-1 ended; its logs are in $2/failed-logs\" >&2; exit 4"
            )
            let run = try compare([broken, broken, "--scenario", file], in: folder)
            #expect(
                run.status == 4 && run.errors.contains("ended with status 4: homeroom: ipad-1 ended; run it alone"),
                "\(run.errors)")
        }
    }

    @Test("Two results, and two executables on one scenario: the same run has ratio 1")
    func same() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(pair())
            for out in ["a/1", "a/2", "b"] {
                try CommandLineRun.of(["run", file, "--mode", "sim", "--out", out], in: folder)
            }
            let results = try compare(["a", "b"], in: folder)
            #expect(results.status == 0 && results.output.contains("A: a, 2 runs\nB: b, 1 run\n"), "\(results.errors)")
            let program = CommandLineRun.products.appending(path: "homeroom").path
            let limits = try folder.appending(path: "limits").write("keyValue.firstSight.p99 1\nkeyValue.unseen 1")
            let runs = try compare(
                [program, program, "--scenario", file, "--rounds", "1", "--mode", "sim", "--limits", limits], in: folder
            )
            #expect(runs.status == 0 && runs.output.contains("all 2 limits are kept"), "\(runs.output)\(runs.errors)")
        }
    }

    @Test("Two apps: scenarios that differ in them are one plan, run here or before")
    func apps() throws {
        try withFolder { folder in
            let files = try ["quiz", "notebook"].map {
                try folder.appending(path: "\($0).yaml").write(pair("with-\($0)", app: $0))
            }
            let limits = try folder.appending(path: "limits").write("all.firstSight.p99.9 1000\n")
            let runs = try compare(files + ["--mode", "sim", "--rounds", "1", "--limits", limits], in: folder)
            for (index, file) in files.enumerated() {
                try CommandLineRun.of(["run", file, "--mode", "sim", "--out", "\(index)"], in: folder)
            }
            for run in [runs, try compare(["0", "1", "--limits", limits], in: folder)] {
                #expect(
                    run.status == 0 && !run.output.contains("plans of A and B differ"), "\(run.output)\(run.errors)")
                #expect(run.output.contains("only one side edits by record, keyValue"), "\(run.output)")
            }
        }
    }

    @Test("Runs that are not valid, or of which nobody knows: refused, with what they lost")
    func flawed() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(pair())
            try CommandLineRun.of(["run", file, "--mode", "sim", "--out", "out"], in: folder)
            let path = folder.appending(path: "out/verdict.json")
            let verdict = try String(contentsOf: path, encoding: .utf8)
            let lossy = verdict.replacing(#""verdict":"valid""#, with: #""verdict":"invalid""#)
                .replacing(#""counts":{"#, with: #""counts":{"lost":3"#)
            #expect(lossy != verdict)
            _ = try path.write(lossy)
            let lost = try compare(["out", "out"], in: folder)
            #expect(
                lost.status == 3 && lost.errors.contains("its run is invalid, lost 3; only valid"), "\(lost.errors)")
            _ = try path.write("{")
            #expect(try compare(["out", "out"], in: folder).errors.contains("has a damaged verdict.json"))
            try FileManager.default.removeItem(at: path)
            #expect(
                try compare(["out/figures.json", "out"], in: folder).errors.contains("has no verdict.json beside it"))

            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            let program = try folder.appending(path: "program").stub(
                """
                '\(homeroom)' "$@"
                while [ "$1" != --out ]; do shift; done
                sed -i 's/"verdict":"valid"/"verdict":"unknown"/' "$2/verdict.json"
                """)
            let words = [homeroom, program, "--scenario", file, "--mode", "sim", "--rounds", "1"]
            let run = try compare(words, in: folder)
            #expect(
                run.status == 4 && run.errors.contains("is unknown; only valid runs"), "\(run.status) \(run.errors)")
        }
    }

    @Test("Limits: syntax, kinds and names are checked before the first run, those of runs that are there too")
    func limits() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(pair())
            let program = try folder.appending(path: "program").stub("touch started; exit 4")
            try CommandLineRun.of(["run", file, "--mode", "sim", "--out", "out"], in: folder)
            let cases = [
                ([program, program, "--scenario", file], "keyValue.firstSight.p98 1"),
                // Only runs of live have it.
                ([program, program, "--scenario", file], "run.cpu.cloud 1"),
                ([program, program, "--scenario", file], "keyValue.unseen often"),
                // Of this scenario's apps none keeps records, and nothing disturbs them.
                ([file, file], "record.unseen 1"), ([file, file], "keyValue.quiet.unseen 1"),
                (["out", "out"], "record.unseen 1"),
            ]
            for (arguments, text) in cases {
                let limits = try folder.appending(path: "limits").write("# first\n\(text)\n")
                let run = try compare(arguments + ["--limits", limits, "--rounds", "1000"], in: folder)
                #expect(run.status == 3 && run.errors.contains("limits:2:1: "), "\(arguments): \(run.errors)")
            }
            #expect(try !left(in: folder).contains("started"))
        }
    }

    @Test("Bad input: each with what to do, and nothing is run before limits can be read")
    func badInput() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(pair())
            let still = try folder.appending(path: "still.yaml").write(pair("still", more: "measure: false"))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "empty"), withIntermediateDirectories: false)
            _ = try folder.appending(path: "broken.json").write("{\"format\": 1")
            _ = try folder.appending(path: "newer.json").write("{\"format\": 99}")
            for mode in ["sim", "fleet"] {
                try CommandLineRun.of(["run", file, "--mode", mode, "--out", "both/\(mode)"], in: folder)
            }
            let program = CommandLineRun.products.appending(path: "homeroom").path
            let cases: [([String], String)] = [
                (["nowhere", file], "nowhere: no such file or folder"),
                (["empty", "empty"], "empty: holds no figures.json"),
                (["empty", file], "give two of a kind"),
                (["broken.json", "broken.json"], "broken.json:1:13: no JSON"),
                (["newer.json", "newer.json"], "newer.json: it has format 99, this homeroom reads format 2"),
                ([program, program], "say what it shall run, --scenario FILE"),
                ([still, still, "--rounds", "1", "--mode", "sim"], "measures nothing: write 'measure: true' into it"),
                ([file, file, "--limits", "nowhere"], "nowhere: cannot be read"),
                ([file, "empty"], "give two of a kind"),
                ([file, still, "--mode", "sim"], "still.yaml measures nothing"),
                (["both", "both"], "A holds runs of mode fleet and of mode sim: their times cannot be compared"),
                (["both/sim", "both/fleet"], "A holds runs of mode sim, B of mode fleet"),
                ([file, file, "--rounds", "0"], "--rounds takes 1 to 1000"),
            ]
            for (arguments, message) in cases {
                let run = try compare(arguments, in: folder)
                #expect(run.status == 3 && run.errors.contains(message), "\(arguments): \(run.status) \(run.errors)")
            }
        }
    }
}
