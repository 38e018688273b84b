import Foundation
import Testing

/// Apps whose sync code uses Dispatch, operations and timers (Tests/Fixtures/dispatching).
@Suite("Apps with Dispatch", .timeLimit(.minutes(20))) struct DispatchingAppTests {
    @Test("Words: valid, every app was used, and sim and fleet tell the same run", arguments: 2...6)
    func words(seed: Int) throws {
        let scenario = CommandLineRun.package.appending(path: "Tests/Fixtures/dispatching/words.yaml").path
        try withFolder { folder in
            let runs = try ["sim", "fleet"].map { mode in
                try CommandLineRun.of(
                    ["run", scenario, "--seed", "\(seed)", "--mode", mode, "--out", mode], by: "dispatching", in: folder
                )
            }
            for run in runs {
                #expect(run.status == 0 && run.output.contains("valid  words"), "\(run.output)\(run.errors)")
            }
            #expect(runs[0].digest != nil && runs[0].digest == runs[1].digest)
            let trace = try String(contentsOf: folder.appending(path: "sim/trace.jsonl"), encoding: .utf8)
            let performed = trace.split(separator: "\n").filter { $0.contains(#""note":"performed""#) }
            for app in ["queues", "operations", "manager"] {
                #expect(performed.contains { $0.contains(#""app":"\#(app)""#) }, "\(app) did nothing")
            }
        }
    }
}
