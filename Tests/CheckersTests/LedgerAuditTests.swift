import FleetModel
import Testing

@testable import Checkers

/// A ledger that contradicts itself carries no verdict.
@Suite("Ledger audit", .timeLimit(.minutes(20))) struct LedgerAuditTests {
    private func ledger() -> Ledger {
        var day = Chronicle()
        day.write("maya.1")
        day.write("maya.2")
        day.read("core", on: 1, [item("note-1", "maya.1")])
        return Ledger(day.events)
    }

    @Test("A ledger of a history agrees with itself")
    func agrees() throws {
        let ledger = ledger()
        #expect(ledger.entries.count == 2)
        try LedgerAudit(ledger: ledger).checkInvariants()
        #expect(!ledger.run.doubts.contains { $0.contains("contradicts itself") })
    }

    @Test("Each contradiction is found", arguments: ["failing", "ids", "happened", "visible", "saw"])
    func contradicts(_ what: String) {
        var ledger = ledger()
        switch what {
        case "failing": ledger.failing = ledger.failing.isEmpty ? [0] : []
        case "ids": ledger.lookup.ids["maya.1"] = 1
        case "happened": ledger.happened.append(9)
        case "visible": ledger.entries[0].visibleIn = [9]
        default: ledger.entries[1].saw = [1]
        }
        #expect(throws: BrokenInvariant.self) { try LedgerAudit(ledger: ledger).checkInvariants() }
    }
}
