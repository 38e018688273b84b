import FleetModel

/// JUnit XML, as CI servers read it: one suite, one case a scenario and seed.
public enum JUnit {
    /// A scenario that came to no verdict: the harness failed, or its results could not be written.
    public struct Failure: Hashable, Sendable {
        public var scenario: String
        public var mode: String
        public var message: String
        public init(scenario: String, mode: String, message: String) {
            self.scenario = scenario
            self.mode = mode
            self.message = message
        }
    }

    public static func xml(_ reports: [RunReport], failures broken: [Failure] = []) -> String {
        let failures = reports.filter { !$0.isAsExpected && $0.verdict != .unknown }.count
        let errors = reports.filter { !$0.isAsExpected && $0.verdict == .unknown }.count + broken.count
        let seconds = reports.reduce(0) { $0 + $1.wallMilliseconds }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites><testsuite name="homeroom" tests="\#(reports.count + broken.count)" failures="\#(failures)" errors="\#(errors)" time="\#(time(seconds))">"#,
        ]
        for report in reports { lines += testCase(report) }
        for failure in broken {
            lines.append(
                #"<testcase classname="homeroom.\#(escaped(failure.mode))" name="\#(escaped(failure.scenario))"><error type="no-verdict" message="\#(escaped("\(failure.scenario): no verdict: \(firstLine(failure.message))"))">"#
                    + escaped(failure.message) + "</error></testcase>")
        }
        lines.append("</testsuite></testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func testCase(_ report: RunReport) -> [String] {
        let head =
            #"<testcase classname="homeroom.\#(escaped(report.mode))" name="\#(escaped(report.scenario)) seed=\#(report.seed)" time="\#(time(report.wallMilliseconds))""#
        guard !report.isAsExpected else { return [head + "/>"] }
        let element = report.verdict == .unknown ? "error" : "failure"
        let text = (report.reasons + report.findings.flatMap(\.story)).joined(separator: "\n")
        return [
            head + ">",
            #"<\#(element) type="\#(type(of: report))" message="\#(escaped(message(report)))">\#(escaped(text))</\#(element)>"#,
            "<system-out>\(escaped(report.line))</system-out>", "</testcase>",
        ]
    }

    /// What servers group failures by: the class of the first loss, or the verdict where there is none.
    private static func type(of report: RunReport) -> String {
        report.verdict == .invalid ? report.findings.first?.lossClass.rawValue ?? "invalid" : report.verdict.rawValue
    }

    /// What servers show in a list, where a failure has one line: scenario, expectation, and the first edit of each class or the first reason.
    private static func message(_ report: RunReport) -> String {
        var told: Set<LossClass> = []
        let losses = report.findings.filter { told.insert($0.lossClass).inserted }.map { first in
            let more = report.count(first.lossClass) - 1
            return "\(first.lossClass.rawValue) \(first.token)\(more > 0 ? " and \(more) more" : "")"
        }
        let found = report.verdict == .unknown ? report.reasons.prefix(1).map(firstLine) : losses
        return "\(report.scenario) seed=\(report.seed): expected \(report.wanted), got \(report.verdict.rawValue)"
            + (found.isEmpty ? "" : ": ") + found.joined(separator: ", ")
    }

    private static func firstLine(_ text: String) -> String { String(text.prefix { !$0.isNewline }) }

    private static func time(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1000).\(padded(milliseconds % 1000, 3))"
    }

    /// XML text and attribute escaping; control characters that XML forbids become spaces.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "\n", "\t": out.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xfffe || scalar.value == 0xffff: out += " "
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
