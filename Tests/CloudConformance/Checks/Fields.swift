import FleetModel

extension Check {
    /// Types of fields, the schema of the two environments.
    static let fields: [Check] = types + schema

    /// Tag, a value of the type, one that is none, and what a lookup shows.
    private static let table: [(type: String, good: Value, bad: Value)] = [
        ("STRING", "é😀", 1), ("INT64", 9_007_199_254_740_993, "x"), ("DOUBLE", 1.5, "x"), ("BYTES", "AAEC", "!"),
        ("TIMESTAMP", 1_700_000_000_000, "today"),
        ("LOCATION", ["latitude": 1.5, "longitude": -2.5], ["latitude": 99.5, "longitude": 0.5]),
        ("REFERENCE", ["recordName": "t", "action": "NONE"], "t"), ("STRING_LIST", ["a", "b"], [1]),
        ("INT64_LIST", [1, 2], ["x"]), ("DOUBLE_LIST", [1.5], ["x"]), ("BYTES_LIST", ["AA=="], ["!"]),
        ("TIMESTAMP_LIST", [1], ["x"]), ("LOCATION_LIST", [["latitude": 1.5, "longitude": 2.5]], [1]),
        ("REFERENCE_LIST", [["recordName": "t", "action": "NONE"]], ["t"]),
    ]
    private static let types: [Check] =
        table.map { entry in
            Check("8.6", "\(entry.type): kept as it was sent; a value that is none is BAD_REQUEST") { talk in
                talk.maya.makeZone()
                let type = Value.string(entry.type)
                talk.expect(talk.maya.save("a", ["f": ["value": entry.good, "type": type]]).code, nil)
                let read = talk.maya.lookup("a")
                talk.expect(read.value("f"), entry.good, "value")
                talk.expect(read.type("f"), entry.type, "type")
                talk.expect(talk.maya.save("b", ["g": ["value": entry.bad, "type": type]]).code, "BAD_REQUEST")
            }
        } + [
            Check("8.6", "types: inferred when they are not sent; booleans are 0 and 1") { talk in
                talk.maya.makeZone()
                let saved = talk.maya.save(
                    "a",
                    [
                        "s": ["value": "x"], "i": ["value": 1], "d": ["value": 1.5], "b": ["value": true],
                        "l": ["value": ["x"]], "r": ["value": ["recordName": "t"]],
                        "p": ["value": ["latitude": 1, "longitude": 2]],
                    ])
                let types = ["s", "i", "d", "b", "l", "r", "p"].map { saved.type($0) ?? "" }
                talk.expect(
                    types, ["STRING", "INT64", "DOUBLE", "INT64", "STRING_LIST", "REFERENCE", "LOCATION"], "types")
                talk.expect(saved.value("b"), 1, "boolean")
            },
            Check("8.6", "names and types of fields: what is none is BAD_REQUEST") { talk in
                talk.maya.makeZone()
                for fields: Value in [
                    ["1a": ["value": 1]], ["_a": ["value": 1]], ["": ["value": 1]], ["a-b": ["value": 1]], ["a": 1],
                    ["a": ["value": 1, "type": "NUMBER"]], ["a": ["value": .empty]],
                ] { talk.expect(talk.maya.save("a", fields).code, "BAD_REQUEST", fields.json) }
            },
            Check("8.6", "isEncrypted: kept beside the value") { talk in
                talk.maya.makeZone()
                talk.maya.save("a", ["s": ["value": "AAEC", "type": "BYTES", "isEncrypted": true]])
                talk.expect(talk.maya.lookup("a")["fields"]?["s"]?["isEncrypted"]?.bool, true, "isEncrypted")
            },
            Check("8.6", "isEncrypted: ciphertext stands for any type but references and assets; no query, no sort") {
                talk in
                talk.maya.makeZone()
                func secret(_ type: String) -> Value { ["value": "AAEC", "type": .string(type), "isEncrypted": true] }
                talk.expect(talk.maya.save("a", ["n": secret("INT64"), "d": secret("DOUBLE_LIST")]).code, nil)
                talk.expect(talk.maya.lookup("a").value("n"), "AAEC", "ciphertext")
                for type in ["REFERENCE", "ASSETID"] {
                    talk.expect(talk.maya.save("b", ["x": secret(type)]).code, "BAD_REQUEST", type)
                }
                talk.expect(talk.maya.query([Visitor.filter("EQUALS", "n", 1)]).code, "BAD_REQUEST", "query")
                talk.expect(talk.maya.query(sort: [["fieldName": "n"]]).code, "BAD_REQUEST", "sort")
            },
            Check("5.1", "numbersAsStrings: INT64 and its lists are texts, and may be sent back so") { talk in
                talk.maya.makeZone()
                talk.maya.save("a", ["n": ["value": 9_007_199_254_740_993], "l": ["value": [1, 2]]])
                let read = talk.maya.lookup("a", more: ["numbersAsStrings": true])
                talk.expect(read.value("n"), "9007199254740993", "number")
                talk.expect(read.value("l"), ["1", "2"], "list")
                let back = talk.maya.save("a", ["n": ["value": "5", "type": "INT64"]])
                talk.expect(back.value("n"), 5, "number")
            },
        ]

    private static let schema: [Check] = [
        Check("framework 15", "development: types and fields come with the first save; a field's type never changes") {
            talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 1]])
            talk.expect(talk.maya.save("b", ["n": ["value": "x"]]).code, "BAD_REQUEST")
            talk.expect(talk.maya.save("b", ["m": ["value": "x"]]).code, nil)
            talk.expect(talk.maya.save("b", ["e": ["value": []]]).code, "BAD_REQUEST", "a new field as empty list")
            talk.maya.save("b", ["l": ["value": ["x"]]])
            talk.expect(talk.maya.save("b", ["l": ["value": []]]).value("l"), [], "an empty list of a known field")
        },
        Check("framework 15", "production: closed until the schema is deployed, and apart from development") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 1]])
            talk.environment = "production"
            talk.maya.makeZone()
            talk.expect(talk.maya.save("a", ["n": ["value": 1]]).code, "BAD_REQUEST")
            talk.expect(talk.wire.command("cloud.deploy", ["container": .string(talk.container)])["ok"]?.bool, true)
            talk.expect(talk.maya.has("a"), false, "a record of the other environment")
            talk.expect(talk.maya.save("a", ["n": ["value": 1]]).code, nil)
            talk.expect(talk.maya.save("a", ["m": ["value": 1]]).code, "BAD_REQUEST", "a field that is not deployed")
            talk.expect(talk.maya.save("b", type: "Other").code, "BAD_REQUEST", "a type that is not deployed")
        },
        Check("5.1", "indexes: a query or sort that no index serves is BAD_REQUEST") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 1], "d": ["value": "AA==", "type": "BYTES"]])
            talk.expect(talk.maya.query([Visitor.filter("EQUALS", "n", 1)]).names, "a", "by a new field")
            talk.expect(talk.maya.query([Visitor.filter("EQUALS", "d", "AA==")]).code, "BAD_REQUEST")
            talk.expect(talk.maya.query([Visitor.filter("EQUALS", "zz", 1)]).code, "BAD_REQUEST", "an unknown field")
            talk.expect(talk.maya.query(type: "Nothing").code, "BAD_REQUEST", "an unknown type")
            let index: Value = [
                "container": .string(talk.container), "recordType": "Note", "fieldName": "n", "sortable": true,
            ]
            talk.expect(talk.wire.command("cloud.index", index)["ok"]?.bool, true)
            talk.expect(talk.maya.query([Visitor.filter("EQUALS", "n", 1)]).code, "BAD_REQUEST", "not queryable")
            talk.expect(talk.maya.query(sort: [["fieldName": "n"]]).names, "a", "sortable")
        },
    ]
}
