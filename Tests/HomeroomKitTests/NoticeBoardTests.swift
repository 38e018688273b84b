import Foundation
import Testing

/// Fleet/notice-board.yaml: what all people of an app may read.
@Suite("Notice board", .serialized, .timeLimit(.minutes(20))) struct NoticeBoardTests {
    @Test(
        "Public database: everybody's note is found by everybody, by query, page after page; nothing is lost, nothing is a leak (S294)"
    )
    func everybodyReads() throws {
        let scenario = CommandLineRun.package.appending(path: "Fleet/notice-board.yaml").path
        try withFolder { folder in
            let run = try CommandLineRun.of(["run", scenario, "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 0 && run.output.contains("valid  notice-board"), "\(run.output)")
            let trace = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            #expect(trace.contains("record public _defaultZone/place-"))
            #expect(trace.contains(#""forEveryone":["note"]"#))
        }
    }
}
