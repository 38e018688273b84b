import Foundation
import Testing

/// Fleet/groupwork.yaml and its broken twins: what some people share.
@Suite("Groupwork", .serialized, .timeLimit(.minutes(20))) struct GroupworkTests {
    private func run(_ name: String, _ mode: String, in folder: URL) throws -> CommandLineRun {
        let scenario = CommandLineRun.package.appending(path: "Fleet/\(name).yaml").path
        return try CommandLineRun.of(["run", scenario, "--mode", mode, "--out", "out-\(mode)"], in: folder)
    }

    @Test("What pupils write together is with all who take part in it and with nobody else")
    func valid() throws {
        try withFolder { folder in
            let run = try run("groupwork", "sim", in: folder)
            #expect(run.status == 0 && run.output.contains("valid  groupwork"), "\(run.output)")
            let trace = try String(contentsOf: folder.appending(path: "out-sim/trace.jsonl"), encoding: .utf8)
            for note in ["shareJoined", "shareLeft", "shareCovers"] { #expect(trace.contains(#""note":"\#(note)""#)) }
        }
    }

    @Test(
        "A twin with one mistake is found in its class, the same in both modes",
        arguments: [("broken-groupwork", "diverged"), ("broken-groupwork-keeps-pages", "leaked")])
    func broken(name: String, lossClass: String) throws {
        try withFolder { folder in
            let digests = try ["sim", "fleet"].map { mode -> String in
                let run = try run(name, mode, in: folder)
                #expect(
                    run.status == 0 && run.output.contains("\(lossClass)  omar.")
                        || run.output.contains("\(lossClass)  maya."), "\(run.output)")
                return run.output.split(separator: "digest=").last.map { String($0.prefix { $0 != " " }) } ?? ""
            }
            #expect(digests[0] == digests[1] && !digests[0].isEmpty)
        }
    }
}
