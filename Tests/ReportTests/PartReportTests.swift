import FleetModel
import Testing

@testable import Report

@Suite("Report of a part", .timeLimit(.minutes(20))) struct PartReportTests {
    @Test("Exit status: a part of a split run has no verdict of its own, whatever it came to")
    func status() {
        for verdict in Verdict.allCases {
            for expected in Verdict.allCases {
                var part = report(verdict, expected: expected)
                part.part = Shard("2/3")
                #expect(part.part != nil && part.exitStatus == .asExpected)
                #expect(report(verdict, expected: expected).exitStatus == .asExpected || verdict != expected)
            }
        }
    }
}
