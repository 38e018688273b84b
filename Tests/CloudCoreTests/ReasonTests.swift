import CloudConformance
import FleetModel
import Testing

@testable import CloudCore

/// A refusal says what happened, where, and what to do next.
@Suite("Reasons", .timeLimit(.minutes(20))) struct ReasonTests {
    private func maya() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        return maya
    }
    private func reason(_ answer: HTTPResponse) -> String {
        answer.records.first?["reason"]?.string ?? answer.text("reason")
    }

    @Test("A query for a type that production does not have says to deploy, one that development does not have to save")
    func unknownType() throws {
        var maya = try maya()
        let query: Value = ["query": ["recordType": "Note"]]
        #expect(reason(maya.call("private/records/query", query)).contains("save a record of it first"))
        maya.environment = "production"
        let refusal = reason(maya.call("private/records/query", query))
        #expect(refusal.contains("deploy") && !refusal.contains("save a record"), "\(refusal)")
    }

    @Test(
        "A value that is none of its type: what the type wants, and what came (parameters: type, value, words)",
        arguments: [
            ("INT64", 1.5, ["whole number", "1.5"]),
            ("INT64", .double(9_223_372_036_854_775_808), ["whole number", "-2^63"]),
            ("TIMESTAMP", "x", ["milliseconds", "a text"]), ("BYTES", "no base64!", ["base64"]),
            ("DOUBLE", "x", ["a number", "a text"]),
            ("STRING", 5, ["a text", "5"]), ("LOCATION", "x", ["latitude"]), ("ASSETID", "x", ["fileChecksum"]),
        ] as [(String, Value, [String])])
    func value(_ type: String, _ value: Value, _ words: [String]) throws {
        let refusal = reason(
            try maya().modify(
                [Web.operation("create", "a", ["f": ["value": value, "type": .string(type)]])], atomic: false))
        for word in words + ["'f'", type] { #expect(refusal.contains(word), "\(refusal)") }
    }

    @Test("A filter's value that does not fit: what the field wants and what came")
    func filter() throws {
        let maya = try maya()
        maya.save("a", ["s": ["value": "x"]])
        let query: Value = [
            "query": ["recordType": "Note", "filterBy": [Web.filter("EQUALS", "s", 1)]], "zoneID": Device.zoneID("Z"),
        ]
        let refusal = reason(maya.call("private/records/query", query))
        #expect(refusal.contains("STRING") && refusal.contains("untyped") && !refusal.contains("none"), "\(refusal)")
    }

    @Test("Half a surrogate pair: said so, and where")
    func surrogate() throws {
        let maya = try maya()
        let answer = maya.fleet.send(
            maya.http("POST", "private/records/modify", Array(#"{"a":"\ud800x"}"#.utf8)), from: 9)
        #expect(reason(answer).contains("surrogate") && reason(answer).contains("at byte 12"), "\(reason(answer))")
    }

    @Test("One operation of many: the refusal of the request names its place in the list")
    func place() throws {
        let maya = try maya()
        func operations(_ bad: Value) -> Value {
            var list = (0..<200).map { Web.operation("create", "r\($0)") }
            list[117] = bad
            return ["operations": .array(list), "zoneID": Device.zoneID("Z")]
        }
        let bad: [Value] = [
            ["operationType": "make", "record": ["recordName": "x"]], ["operationType": "create"], 5,
            ["operationType": "update", "record": ["recordType": "Note"]], Web.operation("create", "r5"),
            Web.operation("create", "é"),
        ]
        for operation in bad {
            let refusal = reason(maya.call("private/records/modify", operations(operation)))
            #expect(refusal.contains("operations[117]"), "\(refusal)")
        }
    }

    @Test("One filter, sort, zone or subscription of many: its place in the list is named")
    func otherPlaces() throws {
        let maya = try maya()
        maya.save("a", ["s": ["value": "x"]])
        let good = Web.filter("EQUALS", "s", "x")
        let bad: Value = ["comparator": "IS", "fieldName": "s", "fieldValue": ["value": "x"]]
        let query: Value = ["query": ["recordType": "Note", "filterBy": [good, bad]], "zoneID": Device.zoneID("Z")]
        #expect(reason(maya.call("private/records/query", query)).contains("filterBy[1]"))
        let zone: Value = ["operationType": "create", "zone": ["zoneID": Device.zoneID("A")]]
        let zones = maya.call("private/zones/modify", ["operations": [zone, ["operationType": "create"]]])
        #expect(reason(zones).contains("operations[1]"), "\(reason(zones))")
    }

    // 3
    @Test(
        "A signed request whose date is wrong: the date, the limit and the server's time; a bad key tells nothing new"
    )
    func date() throws {
        let wire = try DirectWire(spec: ["accounts": [], "seed": 7, "dev": true])
        let signer = Signer(seed: 1)
        let container = "iCloud.com.example.web"
        let id =
            wire.command(
                "cloud.key", ["container": .string(container), "publicKey": .string(Base64.encode(signer.publicKey))])[
                "keyID"]?
            .string ?? ""
        func reason(_ date: String, key: String) -> String {
            let path = "/database/1/\(container)/development/public/zones/list"
            let headers: HTTPHeaders = [
                SignedRequest.keyField: key, SignedRequest.dateField: date,
                SignedRequest.signatureField: signer.signature(of: "\(date):\(Signer.hash([])):\(path)"),
            ]
            return wire.send(HTTPRequest("GET", path, headers: headers)).text("reason")
        }
        let now = wire.seconds
        #expect(reason(Signer.date(now), key: id) == "")
        let late = reason(Signer.date(now - 7200), key: id)
        #expect(
            late.contains(Signer.date(now - 7200)) && late.contains(Signer.date(now).prefix(14))
                && late.contains("600 s"), "\(late)")
        #expect(reason("2026-09-01T08:00:00.000Z", key: id).contains("yyyy-MM-ddTHH:mm:ssZ"))
        let unknown = reason(Signer.date(now), key: String(repeating: "0", count: 64))
        #expect(unknown.contains("signature") && !unknown.contains("600 s"), "\(unknown)")
    }
}
