import Foundation

/// A short run of one correct app on one iPad: a second or two in either mode.
enum SmallRun {
    /// - Parameters:
    ///   - expect: the value of `expect`.
    ///   - more: lines at the end.
    static func scenario(_ name: String = "small", expect: String = "valid", more: String = "") -> String {
        """
        name: \(name)
        purpose: Two answers.
        expect: \(expect)
        apps: [quiz]
        ipads: 1
        people: [maya]
        storm: 3m
        calm: 5m
        steps:
          - {at: 5s, who: maya, ipad: 1, do: signIn}
          - {at: 15s, who: maya, ipad: 1, do: open, app: quiz}
          - {at: 30s, who: maya, ipad: 1, do: edit, app: quiz, action: answer, item: answer-1, text: winter}
          - {at: 45s, who: maya, ipad: 1, do: edit, app: quiz, action: answer, item: answer-2, text: violin}
        faults:
          - {fault: latency, from: 20s, until: 40s, with: {extra: 50ms}}
        \(more)
        """
    }

    /// The trace of one such run, recorded once for all tests.
    static let trace: Result<String, any Error> = Result {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(scenario())
            let run = try CommandLineRun.of(["run", file, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            guard run.status == 0 else { throw Problem(text: "the small run failed: \(run.output)\(run.errors)") }
            return try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
        }
    }
    struct Problem: Error { var text: String }
}
