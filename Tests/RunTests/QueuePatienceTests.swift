import FleetModel
import Testing

@testable import Run

@Suite("Patience of calm with queues", .timeLimit(.minutes(20))) struct QueuePatienceTests {
    private static let start = Instant.zero + .minutes(10)

    private func held(_ tokens: [Token], on pad: Int = 1, waitsFor: String = "answer") -> [QueuePatience.Held] {
        [(pad, [["what": "upload", "waitsFor": .string(waitsFor), "tokens": .strings(tokens)]])]
    }
    private func at(_ seconds: Int64) -> Instant { Self.start + .seconds(seconds) }
    /// Ten seconds of budget, a hundred without a move, a thousand at most.
    private var real: QueuePatience {
        QueuePatience(now: Self.start, budget: .seconds(10), pause: .seconds(100), most: .seconds(1000))
    }
    private var virtual: QueuePatience {
        QueuePatience(now: Self.start, budget: .seconds(10), pause: .zero, most: .zero)
    }

    @Test("Nothing waits: over at once, in both kinds of time")
    func empty() {
        for var patience in [real, virtual] {
            let goesOn = patience.goesOn([], now: at(1))
            #expect(!goesOn && patience.doubt([]) == nil)
        }
    }

    @Test("Virtual time: the budget, whatever moves")
    func budget() {
        var patience = virtual
        let looks = [
            patience.goesOn(held(["a", "b", "c"]), now: at(5)), patience.goesOn(held(["a", "b"]), now: at(9)),
            patience.goesOn(held(["a"]), now: at(10)),
        ]
        #expect(looks == [true, true, false])
        #expect(patience.doubt(held(["a"])) == nil)
    }

    @Test("Real time: what stands still is stuck after the pause, whatever it waits for")
    func still() {
        var patience = real
        let looks = [
            patience.goesOn(held(["a"]), now: at(5)), patience.goesOn(held(["a"], waitsFor: "network"), now: at(60)),
            patience.goesOn(held(["a"]), now: at(100)),
        ]
        #expect(looks == [true, true, false])
        #expect(patience.doubt(held(["a"])) == nil)
    }

    @Test("Real time: a move that a late look finds is waited for again, then the pause decides")
    func late() {
        var patience = real
        let first = patience.goesOn(held(["a", "b"]), now: at(5))
        // Visits took longer than the pause.
        let second = patience.goesOn(held(["a"]), now: at(300))
        #expect(first && second && patience.end == at(400))
        let third = patience.goesOn(held(["a"]), now: at(401))
        #expect(!third && patience.doubt(held(["a"])) == nil)
    }

    @Test("Real time: what still moves at the very end makes no verdict, and its iPads are named")
    func moving() {
        var patience = real
        var looks = 0
        while patience.goesOn(held(["a", "\(looks)"], on: 7), now: at(Int64(looks) * 50)), looks < 100 { looks += 1 }
        #expect(looks == 22, "100 s and 1000 s in steps of 50")
        #expect(patience.doubt(held(["a"], on: 7))?.contains("queues of ipad-7 still moved") == true)
    }
}
