import Testing

@testable import CloudLoad

@Suite("Losses", .timeLimit(.minutes(20))) struct LossesTests {
    @Test("After a kill: what was seen before and is gone is lost; what is there and was never seen is skipped")
    func losses() {
        #expect(Losses.faults(["a", "b"], followed: ["a", "b"], present: ["a", "b", "c"]) == [])
        #expect(Losses.faults(["a", "b"], followed: ["a", "b"], present: ["b"]) == ["[\"a\"] are lost"])
        #expect(
            Losses.faults(["a", "b"], followed: ["b"], present: ["a", "b"]) == ["[\"a\"] are skipped by the feed"])
    }
}
