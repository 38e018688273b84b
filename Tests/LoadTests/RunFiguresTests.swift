import FleetModel
import Testing

@testable import Load

@Suite("Figures of a run", .timeLimit(.minutes(20))) struct RunFiguresTests {
    @Test("An edit's way: each stretch from the rung before, sights from the plan")
    func way() throws {
        var run = HandMade()
        let edit = run.planned("maya.1", 1000)
        run.invoked(edit, 1250)
        run.step(.performed, "maya.1", 1300)
        run.step(.handedOver, "maya.1", 1340)
        run.step(.committed, "maya.1", 1400)
        run.seen("maya.1", on: 3, 1500)
        run.seen("maya.1", on: 2, 1900)
        let row = try #require(run.all)
        let found = RunFigures.Stage.allCases.map { row.most($0) }
        #expect(found == [300, 40, 60, 500, 900])
        #expect(row.planned == 1 && row.performed == 1 && row.unseen == 0)
    }

    @Test("Waiting behind a slow answer counts: from the plan, not from the attempt")
    func coordinatedOmission() throws {
        var run = HandMade()
        for index in 0..<10 {
            let edit = run.planned("maya.\(index + 1)", Int64(index) * 100)
            // The first takes a second; the others wait for it, and are quick then.
            let at = Int64(max(1000, index * 100))
            run.invoked(edit, at)
            run.step(.performed, edit.token, at + 1)
        }
        let row = try #require(run.all)
        #expect(row[.performed].count == 10 && row.most(.performed) == 1001)
        #expect(try #require(row[.performed].quantile(0.5)) > .milliseconds(500))
    }

    @Test("Hand-over inside the handler takes no time after it; the Cloud's answer counts from the later one")
    func handler() throws {
        var run = HandMade()
        let edit = run.planned("maya.1", 0)
        run.invoked(edit, 0)
        run.step(.handedOver, "maya.1", 20)
        run.step(.performed, "maya.1", 50)
        run.step(.committed, "maya.1", 80)
        let row = try #require(run.all)
        #expect(row.most(.handedOver) == 0 && row.most(.committed) == 30)
    }

    @Test("Sights that do not count: the own iPad, another person's, a second time, in calm")
    func sights() throws {
        var run = HandMade()
        run.made("maya.1", 0, performed: 10)
        run.seen("maya.1", on: 1, 20)
        run.seen("maya.1", on: 2, 30, by: "ben")
        #expect(try #require(run.all).unseen == 1)
        run.seen("maya.1", on: 2, 100)
        run.seen("maya.1", on: 2, 5000)
        run.phase(6000, "calm")
        run.seen("maya.1", on: 3, 7000)
        let row = try #require(run.all)
        #expect(row.unseen == 0 && row.most(.firstSight) == 100 && row.most(.lastSight) == 100)
        #expect(row[.firstSight].count == 1)
    }

    @Test("Written again: the sight of a later text counts for the earlier one, at the iPad that shows it")
    func inherited() throws {
        var run = HandMade()
        run.made("maya.1", 0, performed: 10, item: "note-1")
        run.made("maya.2", 100, performed: 110, item: "note-1")
        run.made("maya.3", 200, performed: 210, item: "note-2")
        run.seen("maya.2", on: 2, 400)
        run.seen("maya.1", on: 2, 900)
        run.seen("maya.2", on: 3, 5000)
        let row = try #require(run.all)
        #expect(row.unseen == 1 && row.overtaken == 0)
        #expect(row.most(.firstSight) == 400 && row.most(.lastSight) == 5000)
        #expect(row[.firstSight].count == 2)
    }

    @Test("Never seen: counted, and apart when the item was deleted next; flags and deletions are not looked for")
    func unseen() throws {
        var run = HandMade()
        run.made("maya.1", 0, performed: 10, item: "note-1")
        run.made("maya.2", 100, performed: 110, item: "note-1")
        run.made("maya.3", 200, performed: 210, item: "note-2")
        let deletion = run.planned("maya.4", 300, item: "note-1", verb: .delete)
        run.invoked(deletion, 300)
        run.step(.performed, "maya.4", 310)
        run.seen("maya.3", on: 2, 400)
        let row = try #require(run.all)
        #expect(row.performed == 4 && row.unseen == 2 && row.overtaken == 1)
    }

    @Test("Not performed: skipped, refused, handed back, and an edit that no plan has")
    func others() throws {
        var run = HandMade()
        run.planned("maya.1", 0)
        let refused = run.planned("maya.2", 100)
        run.invoked(refused, 100)
        run.step(.refused, "maya.2", 130)
        run.made("maya.3", 200, performed: 210)
        run.step(.handedBack, "maya.3", 220)
        run.step(.handedBack, "maya.3", 230)
        let extra = Edit(
            token: "maya.9", person: "maya", app: "notebook", action: "write", item: "n", verb: .put, value: "")
        run.invoked(extra, 300)
        run.step(.performed, "maya.9", 340)
        let row = try #require(run.all)
        #expect(row.planned == 4 && row.skipped == 1 && row.refused == 1 && row.handedBack == 2 && row.performed == 2)
        #expect(row.most(.performed) == 40)
    }

    @Test("Rows: all, each channel, and each with and without faults")
    func rows() {
        var run = HandMade()
        run.made("maya.1", 0, performed: 10)
        #expect(run.figures.rows.map(\.name) == ["record"])
        run.fault(.faultBegan, 50)
        run.made("maya.2", 100, performed: 180, app: "quiz")
        run.fault(.faultHealed, 200)
        run.made("maya.3", 200, performed: 220, app: "quiz")
        let rows = run.figures.rows
        let names = ["all", "record", "keyValue"].flatMap { [$0, $0 + ".quiet", $0 + ".faults"] }
        #expect(rows.map(\.name) == names)
        #expect(rows.map(\.planned) == [3, 2, 1, 1, 1, 0, 2, 1, 1])
        #expect(rows.map { $0.most(.performed) } == [80, 20, 80, 10, 10, nil, 80, 20, 80])
        #expect(run.figures.performedPerWallSecond == 6)
    }

    @Test("Rates: between the first and the last")
    func rates() throws {
        var run = HandMade()
        for index in 0...10 {
            run.made("maya.\(index + 1)", Int64(index) * 500, performed: Int64(index) * 1000 + 7)
        }
        let row = try #require(run.all)
        #expect(row.plannedPerSecond == 2 && row.performedPerSecond == 1)
    }

    @Test("Timeline: bins of the storm, faults and bells")
    func timeline() {
        var run = HandMade()
        run.made("maya.1", 500, performed: 2500)
        run.seen("maya.1", on: 2, 3100)
        run.fault(.faultBegan, 2000)
        run.phase(60_000, "calm")
        run.fault(.faultHealed, 60_000)
        run.fault(.faultBegan, 70_000, id: "late-1")
        let timeline = run.figures.timeline
        #expect(timeline.bin == .seconds(1) && timeline.planned.count == 61)
        #expect(timeline.planned[0] == 1 && timeline.performed[2] == 1 && timeline.seen[3] == 1)
        #expect([timeline.planned, timeline.performed, timeline.seen].map { $0.reduce(0, +) } == [1, 1, 1])
        #expect(timeline.medianSight[0] == .milliseconds(2600) && timeline.longestSight[0] == .milliseconds(2600))
        #expect(timeline.medianSight.dropFirst().allSatisfy { $0 == nil })
        #expect(timeline.bells == [.zero + .seconds(30)])
        let window = RunFigures.Timeline.Window(
            name: "partition", from: .zero + .seconds(2), until: .zero + .seconds(60))
        #expect(timeline.faults == [window])
    }

    @Test("JSON: read back as written")
    func json() throws {
        var run = HandMade()
        run.fault(.faultBegan, 50)
        run.made("maya.1", 100, performed: 180, app: "quiz")
        run.made("maya.2", 300, performed: 320)
        run.seen("maya.1", on: 2, 400)
        let figures = run.figures
        #expect(try RunFigures(try Value(json: Array(figures.body.json.utf8))) == figures)
    }

    @Test(
        "JSON: what is no file of figures is refused with the reason (all of it, each member)",
        arguments: ["format", "scenario", "seed", "mode", "plan", "wallMilliseconds", "rows", "timeline"])
    func hostile(key: String) {
        var run = HandMade()
        run.made("maya.1", 100, performed: 180)
        for wrong in [nil, Value.string("x"), .int(-7), .array([.int(1)]), .null] {
            var body = run.figures.body
            body[key] = wrong
            if wrong?.string != nil, ["scenario", "mode", "plan"].contains(key) { continue }
            if wrong?.int != nil, key == "wallMilliseconds" { continue }
            #expect(throws: RunFigures.Problem.self) { try RunFigures(body) }
        }
    }

    @Test("Bells: the last sign-in of a period, answered by its own iPad and not by calm")
    func bells() throws {
        var run = HandMade()
        func signedIn(_ person: Person, _ pad: Int, _ at: Int64) {
            run.note(at, .pad(pad), Note(.signedIn, person: person))
        }
        for (person, pad, at) in [("maya", 1, 2000), ("omar", 2, 4000), ("ida", 1, 31_000), ("maya", 2, 33_000)] {
            run.plan.append(PlanStep(at: .zero + .milliseconds(Int64(at)), person: person, pad: pad, .signIn))
        }
        signedIn("maya", 1, 2100)
        signedIn("omar", 2, 9500)
        signedIn("ida", 1, 31_400)
        // Another iPad, another person, and then the run itself.
        signedIn("maya", 1, 33_500)
        signedIn("omar", 2, 33_600)
        run.phase(40_000, "calm")
        signedIn("maya", 2, 41_000)
        let figures = run.figures
        #expect(
            figures.bells == [
                .init(at: .zero, planned: 2, answered: 2, lastPlanned: .seconds(4), settled: .milliseconds(9500)),
                .init(at: .zero + .seconds(30), planned: 2, answered: 1, lastPlanned: .seconds(3), settled: nil),
            ])
        #expect(try RunFigures(figures.body) == figures)
        run.made("maya.1", 0, performed: 10)
        let lines = FigureTable.lines(run.figures)
        #expect(lines.contains("  30s                              2         1    3.00 s     never"), "\(lines)")
        #expect(FigurePage.html(run.figures).contains("<th>bell at 30s</th><td>2</td><td>1</td>"))
    }
}
