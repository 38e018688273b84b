import FleetModel
import Testing

@testable import CloudCore

@Suite("Comparators", .timeLimit(.minutes(20)))
struct ComparatorTests {
    private func person() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        let rows: [(String, String, [Value], Double, Double)] = [
            ("a", "Crème brûlée, twice", ["red", "green"], 52.5200, 13.4050),
            ("b", "the cream", ["red", "blue"], 48.1374, 11.5755),
            ("c", "brulee or creme", [], 52.3906, 13.0645),
        ]
        for (name, text, list, latitude, longitude) in rows {
            maya.save(
                name,
                [
                    "text": ["value": .string(text)], "list": ["value": .array(list), "type": "STRING_LIST"],
                    "place": ["value": ["latitude": .double(latitude), "longitude": .double(longitude)]],
                    "numbers": ["value": [1, 2], "type": "INT64_LIST"],
                ])
        }
        return maya
    }

    // 8.9
    @Test(
        "Comparators: tokens and lists (S266)",
        arguments: [
            ("CONTAINS_ALL_TOKENS", "text", #""creme BRULEE""#, "ac"),
            ("CONTAINS_ANY_TOKENS", "text", #""cream twice""#, "ab"),
            ("CONTAINS_ALL_TOKENS", "text", #""crem""#, ""), ("CONTAINS_ALL_TOKENS", "*", #""Green creme""#, "a"),
            ("CONTAINS_ANY_TOKENS", "*", #""blue twice""#, "ab"),
            ("LIST_CONTAINS", "list", #""blue""#, "b"),
            ("NOT_LIST_CONTAINS", "list", #""blue""#, "ac"), ("LIST_CONTAINS_ALL", "list", #"["red","green"]"#, "a"),
            ("NOT_LIST_CONTAINS_ALL", "list", #"["red","green"]"#, "bc"),
            ("LIST_CONTAINS_ANY", "list", #"["green","blue"]"#, "ab"),
            ("NOT_LIST_CONTAINS_ANY", "list", #"["green","blue"]"#, "c"),
            ("LIST_MEMBER_BEGINS_WITH", "list", #""gr""#, "a"),
            ("NOT_LIST_MEMBER_BEGINS_WITH", "list", #""gr""#, "bc"), ("LIST_CONTAINS", "numbers", "2", "abc"),
            ("LIST_CONTAINS", "numbers", "3", ""), ("IN", "text", #"["the cream"]"#, "b"),
            ("NOT_IN", "text", #"["the cream"]"#, "ac"),
        ])
    func lists(_ comparator: String, _ field: String, _ json: String, _ expected: String) throws {
        var filter = Web.filter(comparator, field, try Value(json: json))
        // All tokens of the record.
        if field == "*" { (filter["fieldName"], filter["systemFieldName"]) = (nil, "allTokens") }
        #expect(try person().query([filter]) == expected)
    }

    // 8.9
    @Test("NEAR: within metres on the globe; sorted by distance, nearest and farthest first (S265)")
    func near() throws {
        let maya = try person()
        let berlin: Value = ["latitude": 52.52, "longitude": 13.405]
        #expect(maya.query([Web.filter("NEAR", "place", berlin, distance: 100)]) == "a")
        #expect(maya.query([Web.filter("NEAR", "place", berlin, distance: 27_000)]) == "a")
        #expect(maya.query([Web.filter("NEAR", "place", berlin, distance: 28_000)]) == "ac")
        #expect(maya.query([Web.filter("NEAR", "place", berlin, distance: 505_000)]) == "abc")
        #expect(maya.query([Web.filter("NEAR", "place", berlin)]) == "BAD_REQUEST")
        #expect(maya.query(sort: [["fieldName": "place", "relativeLocation": berlin]]) == "acb")
        #expect(maya.query(sort: [["fieldName": "place", "relativeLocation": berlin, "ascending": false]]) == "bca")
        #expect(maya.query(sort: [["fieldName": "place", "relativeLocation": 1]]) == "BAD_REQUEST")
    }

    @Test("Distances: known ones, across the date line, to the other side of the globe")
    func distances() throws {
        func metres(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
            Geo.distance(
                ["latitude": .double(a), "longitude": .double(b)], ["latitude": .double(c), "longitude": .double(d)])
                ?? -1
        }
        #expect(abs(metres(52.52, 13.405, 48.1374, 11.5755) - 504_400) < 1000)
        #expect(abs(metres(0, 179.5, 0, -179.5) - 111_195) < 10)
        #expect(abs(metres(0, 0, 0, 180) - 20_015_114) < 10)
        #expect(abs(metres(90, 0, -90, 0) - 20_015_114) < 10)
        #expect(metres(10, 10, 10, 10) == 0)
    }

    // 8.9
    @Test("Types: a comparator refuses fields and values that it cannot look at (S266)")
    func types() throws {
        let maya = try person()
        for filter in [
            Web.filter("LIST_CONTAINS", "text", "x"), Web.filter("BEGINS_WITH", "numbers", "x"),
            Web.filter("NEAR", "text", ["latitude": 1, "longitude": 1], distance: 1),
            Web.filter("LESS_THAN", "list", "x"),
            Web.filter("EQUALS", "text", "x", distance: 1), Web.filter("CONTAINS_ALL_TOKENS", "text", 1),
            Web.filter("LIST_CONTAINS_ANY", "list", "red"),
        ] { #expect(maya.query([filter]) == "BAD_REQUEST") }
    }

    @Test("Words: without case and marks, split at what is no letter or digit")
    func words() {
        #expect(TokenisedText.words("Ça, l’été à Zürich-2") == ["ca", "l", "ete", "a", "zurich", "2"])
        #expect(TokenisedText.words("") == [])
    }
}
