import Foundation
import Testing

/// Of the shipped scenarios, those that are played in fleet too.
enum FleetThird {
    /// - Parameter word: `all`, or by turns a third of them, which `Scripts/test` chooses by the commit; nil or empty: all.
    /// - Throws: for anything else.
    static func scenarios(_ word: String?) throws -> [String] {
        guard let word, !word.isEmpty, word != "all" else { return shippedScenarios }
        guard let third = ["0", "1", "2"].firstIndex(of: word) else {
            throw SmallRun.Problem(text: "HOMEROOM_FLEET_THIRD is '\(word)': use 0, 1, 2 or all, or leave it unset")
        }
        return shippedScenarios.enumerated().filter { $0.offset % 3 == third }.map(\.element)
    }
    static let chosen = Result { Set(try scenarios(ProcessInfo.processInfo.environment["HOMEROOM_FLEET_THIRD"])) }
}

@Suite("Same run everywhere", .timeLimit(.minutes(20))) struct EqualityTests {
    @Test(
        "Shipped scenarios: give what they expect in sim; those whose turn it is write the same trace in fleet, byte for byte",
        arguments: shippedScenarios)
    func modes(scenario: String) throws {
        try withFolder { folder in
            let sim = try CommandLineRun.of(["run", scenario, "--mode", "sim", "--quiet", "--out", "sim"], in: folder)
            #expect(sim.status == 0, "\(sim.output)\(sim.errors)")
            guard try FleetThird.chosen.get().contains(scenario) else { return }
            let fleet = try CommandLineRun.of(
                ["run", scenario, "--mode", "fleet", "--quiet", "--out", "fleet"], in: folder)
            #expect(fleet.status == 0, "\(fleet.output)\(fleet.errors)")
            let traces = try ["sim", "fleet"].map { try Data(contentsOf: folder.appending(path: "\($0)/trace.jsonl")) }
            #expect(traces[0].count > 10_000)
            #expect(traces[0] == traces[1], "the digests are \(sim.digest ?? "-") and \(fleet.digest ?? "-")")
        }
    }

    @Test("Thirds: together they are all, none has two, other words are refused")
    func thirds() throws {
        let parts = try ["0", "1", "2"].map { try FleetThird.scenarios($0) }
        #expect(parts.flatMap { $0 }.sorted() == shippedScenarios.sorted() && parts.allSatisfy { !$0.isEmpty })
        for word in [nil, "", "all"] { #expect(try FleetThird.scenarios(word) == shippedScenarios) }
        for word in ["3", "-1", "01", "All", "x"] {
            #expect(throws: SmallRun.Problem.self) { try FleetThird.scenarios(word) }
        }
    }

    @Test("Replay: identical in the other mode; after one edited tape entry it names the first difference")
    func replay() throws {
        try withFolder { folder in
            let scenario = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml").path
            try CommandLineRun.of(["run", scenario, "--mode", "sim", "--quiet", "--out", "run"], in: folder)
            for mode in ["sim", "fleet"] {
                let replay = try CommandLineRun.of(["replay", "run/trace.jsonl", "--mode", mode], in: folder)
                #expect(replay.status == 0 && replay.output.hasPrefix("identical"), "\(replay.output)\(replay.errors)")
            }
            let path = folder.appending(path: "run/trace.jsonl")
            var lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
            let edited = try #require(
                lines.firstIndex { $0.contains(#""pass":"request"#) && $0.contains(#""latency":"#) })
            lines[edited] = lines[edited].replacing(#""latency":"#, with: #""latency":1"#)
            _ = try path.write(lines.joined(separator: "\n") + "\n")
            let replay = try CommandLineRun.of(["replay", "run/trace.jsonl", "--mode", "sim"], in: folder)
            #expect(replay.status == 1)
            #expect(replay.output.contains("first difference at line"), "\(replay.output)\(replay.errors)")
            #expect(replay.output.contains("has been edited"))
        }
    }

    @Test("Check and explain: judge and tell again what run said, without running")
    func check() throws {
        try withFolder { folder in
            let scenario = CommandLineRun.package.appending(path: "Fleet/broken-quiz.yaml").path
            let run = try CommandLineRun.of(["run", scenario, "--mode", "sim", "--out", "run"], in: folder)
            let check = try CommandLineRun.of(["check", "run/trace.jsonl"], in: folder)
            #expect(check.status == run.status && check.digest == run.digest)
            #expect(run.output.contains("<- data lost here"))
            let explain = try CommandLineRun.of(["explain", "run/trace.jsonl"], in: folder)
            #expect(explain.status == 0 && explain.output.contains("<- data lost here"))
            let nobody = try CommandLineRun.of(["explain", "run/trace.jsonl", "nobody.1"], in: folder)
            #expect(nobody.status == 3 && nobody.errors.contains("nobody.1"))
        }
    }
}
