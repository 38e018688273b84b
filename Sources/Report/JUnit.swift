import FleetModel

/// JUnit XML, as CI servers read it: one suite, one case a scenario and seed.
public enum JUnit {
    /// A scenario that came to no verdict: the harness failed, or its results could not be written.
    public struct Failure: Hashable, Sendable {
        /// The scenario's name, which becomes the case's.
        public var scenario: String
        /// How it was to be run: `sim`, `fleet` or `live`.
        public var mode: String
        /// What happened and what to do; the first line is what servers show.
        public var message: String
        /// The scenario's file as it was given, and what else is known of the run.
        public var origin: RunReport.Origin
        /// From its parts.
        public init(scenario: String, mode: String, message: String, origin: RunReport.Origin = .init()) {
            self.scenario = scenario
            self.mode = mode
            self.message = message
            self.origin = origin
        }
    }

    /// - Parameter timestamp: when the first run began, as `2026-11-23T18:00:00`, in UTC; nil: not told.
    public static func xml(_ reports: [RunReport], failures broken: [Failure] = [], timestamp: String? = nil) -> String
    {
        let failures = reports.filter { !$0.isAsExpected && $0.verdict != .unknown }.count
        let errors = reports.filter { !$0.isAsExpected && $0.verdict == .unknown }.count + broken.count
        let seconds = reports.reduce(0) { $0 + $1.wallMilliseconds }
        let began = timestamp.map { #" timestamp="\#(escaped($0))""# } ?? ""
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites><testsuite name="homeroom" tests="\#(reports.count + broken.count)" failures="\#(failures)" errors="\#(errors)" time="\#(time(seconds))"\#(began)>"#,
        ]
        for report in reports { lines += testCase(report) }
        for failure in broken { lines += testCase(failure) }
        lines.append("</testsuite></testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func testCase(_ failure: Failure) -> [String] {
        let head =
            #"<testcase classname="homeroom.\#(escaped(failure.mode))" name="\#(escaped(failure.scenario))"\#(file(failure.origin))>"#
        let message = "\(failure.scenario): no verdict: \(firstLine(failure.message))"
        return [head] + properties([], failure.origin)
            + [
                #"<error type="no-verdict" message="\#(escaped(message))">\#(escaped(failure.message))</error></testcase>"#
            ]
    }

    private static func testCase(_ report: RunReport) -> [String] {
        let head =
            #"<testcase classname="homeroom.\#(escaped(report.mode))" name="\#(escaped(report.scenario)) seed=\#(report.seed)" time="\#(time(report.wallMilliseconds))"\#(file(report.origin))>"#
        let known = properties([("seed", "\(report.seed)"), ("digest", report.digest)], report.origin)
        guard !report.isAsExpected else { return [head] + known + ["</testcase>"] }
        let element = report.verdict == .unknown ? "error" : "failure"
        let text = (report.reasons + report.findings.flatMap(\.story)).joined(separator: "\n")
        return [head] + known + [
            #"<\#(element) type="\#(type(of: report))" message="\#(escaped(message(report)))">\#(escaped(text))</\#(element)>"#,
            "<system-out>\(escaped(report.line))</system-out>", "</testcase>",
        ]
    }

    /// Where servers look for the test's source.
    private static func file(_ origin: RunReport.Origin) -> String {
        origin.file.map { #" file="\#(escaped($0))""# } ?? ""
    }
    /// What repeats the run and tells more of it, first in its case as the schemas of JUnit want it.
    private static func properties(_ known: [(name: String, value: String)], _ origin: RunReport.Origin) -> [String] {
        let all =
            known
            + [("repeat", origin.command), ("trace", origin.trace)].compactMap { name, value in
                value.map { (name, $0) }
            }
        guard !all.isEmpty else { return [] }
        let lines = all.map { #"<property name="\#($0.name)" value="\#(escaped($0.value))"/>"# }
        return ["<properties>"] + lines + ["</properties>"]
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
