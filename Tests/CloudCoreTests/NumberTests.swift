import FleetModel
import Testing

@testable import CloudCore

/// Numbers are stored as they were sent or not at all (8.6).
@Suite("Numbers", .timeLimit(.minutes(20))) struct NumberTests {
    private func maya() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        return maya
    }
    /// Saves a field whose value is written as `literal`.
    private func save(_ maya: Web, _ literal: String, type: String? = nil, field: String = "n") -> Value {
        let kind = type.map { #","type":"\#($0)""# } ?? ""
        let body =
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"a","#
            + #""recordType":"Note","fields":{"\#(field)":{"value":\#(literal)\#(kind)}}}}]}"#
        let answer = maya.fleet.send(maya.http("POST", "private/records/modify", Array(body.utf8)), from: 9)
        return answer.records.first ?? answer.json ?? .null
    }

    @Test(
        "INT64: what it cannot hold is refused and not rounded (parameter: as it was sent)",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "1e19", "9007199254740993.0", "1e18", "1.5",
            "\"9223372036854775808\"",
            "\"+5\"", "\"007\"", "\"1.0\"", "\" 1\"", "\"\"", "\"-0\"",
        ])
    func refused(_ literal: String) throws {
        let maya = try maya()
        for type in ["INT64", "TIMESTAMP"] {
            let saved = save(maya, literal, type: type)
            #expect(saved.code == "BAD_REQUEST", "\(type) \(saved.json)")
        }
        #expect(!maya.has("a"))
    }

    @Test("INT64: its ends, texts and whole doubles")
    func taken() throws {
        let maya = try maya()
        for (literal, value) in [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("5.0", 5), ("1e3", 1000),
            ("\"-7\"", -7), ("\"0\"", 0),
            ("9007199254740991.0", 9_007_199_254_740_991),
        ] {
            #expect(save(maya, literal, type: "INT64").value("n")?.int == value, "\(literal)")
        }
    }

    @Test("A number without a type that no INT64 holds: makes no field, and goes into one that is a DOUBLE")
    func untyped() throws {
        let maya = try maya()
        for literal in ["9223372036854775808", "-9223372036854775809", "1e300"] {
            let saved = save(maya, literal)
            #expect(saved.code == "BAD_REQUEST" && saved["reason"]?.string?.contains("'type'") == true, "\(saved.json)")
        }
        #expect(save(maya, "7").value("n") == 7)
        #expect(save(maya, "9223372036854775808").code == "BAD_REQUEST")
        #expect(save(maya, "9223372036854775808", type: "DOUBLE", field: "d").code == nil)
        #expect(save(maya, "1e300", field: "d").code == nil)
    }
}
