import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Query", .timeLimit(.minutes(20)))
struct QueryTests {
    private func device() throws -> Device {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        for (name, text, number) in [("a", "Red", 3), ("b", "blue", 1), ("c", "red", 2), ("d", "green", 3)] {
            let fields: Value = ["text": ["value": .string(text)], "rank": ["value": .int(number)]]
            let record: Value = ["recordName": .string(name), "recordType": "Note", "fields": fields]
            maya.modify([["operationType": "create", "record": record]])
        }
        maya.modify([Device.operation("create", "e", text: "red", type: "Other")])
        return maya
    }
    private func query(
        _ maya: Device, _ filters: [Value] = [], sort: [Value] = [], limit: Int? = nil, marker: String? = nil,
        type: String = "Note"
    ) -> Value {
        var body: Value = [
            "zoneID": Device.zoneID("Notes"),
            "query": ["recordType": .string(type), "filterBy": .array(filters), "sortBy": .array(sort)],
        ]
        body["resultsLimit"] = limit.map { .int($0) }
        body["continuationMarker"] = marker.map(Value.string)
        return maya.ck("records/query", body).json ?? .null
    }
    private static func filter(_ comparator: String, _ field: String, _ value: Value) -> Value {
        ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value]]
    }

    @Test(
        "Comparators: what each accepts (S261, S262)",
        arguments: [
            ("EQUALS", "text", #""red""#, "ac"), ("NOT_EQUALS", "text", #""red""#, "bd"),
            ("LESS_THAN", "rank", "2", "b"),
            ("LESS_THAN_OR_EQUALS", "rank", "2", "bc"), ("GREATER_THAN", "rank", "2", "ad"),
            ("GREATER_THAN_OR_EQUALS", "rank", "2", "acd"), ("IN", "rank", "[1,2]", "bc"),
            ("NOT_IN", "rank", "[1,2]", "ad"),
            ("BEGINS_WITH", "text", #""re""#, "c"), ("NOT_BEGINS_WITH", "text", #""re""#, "abd"),
            ("EQUALS", "absent", "1", ""),
            ("NOT_EQUALS", "absent", "1", "abcd"),
        ])
    func comparators(_ comparator: String, _ field: String, _ json: String, _ expected: String) throws {
        let answer = query(try device(), [Self.filter(comparator, field, try Value(json: json))])
        #expect(answer.names.joined() == expected)
    }

    @Test("Key chosen at run time: one comparison over each field in turn gives what the records say (S263)")
    func keys() throws {
        let maya = try device()
        let rows: [[String: Int]] = [["rank": 3, "page": 1], ["rank": 1, "page": 3], ["page": 2], ["rank": 2]]
        for (number, row) in rows.enumerated() {
            let fields = Value.object(Value.Object(row.keys.sorted().map { ($0, ["value": .int(row[$0] ?? 0)]) }))
            let record: Value = ["recordName": .string("r\(number)"), "recordType": "Row", "fields": fields]
            maya.modify([["operationType": "create", "record": record]])
        }
        for key in ["rank", "page", "none"] {
            for limit in 0...3 {
                let expected = rows.indices.filter { rows[$0][key].map { $0 > limit } ?? false }.map { "r\($0)" }
                let found = query(maya, [Self.filter("GREATER_THAN", key, .int(limit))], type: "Row")
                #expect(found.names.sorted() == expected, "\(key) > \(limit)")
            }
        }
    }

    @Test("Dates: later than (S264)")
    func dates() throws {
        let maya = try device()
        for (name, day) in [("x", 1_000), ("y", 2_000), ("z", 3_000)] {
            let fields: Value = ["day": ["value": .int(day), "type": "TIMESTAMP"]]
            let record: Value = ["recordName": .string(name), "recordType": "Entry", "fields": fields]
            maya.modify([["operationType": "create", "record": record]])
        }
        func later(than day: Int) -> String {
            let filter: Value = [
                "comparator": "GREATER_THAN", "fieldName": "day",
                "fieldValue": ["value": .int(day), "type": "TIMESTAMP"],
            ]
            return query(maya, [filter], type: "Entry").names.joined()
        }
        #expect(later(than: 999) == "xyz")
        #expect(later(than: 2_000) == "z")
        #expect(later(than: 3_000) == "")
    }

    @Test("Several filters: all of them hold; there is no OR (S267)")
    func several() throws {
        let maya = try device()
        let (red, high) = (Self.filter("EQUALS", "text", "red"), Self.filter("GREATER_THAN", "rank", 2))
        #expect(query(maya, [red]).names.joined() == "ac")
        #expect(query(maya, [high]).names.joined() == "ad")
        #expect(query(maya, [red, high]).names.joined() == "a")
        #expect(query(maya, [red, Self.filter("OR", "rank", 1)]).code == "BAD_REQUEST")
        #expect(query(maya, [["comparator": "OR", "filters": [red, high]]]).code == "BAD_REQUEST")
    }

    @Test("Sort: by several keys, descending, records without the key first (S261)")
    func sort() throws {
        let maya = try device()
        maya.modify([
            ["operationType": "create", "record": ["recordName": "z", "recordType": "Note", "fields": .empty]]
        ])
        let byRank: Value = ["fieldName": "rank"]
        let byName: Value = ["systemFieldName": "recordName", "ascending": false]
        #expect(query(maya, sort: [byRank, byName]).names.joined() == "zbcda")
        #expect(query(maya, sort: [["fieldName": "rank", "ascending": false]]).names.joined() == "adcbz")
    }

    @Test("Paging: every record once though records come and go; the marker binds to its query")
    func paging() throws {
        let maya = try device()
        let sort: [Value] = [["fieldName": "rank"]]
        var page = query(maya, sort: sort, limit: 2)
        #expect(page.names.joined() == "bc")
        maya.modify([Device.operation("forceDelete", "b")])
        let marker = try #require(page["continuationMarker"]?.string)
        page = query(maya, sort: sort, limit: 2, marker: marker)
        #expect(page.names.joined() == "ad")
        #expect(page["continuationMarker"] == nil)
        #expect(query(maya, limit: 2, marker: marker).code == "BAD_REQUEST")
        #expect(query(maya, sort: sort, marker: "x").code == "BAD_REQUEST")
    }

    @Test("A slice: only what is asked for travels, another slice by another query (S260)")
    func slice() throws {
        let maya = try device()
        let long = String(repeating: "x", count: 5_000)
        for name in ["big-1", "big-2"] { maya.save("forceUpdate", name, long) }
        func bytes(_ members: Value, _ filters: [Value] = []) -> (names: [String], count: Int) {
            var body: Value = [
                "zoneID": Device.zoneID("Notes"), "query": ["recordType": "Note", "filterBy": .array(filters)],
            ]
            for pair in members.object?.pairs ?? [] { body[pair.key] = pair.value }
            let answer = maya.ck("records/query", body)
            return (answer.json?.names ?? [], answer.body.count)
        }
        let whole = bytes(.empty)
        #expect(whole.names.count == 6 && whole.count > 10_000)
        let green = bytes(.empty, [Self.filter("EQUALS", "text", "green")])
        #expect(green.names == ["d"] && green.count < 1_000)
        let keys = bytes(["desiredKeys": ["rank"]])
        #expect(keys.names == whole.names && keys.count < 5_000)
        #expect(bytes(["resultsLimit": 1]).names.count == 1)
    }

    @Test("All zones: results name their zone (S268)")
    func zoneWide() throws {
        let maya = try device()
        maya.makeZone("Second")
        maya.save("create", "s", "x", zone: "Second")
        let answer = maya.ck("records/query", ["query": ["recordType": "Note"], "zoneWide": true])
        #expect(
            answer.records.compactMap { $0["zoneID"]?["zoneName"]?.string } == [
                "Notes", "Notes", "Notes", "Notes", "Second",
            ])
        #expect(maya.ck("records/query", ["query": ["recordType": "Note"]]).records == [])
    }

    @Test("Refusals: what is not understood is named, never ignored")
    func refusals() throws {
        let maya = try device()
        for comparator in ["NEAR", "LIST_NOT_CONTAINS", "LIST_CONTAINS_ALL", "", "equals"] {
            #expect(query(maya, [Self.filter(comparator, "text", "x")]).code == "BAD_REQUEST")
        }
        #expect(query(maya, [Self.filter("IN", "text", "x")]).code == "BAD_REQUEST")
        #expect(query(maya, [["comparator": "EQUALS", "fieldValue": ["value": 1]]]).code == "BAD_REQUEST")
        #expect(query(maya, type: "").code == "BAD_REQUEST")
        #expect(query(maya, type: "Users").code == "BAD_REQUEST")
        #expect(maya.ck("records/query", .empty).code == "BAD_REQUEST")
    }
}
