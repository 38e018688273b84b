import FleetModel
import Testing

@testable import CloudCore

@Suite("Malformed operations and fields", .timeLimit(.minutes(20)))
struct MalformedOperationTests {
    private func maya() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        return maya
    }

    // 5.2
    @Test("A malformed operation is one entry: the others are saved, or refused as a batch that is atomic")
    func entries() throws {
        let maya = try maya()
        let bad: [Value] = [
            Web.operation("create", "bad", ["x": ["value": 1, "type": "BANANA"]]),
            Web.operation("create", "bad", extra: ["recordType": .null]),
            Web.operation("update", "bad"), Web.operation("create", "bad", extra: ["parent": 7]),
            Web.operation("create", "bad", extra: ["zoneID": ["zoneName": "Y"]]),
        ]
        for (number, operation) in bad.enumerated() {
            let good = Web.operation("create", "good\(number)")
            let atomic = maya.modify([good, operation], atomic: true)
            #expect(atomic.code == "ATOMIC_ERROR")
            #expect(atomic.records.map(\.code) == ["ATOMIC_ERROR", "BAD_REQUEST"])
            let answer = maya.modify([good, operation], atomic: false)
            #expect(answer.status == 200)
            #expect(answer.records.map(\.code) == [nil, "BAD_REQUEST"])
            #expect(answer.records.last?["recordName"]?.string == "bad")
            #expect(maya.has("good\(number)") && !maya.has("bad"))
        }
        // Nobody could be told which record is meant.
        #expect(maya.modify([Web.operation("create", "")], atomic: false).code == "BAD_REQUEST")
        #expect(maya.modify([["operationType": "create"]], atomic: false).code == "BAD_REQUEST")
        #expect(maya.modify([Web.operation("make", "x")], atomic: false).code == "BAD_REQUEST")
    }

    // 8.6
    @Test("Types that there are not, and lists of lists, are refused and not learned")
    func types() throws {
        let maya = try maya()
        let wrong: [Value] = [
            ["value": [], "type": "BANANA_LIST"], ["value": [[1]]], ["value": [[]]],
            ["value": [[1]], "type": "INT64_LIST_LIST"],
            ["value": "AAAA", "type": "BANANA", "isEncrypted": true],
            ["value": ["AAAA"], "type": "BANANA_LIST", "isEncrypted": true],
            ["value": [], "type": "EMPTY_LIST_LIST"], ["value": "x", "type": ""],
        ]
        for field in wrong {
            #expect(maya.save("a", ["f": field]).code == "BAD_REQUEST", "\(field.json)")
        }
        #expect(maya.save("a", ["f": ["value": [1]]]).code == nil)
        #expect(maya.query([Web.filter("LIST_CONTAINS", "f", 1)]) == "a")
    }

    @Test("A zone ID of null in a record is as none")
    func nullZone() throws {
        #expect(try maya().save("a", extra: ["zoneID": .null]).code == nil)
    }

    // framework 15
    @Test("A refused save teaches the rest of its request nothing")
    func unlearned() throws {
        let maya = try maya()
        let large = Value.string(String(repeating: "x", count: (1 << 20) + 1))
        let answer = maya.modify(
            [
                Web.operation("create", "large", ["n": ["value": large]]),
                Web.operation("create", "small", ["n": ["value": 5]]),
            ], atomic: false)
        #expect(answer.records.map(\.code) == ["BAD_REQUEST", nil])
    }

    // 8.9
    @Test("Queries: 50 filters, 20 sort keys and lists of 250 values at most")
    func costly() throws {
        let maya = try maya()
        maya.save("a", ["n": ["value": 1]])
        func filters(_ count: Int) -> String {
            maya.query(Array(repeating: Web.filter("EQUALS", "n", 1), count: count))
        }
        #expect(filters(50) == "a" && filters(51) == "BAD_REQUEST")
        func sort(_ count: Int) -> String {
            maya.query(sort: Array(repeating: ["fieldName": "n", "ascending": true], count: count))
        }
        #expect(sort(20) == "a" && sort(21) == "BAD_REQUEST")
        func list(_ count: Int) -> String {
            maya.query([Web.filter("IN", "n", .array((1...count).map { .int($0) }))])
        }
        #expect(list(250) == "a" && list(251) == "BAD_REQUEST")
    }
}
