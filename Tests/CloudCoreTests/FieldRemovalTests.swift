import FleetModel
import Testing

@testable import CloudCore

@Suite("Removal of fields", .timeLimit(.minutes(20))) struct FieldRemovalTests {
    private let fleet: Fleet
    private let dev: Web

    init() throws {
        fleet = try Web.fleet()
        dev = Web(fleet: fleet, person: "maya")
        dev.makeZone()
    }
    private func remove(_ field: String, of type: String = "Note") -> String? {
        fleet.command(
            "cloud.deleteField",
            ["container": .string(dev.container), "recordType": .string(type), "fieldName": .string(field)]
        )?["refused"]?.string
    }

    @Test(
        "A field's type stays for apps; the administrator deletes the field with its values, and it comes with another (S286)"
    )
    func changed() throws {
        let omar = Web(fleet: fleet, person: "omar")
        for (web, zone) in [(dev, "Z"), (omar, "_defaultZone")] {
            for index in 0..<70 {
                web.save(
                    "a\(index)", ["n": ["value": 1], "t": ["value": "kept"]], zone: Device.zoneID(zone))
            }
        }
        let tag = dev.lookup("a0").tag
        #expect(dev.save("b", ["n": ["value": "text"]]).code == "BAD_REQUEST")
        #expect(remove("n") == nil)
        #expect(dev.lookup("a0") == dev.lookup("a0") && dev.lookup("a0").tag == tag, "nobody has edited it")
        for (web, zone) in [(dev, "Z"), (omar, "_defaultZone")] {
            for name in ["a0", "a63", "a64", "a69"] {
                let record = web.lookup(name, zone: Device.zoneID(zone))
                #expect(record["fields"]?.object?.pairs.map(\.key) == ["t"], "\(name) of \(web.person ?? "")")
            }
        }
        #expect(dev.query([Web.filter("EQUALS", "n", 1)]) == "BAD_REQUEST", "there is no such field")
        #expect(dev.save("b", ["n": ["value": "text"]]).code == nil)
        #expect(dev.lookup("b")["fields"]?["n"]?["type"] == "STRING")
        #expect(dev.query([Web.filter("EQUALS", "n", "text")]) == "b")
        #expect(dev.save("a0", ["n": ["value": 1]]).code == "BAD_REQUEST")
    }

    @Test("Files and references of a deleted field are let go, and the space is given back")
    func links() throws {
        dev.save("target")
        let space = try used()
        dev.save("a", ["t": ["value": "kept"]])
        let small = try used()
        let file = dev.upload(String(repeating: "x", count: 5000))
        #expect(dev.save("a", ["file": ["value": file, "type": "ASSETID"]]).code == nil)
        #expect(dev.save("a", ["of": Web.reference("target", "VALIDATE")]).code == nil)
        #expect(dev.delete("target").code == "VALIDATING_REFERENCE_ERROR")
        #expect(remove("of") == nil && remove("file") == nil)
        #expect(dev.delete("target").code == nil)
        fleet.wait(.seconds(10))
        #expect(try used() == small - space)
    }
    /// Bytes of maya's account.
    private func used() throws -> Int64 {
        try fleet.cloud.database.query("SELECT used FROM owner WHERE name = 'maya'").first?.int(0) ?? -1
    }

    @Test("What was deployed stays, what is not there cannot go: the refusal names the field")
    func refusals() {
        dev.save("a", ["n": ["value": 1]])
        #expect(remove("m")?.contains("'m'") == true && remove("n", of: "None")?.contains("'None'") == true)
        fleet.command("cloud.deploy", ["container": .string(dev.container)])
        #expect(remove("n")?.contains("deployed") == true)
        #expect(dev.lookup("a").value("n") == 1)
    }
}
