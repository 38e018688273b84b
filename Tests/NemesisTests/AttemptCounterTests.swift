import Nemesis
import Testing

@Suite("Attempts", .timeLimit(.minutes(20))) struct AttemptCounterTests {
    @Test("Counts: by direction, iPad and cause, from 0")
    func counts() {
        var attempts = AttemptCounter()
        #expect([1, 2, 3].map { _ in attempts.next(.request, pad: 1, cause: "a") } == [0, 1, 2])
        #expect(attempts.next(.response, pad: 1, cause: "a") == 0)
        #expect(attempts.next(.request, pad: 2, cause: "a") == 0)
        #expect(attempts.next(.request, pad: 1, cause: "b") == 0)
    }

    @Test("Bounded: the newest causes are known, the oldest begin again (10 a generation)")
    func bounded() {
        var attempts = AttemptCounter(most: 10)
        for cause in 0..<15 { _ = attempts.next(.request, pad: 1, cause: "\(cause)") }
        #expect(attempts.next(.request, pad: 1, cause: "14") == 1)
        #expect(attempts.next(.request, pad: 1, cause: "2") == 1)
        for cause in 100..<125 { _ = attempts.next(.request, pad: 1, cause: "\(cause)") }
        #expect(attempts.next(.request, pad: 1, cause: "14") == 0)
    }
}
