import FleetModel
import Testing

@testable import Load

@Suite("Census", .timeLimit(.minutes(20))) struct CensusTests {
    /// The run is process 10, its zygote 11, iPads 20 and 30 with what starts their apps (21, 31), apps 22 and 32, the Cloud 40.
    private let roots = Census.Roots(run: 10, cloud: 40, ipads: [20, 30])
    private static let family: [(pid: Int32, parent: Int32)] = [
        (1, 0), (9, 1), (10, 9), (11, 10), (20, 11), (21, 20), (22, 21), (30, 11), (31, 30), (32, 31), (40, 10),
        (41, 40),
    ]
    private func samples(_ cpu: [Int32: Int64] = [:], without: Set<Int32> = []) -> [Census.Sample] {
        Self.family.filter { !without.contains($0.pid) }.map {
            Census.Sample(
                pid: $0.pid, parent: $0.parent, began: UInt64($0.pid) * 7, cpu: .milliseconds(cpu[$0.pid] ?? 0))
        }
    }

    @Test("Kinds: by whose child it is; who is nobody's child does not count")
    func kinds() {
        var census = Census()
        let present = census.look(samples().reversed(), roots)
        #expect(present == [.run: [10, 11], .ipads: [20, 21, 30, 31], .apps: [22, 32], .cloud: [40, 41]])
        #expect(census.look(samples(), Census.Roots(run: 10, cloud: nil, ipads: []))[.cloud] == nil)
    }

    @Test("CPU: from the first look on, of later processes all of it, of ended ones until they were seen last")
    func cpu() {
        var census = Census()
        census.look(samples([20: 1000, 22: 500, 9: 7, 10: 3], without: [32, 40, 41]), roots)
        census.look(samples([20: 1200, 22: 560, 32: 30, 40: 90, 9: 50, 10: 3]), roots)
        census.look(samples([20: 1300, 32: 40, 40: 95, 9: 90, 10: 5], without: [22]), roots)
        let processes = census.processes
        #expect(processes.map(\.kind) == [.ipads, .apps, .cloud, .run])
        #expect(processes.map(\.cpu) == [300, 100, 95, 2].map(Span.milliseconds))
        #expect(processes.map(\.most) == [4, 2, 2, 2])
    }

    @Test("Wake-ups: as CPU; who ended between two readings keeps what was read last")
    func wakeUps() {
        var census = Census()
        let looks: [(without: Set<Int32>, counts: [Int32: Int])] = [
            ([32, 40, 41], [20: 1000, 22: 500, 10: 3]), ([], [20: 1200, 22: 560, 32: 30, 40: 90, 10: 4]),
            ([22], [20: 1300, 40: 95, 10: 9]),
        ]
        for look in looks { census.look(samples(without: look.without), roots) { look.counts[$0] } }
        #expect(census.processes.map(\.kind) == [.ipads, .apps, .cloud, .run])
        #expect(census.processes.map(\.wakeUps) == [300, 90, 95, 6])
    }

    @Test("A number that is used again is another process")
    func usedAgain() {
        var census = Census()
        census.look(samples([22: 500]), roots)
        var later = samples([22: 20])
        for index in later.indices where later[index].pid == 22 { later[index].began = 9999 }
        census.look(later, roots)
        #expect(census.processes.first { $0.kind == .apps }?.cpu == .milliseconds(20))
    }
}

@Suite("Costs", .timeLimit(.minutes(20))) struct CostTests {
    private static let costs: Costs = {
        var saves = Costs.Requests(route: "POST database records/modify", in: .edits)
        saves.add(RequestEnd(route: saves.route, took: .milliseconds(4), outcome: .answered, bytesSent: 1500))
        saves.add(RequestEnd(route: saves.route, took: .milliseconds(9), outcome: .refused, bytesReceived: 700))
        saves.add(RequestEnd(route: saves.route, took: .seconds(2), outcome: .failed, isRepeated: true))
        var costs = Costs(
            length: .seconds(10), cores: 2, machine: .seconds(15),
            processes: [
                Costs.Processes(kind: .ipads, most: 4, cpu: .milliseconds(2500), wakeUps: 1234, privateKiB: 3072),
                Costs.Processes(kind: .run, most: 2, cpu: .milliseconds(50), privateKiB: 500),
            ],
            requests: [saves]
                + zip(["GET kvs", "POST push poll"], Int64(1)...).map { route, seconds in
                    var calm = Costs.Requests(route: route, in: .calm)
                    calm.add(RequestEnd(route: route, took: .seconds(seconds), outcome: .refused, bytesSent: 10))
                    return calm
                })
        costs.service = Costs.Service(answered: 900, commits: 100, committed: 250)
        return costs
    }()
    private var figures: RunFigures {
        var figures = HandMade().figures
        figures.costs = Self.costs
        figures.speed = 20
        return figures
    }

    @Test("Requests: counted by how they ended, with bytes and latencies")
    func requests() throws {
        let saves = try #require(Self.costs.requests.first)
        #expect(saves.repeated == 1 && saves.refused == 1 && saves.failed == 1)
        #expect(saves.bytesSent == 1500 && saves.bytesReceived == 700)
        #expect(saves.latencies.count == 3 && saves.latencies.max == .seconds(2))
    }

    @Test("Table: processes, the machine, requests")
    func table() {
        #expect(
            CostTable.lines(Self.costs) == [
                "processes                        at most       CPU     cores  wake-ups  a second    memory",
                "  iPads                                4    2.50 s     0.250      1234       123  3.00 MiB",
                "  the run itself                       2   50.0 ms     0.005         0     0.000   500 KiB",
                "  in 10.0 s; the machine was busy with 1.50 of 2 cores (75%)",
                "  the Cloud answered 900 requests and committed 100 times (10.0 a second), 2.50 requests each",
                "",
                "requests, real time             requests       p50       p99     again   refused"
                    + "    failed      sent  received",
                "  POST database records/modify         3   9.00 ms    2.00 s         1         1"
                    + "         1  1.46 KiB     700 B",
                "  in calm, but polls                   1    1.00 s    1.00 s         0         1"
                    + "         0      10 B       0 B",
                "",
            ])
        let sizes = [0, 999, 1000, 1 << 20, 5 << 40].map(CostTable.size)
        #expect(sizes == ["0 B", "999 B", "0.977 KiB", "1.00 MiB", "5.00 TiB"])
    }

    @Test("Parts of a run: processes and requests of all, a machine once however many parts it has, the one Cloud once")
    func joined() throws {
        var other = Self.costs
        (other.length, other.machine, other.service) = (.seconds(11), .seconds(16), nil)
        other.processes = [Costs.Processes(kind: .apps, most: 3, cpu: .seconds(1), wakeUps: 5, privateKiB: 7)]
        var early = Costs.Requests(route: "GET kvs", in: .edits)
        early.add(RequestEnd(route: "GET kvs", took: .seconds(3), outcome: .answered, bytesSent: 1))
        other.requests.append(early)
        let all = try #require(Costs.joined([("a", Self.costs), ("b", other), ("a", Self.costs)]))
        #expect(all.length == .seconds(11) && all.cores == 4 && all.machine == .seconds(31))
        #expect(all.service == Self.costs.service)
        #expect(all.processes.map(\.kind) == [.ipads, .run, .apps] && all.processes.map(\.most) == [8, 4, 3])
        #expect(all.processes[0].cpu == .seconds(5) && all.processes[0].privateKiB == 6144)
        #expect(all.processes[0].wakeUps == 2468)
        #expect(
            all.requests.map { "\($0.phase) \($0.route) \($0.latencies.count)" } == [
                "edits GET kvs 1", "edits POST database records/modify 9", "calm GET kvs 3", "calm POST push poll 3",
            ])
        #expect(Costs.joined([]) == nil && Costs.joined([("a", Self.costs)]) == Self.costs)
    }

    @Test("JSON: numbers that nothing can count are refused, so that parts can be added")
    func hostile() {
        #expect(Costs(Self.costs.body) == Self.costs)
        for key in ["length", "cores", "machine"] {
            var body = Self.costs.body
            body[key] = .int(Int64.max)
            #expect(Costs(body) == nil, "\(key)")
        }
        for (list, key) in [("processes", "cpu"), ("processes", "wakeUps"), ("requests", "bytesSent")] {
            var body = Self.costs.body
            var rows = body[list]?.array ?? []
            rows[0][key] = .int(Int64.max)
            body[list] = .array(rows)
            #expect(Costs(body) == nil, "\(key)")
        }
    }

    @Test("Phases: the run's own, of which the storm has its edits and what is before and after them")
    func phases() {
        let window = Instant.zero + .seconds(60)...(Instant.zero + .seconds(120))
        func phase(_ second: Int64, _ name: String?) -> Costs.Phase? {
            Costs.Phase(at: .zero + .seconds(second), inPhase: name, edits: window)
        }
        #expect([59, 60, 120, 121].map { phase($0, "storm") } == [.arrival, .edits, .edits, .tail])
        #expect(phase(0, nil) == .arrival && phase(100, "calm") == .calm && phase(900, "reading-new") == .readingNew)
        #expect(phase(900, "lunch") == nil)
    }

    @Test("JSON: requests of a run from before there were phases are those of the edits")
    func earlierRequests() throws {
        var body = figures.body
        var costs = body["costs"] ?? .null
        var saves = try #require(costs["requests"]?.array?.first)
        #expect(saves["phase"] == "edits")
        saves["phase"] = nil
        costs["requests"] = [saves]
        body["costs"] = costs
        #expect(try RunFigures(body).costs?.requests == [Self.costs.requests[0]])
        saves["phase"] = "lunch"
        costs["requests"] = [saves]
        body["costs"] = costs
        #expect(throws: RunFigures.Problem.self) { try RunFigures(body) }
    }

    @Test("JSON: read back as written")
    func json() throws {
        #expect(try RunFigures(try Value(json: Array(figures.body.json.utf8))) == figures)
    }

    @Test(
        "JSON: damaged costs are refused with the reason (each member)",
        arguments: ["length", "cores", "machine", "processes", "requests", "service"])
    func hostile(key: String) {
        for wrong in [nil, Value.string("x"), .int(-7), .array([.int(1)]), .array([["kind": "ipads", "most": -1]])] {
            // The Cloud of an earlier run was not asked.
            if wrong == nil, key == "service" { continue }
            var body = figures.body
            var costs = body["costs"] ?? .null
            costs[key] = wrong
            body["costs"] = costs
            #expect(throws: RunFigures.Problem(message: "its costs are damaged; run the scenario again")) {
                try RunFigures(body)
            }
        }
    }

    @Test("Page: what it cost, with routes as text; times of a compressed run are told as such")
    func page() {
        var figures = figures
        figures.mode = "live"
        figures.costs?.requests[0].route = "GET <x>"
        let page = FigurePage.html(figures)
        #expect(page.contains("GET &lt;x&gt;") && page.contains("1.50 of 2 cores (75%)"))
        #expect(page.contains("times are 20.0 times as long as real ones"))
        let parts = page.split(separator: "<details><summary>requests, in calm</summary>")
        #expect(parts.count == 2 && !parts[0].contains("GET kvs") && parts[1].contains("GET kvs"))
    }
}

@Suite("Service level", .timeLimit(.minutes(20))) struct ServiceLevelTests {
    /// Edits that were seen after so many milliseconds, nil: never; each of an item of its own.
    private func run(_ sights: [Int64?]) -> RunFigures {
        var hand = HandMade()
        for (index, sight) in sights.enumerated() {
            let at = Int64(index) * 1000
            hand.made("maya.\(index + 1)", at, performed: at + 1)
            if let sight { hand.seen("maya.\(index + 1)", on: 2, at + sight) }
        }
        return hand.figures
    }
    private let level = ServiceLevel(most: .seconds(2))

    @Test("So large a part in time: one of a hundred may be late, two may not")
    func late() {
        let quick = [Int64?](repeating: 100, count: 98)
        #expect(level.holds(run(quick + [100, 9000])) && !level.holds(run(quick + [9000, 9000])))
        #expect(level.holds(run([2000])) && !level.holds(run([2010])))
    }

    @Test("What was never seen took infinitely long; what was never performed too")
    func never() throws {
        let quick = [Int64?](repeating: 100, count: 98)
        #expect(level.holds(run(quick + [100, nil])) && !level.holds(run(quick + [nil, nil])))
        #expect(!level.holds(run([nil])) && !level.holds(run([])))
        let row = try #require(run(quick + [nil, nil]).rows.first)
        #expect(row.sight(0.99) == nil && row.sight(0.98) != nil)
        var hand = HandMade()
        hand.planned("maya.1", 0)
        hand.made("maya.2", 0, performed: 1)
        hand.seen("maya.2", on: 2, 5)
        #expect(!level.holds(hand.figures))
    }

    @Test("What was written again is seen when the later text is; too late is too late")
    func overtaken() throws {
        var hand = HandMade()
        hand.made("maya.1", 0, performed: 1, item: "note")
        hand.made("maya.2", 10, performed: 11, item: "note")
        hand.seen("maya.2", on: 2, 50)
        #expect(level.holds(hand.figures) && hand.all?.awaited == 2)
        var slow = HandMade()
        slow.made("maya.1", 0, performed: 1, item: "note")
        slow.made("maya.2", 10, performed: 11, item: "note")
        slow.seen("maya.2", on: 2, 30_000)
        #expect(!level.holds(slow.figures))
        var lost = HandMade()
        lost.made("maya.1", 0, performed: 1, item: "note")
        lost.made("maya.2", 10, performed: 11, item: "note")
        #expect(!level.holds(lost.figures))
    }
}
