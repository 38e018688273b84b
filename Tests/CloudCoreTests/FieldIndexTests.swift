import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Field index", .timeLimit(.minutes(20)))
struct FieldIndexTests {
    private static let texts = [
        "red", "Red", "RED", "", "blue", "é", "e\u{301}", "É", "straße", "STRASSE", "Ω", "\u{2126}", "\u{212a}", "k",
        "K",
        "красный", "Красный", "赤", "が", "か\u{3099}", "i\u{307}", "İ", "\u{0}", "zzz", "😀", "각",
        "\u{1100}\u{1161}\u{11a8}",
        String(repeating: "long ", count: 30), String(repeating: "long ", count: 30) + "b",
    ]
    private static let numbers: [Value] = [
        0, 1, -1, 2, 3, 9_007_199_254_740_993, 9_007_199_254_740_992, .int(Int64.max), .int(Int64.min), 7, 7, 7,
    ]
    private static let reals: [Value] = [0.5, -0.5, 1e300, -1e300, 2, 0, -0.0, 2.5e-308]

    private func fields(_ draw: inout Draw) -> Value {
        var fields = Value.empty
        if draw.chance(0.9) { fields["t"] = ["value": .string(draw.pick(Self.texts) ?? "")] }
        if draw.chance(0.9) { fields["n"] = ["value": draw.pick(Self.numbers) ?? 0, "type": "INT64"] }
        if draw.chance(0.5) { fields["d"] = ["value": draw.pick(Self.reals) ?? 0, "type": "DOUBLE"] }
        if draw.chance(0.5) { fields["r"] = Web.reference("r\(draw.below(5))") }
        return fields
    }
    private func filter(_ draw: inout Draw) -> Value {
        let order = ["EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN", "GREATER_THAN_OR_EQUALS"]
        let value: Value
        let text = Value.string(draw.pick(Self.texts) ?? "")
        switch draw.below(8) {
        case 0, 1, 2:
            value = draw.chance(0.8) ? draw.pick(Self.numbers) ?? 0 : draw.pick(Self.reals) ?? 0
            return Web.filter(draw.pick(order) ?? "", "n", value)
        case 3: return Web.filter(draw.pick(order) ?? "", "d", draw.pick(Self.reals) ?? 0)
        case 4: return Web.filter(draw.pick(order) ?? "", "t", text)
        case 5: return Web.filter(draw.pick(["BEGINS_WITH", "NOT_EQUALS", "EQUALS"]) ?? "", "t", text)
        case 6:
            return draw.chance(0.5)
                ? Web.filter("IN", "t", [text, "red"]) : Web.filter("IN", "n", [draw.pick(Self.numbers) ?? 0, 7])
        default: return Web.filter("EQUALS", "r", ["recordName": .string("r\(draw.below(6))")])
        }
    }
    private static let sorts: [[Value]] = [
        [], [], [["fieldName": "n"]], [["fieldName": "n", "ascending": false]],
        [["fieldName": "d"], ["fieldName": "n"]],
        [["fieldName": "t", "ascending": false]],
        [["fieldName": "n"], ["systemFieldName": "recordName", "ascending": false]],
    ]

    /// All pages of a query, one answer after the other.
    private func pages(_ maya: Web, _ query: Value, limit: Int) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        var body = query
        body["resultsLimit"] = .int(limit)
        while pages.count < 3 {
            let answer = maya.call("private/records/query", body)
            pages.append(answer.body)
            guard let marker = answer.json?["continuationMarker"] else { break }
            body["continuationMarker"] = marker
        }
        return pages
    }

    // 8.9
    @Test(
        "Random records, edits and queries: the same bytes as reading every record", arguments: [1, 2, 3] as [UInt64])
    func equivalence(_ seed: UInt64) throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.makeZone("Y")
        var draw = Draw(seed: seed)
        for _ in 0..<8 {
            var names: Set<Int> = []
            let operations: [Value] = (0..<60).compactMap { _ in
                let number = draw.below(150)
                guard names.insert(number).inserted else { return nil }
                let kind = draw.pick(["forceUpdate", "forceReplace", "forceUpdate", "forceDelete"]) ?? ""
                return Web.operation(kind, "r\(number)", fields(&draw))
            }
            maya.modify(operations, zone: Device.zoneID(draw.chance(0.7) ? "Z" : "Y"))
        }
        for _ in 0..<40 {
            var query: Value = [
                "query": [
                    "recordType": "Note", "filterBy": .array((0...draw.below(3)).map { _ in filter(&draw) }),
                    "sortBy": .array(draw.pick(Self.sorts) ?? []),
                ]
            ]
            if draw.chance(0.2) { query["zoneWide"] = true } else { query["zoneID"] = Device.zoneID("Z") }
            let limit = [2, 7, 20, 200][draw.below(4)]
            let found = pages(maya, query, limit: limit)
            fleet.cloud.usesFieldIndex = false
            let read = pages(maya, query, limit: limit)
            fleet.cloud.usesFieldIndex = true
            #expect(found == read, "\(query.json) limit \(limit)")
        }
    }

    @Test("Deletion: of records, by cascade and of zones leaves nothing behind; a database without the table gets it")
    func upkeep() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.save("t", ["n": ["value": 1]])
        maya.save("s", ["n": ["value": 1], "r": Web.reference("t", "DELETE_SELF")])
        func rows() throws -> [String] {
            try fleet.cloud.database.query("SELECT name FROM fieldvalue ORDER BY name, slot").map { $0.text(0) }
        }
        #expect(try rows() == ["s", "s", "t"])
        try fleet.cloud.database.execute("DELETE FROM fieldvalue")
        try fleet.cloud.database.execute("DROP TABLE fieldvalue")
        try fleet.crash()
        #expect(try rows() == ["s", "s", "t"])
        #expect(maya.query([Web.filter("EQUALS", "n", 1)]) == "st")
        maya.delete("t")
        #expect(try rows() == [])
        maya.save("u", ["n": ["value": 1]])
        maya.call(
            "private/zones/modify",
            ["operations": [["operationType": "delete", "zone": ["zoneID": Device.zoneID("Z")]]]])
        #expect(try rows() == [])
    }

    @Test("Large zone: a query reads the records that match and few others (3,000 records)")
    func narrow() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        for batch in 0..<15 {
            maya.modify(
                (0..<200).map { index in
                    let number = batch * 200 + index
                    return Web.operation(
                        "create", "r\(number)",
                        ["n": ["value": .int(number)], "t": ["value": .string("text \(number % 300)")]])
                })
        }
        // Records that the index does not lead to are damaged: who reads one notices.
        try fleet.cloud.database.execute(
            "UPDATE record SET json = x'7b' WHERE zone = (SELECT max(id) FROM zone) AND name NOT IN "
                + "('r5', 'r305', 'r605', 'r905', 'r1205', 'r1505', 'r1805', 'r2105', 'r2405', 'r2705')")
        let same = [Web.filter("EQUALS", "t", "TEXT 5")]
        #expect(maya.query(same) == "r1205r1505r1805r2105r2405r2705r305r5r605r905")
        #expect(
            maya.query([Web.filter("GREATER_THAN_OR_EQUALS", "n", 305), Web.filter("LESS_THAN_OR_EQUALS", "n", 305)])
                == "r305")
        #expect(
            maya.query(same + [Web.filter("GREATER_THAN", "n", 2000)], sort: [["fieldName": "n"]]) == "r2105r2405r2705")
        #expect(maya.query([Web.filter("NOT_EQUALS", "t", "text 5")]) == "INTERNAL_ERROR", "this one reads all")
    }
}
