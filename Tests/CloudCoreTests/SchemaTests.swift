import FleetModel
import Testing

@testable import CloudCore

@Suite("Schema", .timeLimit(.minutes(20)))
struct SchemaTests {
    private func people() throws -> (Fleet, dev: Web, live: Web) {
        let fleet = try Web.fleet()
        let dev = Web(fleet: fleet, person: "maya")
        var live = dev
        live.environment = "production"
        dev.makeZone()
        live.makeZone()
        return (fleet, dev, live)
    }
    private static let container: Value = ["container": "iCloud.com.example.web"]

    // framework 15
    @Test(
        "Development: types and fields come with the first save and never change their type; null and lists fit (S235)")
    func development() throws {
        let (_, dev, _) = try people()
        #expect(dev.save("a", ["n": ["value": 1], "l": ["value": ["x"]]]).code == nil)
        #expect(dev.save("b", ["n": ["value": "text"]]).code == "BAD_REQUEST")
        #expect(dev.save("b", ["n": ["value": .null], "l": ["value": []]]).code == nil)
        #expect(dev.lookup("b")["fields"]?["l"]?["type"]?.string == "STRING_LIST")
        #expect(dev.save("b", ["m": ["value": []]]).code == "BAD_REQUEST")
        #expect(dev.save("o", ["n": ["value": "text"]], type: "Other").code == nil)
        // What was refused has left nothing behind.
        let batch = [Web.operation("create", "x", ["new": ["value": 1]]), Web.operation("create", "a")]
        #expect(dev.modify(batch).status == 400)
        #expect(dev.save("x", ["new": ["value": "text"]]).code == nil)
    }

    // 8.6
    @Test("A type that was not sent is the known field's if the value fits it; a type that was sent is not changed")
    func guessed() throws {
        let (_, dev, _) = try people()
        let fields: [(name: String, type: String, first: Value, then: Value, bad: Value)] = [
            ("d", "DOUBLE", 1.5, 2, "x"),
            ("b", "BYTES", "AAEC", "AAED", "!"), ("i", "INT64", 1, 2.0, 2.5),
            ("dl", "DOUBLE_LIST", [1.5], [2, 3], ["x"]),
            ("bl", "BYTES_LIST", ["AAEC"], ["AAED"], ["!"]),
            ("s", "STRING", "x", "y", 1),
        ]
        for field in fields {
            let known: Value = [field.name: ["value": field.first, "type": .string(field.type)]]
            #expect(dev.save("a", known).code == nil, "\(field.type)")
            #expect(dev.save("a", [field.name: ["value": field.then]]).code == nil, "\(field.type)")
            #expect(dev.lookup("a")["fields"]?[field.name]?["type"]?.string == field.type)
            #expect(dev.save("a", [field.name: ["value": field.bad]]).code == "BAD_REQUEST", "\(field.type)")
        }
        #expect(dev.lookup("a").value("d")?.double == 2)
        #expect(dev.save("a", ["d": ["value": 2, "type": "INT64"]]).code == "BAD_REQUEST", "it was sent")
        #expect(dev.query([Web.filter("EQUALS", "d", 2.0)]) == "a", "the index has it too")
        // Nobody knows the field: the widest number of a list.
        for list: Value in [[1, 2.5], [2.5, 1]] {
            let name = list.array?.first == 1 ? "new" : "newer"
            #expect(dev.save("c", [name: ["value": list]]).code == nil)
            #expect(dev.lookup("c")["fields"]?[name]?["type"]?.string == "DOUBLE_LIST")
        }
        #expect(dev.save("c", ["mixed": ["value": [1, "x"]]]).code == "BAD_REQUEST")
    }

    // framework 15
    @Test(
        "Production: closed until deployed; deployment copies the schema and no record; reads are independent (S284, S287, S288)"
    )
    func production() throws {
        let (fleet, dev, live) = try people()
        dev.save("a", ["n": ["value": 1]])
        #expect(live.save("a", ["n": ["value": 1]]).code == "BAD_REQUEST")
        #expect(fleet.command("cloud.deploy", Self.container)?["ok"]?.bool == true)
        #expect(!live.has("a"))
        #expect(live.save("a", ["n": ["value": 1]]).code == nil)
        #expect(live.save("a", ["m": ["value": 1]]).code == "BAD_REQUEST")
        #expect(live.save("a", ["n": ["value": "text"]]).code == "BAD_REQUEST")
        dev.save("a", ["m": ["value": 1]])
        #expect(live.save("a", ["m": ["value": 1]]).code == "BAD_REQUEST")
        fleet.command("cloud.deploy", Self.container)
        #expect(live.save("a", ["m": ["value": 1]]).code == nil)
    }

    // 5.1, framework 15
    @Test("Queries: unknown type, unknown field, fields without an index; production has the indexes of deployment")
    func indexes() throws {
        let (fleet, dev, live) = try people()
        #expect(dev.query() == "BAD_REQUEST")
        dev.save("a", ["n": ["value": 1], "b": ["value": "AAAA", "type": "BYTES"], "l": ["value": ["x"]]])
        #expect(dev.query() == "a")
        let n = Web.filter("EQUALS", "n", 1)
        #expect(dev.query([n]) == "a")
        #expect(dev.query([Web.filter("EQUALS", "b", "AAAA")]) == "BAD_REQUEST")
        #expect(dev.query([Web.filter("EQUALS", "none", 1)]) == "BAD_REQUEST")
        #expect(dev.query(sort: [["fieldName": "n"]]) == "a")
        #expect(dev.query(sort: [["fieldName": "l"]]) == "BAD_REQUEST")
        #expect(dev.query(sort: [["systemFieldName": "createdTimestamp"]]) == "a")
        var index = Self.container
        index["recordType"] = "Note"
        index["fieldName"] = "n"
        index["sortable"] = true
        #expect(fleet.command("cloud.index", index)?["ok"]?.bool == true)
        fleet.command("cloud.deploy", Self.container)
        live.save("a", ["n": ["value": 1]])
        #expect(live.query([n]) == "BAD_REQUEST")
        #expect(live.query(sort: [["fieldName": "n"]]) == "a")
    }

    // framework 7
    @Test("Subscriptions: to a type that production does not know")
    func subscriptions() throws {
        let (_, dev, live) = try people()
        let operation: Value = [
            "operations": [
                [
                    "operationType": "create",
                    "subscription": [
                        "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"],
                        "query": ["recordType": "Note"],
                    ],
                ]
            ]
        ]
        func code(_ web: Web) -> String? {
            web.call("private/subscriptions/modify", operation).json?["subscriptions"]?.array?.first?.code
        }
        #expect(code(dev) == nil)
        #expect(code(live) == "BAD_REQUEST")
    }

    // 1
    @Test("Environments, containers and people share nothing (S227, S277, S284)")
    func apart() throws {
        let (fleet, dev, live) = try people()
        dev.save("a", ["n": ["value": 1]])
        fleet.command("cloud.deploy", Self.container)
        var other = dev
        other.container = "iCloud.com.example.other"
        other.makeZone()
        for web in [live, other] { #expect(!web.has("a")) }
        #expect(dev.userRecordName != live.userRecordName)
        #expect(dev.userRecordName != other.userRecordName)
        #expect(Web(fleet: fleet, person: "maya", container: "notes").get("private/zones/list").code == "BAD_REQUEST")
    }
}
