import FleetModel
import Testing

@testable import Load

@Suite("Comparison") struct FigureComparisonTests {
    /// A run of one edit that took so many milliseconds until it was seen.
    private func run(_ milliseconds: Int64, plan at: Int64 = 1000, wall: Int64 = 1000, isSeen: Bool = true)
        -> RunFigures
    {
        var hand = HandMade()
        hand.made("maya.1", at, performed: at + 10)
        if isSeen { hand.seen("maya.1", on: 2, at + milliseconds) }
        var figures = hand.figures
        figures.wallMilliseconds = wall
        return figures
    }
    private func line(_ name: String, _ a: [RunFigures], _ b: [RunFigures]) throws -> FigureComparison.Line {
        let comparison = try #require(FigureComparison(a, b))
        return try #require(comparison.lines.first { $0.name == name })
    }
    private static let sight = "record.firstSight.p50"
    private func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 0.002 * b }

    @Test("Ratio of medians, spread of single runs: all against all where no plan is the same")
    func ratio() throws {
        let a = [run(100, plan: 1), run(200, plan: 2), run(120, plan: 3)]
        let b = [run(180, plan: 4), run(240, plan: 5), run(600, plan: 6)]
        let found = try line(Self.sight, a, b)
        #expect(isNear(found.ratio, 2) && found.worsening == found.ratio)
        #expect(isNear(found.spread.lowerBound, 0.9) && isNear(found.spread.upperBound, 6))
        #expect(try #require(FigureComparison(a, b)).isSamePlan == false)
    }

    @Test("Spread: runs of one plan are held against each other only")
    func pairs() throws {
        let a = [run(100, plan: 1), run(400, plan: 2)]
        let b = [run(110, plan: 1), run(440, plan: 2)]
        let found = try line(Self.sight, a, b)
        #expect(isNear(found.spread.lowerBound, 1.1) && isNear(found.spread.upperBound, 1.1))
    }

    @Test("Rates: more is better, so half of it is twice as bad")
    func rates() throws {
        let found = try line("run.performedPerWallSecond", [run(1, wall: 1000)], [run(1, wall: 2000)])
        #expect(found.ratio == 0.5 && found.worsening == 2)
    }

    @Test("Counts of nothing: none and none are equal, some instead of none are infinitely worse")
    func nothing() throws {
        #expect(try line("record.unseen", [run(1)], [run(1)]).ratio == 1)
        #expect(try line("record.unseen", [run(1)], [run(1, isSeen: false)]).worsening == .infinity)
        #expect(FigureComparison([], [run(1)]) == nil && FigureComparison([run(1)], []) == nil)
    }

    @Test("A figure that one side does not have is left out")
    func absent() throws {
        let comparison = try #require(FigureComparison([run(1)], [run(1, isSeen: false)]))
        #expect(!comparison.lines.contains { $0.name == Self.sight })
        #expect(comparison.lines.contains { $0.name == "record.performed.p50" })
    }

    @Test("Limits: beyond only what is worse by more")
    func limits() throws {
        let comparison = try #require(FigureComparison([run(100)], [run(150)]))
        for (limit, isBeyond) in [(1.4, true), (1.6, false)] {
            let limits = FigureLimits(most: [Self.sight: limit])
            #expect(comparison.beyond(limits).map(\.name) == (isBeyond ? [Self.sight] : []))
            let line = try #require(comparison.table(limits).first { $0.hasPrefix(Self.sight) })
            #expect(line.hasSuffix(isBeyond ? "BEYOND" : "kept"))
        }
        #expect(
            try #require(FigureComparison([run(150)], [run(100)])).beyond(FigureLimits(most: [Self.sight: 1])).isEmpty)
    }

    @Test("Medians: of an odd and of an even number, of none")
    func medians() {
        #expect(FigureComparison.median([3, 1, 2]) == 2 && FigureComparison.median([4, 1, 2, 3]) == 2.5)
        #expect(FigureComparison.median([]) == 0)
    }
}

@Suite("Limits file") struct FigureLimitsTests {
    private func read(_ text: String) throws -> FigureLimits {
        try FigureLimits(text: text, file: "l", known: ["a.p50", "b.p99"])
    }

    @Test("Lines of another system: none is lost behind a remark")
    func foreignLines() throws {
        #expect(try read("# limits\r\na.p50 1.1 # x\r\nb.p99 2\r\n").most == ["a.p50": 1.1, "b.p99": 2])
    }

    @Test("Names and numbers, comments and empty lines")
    func read() throws {
        #expect(try read("# before\n\n  a.p50   1.10  # why\nb.p99\t2\n").most == ["a.p50": 1.1, "b.p99": 2])
        #expect(try read("").most.isEmpty)
    }

    @Test("Everything wrong is told with its place")
    func wrong() {
        let text = "a.p50\n  c.p50 1.1\nb.p99 0\nb.p99 nan\nb.p99 1 2\na.p50 1\na.p50 2"
        let limit = "a limit is a name and a number above 0, as in 'record.firstSight.p99 1.10'"
        #expect(
            throws: FigureLimits.Problem(messages: [
                "l:1:1: \(limit)",
                "l:2:3: no figure of these runs is called 'c.p50'; there are: a.p50, b.p99",
                "l:3:1: \(limit)", "l:4:1: \(limit)", "l:5:1: \(limit)",
                "l:7:1: 'a.p50' has a limit above already",
            ])
        ) { try read(text) }
    }
}
