import FleetModel
import Testing

@testable import CloudCore

/// Filters and sorts by what every record has: its name, who made it, when (8.9).
@Suite("System fields in queries", .timeLimit(.minutes(20))) struct SystemFieldTests {
    private func maya(closed: Bool = true) throws -> Web {
        let maya = Web(fleet: try Web.fleet(closed: closed), person: "maya")
        maya.makeZone()
        for name in ["a", "b", "c"] { maya.save(name, ["t": ["value": .string(name)]]) }
        return maya
    }
    private static func system(_ comparator: String, _ name: String, _ value: Value, type: String? = nil) -> Value {
        var operand: Value = ["value": value]
        operand["type"] = type.map(Value.string)
        return ["comparator": .string(comparator), "systemFieldName": .string(name), "fieldValue": operand]
    }

    @Test("Names: as text and as reference, alone and in lists, under both names of the field")
    func names() throws {
        let maya = try maya()
        let b: Value = ["recordName": "b"]
        #expect(maya.query([Self.system("EQUALS", "recordName", "b")]) == "b")
        #expect(maya.query([Self.system("EQUALS", "recordName", b, type: "REFERENCE")]) == "b")
        #expect(maya.query([Self.system("EQUALS", "recordName", b)]) == "b")
        #expect(maya.query([Self.system("NOT_EQUALS", "recordName", b, type: "REFERENCE")]) == "ac")
        #expect(maya.query([Self.system("IN", "recordName", ["a", "c"], type: "STRING_LIST")]) == "ac")
        #expect(maya.query([Self.system("IN", "recordName", [b], type: "REFERENCE_LIST")]) == "b")
        #expect(maya.query([Self.system("BEGINS_WITH", "recordName", "b")]) == "b")
        #expect(maya.query([Web.filter("EQUALS", "___recordID", "b")]) == "b")
        #expect(maya.query([Web.filter("EQUALS", "___recordID", b)]) == "b")
        #expect(maya.query(sort: [["fieldName": "___recordID", "ascending": false]]) == "cba")
    }

    @Test("People and times: under both names of the field")
    func people() throws {
        let maya = try maya()
        let me = maya.userRecordName
        for (name, short) in [("createdUserRecordName", "___createdBy"), ("modifiedUserRecordName", "___modifiedBy")] {
            for value: Value in [.string(me), ["recordName": .string(me)]] {
                #expect(maya.query([Self.system("EQUALS", name, value)]) == "abc", "\(name) \(value.json)")
                #expect(maya.query([Web.filter("EQUALS", short, value)]) == "abc", "\(short) \(value.json)")
            }
        }
        for (name, short) in [("createdTimestamp", "___createTime"), ("modifiedTimestamp", "___modTime")] {
            #expect(maya.query([Self.system("GREATER_THAN", name, 0, type: "TIMESTAMP")]) == "abc")
            #expect(maya.query([Web.filter("LESS_THAN", short, 1)]) == "")
            #expect(maya.query(sort: [["fieldName": .string(short)]]) == "abc")
        }
    }

    // A client that gets an empty page believes that there is nothing.
    @Test(
        "Values of another type: BAD_REQUEST and no empty page, in a closed schema and in an open one",
        arguments: [true, false])
    func refused(_ isClosed: Bool) throws {
        var maya = try maya(closed: isClosed)
        if !isClosed {
            maya.environment = "production"
            maya.makeZone()
            maya.save("a")
        }
        for filter in [
            Self.system("EQUALS", "recordName", 5), Self.system("EQUALS", "recordName", .null),
            Self.system("EQUALS", "recordName", ["b"]), Self.system("IN", "recordName", [5]),
            Self.system("EQUALS", "recordName", ["latitude": 1, "longitude": 1]),
            Self.system("EQUALS", "createdUserRecordName", 1.5),
            Self.system("EQUALS", "createdTimestamp", "x"), Self.system("EQUALS", "createdTimestamp", "5"),
            Self.system("EQUALS", "createdTimestamp", ["recordName": "b"]),
            Self.system("EQUALS", "recordName", "b", type: "BYTES"),
            Self.system("BEGINS_WITH", "createdTimestamp", "1"),
            Self.system("LIST_CONTAINS", "recordName", "b"), Self.system("CONTAINS_ALL_TOKENS", "recordName", "b"),
            Web.filter("EQUALS", "___recordID", 5), Web.filter("EQUALS", "___createTime", "x"),
            Web.filter("EQUALS", "___etag", "x"), Web.filter("EQUALS", "___nothing", "x"),
        ] {
            #expect(maya.query([filter]) == "BAD_REQUEST", "\(filter.json)")
        }
    }
}
