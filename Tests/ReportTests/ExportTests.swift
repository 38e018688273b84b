import FleetModel
import Foundation
import Testing
import Trace

@testable import Report

@Suite("Exports", .timeLimit(.minutes(20))) struct ExportTests {
    /// Two messages over the network, one of them lost, between the lines of the history.
    static let picture: RunPicture = {
        let lines: [TraceLine] = [
            SmallPicture.message(SmallPicture.at(1), .people, .pad(1), "command", "sign\nin"),
            .pass(key: "request ipad-1 a 0", fate: ["latency": 20_000_000]),
            SmallPicture.message(SmallPicture.at(1), .app(pad: 1, launch: 1), .pad(1), "call", "file.read"),
            SmallPicture.message(SmallPicture.at(1) + .milliseconds(20), .pad(1), .cloud, "request", "POST /x"),
            .pass(key: "response ipad-1 a 0", fate: ["latency": 20_000_000, "ending": "lost"]),
        ]
        return SmallPicture.picture(SmallPicture.history.map(TraceLine.note) + lines, limits: .all)
    }()

    @Test(
        "Perfetto: Chrome trace events; every event has what its phase needs, and begin and end, from and to, are pairs"
    )
    func perfetto() throws {
        let value = try Value(json: PerfettoExport.json(Self.picture))
        let events = try #require(value["traceEvents"]?.array)
        var phases: [String: Int] = [:]
        var pairs: [String: [String]] = [:]
        for event in events {
            let phase = try #require(event["ph"]?.string)
            phases[phase, default: 0] += 1
            #expect(event["name"]?.string != nil && event["pid"]?.int != nil && event["tid"]?.int != nil)
            if phase != "M" { #expect((event["ts"]?.double ?? -1) >= 0) }
            if phase == "X" { #expect((event["dur"]?.double ?? -1) >= 0) }
            if phase == "i" { #expect(["t", "p", "g"].contains(event["s"]?.string)) }
            guard ["b", "e", "s", "f"].contains(phase) else { continue }
            let id = try #require(event["id"]).json
            pairs["\(event["cat"]?.string ?? "?") \(id)", default: []].append(phase)
        }
        #expect(pairs.values.allSatisfy { $0 == ["b", "e"] || $0 == ["s", "f"] }, "\(pairs)")
        #expect(pairs.count == 4 && Set(phases.keys) == ["M", "X", "i", "b", "e", "n", "s", "f"], "\(phases)")
        #expect(events.contains { $0["name"]?.string == "lost: a 0" })
    }

    @Test("ShiViz: its expression reads every event; each host counts its own, and knows of no event that has not been")
    func shiviz() throws {
        let text = ShiVizExport.text(Self.picture)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == ShiVizExport.expression && lines[1].isEmpty)
        let body = lines.dropFirst(2).joined(separator: "\n")
        let expression = try NSRegularExpression(pattern: String(lines[0]))
        let found = expression.matches(in: body, range: NSRange(body.startIndex..., in: body))
        #expect(found.count == (lines.count - 3) / 2 && found.count > 8)
        var clocks: [String: Int64] = [:]
        for match in found {
            func group(_ name: String) -> String {
                Range(match.range(withName: name), in: body).map { String(body[$0]) } ?? ""
            }
            let clock = try Value(json: Array(group("clock").utf8)).object?.pairs ?? []
            let host = group("host")
            clocks[host, default: 0] += 1
            for (name, time) in clock.map({ ($0.key, $0.value.int ?? 0) }) {
                #expect(name == host ? time == clocks[host] : time <= clocks[name] ?? 0, "\(group("event"))")
            }
        }
        #expect(Set(clocks.keys) == ["people", "cloud", "ipad-1", "ipad-2"])
        // The Cloud heard of the iPad, which had heard of the person.
        #expect(
            body.contains("cloud {\"cloud\":1,\"ipad-1\":2,\"people\":1}\n1.020s receives request POST /x from ipad-1"))
    }

    @Test(
        "Jepsen: EDN, numbered by time; a process does one thing at a time, and is given up when nobody knows how it ended"
    )
    func jepsen() throws {
        let operations = try JepsenExport.edn(Self.picture).split(separator: "\n").map { try EDN.read(String($0)) }
        var busy: Set<String> = []
        var given: Set<String> = []
        for (index, one) in operations.enumerated() {
            #expect(one[":index"] == "\(index)" && Int64(one[":time"] ?? "") != nil)
            let process = try #require(one[":process"])
            guard process != ":nemesis" else { continue }
            #expect(!given.contains(process))
            switch one[":type"] {
            case ":invoke": #expect(busy.insert(process).inserted)
            case ":ok", ":fail": #expect(busy.remove(process) != nil)
            case ":info":
                #expect(busy.remove(process) != nil)
                given.insert(process)
            default: Issue.record("\(one)")
            }
        }
        #expect(busy.isEmpty && given.count == 1)
        #expect(
            operations.map { "\($0[":type"] ?? "") \($0[":f"] ?? "")" } == [
                ":info :start-partition", ":invoke :write", ":ok :write", ":invoke :write", ":info :stop-partition",
                ":invoke :read", ":ok :read", ":info :write",
            ])
        #expect(operations[1][":value"] == #"["note-1" "maya.1"]"#)
        #expect(operations[6][":value"] == #"{"note-1" ["maya.2"]}"#)
        #expect(JepsenExport.text("a\"b\\\n\u{1}é") == #""a\"b\\\n\u0001é""#)
    }
}

/// As much of EDN as a history has: a map of keywords to values, which stay text.
private enum EDN {
    struct Problem: Error { var text: String }

    static func read(_ line: String) throws -> [String: String] {
        var rest = Array(line)[...]
        guard rest.first == "{", rest.last == "}" else { throw Problem(text: line) }
        rest = rest.dropFirst().dropLast()
        var map: [String: String] = [:]
        while !rest.isEmpty {
            let key = try form(&rest)
            guard key.hasPrefix(":"), map[key] == nil else { throw Problem(text: "\(key) in \(line)") }
            map[key] = try form(&rest)
        }
        return map
    }

    private static func form(_ rest: inout ArraySlice<Character>) throws -> String {
        while let first = rest.first, first == " " || first == "," { rest.removeFirst() }
        var out = ""
        var closing: [Character] = []
        var isString = false
        while let next = rest.first {
            if isString {
                if next == "\\" { out.append(rest.removeFirst()) }
                guard let taken = rest.first else { break }
                out.append(taken)
                rest.removeFirst()
                if next == "\"" { isString = false }
                if closing.isEmpty, !isString { return out }
                continue
            }
            if closing.isEmpty, !out.isEmpty, next == " " || next == "," { return out }
            out.append(next)
            rest.removeFirst()
            switch next {
            case "\"": isString = true
            case "[": closing.append("]")
            case "{": closing.append("}")
            case "]", "}":
                guard closing.popLast() == next else { throw Problem(text: out) }
                if closing.isEmpty { return out }
            default: break
            }
        }
        guard !isString, closing.isEmpty, !out.isEmpty else { throw Problem(text: out) }
        return out
    }
}
