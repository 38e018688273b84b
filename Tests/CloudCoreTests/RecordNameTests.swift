import FleetModel
import Testing

@testable import CloudCore

@Suite("Record names", .timeLimit(.minutes(20))) struct RecordNameTests {
    // framework 2
    @Test("Same name in two zones: two records (S243)")
    func twoZones() throws {
        let maya = try Fleet().device("maya", on: 1)
        for zone in ["A", "B"] {
            maya.makeZone(zone)
            #expect(maya.save("create", "n", "in \(zone)", zone: zone).code == nil)
        }
        for zone in ["A", "B"] { #expect(maya.lookup(["n"], zone: zone).first?.field == "in \(zone)") }
    }

    // framework 2
    @Test("No name and no zone: a name is made up, the default zone is taken (S245)")
    func nameless() throws {
        let maya = try Fleet().device("maya", on: 1)
        let create: Value = ["operationType": "create", "record": ["recordType": "Note", "fields": .empty]]
        let answer = maya.ck("records/modify", ["operations": [create, create]])
        let names = answer.records.compactMap { $0["recordName"]?.string }
        #expect(names.count == 2 && Set(names).count == 2)
        #expect(names.allSatisfy { $0.utf8.count == 36 })
        #expect(maya.lookup(names, zone: "_defaultZone").map(\.code) == [nil, nil])
    }
}

@Suite("Fields", .timeLimit(.minutes(20))) struct FieldTests {
    private static let values: [(type: String, value: Value)] = [
        ("STRING", "hello"), ("INT64", 7), ("DOUBLE", 1.5), ("BYTES", "AAEC"), ("TIMESTAMP", 1_788_249_600_000),
        ("LOCATION", ["latitude": 52.5, "longitude": 13.25]), ("REFERENCE", ["recordName": "other", "action": "NONE"]),
    ]
    /// Whether a value came back; the service may add members to a dictionary.
    private func holds(_ read: Value?, _ value: Value) -> Bool {
        guard let object = value.object else { return read == value }
        return object.pairs.allSatisfy { read?[$0.key] == $0.value }
    }

    // framework 2, 8.6
    @Test(
        "Each type, alone and in a list: comes back as it was saved; a file too; a mixed list is refused (S101, S238, S239)"
    )
    func types() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        for (type, value) in Self.values {
            for (suffix, sent) in [("", value), ("_LIST", .array([value, value]))] {
                let field: Value = ["type": .string(type + suffix), "value": sent]
                let saved = maya.save(type + suffix, ["f": field], type: type + suffix)
                #expect(saved.code == nil, "\(type + suffix)")
                let read = maya.lookup(type + suffix)
                #expect(read["fields"]?["f"]?["type"]?.string == type + suffix)
                let back = read.value("f")
                for one in back?.array ?? [back ?? .null] { #expect(holds(one, value), "\(type + suffix)") }
                #expect(back?.array?.count == (suffix.isEmpty ? nil : 2))
            }
        }
        #expect(maya.save("a", ["file": ["value": maya.upload("bytes")]]).code == nil)
        let url = maya.lookup("a").value("file")?["downloadURL"]?.string ?? ""
        #expect(maya.fetch(url).body == Array("bytes".utf8))
        for mixed: Value in [["x", 1], [1, "x"], [["latitude": 1, "longitude": 1], 1]] {
            #expect(maya.save("mixed", ["m": ["value": mixed]], type: "Mixed").code == "BAD_REQUEST")
        }
    }
}
