import FleetModel
import Foundation

@testable import Trace

/// A recording with every kind of line.
enum SmallRecording {
    static let header = TraceHeader(
        scenario: "small", scenarioText: "name: small\npurpose: \"quotes, \u{1} and ümläuts\"\n", seed: .max,
        file: "Fleet/small.yaml")
    static let edit = Edit(
        token: "maya.1", person: "maya", app: "notebook", action: "write", item: "note-1", verb: .put,
        value: EditPayload.text(token: "maya.1", "a river"))
    static let plan = [
        PlanStep(at: .zero + .seconds(1), person: "maya", pad: 1, .signIn),
        PlanStep(at: .zero + .seconds(2), person: "maya", pad: 1, .open("notebook")),
        PlanStep(at: .zero + .seconds(3), person: "maya", pad: 1, .perform(edit)),
        PlanStep(at: .zero + .seconds(4), person: "maya", pad: 1, .home),
        PlanStep(at: .zero + .seconds(5), person: "maya", pad: 1, .signOut),
    ]
    static let faults = [
        FaultSpec(
            id: "latency-1", kind: "latency", from: .zero, until: .zero + .seconds(9), pads: [1, 2],
            parameters: ["extra": 250_000_000, "probability": 0.5])
    ]
    static let outcomes: [(String, Value)] = [
        ("request ipad-1 maya.1 0", ["latency": 20_000_000]),
        ("response ipad-1 maya.1 0", ["latency": 30_000_000, "ending": "lost"]),
    ]
    static let history = [
        HistoryEvent(at: .zero, from: .people, Note(.phase, detail: ["name": "storm"])),
        HistoryEvent(
            at: .zero + .seconds(3), from: .pad(1),
            Note(.performed, person: "maya", app: "notebook", channel: .record, tokens: ["maya.1"], detail: ["saw": []])
        ),
        HistoryEvent(
            at: .zero + .seconds(4), from: .app(pad: 1, launch: 2), Note(.mark, detail: ["name": "edit-performed"])),
    ]
    static let events = [
        TracedEvent(
            at: .zero + .seconds(3), from: .people, to: .pad(1), payload: .command(Message("app.perform", edit.body)),
            exchange: 7,
            entropy: .max),
        TracedEvent(
            at: .zero + .seconds(4), from: .pad(1), to: .cloud,
            payload: .request(HTTPRequest("POST", "/kvs", body: [0, 255])),
            exchange: .max, entropy: 0),
    ]

    /// Records everything into a sink; returns the recorder for its digest and count.
    @discardableResult static func record(into sink: (any TraceSink)?, edits: Int = 1) throws -> Recorder {
        let recorder = Recorder(sink: sink, header: header)
        for step in plan { try recorder.plan(step) }
        for fault in faults { try recorder.fault(fault) }
        for _ in 0..<edits {
            for (key, outcome) in outcomes { try recorder.pass(key, outcome) }
            for event in events { try recorder.event(event) }
            for event in history { try recorder.note(event) }
        }
        return recorder
    }

    /// The bytes of a whole trace file.
    static let bytes: [UInt8] = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "t.jsonl").path
            let file = try TraceFile(path: path, header: header)
            let recorder = try record(into: file)
            try file.finish(lines: recorder.lines, digest: recorder.hex)
            return try Array(Data(contentsOf: URL(filePath: path)))
        } catch { fatalError("the small recording cannot be made: \(error)") }
    }()
    /// The same as lines without newline: header, lines, footer.
    static var lines: [String] { String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) }
    static func text(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }
}

/// What reading came to.
func read(_ bytes: [UInt8], checkDigest: Bool = false) -> Result<RecordedTrace, TraceProblem> {
    do throws(TraceProblem) {
        return .success(try RecordedTrace.read(bytes: bytes, file: "t.jsonl", checkDigest: checkDigest))
    } catch {
        return .failure(error)
    }
}

/// `t.jsonl:12:7: ...`: the place that a message begins with.
func place(_ message: String) -> (line: Int, column: Int)? {
    let parts = message.split(separator: ":", maxSplits: 3)
    guard parts.count == 4, parts[0] == "t.jsonl", let line = Int(parts[1]), let column = Int(parts[2]), line >= 1,
        column >= 1
    else { return nil }
    return (line, column)
}

/// An empty folder that is removed afterwards.
func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "homeroom-trace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
/// Names in a folder, sorted.
func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
}
