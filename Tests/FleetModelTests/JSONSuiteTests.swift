import FleetModel
import Testing

/// The cases of the JSON parsing test suite (https://github.com/nst/JSONTestSuite), under its names: `y_` must be read, `n_` must be
/// refused, `i_` is the reader's choice.
@Suite("JSON: the cases of JSONTestSuite", .timeLimit(.minutes(20))) struct JSONSuiteTests {
    private func reads(_ text: String) -> Bool { (try? Value(json: text)) != nil }

    @Test("y_: is read", arguments: JSONCases.read)
    func read(_ text: String) { #expect(reads(text)) }

    @Test("n_: is refused", arguments: JSONCases.refused)
    func refused(_ text: String) { #expect(!reads(text)) }

    @Test("n_: bytes that are no UTF-8 are refused", arguments: JSONCases.noTexts)
    func bytes(_ bytes: [UInt8]) { #expect(throws: DecodingFailure.self) { try Value(json: bytes) } }

    // RFC 8259 4: what a reader makes of them is unpredictable; RFC 7493 2.3 forbids them.
    @Test("y_object_duplicated_key: refused all the same, and the key is named")
    func duplicate() {
        for text in [#"{"a":"b","a":"c"}"#, #"{"a":"b","a":"b"}"#] {
            let failure = #expect(throws: DecodingFailure.self) { try Value(json: text) }
            #expect(failure.map { "\($0)".contains("'a' occurs twice") } == true)
        }
    }

    @Test("i_: numbers beyond a double and half surrogates are refused, others become the nearest double")
    func choice() throws {
        for text in ["[1.5e+9999]", "[-1e+9999]", "[0.4e00669999999999999999999999999999999999999999999999999999]"] {
            #expect(!reads(text), "\(text)")
        }
        #expect(try Value(json: "[123.456e-789]") == [.double(0)])
        #expect(try Value(json: "[100000000000000000000]") == [.double(1e20)])
        #expect(
            try Value(json: "[-237462374673276894279832749832423479823246327846]") == [.double(-2.3746237467327690e47)])
        for text in [#"["\uD800"]"#, #"["\uD800\uD800\n"]"#, #"["\uDFAA"]"#, #"["\ud800abc"]"#, #"["\uD888\u1234"]"#] {
            let failure = #expect(throws: DecodingFailure.self) { try Value(json: text) }
            #expect(failure.map { "\($0)".contains("surrogate") } == true, "\(text): \(String(describing: failure))")
        }
    }
}

@Suite("JSON: what is written comes back", .timeLimit(.minutes(20))) struct JSONRoundTripTests {
    @Test("A dictionary whose only key looks like that of bytes comes back as a dictionary")
    func escaped() throws {
        for key in ["$data", "$$data", "$$$data"] {
            for inner: Value in ["AA==", "", "no base64!", 5, ["$data": "AA=="], .data([1, 2])] {
                let value = Value.object(Value.Object([(key, inner)]))
                #expect(try Value(json: value.jsonBytes) == value, "\(value.json)")
                #expect(try Value(json: (["a": [value]] as Value).jsonBytes) == ["a": [value]])
            }
        }
    }

    private static let keys = [
        "$data", "$$data", "$$$data", "$", "$$", "data", "$dat", "$data ", "$date", "a", "", "\"é",
    ]
    private static func leaf(_ draw: inout Draw) -> Value {
        let leaves: [Value] = [
            .null, true, 0, .int(Int64.min), -0.5, 1e300, "AA==", "", "$data", .data([]), .data([0, 255]), [], .empty,
        ]
        return leaves[draw.below(leaves.count)]
    }
    /// A value within so many containers, each with members beside it or alone, under keys that could be mistaken.
    private static func value(within containers: Int, _ draw: inout Draw) -> Value {
        var value = leaf(&draw)
        for _ in 0..<containers {
            var others = (0..<draw.below(3)).map { _ in leaf(&draw) }
            if draw.chance(0.3) {
                others.insert(value, at: draw.below(others.count + 1))
                value = .array(others)
            } else {
                var object = Value.Object(others.map { (keys[draw.below(keys.count)], $0) })
                object[keys[draw.below(keys.count)]] = value
                value = .object(object)
            }
        }
        return value
    }

    @Test(
        "Any value comes back, at every depth that is allowed; one level more is refused (64 depths, 200 values each)")
    func anyValue() throws {
        var draw = Draw(seed: 6, name: "json round trip")
        for containers in 0..<Value.depthMax {
            for _ in 0..<200 {
                let value = Self.value(within: containers, &draw)
                let (json, binary) = (value.jsonBytes, value.encoded)
                #expect(try Value(json: json) == value, "\(value.json)")
                #expect(try Value(json: json).jsonBytes == json && Value(decoding: binary) == value)
            }
        }
        let deepest = { (leaf: Value, depth: Int) in (0..<depth).reduce(leaf) { value, _ in [value] } }
        for leaf: Value in [.data([1]), "x", .empty, []] {
            let value = deepest(leaf, Value.depthMax - 1)
            #expect(try Value(json: value.jsonBytes) == value && Value(decoding: value.encoded) == value)
            #expect(throws: DecodingFailure.self) { try Value(json: deepest(leaf, Value.depthMax).jsonBytes) }
        }
        for text in [#"{"$data":"no base64"}"#, #"{"$data":"AA==","x":1}"#, #"{"$$data":"AA=="}"#, #"{"x":1}"#] {
            let deep =
                String(repeating: "[", count: Value.depthMax - 1) + text
                + String(repeating: "]", count: Value.depthMax - 1)
            #expect(throws: DecodingFailure.self, "\(text)") { try Value(json: deep) }
        }
    }

    // Digests of runs are made from these bytes.
    @Test("Other values keep their bytes")
    func unchanged() {
        #expect(Value.data([0]).json == #"{"$data":"AA=="}"#)
        #expect((["$data": "AA==", "x": 1] as Value).json == #"{"$data":"AA==","x":1}"#)
        #expect((["$json": ["a": 1]] as Value).json == #"{"$json":{"a":1}}"#)
        #expect((["data": "AA=="] as Value).json == #"{"data":"AA=="}"#)
    }

    @Test("Integers: what a double has rounded is none")
    func integers() throws {
        #expect(try Value(json: "9223372036854775807").int == .max)
        #expect(try Value(json: "-9223372036854775808").int == .min)
        #expect(try Value(json: "5.0").int == 5)
        #expect(try Value(json: "1e3").int == 1000)
        for text in ["9007199254740993.0", "9223372036854775808", "-9223372036854775809", "1e18"] {
            #expect(try Value(json: text).int == nil, "\(text)")
        }
    }
}
