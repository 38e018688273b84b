import Testing

@testable import Live
@testable import Run

@Suite("Clock look", .timeLimit(.minutes(20))) struct ClockLookTests {
    /// A clock that is `ahead`, read so long after the question was sent and before its answer came.
    private func look(ahead: Int64, there: Int64, back: Int64, at start: Int64 = 1000) -> ClockLook {
        ClockLook(before: start, shown: start + there + ahead, after: start + there + back)
    }

    @Test("One look: wrong by no more than half of the round trip", arguments: [(0, 100), (100, 0), (50, 50), (7, 93)])
    func bound(there: Int64, back: Int64) {
        let look = look(ahead: 5_000_000, there: there, back: back)
        #expect(abs(look.offset - 5_000_000) <= 50 && look.error <= 51)
    }

    @Test("Of several the quickest counts")
    func quickest() throws {
        let looks = [
            look(ahead: 7, there: 900, back: 100), look(ahead: 7, there: 3, back: 3),
            look(ahead: 7, there: 0, back: 500),
        ]
        #expect(try #require(ClockLook.best(looks)).offset == 7)
    }

    @Test("One machine: the own calendar clock, looked at from near, is believed")
    func oneMachine() throws {
        let found = try #require(
            ClockLook.offset(
                cloud: [look(ahead: 9_000, there: 900, back: 100)], own: [look(ahead: 9_000, there: 1, back: 1)]))
        #expect(found.offset == 9_000 && found.error <= 2)
    }

    @Test("Two machines: an own clock that differs by more than can be known is not believed")
    func twoMachines() throws {
        let cloud = look(ahead: 9_000, there: 50, back: 50)
        let found = try #require(ClockLook.offset(cloud: [cloud], own: [look(ahead: 9_060, there: 1, back: 1)]))
        #expect(found.offset == 9_000 && found.error == 51)
    }

    @Test("Cloud that may be elsewhere: half the round trip may be wrong, however well the clocks agree")
    func elsewhere() throws {
        let found = try #require(ClockLook.offset(cloud: [look(ahead: 9_000, there: 50, back: 50)], own: []))
        #expect(found.error == 51)
    }

    @Test(
        "Compared again: a clock that was set is told from one that drifts",
        arguments: [(0, false), (-1_000_000, false), (1_300_000, false), (1_500_000, true), (-20_000_000_000, true)])
    func wasSet(moved: Int64, isSet: Bool) {
        #expect(ClockLook.wasSet((7, 100), (7 + moved, 100), seconds: 2) == isSet)
    }

    @Test(
        "Compared again: stamps are wrong by what the first look left open, or by all that the second one found",
        arguments: [(7, 100, 100), (7, 300, 300), (407, 50, 450), (-393, 50, 450)])
    func wrongBy(offset: Int64, error: Int64, wrong: Int64) {
        #expect(ClockLook.error((7, 100), (offset, error)) == wrong)
    }

    @Test("No look, no clock")
    func none() { #expect(ClockLook.offset(cloud: [], own: [look(ahead: 1, there: 1, back: 1)]) == nil) }
}
