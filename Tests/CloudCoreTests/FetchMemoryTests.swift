import FleetModel
import Testing

@testable import CloudCore

@Suite("Fetches of much", .timeLimit(.minutes(20)))
struct FetchMemoryTests {
    private func maya(zones: Int, records: Int) throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        for zone in 0..<zones {
            maya.makeZone("Z\(zone)")
            maya.modify(
                (0..<records).map { Web.operation("create", "r\($0)") }, zone: Device.zoneID("Z\(zone)"))
        }
        return maya
    }

    // 10: records of a response
    @Test("changes/zone: all zones together have 200 records at most, and each goes on where it stopped")
    func manyZones() throws {
        let maya = try maya(zones: 4, records: 120)
        var tokens: [Value?] = [nil, nil, nil, nil]
        var (seen, rounds) = ([0, 0, 0, 0], 0)
        var moreComing = true
        while moreComing, rounds < 10 {
            rounds += 1
            let wanted: [Value] = (0..<4).map { zone in
                var entry: Value = ["zoneID": Device.zoneID("Z\(zone)")]
                entry["syncToken"] = tokens[zone]
                return entry
            }
            let zones = maya.call("private/changes/zone", ["zones": .array(wanted)]).json?["zones"]?.array ?? []
            #expect(zones.reduce(0) { $0 + $1.names.count } <= 200)
            for (index, zone) in zones.enumerated() {
                tokens[index] = zone["syncToken"]
                seen[index] += zone.names.count
            }
            moreComing = zones.contains { $0["moreComing"]?.bool == true }
        }
        #expect(seen == [120, 120, 120, 120])
        #expect(rounds == 3)
    }

    /// A hundredth of what an answer may have, and so of what the records of the two tests below have to hold.
    private static let answerBytes = AnswerBudget.bytesMax / 100

    // 6: a reader that believes that this was all skips the rest for ever
    @Test("A zone's feed that is cut because its records are large says that more is coming, and goes on behind them")
    func largeFeed() throws {
        let maya = Web(fleet: try Web.fleet(answer: Self.answerBytes), person: "maya")
        maya.makeZone()
        // The rows that are read at once (64) are more than one answer has.
        let text = String(repeating: "x", count: 2700)
        let names = (10..<76).map { "r\($0)" }
        for part in [names.prefix(33), names.suffix(33)] {
            let saved = maya.modify(part.map { Web.operation("create", $0, ["t": ["value": .string(text)]]) })
            #expect(saved.status == 200)
        }
        for isReverse in [false, true] {
            var (seen, token, pages): ([String], Value?, [Int]) = ([], nil, [])
            while pages.count < 5 {
                var body: Value = ["zoneID": Device.zoneID("Z"), "desiredKeys": [], "reverse": .bool(isReverse)]
                body["syncToken"] = token
                let page = maya.call("private/records/changes", body).json ?? .null
                seen += page.names
                pages.append(page.names.count)
                token = page["syncToken"]
                guard page["moreComing"]?.bool == true else { break }
            }
            #expect(seen == (isReverse ? names.reversed() : names))
            #expect(pages == [64, 2])
        }
    }

    // 5.1: a page may have fewer
    @Test("Queries: a page ends where its records are too much for one answer, and the marker goes on")
    func largePages() throws {
        let maya = Web(fleet: try Web.fleet(answer: Self.answerBytes), person: "maya")
        maya.makeZone()
        let text = String(repeating: "x", count: 9000)
        for name in 0..<20 { maya.save("r\(name)", ["t": ["value": .string("\(name) \(text)")]]) }
        let sort: Value = [["systemFieldName": "modifiedTimestamp"]]
        var (names, marker, pages): (Set<String>, Value?, Int) = ([], nil, 0)
        repeat {
            var body: Value = ["zoneID": Device.zoneID("Z"), "query": ["recordType": "Note", "sortBy": sort]]
            body["continuationMarker"] = marker
            let answer = maya.call("private/records/query", body)
            #expect(answer.body.count < Self.answerBytes * 5 / 4)
            let page = answer.json ?? .null
            names.formUnion(page.names)
            marker = page["continuationMarker"]
            pages += 1
        } while marker != nil && pages < 30
        #expect(names.count == 20)
        #expect(pages == 2)
    }

    @Test("Queries: what is kept does not grow with what is looked at; large records are not kept; each counts once")
    func selection() throws {
        let order = try RecordOrder([["fieldName": "n"]])
        var selection = QuerySelection(order, limit: 11)
        var most = 0
        for number in 0..<5000 {
            let n = number * 7919 % 5000
            let size = n.isMultiple(of: 2) ? 10 : 100_000
            let row = RecordRow(
                name: "r\(n)", sequence: 1, type: "Note", tag: "", creator: 1, tokens: [],
                json: [UInt8](repeating: 0x20, count: size))
            let place = RecordOrder.Place(keys: [.int(n)], zone: 0, name: row.name)
            selection.add(row, at: place)
            if n < 20 { selection.add(row, at: place) }
            most = max(most, selection.matches.count)
        }
        #expect(most <= 40)
        let found = selection.sorted()
        #expect(found.map(\.place.name) == (0..<11).map { "r\($0)" })
        #expect(found.map { $0.row == nil } == (0..<11).map { !$0.isMultiple(of: 2) })
    }
}
