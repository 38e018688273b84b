import FleetModel
import Testing

@testable import Load

@Suite("Comparison", .timeLimit(.minutes(20))) struct FigureComparisonTests {
    /// A run of one edit that took so many milliseconds until it was seen.
    private func run(
        _ milliseconds: Int64, plan at: Int64 = 1000, wall: Int64 = 1000, isPerformed: Bool = true, isSeen: Bool = true
    ) -> RunFigures {
        var hand = HandMade()
        if isPerformed { hand.made("maya.1", at, performed: at + 10) } else { hand.planned("maya.1", at) }
        if isPerformed, isSeen { hand.seen("maya.1", on: 2, at + milliseconds) }
        var figures = hand.figures
        figures.wallMilliseconds = wall
        return figures
    }
    private func line(_ name: String, _ a: [RunFigures], _ b: [RunFigures]) throws -> FigureComparison.Line {
        let comparison = try FigureComparison(a, b)
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
        #expect(try FigureComparison(a, b).isSamePlan == false)
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
        for (a, b, side) in [([], [run(1)], "A"), ([run(1)], [], "B")] {
            #expect(throws: FigureComparison.Problem(message: "nothing to compare: \(side) holds no runs")) {
                try FigureComparison(a, b)
            }
        }
    }

    @Test("Never seen: infinitely long, so p99 is of all that were performed and not of the seen ones")
    func neverSeen() throws {
        var hand = HandMade()
        for number in 1...100 {
            hand.made("maya.\(number)", 1000, performed: 1010)
            if number > 2 { hand.seen("maya.\(number)", on: 2, 1100) }
        }
        let (all, some) = (hand.figures, run(100))
        #expect(try line("record.firstSight.p50", [some], [all]).worsening < 1.01)
        for name in ["record.firstSight.p99", "record.lastSight.p99"] {
            let found = try line(name, [some], [all])
            #expect(found.b == .infinity && found.worsening == .infinity && found.spread == .infinity ... .infinity)
            #expect(try line(name, [all], [all]).worsening == 1)
            #expect(try line(name, [all], [some]).worsening == 0)
        }
    }

    @Test("Planned and never performed: a share of its own, and the other figures of such a run are as bad as can be")
    func dropped() throws {
        let (made, dropped) = (run(100), run(100, isPerformed: false))
        let share = try line("record.notPerformed", [made], [dropped])
        #expect(share.a == 0 && share.b == 1 && share.worsening == .infinity && share.unit == .share)
        for name in ["record.performed.p50", Self.sight, "record.performed.p99"] {
            #expect(try line(name, [made], [dropped]).worsening == .infinity, "\(name)")
            #expect(try line(name, [dropped], [made]).worsening == 0, "\(name)")
            #expect(try line(name, [made, made], [made, dropped]).worsening == .infinity, "\(name)")
        }
        let neither = try FigureComparison([dropped], [dropped])
        #expect(!neither.lines.contains { $0.name == Self.sight })
    }

    @Test("A figure that vanishes is beyond its limit; JSON says null where nothing came")
    func vanished() throws {
        var other = run(100)
        other.rows[0].channel = .keychain
        let comparison = try FigureComparison([run(100)], [other])
        for name in [Self.sight, "record.unseen", "record.performedPerSecond"] {
            let limits = FigureLimits(most: [name: 1000])
            let isRate = name.hasSuffix("PerSecond")
            // One edit has no rate: nothing there and nothing here.
            #expect(comparison.beyond(limits).map(\.name) == (isRate ? [] : [name]))
            let body = try #require(comparison.body(limits).first { $0["name"] == .string(name) })
            #expect(body["kept"] == .bool(isRate) && body["b"] == (isRate ? Value.double(0) : .null))
        }
        let table = comparison.table(FigureLimits(most: [Self.sight: 1]))
        let line = try #require(table.first { $0.hasPrefix(Self.sight) })
        #expect(line.contains("never"))
    }

    @Test("Runs of another mode, speed or scenario are refused, in one set too; settings may be other scenarios")
    func settings() throws {
        func changed(_ change: (inout RunFigures) -> Void) -> RunFigures {
            var figures = run(100)
            change(&figures)
            return figures
        }
        let live = changed { $0.mode = "live" }
        let fast = changed { $0.speed = 20 }
        let other = changed { ($0.scenario, $0.plan) = ("other", "other") }
        for (run, what) in [
            (live, "mode sim, B of mode live"), (fast, "speed 1.00, B of speed 20.0"),
            (other, "scenario 'hand', B of scenario 'other'"),
        ] {
            let hint = "their times cannot be compared; give results of one plan, mode and speed"
            #expect(throws: FigureComparison.Problem(message: "A holds runs of \(what): \(hint)")) {
                try FigureComparison([self.run(100)], [run])
            }
            #expect(throws: FigureComparison.Problem.self) { try FigureComparison([run], [self.run(100), run]) }
        }
        #expect(try FigureComparison([run(100)], [other], scenariosMayDiffer: true).lines.isEmpty == false)
        #expect(throws: FigureComparison.Problem.self) {
            try FigureComparison([run(100)], [live], scenariosMayDiffer: true)
        }
    }

    @Test("Names of figures that there may be: those of every run are among them")
    func names() {
        var hand = HandMade()
        hand.fault(.faultBegan, 50)
        hand.made("maya.1", 100, performed: 180, app: "quiz")
        hand.made("maya.2", 300, performed: 320)
        hand.seen("maya.2", on: 2, 3550)
        let names = Set(FigureComparison.names(channels: [.record, .keyValue], hasFaults: true, hasCosts: false))
        #expect(FigureComparison.figures(hand.figures).allSatisfy { names.contains($0.name) })
        let own = FigureComparison.names(channels: [.record], hasFaults: false, hasCosts: false)
        #expect(own.contains("record.notPerformed") && own.contains("all.notPerformed"))
        #expect(!own.contains("record.quiet.unseen") && !own.contains("keyValue.unseen") && own.count == 37)
    }

    @Test("Two apps on one plan: the same course, and 'all' is what both have though each has one channel")
    func apps() throws {
        func figures(_ app: AppName, at: Int64 = 1000) -> RunFigures {
            var hand = HandMade()
            hand.made("maya.1", at, performed: at + 10, app: app, item: app)
            hand.seen("maya.1", on: 2, at + 100)
            var figures = hand.figures
            figures.scenario = app
            return figures
        }
        let comparison = try FigureComparison([figures("notebook")], [figures("quiz")])
        #expect(comparison.isSamePlan && comparison.oneSided == [.record, .keyValue])
        let rows = comparison.table(FigureLimits()).dropFirst().map { $0.prefix { $0 != "." } }
        #expect(Set(rows) == ["all", "run"])
        let sight = try #require(comparison.lines.first { $0.name == "all.firstSight.p50" })
        #expect(sight.ratio == 1 && sight.a.isFinite)
        #expect(throws: FigureComparison.Problem.self) {
            try FigureComparison([figures("notebook")], [figures("quiz", at: 1001)])
        }
        let same = try FigureComparison([figures("quiz")], [figures("quiz")])
        #expect(Set(same.table(FigureLimits()).dropFirst().map { $0.prefix { $0 != "." } }) == ["keyValue", "run"])
        #expect(same.table(FigureLimits(most: ["all.unseen": 1])).contains { $0.hasPrefix("all.unseen") })
    }

    @Test("Plan: two apps in turns are not one app for all")
    func course() {
        func course(_ apps: [AppName]) -> String {
            var hand = HandMade()
            for (number, app) in apps.enumerated() { hand.planned("maya.\(number)", Int64(number), app: app) }
            return RunFigures.course(of: hand.plan)
        }
        #expect(course(["notebook", "quiz"]) == course(["quiz", "notebook"]))
        #expect(course(["notebook", "quiz"]) != course(["quiz", "quiz"]))
    }

    @Test("Costs of live: CPU and memory by kind, requests and bytes while edits were made")
    func costs() throws {
        var tail = Costs.Requests(route: "GET /kvs", in: .tail)
        tail.bytesSent = 1000
        var edits = Costs.Requests(route: "GET /kvs", in: .edits)
        (edits.bytesSent, edits.bytesReceived, edits.failed) = (10, 20, 1)
        edits.latencies.record(.milliseconds(1))
        var live = run(100)
        live.costs = Costs(
            length: .seconds(1), cores: 2, machine: .seconds(1),
            processes: [Costs.Processes(kind: .cloud, most: 1, cpu: .milliseconds(20), privateKiB: 3)],
            requests: [edits, tail])
        let values: [(String, Double)] = [
            ("run.cpu.cloud", 2e7), ("run.memory.cloud", 3072), ("run.requests", 1), ("run.failedRequests", 1),
            ("run.bytes", 30),
        ]
        let names = FigureComparison.names(channels: [], hasFaults: false, hasCosts: true)
        for (name, value) in values {
            #expect(try line(name, [live], [live]).a == value && names.contains(name), "\(name)")
        }
        #expect(!FigureComparison.names(channels: [], hasFaults: false, hasCosts: false).contains("run.bytes"))
    }

    @Test("Limits: beyond only what is worse by more")
    func limits() throws {
        let comparison = try FigureComparison([run(100)], [run(150)])
        for (limit, isBeyond) in [(1.4, true), (1.6, false)] {
            let limits = FigureLimits(most: [Self.sight: limit])
            #expect(comparison.beyond(limits).map(\.name) == (isBeyond ? [Self.sight] : []))
            let line = try #require(comparison.table(limits).first { $0.hasPrefix(Self.sight) })
            #expect(line.hasSuffix(isBeyond ? "BEYOND" : "kept"))
        }
        #expect(
            try FigureComparison([run(150)], [run(100)]).beyond(FigureLimits(most: [Self.sight: 1])).isEmpty)
    }

    @Test("Medians: of an odd and of an even number, of none")
    func medians() {
        #expect(FigureComparison.median([3, 1, 2]) == 2 && FigureComparison.median([4, 1, 2, 3]) == 2.5)
        #expect(FigureComparison.median([]) == nil)
    }
}

@Suite("Limits file", .timeLimit(.minutes(20))) struct FigureLimitsTests {
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
