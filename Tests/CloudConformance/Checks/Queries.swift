import FleetModel

extension Check {
    /// records/query: zones, paging, order.
    static let queries: [Check] = [
        Check("8.9", "system fields: names as text and as reference; of another type BAD_REQUEST and no empty page") {
            talk in
            talk.maya.makeZone()
            for name in ["a", "b"] { talk.maya.save(name) }
            func ask(_ field: String, _ value: Value, key: String = "systemFieldName") -> Answer {
                talk.maya.query([
                    ["comparator": "EQUALS", key: .string(field), "fieldValue": ["value": value]]
                ])
            }
            talk.expect(ask("recordName", "b").names, "b", "as text")
            talk.expect(ask("recordName", ["recordName": "b"]).names, "b", "as reference")
            talk.expect(ask("___recordID", ["recordName": "b"], key: "fieldName").names, "b", "in the schema's words")
            talk.expect(ask("recordName", 5).code, "BAD_REQUEST", "a number")
            talk.expect(ask("createdTimestamp", "x").code, "BAD_REQUEST", "no moment")
        },
        Check("5.1", "query: records of one type, in the default zone unless a zone is named, or in all") { talk in
            talk.maya.makeZone()
            talk.maya.save("a")
            talk.maya.save("b", zone: nil)
            talk.maya.save("c", type: "Other")
            talk.expect(talk.maya.query().names, "a", "zone Z")
            talk.expect(talk.maya.query(zone: nil).names, "b", "default zone")
            let wide = talk.maya.query(zone: nil, more: ["zoneWide": true])
            talk.expect(wide.names, "ab", "all zones")
            talk.expect(wide.records.first?["zoneID"]?["zoneName"]?.string, "Z", "zone of a result")
            talk.expect(talk.maya.query(more: ["zoneWide": true]).names, "a", "zoneWide beside a zoneID")
        },
        Check("5.1", "paging: resultsLimit and continuationMarker give each record once; the marker binds to its query")
        { talk in
            talk.maya.makeZone()
            talk.maya.modify((0..<5).map { Visitor.operation("create", "r\($0)", ["n": ["value": .int(5 - $0)]]) })
            let sort: [Value] = [["fieldName": "n"]]
            let first = talk.maya.query(sort: sort, more: ["resultsLimit": 2])
            talk.expect(first.names, "r4r3", "page")
            let marker = first.body["continuationMarker"] ?? .null
            let second = talk.maya.query(sort: sort, more: ["resultsLimit": 2, "continuationMarker": marker])
            talk.expect(second.names, "r2r1", "page")
            let last = talk.maya.query(
                sort: sort, more: ["continuationMarker": second.body["continuationMarker"] ?? .null])
            talk.expect(last.names, "r0", "page")
            talk.expect(last.body["continuationMarker"], nil, "marker after the last")
            talk.expect(talk.maya.query(more: ["continuationMarker": marker]).code, "BAD_REQUEST")
            talk.expect(talk.maya.query(more: ["continuationMarker": "guess"]).code, "BAD_REQUEST")
        },
        Check("8.9", "fieldValue: integers beyond 2^53 are told apart; of another type than the field is BAD_REQUEST") {
            talk in
            talk.maya.makeZone()
            let odd: Int64 = 9_007_199_254_740_993
            talk.maya.save("a", ["n": ["value": .int(odd - 1)]])
            talk.maya.save("b", ["n": ["value": .int(odd)], "s": ["value": "x"]])
            talk.expect(talk.maya.query([Visitor.filter("EQUALS", "n", .int(odd))]).names, "b", "EQUALS")
            talk.expect(talk.maya.query([Visitor.filter("EQUALS", "n", .string("\(odd)"))]).names, "b", "as a text")
            talk.expect(talk.maya.query(sort: [["fieldName": "n", "ascending": false]]).names, "ba", "sorted")
            for filter in [Visitor.filter("EQUALS", "s", 1), Visitor.filter("IN", "s", [1])] {
                talk.expect(talk.maya.query([filter]).code, "BAD_REQUEST", filter.json)
            }
        },
        Check("10", "paging: 200 records a response at most, also without a sort") { talk in
            talk.maya.makeZone()
            for batch in 0..<2 {
                talk.maya.modify((0..<120).map { Visitor.operation("create", "r\(batch)-\(100 + $0)") })
            }
            let first = talk.maya.query(more: ["resultsLimit": 500])
            talk.expect(first.records.count, 200, "records")
            let rest = talk.maya.query(more: ["continuationMarker": first.body["continuationMarker"] ?? .null])
            talk.expect(rest.records.count, 40, "records")
            talk.expect(Set((first.records + rest.records).compactMap { $0["recordName"]?.string }).count, 240, "names")
        },
        Check("8.9", "sort: several keys, descending, system fields, missing values first") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 2]])
            talk.maya.save("b", ["n": ["value": 1]])
            talk.maya.save("c", ["n": ["value": 2]])
            talk.maya.save("d")
            let byNumber: Value = ["fieldName": "n"]
            talk.expect(talk.maya.query(sort: [byNumber]).names, "dbac", "ascending")
            talk.expect(talk.maya.query(sort: [["fieldName": "n", "ascending": false]]).names, "acbd", "descending")
            let byName: Value = ["systemFieldName": "recordName", "ascending": false]
            talk.expect(talk.maya.query(sort: [byNumber, byName]).names, "dbca", "two keys")
            talk.expect(
                talk.maya.query(sort: [["fieldName": "n", "systemFieldName": "recordName"]]).code, "BAD_REQUEST")
            talk.expect(talk.maya.query(sort: [["systemFieldName": "secret"]]).code, "BAD_REQUEST")
        },
        Check("8.9", "sort: by the distance from a place") { talk in
            talk.maya.makeZone()
            for (name, latitude) in [("a", 3.5), ("b", 1.5), ("c", 2.5)] {
                talk.maya.save(name, ["p": ["value": ["latitude": .double(latitude), "longitude": 0.5]]])
            }
            let sort: Value = ["fieldName": "p", "relativeLocation": ["latitude": 1.0, "longitude": 0.5]]
            talk.expect(talk.maya.query(sort: [sort]).names, "bca", "order")
        },
        Check("5.1", "desiredKeys: projection of results") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 2], "t": ["value": "x"]])
            let answer = talk.maya.query(more: ["desiredKeys": ["t"]])
            talk.expect(answer.records.first?["fields"]?.object?.keys, ["t"], "fields")
        },
        Check("5.1", "Users: cannot be queried") { talk in
            talk.expect(talk.maya.query(type: "Users", zone: nil, scope: "public").code, "BAD_REQUEST")
        },
        Check("5.1", "query: what is not understood is BAD_REQUEST") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["t": ["value": "x"], "n": ["value": 1]])
            talk.expect(talk.maya.call("private/records/query").code, "BAD_REQUEST", "no query")
            talk.expect(talk.maya.query(type: "").code, "BAD_REQUEST", "empty type")
            for comparator in ["LIKE", "equals", "", "LIST_NOT_CONTAINS"] {
                talk.expect(talk.maya.query([Visitor.filter(comparator, "t", "x")]).code, "BAD_REQUEST", comparator)
            }
            talk.expect(talk.maya.query([Visitor.filter("IN", "t", "x")]).code, "BAD_REQUEST", "IN without a list")
            talk.expect(talk.maya.query([Visitor.filter("BEGINS_WITH", "n", "1")]).code, "BAD_REQUEST", "no text field")
            talk.expect(talk.maya.query(more: ["resultsLimit": 0]).code, "BAD_REQUEST", "limit")
        },
        Check("8.9", "filters: all must hold; system fields too") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 1], "t": ["value": "x"]])
            talk.maya.save("b", ["n": ["value": 2], "t": ["value": "x"]])
            let both = [Visitor.filter("EQUALS", "t", "x"), Visitor.filter("GREATER_THAN", "n", 1)]
            talk.expect(talk.maya.query(both).names, "b", "both")
            let byName: Value = [
                "comparator": "EQUALS", "systemFieldName": "recordName", "fieldValue": ["value": "a"],
            ]
            talk.expect(talk.maya.query([byName]).names, "a", "by name")
            let maker: Value = [
                "comparator": "EQUALS", "systemFieldName": "createdUserRecordName",
                "fieldValue": ["value": .string(talk.maya.userRecordName)],
            ]
            talk.expect(talk.maya.query([maker]).names, "ab", "by maker")
        },
    ]

    /// Each comparator over the same records.
    static let comparators: [Check] =
        [
            ("EQUALS", "t", "red", "ac"), ("EQUALS", "n", 3, "ad"), ("EQUALS", "n", 2.5, ""),
            ("NOT_EQUALS", "t", "red", "bde"),
            ("LESS_THAN", "n", 2, "b"), ("LESS_THAN_OR_EQUALS", "n", 2, "bc"), ("GREATER_THAN", "n", 2, "ad"),
            ("GREATER_THAN_OR_EQUALS", "n", 2, "acd"), ("LESS_THAN", "t", "c", "ab"), ("GREATER_THAN", "d", 1.5, "b"),
            ("GREATER_THAN_OR_EQUALS", "t", "green", "cd"), ("IN", "n", [1, 2], "bc"),
            ("IN", "t", ["red", "blue"], "abc"),
            ("NOT_IN", "n", [1, 2], "ade"), ("BEGINS_WITH", "t", "re", "c"), ("BEGINS_WITH", "t", "", "abcd"),
            ("NOT_BEGINS_WITH", "t", "re", "abde"), ("LIST_CONTAINS", "l", "x", "ab"),
            ("NOT_LIST_CONTAINS", "l", "x", "cde"),
            ("LIST_CONTAINS_ALL", "l", ["x", "y"], "a"), ("NOT_LIST_CONTAINS_ALL", "l", ["x", "y"], "bcde"),
            ("LIST_CONTAINS_ANY", "l", ["y", "z"], "abc"), ("NOT_LIST_CONTAINS_ANY", "l", ["y", "z"], "de"),
            ("LIST_MEMBER_BEGINS_WITH", "l", "y", "ac"), ("NOT_LIST_MEMBER_BEGINS_WITH", "l", "y", "bde"),
            ("CONTAINS_ALL_TOKENS", "w", "the FOX", "a"), ("CONTAINS_ANY_TOKENS", "w", "fox cafe", "ab"),
            ("EQUALS", "r", ["recordName": "t"], "a"), ("EQUALS", "i", 9_007_199_254_740_993, "a"),
        ].map { (comparator: String, field: String, value: Value, wanted: String) in
            Check("8.9", "\(comparator) \(value.json) on \(field)") { talk in
                talk.maya.makeZone()
                talk.maya.modify(
                    [
                        Visitor.operation(
                            "create", "a",
                            [
                                "t": ["value": "Red"], "n": ["value": 3], "d": ["value": 1.5],
                                "l": ["value": ["x", "y"]],
                                "w": ["value": "The quick fox."], "r": Visitor.reference("t"),
                                "i": ["value": 9_007_199_254_740_993],
                            ]),
                        Visitor.operation(
                            "create", "b",
                            [
                                "t": ["value": "blue"], "n": ["value": 1], "d": ["value": 2.5],
                                "l": ["value": ["x", "z"]],
                                "w": ["value": "Un café noir"],
                            ]),
                        Visitor.operation(
                            "create", "c", ["t": ["value": "red"], "n": ["value": 2], "l": ["value": ["yes", "z"]]]),
                        Visitor.operation("create", "d", ["t": ["value": "green"], "n": ["value": 3]]),
                        Visitor.operation("create", "e"),
                    ])
                let answer = talk.maya.query([Visitor.filter(comparator, field, value)])
                talk.expect(answer.names, wanted, "found")
                talk.expect(answer.code, nil, "code")
            }
        } + [
            Check("8.9", "NEAR: within so many metres; needs a location and a distance") { talk in
                talk.maya.makeZone()
                for (name, latitude) in [("a", 52.5), ("b", 52.6), ("c", 48.5)] {
                    talk.maya.save(name, ["p": ["value": ["latitude": .double(latitude), "longitude": 13.4]]])
                }
                var filter = Visitor.filter("NEAR", "p", ["latitude": 52.5, "longitude": 13.4])
                talk.expect(talk.maya.query([filter]).code, "BAD_REQUEST", "without a distance")
                filter["distance"] = 20_000.0
                talk.expect(talk.maya.query([filter]).names, "ab", "within 20 km")
            }
        ]
}
