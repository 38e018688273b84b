import Foundation
import Testing

/// The day of Fleet/two-ipads.yaml in networks that only a scenario that names them has.
@Suite("School network", .timeLimit(.minutes(20))) struct NetworkFaultRunTests {
    /// The day with one fault from the first sign-in to the last sign-out; on the second iPad she may wait for her sign-in.
    private static func day(_ kind: String, _ parameters: String) throws -> String {
        let path = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml")
        let windows = ["30s, until: 2m", "5m30s, until: 9m", "13m, until: 15m50s"].enumerated().map {
            "  - {fault: \(kind), id: f-\($0), from: \($1), with: {\(parameters)}}\n"
        }
        return try String(contentsOf: path, encoding: .utf8)
            .replacing("\nmustReach:", with: "\nfaults:\n\(windows.joined())mustReach:")
            .replacing("minPerformed: 14", with: "minPerformed: 10")
    }

    /// What became of each message.
    private static func outcomes(_ path: URL) throws -> [Substring] {
        try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter { $0.contains(#""pass":"#) }
    }

    /// The day without a fault.
    private static let plain = Result {
        try withFolder { folder in
            let file = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml").path
            _ = try CommandLineRun.of(["run", file, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            return try outcomes(folder.appending(path: "out/trace.jsonl"))
        }
    }

    @Test(
        "Correct apps: messages meet the fault, no edit is lost (each fault, 3 seeds), and a replay is the same run (1 seed)",
        arguments: [
            ("bandwidth", "bytesPerSecond: 100", "latency"), ("reorder", "probability: 0.7, delay: 20s", "latency"),
            ("reset", "probability: 0.5", #""ending":"reset""#),
            ("truncation", "probability: 0.5, bytes: 5, direction: both", #""truncated":5"#),
            ("nth-request", "nth: 2, every: true, ending: response-lost", #""ending":"lost""#),
            ("dns-failure", "", #""ending":"refused""#), ("tls-failure", "", #""ending":"handshake-failed""#),
            ("captive-portal", "", #""status":200"#), ("content-filter", "", #""status":403"#),
            ("too-many-requests", "retryAfter: 5s", #""status":429"#),
        ])
    func valid(kind: String, parameters: String, sign: String) throws {
        try withFolder { folder in
            let trace = folder.appending(path: "out/trace.jsonl")
            func run(_ file: String, seed: Int) throws -> CommandLineRun {
                try CommandLineRun.of(
                    ["run", file, "--seed", "\(seed)", "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            }
            let plain = try Self.plain.get()
            let file = try folder.appending(path: "day.yaml").write(try Self.day(kind, parameters))
            for seed in [3, 2, 1] {
                let run = try run(file, seed: seed)
                #expect(run.status == 0 && run.output.hasPrefix("ok    valid  two-ipads"), "\(run.output)\(run.errors)")
                let outcomes = try Self.outcomes(trace)
                #expect(outcomes.contains { $0.contains(sign) } && outcomes != plain, "\(kind) was not met")
            }
            let replay = try CommandLineRun.of(["replay", "out/trace.jsonl", "--mode", "sim"], in: folder)
            #expect(replay.status == 0 && replay.output.hasPrefix("identical"), "\(replay.output)\(replay.errors)")
        }
    }
}
