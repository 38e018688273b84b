import FleetModel
import Foundation
import Report
import Run
import Testing

@testable import HomeroomKit

/// Parts of a search over seeds, and what it says of the violations that it found.
@Suite("Explore", .serialized, .timeLimit(.minutes(20))) struct ExploreTests {
    @Test("Parts: together they play each seed once; a part that has none says so")
    func parts() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            var seeds: [String] = []
            for part in ["1/3", "2/3", "3/3"] {
                let run = try CommandLineRun.of(
                    ["explore", file, "--seeds", "5", "--from", "10", "--each", "--shard", part], in: folder)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                seeds += run.output.matches(of: /small  seed=([0-9]+)/).map { String($0.output.1) }
            }
            #expect(seeds == ["10", "13", "11", "14", "12"])
            let none = try CommandLineRun.of(["explore", file, "--seeds", "1", "--shard", "2/2"], in: folder)
            #expect(none.status == 2 && none.output.contains("seeds=0"), "\(none.output)")
        }
    }

    @Test("Ledger: one entry a shape, whatever edits, items and times; the run with the fewest events stands for it")
    func ledger() {
        func told(_ token: String, _ item: String, _ doom: String) -> RunReport.Told {
            .init(
                lossClass: .overwritten, token: token, summary: "s",
                story: [
                    "overwritten  \(token)  notebook/\(item)  by maya on ipad-1",
                    " > 08:05:04.386  cloud   \(doom)        <- data lost here",
                ])
        }
        func result(_ seed: UInt64, events: Int, _ findings: [RunReport.Told]) -> SeedResult {
            SeedResult(
                RunReport(
                    scenario: "s", seed: seed, mode: "sim", verdict: .invalid, expected: .valid, expectedClass: nil,
                    edits: 1, attempted: 1,
                    events: events, digest: "", virtual: .zero, wallMilliseconds: 0, counts: [:], findings: findings,
                    reasons: [], marks: []))
        }
        var ledger = ViolationLedger()
        ledger.take(result(1, events: 9, [told("maya.3", "note-1", "maya.3 is replaced by maya.2 (Notebook/note-1)")]))
        ledger.take(
            result(
                2, events: 5,
                [
                    told("ben.14", "note-22", "ben.14 is replaced by ida.1 (Notebook/note-22)"),
                    told("ben.15", "note-2", "ben.15 is given up after error 14; it had tag x7"),
                ]))
        ledger.take(result(3, events: 5, [told("ida.1", "note-3", "ida.1 is replaced by ben.7 (Notebook/note-3)")]))
        let entries = ledger.sorted
        #expect(
            entries.map(\.shape.text) == [
                "notebook EDIT is replaced by EDIT ITEM", "notebook EDIT is given up after error ",
            ])
        #expect(
            entries.map(\.edits) == [3, 1] && entries.map(\.shortest.seed) == [2, 2] && entries[0].seeds == [1, 2, 3])
        #expect(ledger.lines.count == 3)
    }
}
