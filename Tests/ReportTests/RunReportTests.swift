import FleetModel
import Testing

@testable import Report

/// A report like the one that the README shows; tests change what they are about.
func report(
    _ verdict: Verdict = .valid, expected: Verdict = .valid, _ expectedClass: LossClass? = nil,
    counts: [LossClass: Int] = [:]
) -> RunReport {
    RunReport(
        scenario: "classroom", seed: 42, mode: "fleet", verdict: verdict, expected: expected,
        expectedClass: expectedClass, edits: 1280,
        attempted: 1300, events: 48211, digest: "9f3c", virtual: .hours(6), wallMilliseconds: 3_149, counts: counts,
        findings: [], reasons: [],
        marks: [])
}

@Suite("Run report", .timeLimit(.minutes(20))) struct RunReportTests {
    @Test("Line: exactly as scripts read it; other classes only where there are any, in their fixed order")
    func line() {
        #expect(
            report().line
                == "valid  classroom  seed=42 mode=fleet edits=1280 violations=0 events=48211 digest=9f3c virtual=6h00m wall=3.1s"
        )
        #expect(
            report(.invalid, counts: [.excused: 2, .lost: 3, .unsaved: 1, .duplicated: 0]).line
                == "invalid  classroom  seed=42 mode=fleet edits=1280 violations=4 (lost 3, unsaved 1) excused=2 events=48211 digest=9f3c virtual=6h00m wall=3.1s"
        )
        var read = report()
        read.events = nil
        #expect(read.line.contains(" violations=0 digest=9f3c ") && RunReport(read.body) == read)
        var refused = report(counts: [.excused: 2])
        refused.refused = 7
        refused.firstRefusal = "maya.3 by quiz on ipad-1 at 9s: no room"
        #expect(refused.line.contains(" violations=0 excused=2 refused=7 events="))
        #expect(
            refused.explanation(command: "again") == [
                "  7 of 1300 edits refused; first maya.3 by quiz on ipad-1 at 9s: no room"
            ])
        var long = report()
        long.digest = "0123456789abcdef"
        #expect(long.line.contains(" digest=0123456789ab ") && long.body["digest"]?.string == "0123456789abcdef")
        var short = report(.unknown)
        short.virtual = .milliseconds(62_003)
        short.wallMilliseconds = 99
        #expect(short.line.hasSuffix("virtual=1m2.003s wall=0.0s"))
        #expect(short.line.hasPrefix("unknown  classroom  seed=42"))
    }

    /// Written out by hand, so that the rule is not tested against itself.
    private static func status(_ verdict: Verdict, _ expected: Verdict, _ expectedClass: LossClass?, found: LossClass?)
        -> Int32
    {
        switch (verdict, expected) {
        case (.valid, .valid), (.unknown, .unknown): 0
        case (.invalid, .invalid): expectedClass == nil || expectedClass == found ? 0 : 1
        case (.unknown, _): 2
        default: 1
        }
    }

    @Test("Exit status: every verdict, expectation, expected class and found class (1,764 combinations)")
    func exitStatus() {
        var seen: [Int32: Int] = [:]
        let classes: [LossClass?] = [nil] + LossClass.allCases
        for verdict in Verdict.allCases {
            for expected in Verdict.allCases {
                for expectedClass in classes {
                    for found in classes {
                        let counts = found.map { [$0: 1] } ?? [:]
                        // Only an expected `invalid` may name a class: the scenario reader sees to it.
                        let wanted = expected == .invalid ? expectedClass : nil
                        let report = report(verdict, expected: expected, wanted, counts: counts)
                        let status = Self.status(verdict, expected, wanted, found: found)
                        #expect(
                            report.exitStatus.rawValue == status && report.isAsExpected == (status == 0),
                            "\(verdict) \(expected) \(wanted as Any) \(found as Any)")
                        seen[status, default: 0] += 1
                    }
                }
            }
        }
        #expect(seen.keys.sorted() == [0, 1, 2] && seen.values.reduce(0, +) == 1764)
    }

    @Test("Body: a report survives the way to verdict.json and back, with hostile texts and extreme numbers")
    func roundTrip() throws {
        var whole = report(.invalid, expected: .invalid, .overwritten, counts: [.overwritten: 2, .excused: 1])
        whole.seed = .max
        whole.events = .max
        whole.virtual = Span(nanoseconds: .max)
        whole.findings = [
            .init(lossClass: .overwritten, token: "maya.1", summary: hostile, story: [hostile, "", "\n"]),
            .init(lossClass: .overwritten, token: "ben.2", summary: "", story: []),
        ]
        (whole.refused, whole.firstRefusal) = (.max, hostile)
        whole.reasons = [hostile, "too little read"]
        whole.marks = ["edit-performed", hostile]
        #expect(RunReport(whole.body) == whole)
        #expect(RunReport(try Value(json: whole.body.json)) == whole)
        #expect(RunReport(report().body) == report())
        #expect(whole.body["asExpected"]?.bool == true)
    }

    @Test("Body: what is no report is refused, each member missing or of another kind")
    func hostileBodies() throws {
        let body = report(.invalid, expected: .invalid, .lost, counts: [.lost: 1]).body
        for key in ["scenario", "seed", "mode", "verdict", "expected", "digest"] {
            for wrong in [nil, .null, 7, "no such word \u{0}" as Value]
            where !(["scenario", "mode", "digest"].contains(key) && wrong?.string != nil) {
                var broken = body
                broken[key] = wrong
                #expect(RunReport(broken) == nil, "\(key) = \(wrong?.json ?? "missing")")
            }
        }
        for key in body.object?.keys ?? [] {
            for wrong in [.null, 1e300, -1, "x", [], .empty, [[.empty, "x"]]] as [Value] {
                var broken = body
                broken[key] = wrong
                if let read = RunReport(broken) {
                    _ = (read.line, read.exitStatus, read.explanation(command: ""), JUnit.xml([read]))
                }
            }
        }
        #expect(RunReport(.null) == nil && RunReport(.empty) == nil && RunReport([]) == nil)
    }

    @Test("Explanation: expectation missed, reasons, one story a class, how many more, and the command")
    func explanation() {
        #expect(report().explanation(command: "c") == [])
        var wrong = report(.invalid, counts: [.lost: 3, .damaged: 1])
        wrong.findings = [
            .init(lossClass: .lost, token: "a.1", summary: "s", story: ["story of a.1"]),
            .init(lossClass: .lost, token: "a.2", summary: "s", story: ["story of a.2"]),
            .init(lossClass: .damaged, token: "a.3", summary: "s", story: ["story of a.3"]),
        ]
        #expect(
            wrong.explanation(command: "homeroom run x") == [
                "classroom: expected valid, got invalid", "", "story of a.1", "   ... and 2 more lost", "",
                "story of a.3", "",
                "repeat with: homeroom run x",
            ])
        var unknown = report(.unknown, expected: .invalid, .lost)
        unknown.reasons = ["nothing was read"]
        #expect(
            unknown.explanation(command: "c") == [
                "classroom: expected invalid (lost), got unknown", "  unknown because: nothing was read", "",
                "repeat with: c",
            ])
    }
}

/// Everything that XML, JSON and terminals dislike.
let hostile =
    "<a b=\"c\">&amp; ]]> <![CDATA[ \u{0}\u{1}\u{8}\u{b}\u{1b}[31m \u{7f}\u{fffe}\u{ffff}\u{2028} ümläut 🍎 -->\r\n\t'\\"
