import FleetModel
import Testing

@testable import CloudCore

@Suite("Encrypted fields", .timeLimit(.minutes(20)))
struct EncryptedFieldTests {
    private static func secret(_ value: Value, _ type: String) -> Value {
        ["value": value, "type": .string(type), "isEncrypted": true]
    }
    private func maya() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        return maya
    }

    // 8.6, framework 2
    @Test(
        "Ciphertext in base64 is kept as it is, for every type that may be encrypted",
        arguments: [
            "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "STRING_LIST", "INT64_LIST", "DOUBLE_LIST",
            "TIMESTAMP_LIST", "BYTES_LIST", "LOCATION_LIST",
        ])
    func kept(_ type: String) throws {
        let maya = try maya()
        // It would be read as a number too.
        let field = Self.secret("12345678", type)
        #expect(maya.save("a", ["f": field]).code == nil)
        #expect(maya.lookup("a")["fields"]?["f"] == field)
        let list = Self.secret(["AAEC", "AwQ="], type.hasSuffix("_LIST") ? type : type + "_LIST")
        #expect(maya.save("a", ["l": list]).code == nil)
        #expect(maya.lookup("a")["fields"]?["l"] == list)
    }

    // framework 2
    @Test("References and assets are not encrypted, nothing is in the public database, and a plain text is no number")
    func refused() throws {
        let maya = try maya()
        #expect(maya.save("a", ["r": Self.secret(["recordName": "b"], "REFERENCE")]).code == "BAD_REQUEST")
        #expect(maya.save("a", ["r": Self.secret("AAEC", "REFERENCE_LIST")]).code == "BAD_REQUEST")
        #expect(maya.save("a", ["f": Self.secret("AAEC", "ASSETID")]).code == "BAD_REQUEST")
        #expect(maya.save("a", ["n": Self.secret("so so", "INT64")]).code == "BAD_REQUEST")
        let open = maya.save("a", ["s": Self.secret("AAEC", "STRING")], zone: nil, scope: "public")
        #expect(open.code == "BAD_REQUEST")
        #expect(maya.save("a", ["n": Self.secret(7, "INT64")]).code == nil)
    }

    // framework 2, web 5.1
    @Test("Neither queried nor sorted by; and what is encrypted stays so")
    func unindexed() throws {
        let maya = try maya()
        maya.save("a", ["s": Self.secret("AAEC", "STRING"), "n": Self.secret(7, "INT64"), "p": ["value": "x"]])
        #expect(maya.query([Web.filter("EQUALS", "s", "AAEC")]) == "BAD_REQUEST")
        #expect(maya.query([Web.filter("EQUALS", "n", 7)]) == "BAD_REQUEST")
        #expect(maya.query(sort: [["fieldName": "n"]]) == "BAD_REQUEST")
        #expect(maya.query([Web.filter("EQUALS", "p", "x")]) == "a")
        let container = Value.string(maya.container)
        let index = maya.fleet.command(
            "cloud.index", ["container": container, "recordType": "Note", "fieldName": "s", "queryable": true])
        #expect(index?["refused"] != nil)
        #expect(maya.save("b", ["p": Self.secret("AAEC", "STRING")]).code == "BAD_REQUEST")
        // The schema knows, as it knows the type.
        #expect(maya.save("b", ["s": ["value": "AAEC"]]).code == nil)
        #expect(maya.lookup("b")["fields"]?["s"]?["isEncrypted"]?.bool == true)
        maya.fleet.command("cloud.deploy", ["container": container])
        var production = maya
        production.environment = "production"
        production.makeZone()
        production.save("a", ["s": Self.secret("AAEC", "STRING")])
        #expect(production.query([Web.filter("EQUALS", "s", "AAEC")]) == "BAD_REQUEST")
    }
}
