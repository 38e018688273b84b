import FleetModel
import Testing

@testable import Load

@Suite("Level search", .timeLimit(.minutes(20))) struct LevelSearchTests {
    /// Runs a search to its end; `measure` says what a level shows.
    private func run(_ search: LevelSearch, _ measure: (Int) -> Bool) -> (holds: Int?, fails: Int?, levels: [Int]) {
        var search = search
        var levels: [Int] = []
        while case .measure(let level) = search.next, levels.count < 1000 {
            levels.append(level)
            search.measured(holds: measure(level))
        }
        guard case .found(let holds, let fails) = search.next else { return (nil, nil, levels) }
        return (holds, fails, levels)
    }

    @Test("Without noise: exactly the limit, for every limit (1 to 70, levels 1 to 64)")
    func exact() {
        for limit in 1...70 {
            let found = run(LevelSearch(levels: 1...64)) { $0 <= limit }
            #expect(found.holds == min(limit, 64) && found.fails == (limit < 64 ? limit + 1 : nil))
        }
    }

    @Test("Each level is believed when two measurements agree: doubled first, then halved")
    func order() {
        let found = run(LevelSearch(levels: 10...1000, resolution: 10)) { $0 <= 65 }
        #expect(found.levels == [10, 20, 40, 80, 60, 70].flatMap { [$0, $0] })
        #expect(found.holds == 60 && found.fails == 70)
    }

    @Test("Noise: one wrong measurement of any level moves nothing (each of them in turn)")
    func noise() {
        let quiet = run(LevelSearch(levels: 1...256)) { $0 <= 100 }
        for wrong in Set(quiet.levels) {
            var isLied = false
            let found = run(LevelSearch(levels: 1...256)) { level in
                guard level == wrong, !isLied else { return level <= 100 }
                isLied = true
                return level > 100
            }
            #expect(found.holds == 100 && found.fails == 101, "wrong once at \(wrong)")
            #expect(found.levels.count == quiet.levels.count + 1)
        }
    }

    @Test("Ends: nothing holds, everything holds, one level, nonsense")
    func ends() {
        let never = run(LevelSearch(levels: 8...64)) { _ in false }
        #expect(never.holds == nil && never.fails == 8 && never.levels == [8, 8])
        let always = run(LevelSearch(levels: 8...50)) { _ in true }
        #expect(always.holds == 50 && always.fails == nil)
        let one = run(LevelSearch(levels: 7...7)) { _ in true }
        #expect(one.holds == 7 && one.levels == [7, 7])
        #expect(run(LevelSearch(levels: -5 ... -1, resolution: 0)) { _ in true }.holds == 1)
        #expect(run(LevelSearch(levels: 1 ... .max)) { _ in true }.holds == .max)
    }

    @Test("After the end nothing is taken any more")
    func after() {
        var search = LevelSearch(levels: 1...1)
        for _ in 0..<2 { search.measured(holds: true) }
        for _ in 0..<4 { search.measured(holds: false) }
        #expect(search.next == .found(holds: 1, fails: nil))
    }
}
