import FleetModel
import Foundation
import Testing

@Suite("Runs that draw more than faults", .timeLimit(.minutes(20))) struct DrawnRunTests {
    private static let scenario = """
        name: drawn
        purpose: Two people and what a seed makes of their iPads.
        expect: valid
        apps: [quiz]
        ipads: 2
        people: [maya, ben]
        storm: 5m
        calm: 20m
        timetable:
          - {start: 0m, length: 3m, seats: {maya: 1, ben: 2}}
        work: {edits: 4, pause: [3s, 20s]}
        draw: {allBut: [bulk]}
        """

    @Test(
        "What was drawn: above the verdict line, in verdict.json and in the trace; the same in sim, fleet and a replay (2 seeds)"
    )
    func everywhere() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "drawn.yaml").write(Self.scenario)
            var lines: Set<String> = []
            for seed in ["3", "4"] {
                var traces: [Data] = []
                for mode in ["sim", "fleet"] {
                    let out = "\(mode)-\(seed)"
                    let run = try CommandLineRun.of(
                        ["run", file, "--mode", mode, "--seed", seed, "--out", out], in: folder)
                    let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("  drawn: ") })
                    #expect(line.contains("purgeAtSignOut=") && line.contains("ipadsEach="))
                    lines.insert(String(line))
                    let verdict = try Value(
                        json: Array(Data(contentsOf: folder.appending(path: "\(out)/verdict.json"))))
                    #expect(verdict["drawn"]?["slots"]?.int != nil)
                    traces.append(try Data(contentsOf: folder.appending(path: "\(out)/trace.jsonl")))
                }
                #expect(traces[0] == traces[1])
                let replay = try CommandLineRun.of(["replay", "sim-\(seed)", "--mode", "sim"], in: folder)
                #expect(replay.status == 0 && replay.output.hasPrefix("identical"), "\(replay.output)\(replay.errors)")
                let check = try CommandLineRun.of(["check", "sim-\(seed)"], in: folder)
                #expect(check.output.contains("  drawn: "))
            }
            #expect(lines.count == 2)
        }
    }

    @Test("Replay: what was drawn comes from the recording, not from the seed; what nobody draws is refused")
    func recorded() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "drawn.yaml").write(Self.scenario)
            try CommandLineRun.of(["run", file, "--mode", "sim", "--seed", "3", "--quiet", "--out", "run"], in: folder)
            let path = folder.appending(path: "run/trace.jsonl")
            let text = try String(contentsOf: path, encoding: .utf8)
            let drawn = try #require(text.firstRange(of: #""slots":"#))
            var other = text
            other.replaceSubrange(drawn, with: #""slots":9"#)
            _ = try path.write(other)
            let wrong = try CommandLineRun.of(["replay", "run", "--mode", "sim"], in: folder)
            #expect(wrong.status == 3 && wrong.errors.contains("'drawn' in the header cannot be used"), "\(wrong)")
        }
    }

    @Test("Explore: a line for each seed in their order with what it drew; it stops at the first that fails")
    func explore() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "drawn.yaml").write(Self.scenario)
            let each = try CommandLineRun.of(["explore", file, "--seeds", "3", "--jobs", "2", "--each"], in: folder)
            let lines = each.output.split(separator: "\n")
            let seeds = lines.filter { $0.contains("seed=") && !$0.contains("repeat") }.compactMap { line in
                line.split(separator: " ").first { $0.hasPrefix("seed=") }
            }
            #expect(seeds == ["seed=1", "seed=2", "seed=3"], "\(each.output)\(each.errors)")
            #expect(lines.count { $0.hasPrefix("  drawn: ") } == 3)
            let failing = try folder.appending(path: "failing.yaml").write(
                Self.scenario.replacing("expect: valid", with: "expect: unknown").replacing(
                    "drawn\n", with: "failing\n"))
            let stopped = try CommandLineRun.of(
                ["explore", failing, "--seeds", "50", "--jobs", "1", "--stop-at-first"], in: folder)
            #expect(stopped.status == 1 && stopped.output.contains("seeds=1 "), "\(stopped.output)\(stopped.errors)")
        }
    }
}
