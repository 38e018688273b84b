import FleetModel
import Foundation
import Testing

@testable import Trace

/// What Docs/architecture.md says of the digest: what is in it, and what is not.
@Suite("Digest", .timeLimit(.minutes(20))) struct DigestTests {
    private func digest(_ header: TraceHeader, _ event: TracedEvent = SmallRecording.events[0]) throws -> String {
        let recorder = Recorder(sink: nil, header: header)
        try recorder.event(event)
        return recorder.hex
    }

    @Test("Payload: one of the same kind, name and length, and other content, gives another digest")
    func payload() throws {
        var digests: Set<String> = []
        for value in ["aaaa", "aaab", "baaa"] {
            var event = SmallRecording.events[0]
            event.payload = .command(Message("app.perform", ["value": .string(value)]))
            digests.insert(try digest(SmallRecording.header, event))
        }
        #expect(digests.count == 3)
    }

    @Test("Payload: the line holds its kind, name, length and hash, and not what it says")
    func line() throws {
        let sink = LineSink()
        let recorder = Recorder(sink: sink)
        var event = SmallRecording.events[0]
        event.payload = .command(Message("app.perform", ["value": "a secret"]))
        try recorder.event(event)
        let line = try Value(json: Array(sink.lines[0].utf8))
        var writer = ByteWriter(reserving: 64)
        event.payload.write(to: &writer)
        var hash = StableHash()
        hash.add(writer.bytes)
        #expect(!sink.lines[0].contains("secret"))
        #expect(
            line == [
                "b": .int(writer.bytes.count), "e": 1, "from": "people", "h": .string(String(hash.value, radix: 16)),
                "k": "command", "n": "ffffffffffffffff", "s": "app.perform", "t": 3_000_000_000, "to": "ipad-1", "x": 7,
            ])
    }

    @Test(
        "Header: the seed, the scenario's text and what was drawn of it are part of the run; its path and name are not")
    func header() throws {
        let header = SmallRecording.header
        let own = try digest(header)
        for change in [\TraceHeader.file, \.scenario] {
            var other = header
            other[keyPath: change] = "elsewhere"
            #expect(try digest(other) == own)
        }
        var seed = header
        seed.seed = 1
        var text = header
        text.scenarioText += " "
        var drawn = header
        drawn.drawn = ["slots": 2]
        #expect(try Set([own, digest(seed), digest(text), digest(drawn)]).count == 4)
    }

    @Test("Header changed in a file: its path may, its seed and its text may not")
    func changedHeader() throws {
        var lines = SmallRecording.lines
        func isIntact(_ change: (inout TraceHeader) -> Void) throws -> Bool {
            var header = SmallRecording.header
            change(&header)
            lines[0] = String(decoding: header.body.jsonBytes, as: UTF8.self)
            return try read(SmallRecording.text(lines)).get().isIntact
        }
        #expect(try isIntact { $0.file = "/elsewhere/small.yaml" })
        #expect(try !isIntact { $0.seed = 1 })
        #expect(try !isIntact { $0.scenarioText = "name: other\n" })
    }

    @Test("Sides of a message: each member of an event changes the digest, alone")
    func members() throws {
        let event = SmallRecording.events[0]
        var changed = Array(repeating: event, count: 6)
        changed[1].at = event.at + Span(nanoseconds: 1)
        changed[2].from = .pad(1)
        changed[3].to = .pad(2)
        changed[4].exchange = 8
        changed[5].entropy = 1
        #expect(try Set(changed.map { try digest(SmallRecording.header, $0) }).count == 6)
    }

    @Test("Order: the same two lines the other way round are another run")
    func order() throws {
        func hex(_ outcomes: [(String, Value)]) throws -> String {
            let recorder = Recorder(sink: nil)
            for (key, outcome) in outcomes { try recorder.pass(key, outcome) }
            return recorder.hex
        }
        #expect(try hex(SmallRecording.outcomes) != hex(SmallRecording.outcomes.reversed()))
    }
}

/// Keeps every line.
private final class LineSink: TraceSink {
    private(set) var lines: [String] = []
    func take(_ line: [UInt8], number: Int) throws(TraceProblem) {
        lines.append(String(decoding: line.dropLast(), as: UTF8.self))
    }
}
