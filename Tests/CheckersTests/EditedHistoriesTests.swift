import FleetModel
import Testing

@testable import Checkers

/// Histories of valid runs that somebody edited: each edit has the class that it must give, by thought and not by what the code says.
@Suite("Edited histories", .timeLimit(.minutes(20))) struct EditedHistoriesTests {
    @Test("What the readings show", arguments: EditedHistory.all(EditedReadings.edits))
    func readings(row: EditedHistory) { #expect(row.complaint == nil) }

    @Test("What is told of an edit on its way", arguments: EditedHistory.all(EditedLadders.edits))
    func ladders(row: EditedHistory) { #expect(row.complaint == nil) }

    @Test("What is missing from the run, or cannot be", arguments: EditedHistory.all(EditedRuns.edits))
    func runs(row: EditedHistory) { #expect(row.complaint == nil) }

    @Test("The table: every class, every app, 150 rows and more")
    func table() {
        let edits = EditedReadings.edits + EditedLadders.edits + EditedRuns.edits
        #expect(EditedHistory.all(edits).count >= 150)
        #expect(Set(edits.map(\.name)).count == edits.count)
        for lossClass in LossClass.allCases {
            #expect(
                edits.contains {
                    if case .found(let all) = $0.expected { all.contains(lossClass.rawValue) } else { false }
                },
                "\(lossClass)")
        }
    }
}
