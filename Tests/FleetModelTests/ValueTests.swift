import FleetModel
import Foundation
import Testing

/// Values of all kinds, some hostile.
private let samples: [Value] = [
    .null, true, false, 0, -1, .int(Int64.max), .int(Int64.min), 1.5, -0.0, "", "naïve \"quoted\" \\ \n\t\u{1} 🎒",
    .data([]),
    .data([0, 255, 60, 35]), [], [1, "two", [3.5]], [:], ["b": 1, "a": ["z": .null, "y": []]],
]

@Suite("Value", .timeLimit(.minutes(20))) struct ValueTests {
    @Test("Binary form: there and back", arguments: samples)
    func binary(value: Value) throws { #expect(try Value(decoding: value.encoded) == value) }

    @Test("JSON form: there and back", arguments: samples)
    func json(value: Value) throws { #expect(try Value(json: value.jsonBytes) == value) }

    @Test("Objects: equal whatever the order of insertion")
    func order() {
        let a: Value = ["x": 1, "a": 2, "m": 3]
        let b: Value = ["m": 3, "x": 1, "a": 2]
        #expect(a == b)
        #expect(a.json == #"{"a":2,"m":3,"x":1}"#)
        #expect(a.encoded == b.encoded)
    }

    @Test("Objects in JSON: keys in any order give the same object (100,000 keys; a square of them would take minutes)")
    func anyOrder() throws {
        let names = (0..<100_000).map { "k\(1_000_000 + $0)" }
        func read(_ names: [String]) throws -> Value {
            try Value(json: "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}")
        }
        var draw = Draw(seed: 3, name: "order")
        let ascending = try read(names)
        #expect(ascending.object?.keys == names)
        #expect(try read(names.reversed()) == ascending)
        #expect(try read(names.map { ($0, draw.next()) }.sorted { $0.1 < $1.1 }.map(\.0)) == ascending)
    }

    @Test("Objects in JSON: a key that occurs twice is refused where it comes again, wherever it came first")
    func twice() throws {
        let many = (0..<300).reversed().map { "\"k\(1000 + $0)\":1" }.joined(separator: ",")
        for head in ["{", "{\"z\":1,", "{\(many),"] {
            for (key, rest) in [("a", "}"), ("a", ",\"a\":1}"), ("a", ",!")] {
                let start = head + "\"a\":1,\"b\":2,"
                let failure = #expect(throws: DecodingFailure.self) {
                    try Value(json: start + "\"\(key)\":3\(rest)")
                }
                #expect(failure == DecodingFailure("the key 'a' occurs twice", at: start.utf8.count))
            }
        }
        // Within a value of an object that goes on.
        let inner = "{\"y\":1,\"x\":{\"b\":1,\"a\":1,"
        let failure = #expect(throws: DecodingFailure.self) { try Value(json: inner + "\"b\":2},\"y\":2}") }
        #expect(failure == DecodingFailure("the key 'b' occurs twice", at: inner.utf8.count))
    }

    @Test("Hostile bytes: random mutations never trap and never reserve what is not there (20,000)")
    func fuzz() {
        var draw = Draw(seed: 1, name: "value fuzz")
        for round in 0..<20_000 {
            var bytes = samples[round % samples.count].encoded
            for _ in 0...draw.below(3) {
                if bytes.isEmpty || draw.chance(0.3) {
                    bytes.append(UInt8(draw.below(256)))
                } else {
                    bytes[draw.below(bytes.count)] = UInt8(draw.below(256))
                }
            }
            if let value = try? Value(decoding: bytes) { #expect((try? Value(decoding: value.encoded)) != nil) }
            var reader = ByteReader(bytes)
            _ = try? Payload(from: &reader)
        }
    }

    @Test("Hostile JSON: random mutations never trap (20,000)")
    func fuzzJSON() {
        var draw = Draw(seed: 2, name: "json fuzz")
        for round in 0..<20_000 {
            var bytes = samples[round % samples.count].jsonBytes
            for _ in 0...draw.below(3) where !bytes.isEmpty { bytes[draw.below(bytes.count)] = UInt8(draw.below(256)) }
            _ = try? Value(json: bytes)
        }
    }

    @Test("Depth: a value nested too deeply is refused, not followed")
    func depth() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: DecodingFailure.self) { try Value(json: deep) }
        #expect(throws: DecodingFailure.self) {
            try Value(decoding: [UInt8](repeating: 7, count: 100_000).flatMap { [$0, 1] })
        }
    }

    @Test(
        "Base64: known vectors",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func base64(plain: String, coded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == coded)
        #expect(Base64.decode(coded) == Array(plain.utf8))
    }
}

@Suite("Edit payload", .timeLimit(.minutes(20))) struct EditPayloadTests {
    @Test("Payload: found whole inside JSON and other bytes")
    func found() {
        let text = EditPayload.text(token: "maya.12", "hello you")
        #expect(EditPayload.scan(text).tokens == ["maya.12"])
        let record: Value = ["fields": ["body": .string("before " + text + text)]]
        let json = record.json
        #expect(EditPayload.scan(json) == EditPayload.scan(text))
    }

    @Test(
        "Payload: found in JSON whose encoder escapes what people type",
        arguments: ["a\nb\r\nc\td", "\"quoted\" \\ and a/b", "\u{8}\u{c}\u{1}", "über 日本 🧑‍🎓", ""])
    func escaped(words: String) throws {
        let text = EditPayload.text(token: "maya.12", words)
        let file = Array(try JSONEncoder().encode(["notes": [text, text]]))
        #expect(EditPayload.scan(file).tokens == ["maya.12"])
        #expect(EditPayload.scan(file).damaged == [])
        // Every character beyond ASCII as an escape, as other encoders write it.
        let units = words.utf16.map {
            "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
        }
        let other = text.replacingOccurrences(of: words + "#", with: units.joined() + "#")
        #expect(EditPayload.scan("{\"note\":\"\(other)\"}").tokens == ["maya.12"])
    }

    @Test("Payload: an escape on the screen is damage, and so is one that is cut or changed in a file")
    func brokenEscapes() throws {
        let text = EditPayload.text(token: "maya.12", "first\nsecond 🧑")
        let escaped = text.replacingOccurrences(of: "\n", with: "\\n")
        #expect(Item(id: "note-1", kind: "note", text: escaped).damaged == ["maya.12"])
        #expect(EditPayload.scan(escaped).tokens == ["maya.12"])
        let bytes = Array(escaped.utf8)
        for length in 0..<bytes.count { #expect(EditPayload.scan(Array(bytes[..<length])).tokens.isEmpty) }
        for wrong in ["\\x", "\\u12", "\\ud83e\\n", "\\"] {
            let other = text.replacingOccurrences(of: "\n", with: wrong)
            #expect(
                EditPayload.scan(other) == EditPayload.scan(other.replacingOccurrences(of: "second", with: "secund")))
        }
    }

    @Test("Payload: broken ones without end cost no more than their bytes")
    func manyBroken() {
        let broken = String(repeating: "<#a.1 900000 0 x", count: 60_000)
        #expect(EditPayload.scan(broken).damaged == ["a.1"])
    }

    @Test("Payload: truncated anywhere is damaged or unseen, never whole")
    func truncated() {
        let bytes = Array(EditPayload.text(token: "leo.3", "some words of text").utf8)
        for length in 0..<bytes.count { #expect(EditPayload.scan(Array(bytes[..<length])).tokens.isEmpty) }
    }

    @Test("Payload: one changed byte is damaged or unseen, never whole")
    func changed() {
        let bytes = Array(EditPayload.text(token: "leo.3", "some words of text").utf8)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(EditPayload.scan(other).tokens != ["leo.3"])
        }
    }

    @Test("Payload: two that are mixed are both seen, the torn one as damaged")
    func mixed() {
        let a = EditPayload.text(token: "a.1", "aaaaaaaaaa")
        let b = EditPayload.text(token: "b.1", "bbbbbbbbbb")
        let found = EditPayload.scan(String(a.prefix(12)) + b)
        #expect(found.tokens == ["b.1"])
        #expect(found.damaged == ["a.1"])
    }

    @Test("Item: a payload that stands in it twice is named twice, and what stands around is still known")
    func twice() {
        let payload = EditPayload.text(token: "leo.3", "words")
        let item = Item(id: "note-1", kind: "note", text: "\(payload) and \(payload).")
        #expect(item.tokens == ["leo.3", "leo.3"])
        #expect(item.around == ["", " and ", "."])
        #expect(item.digest == Item.digest([payload, payload], around: ["", " and ", "."]))
        #expect(EditPayload.scan("\(payload) and \(payload).").tokens == ["leo.3"])
    }
}

@Suite("Span", .timeLimit(.minutes(20))) struct SpanTests {
    @Test(
        "Span: texts and back",
        arguments: [
            ("250ms", 250_000_000), ("1.5s", 1_500_000_000), ("20m", 1_200_000_000_000), ("6h30m", 23_400_000_000_000),
        ] as [(String, Int64)])
    func parsed(text: String, nanoseconds: Int64) { #expect(Span(parsing: text)?.nanoseconds == nanoseconds) }

    @Test("Span: what is no length of time", arguments: ["", "5", "m", "1 m", "-5s", "1e9s", "99999999999d", "5µs"])
    func refused(text: String) { #expect(Span(parsing: text) == nil) }
}
