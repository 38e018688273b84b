import FleetModel
import Foundation
import Testing

@testable import Report

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What a CI server's reader makes of the file: elements with attributes and text, in order.
private final class Reader: NSObject, XMLParserDelegate {
    struct Element: Equatable {
        var name: String
        var attributes: [String: String]
        var text = ""
    }
    var elements: [Element] = []
    private var open: [Int] = []

    static func read(_ xml: String) throws -> [Element] {
        let reader = Reader()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "not well-formed: \(parser.parserError.map { "\($0)" } ?? "?") in\n\(xml)")
        return reader.elements
    }
    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        open.append(elements.count)
        elements.append(Element(name: name, attributes: attributes))
    }
    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }
    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if let last = open.last { elements[last].text += string }
    }
}

@Suite("JUnit", .timeLimit(.minutes(20))) struct JUnitTests {
    @Test("Counts: one case a report, failures and errors apart, times added")
    func counts() throws {
        var expected = report(.invalid, expected: .invalid, .lost, counts: [.lost: 1])
        expected.seed = 7
        let reports = [
            report(), report(.invalid), report(.unknown), report(.valid, expected: .invalid, .lost), expected,
            report(.unknown, expected: .unknown),
        ]
        let elements = try Reader.read(
            JUnit.xml(reports, failures: [.init(scenario: "leaky", mode: "sim", message: "a thread")]))
        #expect(elements.prefix(2).map(\.name) == ["testsuites", "testsuite"])
        #expect(
            elements[1].attributes == [
                "name": "homeroom", "tests": "7", "failures": "2", "errors": "2", "time": "18.894",
            ])
        let cases = elements.filter { $0.name == "testcase" }
        #expect(
            cases.count == 7
                && cases[0].attributes == ["classname": "homeroom.fleet", "name": "classroom seed=42", "time": "3.149"])
        #expect(cases[4].attributes["name"] == "classroom seed=7")
        #expect(
            elements.filter { $0.name == "failure" }.map(\.attributes) == [
                ["type": "invalid", "message": "classroom seed=42: expected valid, got invalid"],
                ["type": "valid", "message": "classroom seed=42: expected invalid (lost), got valid"],
            ])
        #expect(
            elements.filter { $0.name == "error" }.map(\.attributes) == [
                ["type": "unknown", "message": "classroom seed=42: expected valid, got unknown"],
                ["type": "no-verdict", "message": "leaky: no verdict: a thread"],
            ])
        #expect(elements.last?.text == "a thread")
        #expect(
            elements.filter { $0.name == "system-out" }.map(\.text) == [reports[1], reports[2], reports[3]].map(\.line))
    }

    @Test(
        "Message: the scenario, the first edit of each class and how many more, or the first reason; the type is the class"
    )
    func message() throws {
        var wrong = report(.invalid, counts: [.overwritten: 3, .stuck: 1])
        wrong.findings = [(LossClass.overwritten, "maya.3"), (.overwritten, "ben.1"), (.stuck, "ben.2")].map {
            .init(lossClass: $0, token: $1, summary: "", story: [])
        }
        var other = report(.invalid, expected: .invalid, .lost, counts: [.stuck: 1])
        other.findings = [.init(lossClass: .stuck, token: "ben.2", summary: "", story: [])]
        var open = report(.unknown)
        open.reasons = ["too few edits:\n3 of 5", "no bell"]
        let xml = JUnit.xml([wrong, other, open], failures: [.init(scenario: "a", mode: "sim", message: "one\ntwo")])
        let found = try Reader.read(xml).filter { ["failure", "error"].contains($0.name) }.map(\.attributes)
        #expect(
            found == [
                [
                    "type": "overwritten",
                    "message":
                        "classroom seed=42: expected valid, got invalid: overwritten maya.3 and 2 more, stuck ben.2",
                ],
                [
                    "type": "stuck",
                    "message": "classroom seed=42: expected invalid (lost), got invalid: stuck ben.2",
                ],
                ["type": "unknown", "message": "classroom seed=42: expected valid, got unknown: too few edits:"],
                ["type": "no-verdict", "message": "a: no verdict: one"],
            ])
    }

    @Test("Known of a run: its file, seed, whole digest, the command that repeats it, its trace and when all began")
    func properties() throws {
        var one = report(.invalid)
        one.digest = String(repeating: "9f3c", count: 16)
        one.origin = .init(file: "Fleet/a.yaml", command: "homeroom run 'a b.yaml' --seed 42", trace: "out/trace.jsonl")
        let broken = JUnit.Failure(
            scenario: "x", mode: "sim", message: "m", origin: .init(file: "x.yaml", command: "c"))
        let elements = try Reader.read(
            JUnit.xml([one, report()], failures: [broken], timestamp: "2026-11-23T18:00:00"))
        #expect(elements[1].attributes["timestamp"] == "2026-11-23T18:00:00")
        #expect(
            elements.filter { $0.name == "testcase" }.map { $0.attributes["file"] } == ["Fleet/a.yaml", nil, "x.yaml"])
        let properties = elements.filter { $0.name == "property" }.map {
            "\($0.attributes["name"] ?? "")=\($0.attributes["value"] ?? "")"
        }
        #expect(
            properties == [
                "seed=42", "digest=\(one.digest)", "repeat=homeroom run 'a b.yaml' --seed 42", "trace=out/trace.jsonl",
                "seed=42", "digest=9f3c", "repeat=c",
            ])
        // Schemas of JUnit want them before what a case came to.
        #expect(
            elements.firstIndex { $0.name == "properties" } ?? .max < elements.firstIndex { $0.name == "failure" } ?? 0)
    }

    @Test("Hostile texts: well-formed, and the text comes through but for what XML cannot hold")
    func hostileTexts() throws {
        var wrong = report(.invalid)
        wrong.scenario = hostile
        wrong.mode = hostile
        wrong.digest = hostile
        wrong.reasons = [hostile]
        wrong.findings = [.init(lossClass: .lost, token: hostile, summary: hostile, story: [hostile])]
        let xml = JUnit.xml([wrong, report()], failures: [.init(scenario: hostile, mode: hostile, message: hostile)])
        let elements = try Reader.read(xml)
        #expect(elements.filter { $0.name == "testcase" }.count == 3)
        let failure = try #require(elements.first { $0.name == "failure" })
        #expect(failure.text.contains(#"<a b="c">&amp; ]]> <![CDATA["#) && failure.text.contains("ümläut 🍎 -->"))
        #expect(!failure.text.contains("\u{1b}"))
    }

    @Test("Every character alone in a text and in an attribute: well-formed (the first 66,000 and some beyond)")
    func characters() throws {
        var all = ""
        for code in Array(0..<66_000 as Range<UInt32>) + [0x1_fffe, 0x1_f34e, 0x10_ffff] {
            if let scalar = UnicodeScalar(code) { all.unicodeScalars.append(scalar) }
        }
        var wrong = report(.invalid)
        wrong.scenario = all
        wrong.reasons = [all]
        #expect(try Reader.read(JUnit.xml([wrong])).contains { $0.name == "failure" })
    }

    @Test("No reports: still a file that a server can read")
    func empty() throws {
        #expect(
            try Reader.read(JUnit.xml([]))[1].attributes == [
                "name": "homeroom", "tests": "0", "failures": "0", "errors": "0", "time": "0.000",
            ])
    }
}
