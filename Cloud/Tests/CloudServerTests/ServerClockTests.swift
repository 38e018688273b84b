import FleetModel
import Testing

@testable import CloudServer

@Suite("The server's clock", .timeLimit(.minutes(20))) struct ServerClockTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        "The machine's clock goes two hours ahead and back: the core's never goes back, goes on all the while, and is true again"
    )
    func jump() {
        var clock = ServerClock()
        let hours = 7200 * Self.second
        #expect(clock.now(wall: 0, tick: 50) == 0)
        #expect(clock.now(wall: Self.second, tick: 50 + Self.second) == Self.second)
        var last = clock.now(wall: hours, tick: 50 + 2 * Self.second)
        #expect(last == hours)
        // Set right again: one step a second. What is put off for a second is due within two.
        var wrong: [Int64] = []
        for step in 3..<(4 * 7200) {
            let wall = Int64(step) * Self.second
            let now = clock.now(wall: wall, tick: 50 + wall)
            let isRight = now > wall ? now - last == Self.second / 2 : now > last
            if !isRight, wrong.count < 5 { wrong.append(Int64(step)) }
            last = now
        }
        #expect(wrong == [])
        #expect(last == Int64(4 * 7200 - 1) * Self.second)
    }

    @Test("Calls within one moment of the machine get moments of their own")
    func moments() {
        var clock = ServerClock()
        #expect((0..<4).map { _ in clock.now(wall: 7, tick: 1) } == [7, 8, 9, 10])
    }
}
