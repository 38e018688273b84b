import FleetModel
import Testing

@testable import Checkers

/// Histories that nobody's app makes: twice as long, the work of the ledger may grow to twice as much and a little.
@Suite("Linear", .timeLimit(.minutes(20))) struct LinearTests {
    private func grows(_ day: (Int) -> Chronicle) -> Double {
        let (few, many) = (Ledger(day(200).events), Ledger(day(1_600).events))
        return Double(many.pass.work) / Double(few.pass.work)
    }

    @Test("One edit is shown in more and more items (takePlaces)")
    func scattered() {
        let growth = grows { count in
            var day = Chronicle()
            day.write("maya.1")
            day.read("core", on: 1, (0..<count).map { item("copy-\($0)", "maya.1") })
            return day
        }
        #expect(growth < 10, "eight times the items are \(growth) times the work")
    }

    @Test("All edits of one item, made at once, stand elsewhere (settlePlaces)")
    func astray() {
        let growth = grows { count in
            var day = Chronicle(channel: .document)
            for number in 0..<count { day.write("maya.\(number)") }
            day.read("core", on: 1, [item("note-1")] + (0..<count).map { item("copy-\($0)", "maya.\($0)") })
            return day
        }
        #expect(growth < 10, "eight times the edits are \(growth) times the work")
    }

    @Test("All edits of one item stand in another that as many people's edits name (settlePlaces)")
    func named() {
        let growth = grows { count in
            var day = Chronicle(channel: .document)
            for number in 0..<count {
                day.write("maya.\(number)")
                day.write("maya.\(number + count)", "note-2")
            }
            day.read("core", on: 1, [item("note-1")] + (0..<count).map { item("note-2", "maya.\($0)") })
            return day
        }
        #expect(growth < 10, "eight times the edits are \(growth) times the work")
    }

    @Test("Deletions that were never answered, and as many edits that still see what they delete (seemsDone)")
    func unanswered() {
        let growth = grows { count in
            var day = Chronicle()
            day.write("maya.0")
            for number in 1...count {
                day.invoke("maya.d\(number)", .delete, "note-1")
                day.begin("maya.d\(number)", on: 1, saw: ["maya.0"])
            }
            for number in 1...count { day.write("maya.\(number)", saw: ["maya.0"]) }
            return day
        }
        #expect(growth < 10, "eight times the deletions are \(growth) times the work")
    }

    @Test("Faults: an end of one that never began, many of one name, and those that are at work at a moment")
    func faults() {
        func log(_ count: Int) -> FaultLog {
            var log = FaultLog()
            for index in 0..<count { log.note(Self.note(.faultBegan, "drop", "ipad-\(index % 3 + 1)"), at: index) }
            for index in 0..<count { log.note(Self.note(.faultHealed, "nobody's"), at: count + index) }
            for index in 0..<count { log.note(Self.note(.faultHealed, "drop"), at: 2 * count + index) }
            return log
        }
        #expect(log(1_600).work < 10 * log(200).work)
    }
    private static func note(_ kind: Note.Kind, _ id: String, _ target: String = "") -> Note {
        Note(kind, detail: ["id": .string(id), "kind": .string(id), "target": .string(target)])
    }

    @Test("Faults: the end of the last one that was at work on an iPad, of one that concerns all, of none")
    func lastHealing() {
        var log = FaultLog()
        log.note(Self.note(.faultBegan, "a", "ipad-1"), at: 1)
        log.note(Self.note(.faultBegan, "all"), at: 2)
        log.note(Self.note(.faultBegan, "b", "ipad-2"), at: 3)
        log.note(Self.note(.faultBegan, "never healed", "ipad-1"), at: 4)
        log.note(Self.note(.faultHealed, "all"), at: 5)
        log.note(Self.note(.faultHealed, "a"), at: 7)
        log.note(Self.note(.faultHealed, "b"), at: 9)
        log.settle()
        for (event, pad, end) in [
            (0, 1, nil), (1, 1, 7), (4, 1, 7), (6, 1, 7), (7, 1, nil), (1, 2, nil), (2, 2, 5), (3, 2, 9), (2, 3, 5),
            (5, 3, nil), (8, nil, 9), (9, nil, nil),
        ] as [(Int, Int?, Int?)] {
            #expect(log.lastHealing(ofFaultsAt: event, pad: pad) == end, "\(event) \(pad ?? 0)")
        }
    }
}
