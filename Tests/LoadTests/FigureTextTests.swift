import FleetModel
import Testing

@testable import Load

@Suite("Figures as text", .timeLimit(.minutes(20))) struct FigureTextTests {
    private var run: HandMade {
        var run = HandMade()
        run.fault(.faultBegan, 50)
        run.made("maya.1", 100, performed: 180, app: "quiz")
        run.fault(.faultHealed, 200)
        run.made("maya.2", 300, performed: 320)
        run.planned("maya.3", 1300)
        run.seen("maya.2", on: 2, 3550)
        return run
    }

    @Test("Table: a block for each row, its stages, what did not arrive")
    func table() {
        var run = run
        run.history.removeAll { $0.note.kind == .faultBegan || $0.note.kind == .faultHealed }
        let lines = FigureTable.lines(run.figures)
        #expect(
            lines.prefix(6) == [
                "all edits                      edits       p50       p90       p99     p99.9       max",
                "  plan to performed                2   20.0 ms   80.0 ms   80.0 ms   80.0 ms   80.0 ms",
                "  plan to first sight              2    3.25 s     never     never     never     never",
                "  plan to last sight               2    3.25 s     never     never     never     never",
                "  planned 3 (1.67 a second), performed 2 (7.14 a second), 1 never tried",
                "  never seen elsewhere 1 of 2",
            ])
        #expect(lines.count == 7 + 6 + 7 && lines.last == "")
    }

    @Test("Table: rows with and without faults are named; nothing planned, nothing measured")
    func rows() {
        let titles = FigureTable.lines(run.figures).filter { !$0.hasPrefix(" ") && !$0.isEmpty }
        #expect(
            titles.map { $0.prefix(26).split(separator: "  ").first.map(String.init) } == [
                "all edits", "all edits, no fault", "all edits, under faults", "records", "records, no fault",
                "key-value", "key-value, under faults",
            ])
        #expect(FigureTable.lines(HandMade().figures) == ["no edit was planned: nothing to measure"])
    }

    @Test(
        "Times: three digits and a unit",
        arguments: [
            (0, "0"), (999, "1.00 us"), (400, "0.400 us"), (41_300, "41.3 us"), (999_600, "1.00 ms"),
            (41_250_000, "41.3 ms"),
            (999_600_000, "1.00 s"), (12_340_000_000, "12.3 s"), (59_990_000_000, "1m00s"),
            (125_000_000_000, "2m05s"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, text: String) { #expect(Span(nanoseconds: nanoseconds).short == text) }

    @Test("Page: everything in one file, names as text, a plot where something was measured, bells and faults")
    func page() {
        var figures = run.figures
        figures.scenario = "<b>&\"x"
        let page = FigurePage.html(figures)
        #expect(page.contains("<h1>&lt;b&gt;&amp;&quot;x</h1>") && !page.contains("<b>&"))
        #expect(page.hasSuffix("</html>\n"))
        for outside in ["http", "url(", "src=", "@import", "<script"] { #expect(!page.contains(outside), "\(outside)") }
        let plots = page.split(separator: "<svg").count - 1
        #expect(plots == 4)
        #expect(page.contains("bell at 30s") && page.contains("partition, 0.050s to 0.200s"))
        // In the band itself, for people without a pointer.
        #expect(page.contains(">partition</text>") && page.contains("over time</h2>"))
        #expect(page.contains("never: so many edits did not arrive at all"))
        #expect(FigurePage.html(HandMade().figures).split(separator: "<svg").count - 1 == 1)
    }

    @Test("Plot: where some edits never came, the line ends at the part that did; the table's words stand beside it")
    func unseen() throws {
        let row = try #require(run.all)
        let axis = LogAxis([1e6, 1e10], least: 1)
        let line = PercentilePlot.points(row, .firstSight, until: 1, axis)
        #expect(abs((line.last?.x ?? 1) - 0.30103) < 1e-4 && line.last?.y == axis.place(3.25e9), "\(line)")
        #expect(abs((PercentilePlot.points(row, .performed, until: 1, axis).last?.x ?? 1) - 0.30103) < 1e-4)
        var three = run
        three.made("maya.4", 400, performed: 420)
        three.made("maya.5", 400, performed: 420)
        let quarter = try #require(three.all)
        #expect(abs((PercentilePlot.points(quarter, .firstSight, until: 1, axis).last?.x ?? 1) - 0.12494) < 1e-4)
        let page = FigurePage.html(run.figures)
        #expect(page.contains("all edits: 2 edits, p50 3.25 s, p90 never, p99 never, p999 never, max never"))
    }

    @Test("Axes: ends at whole powers of ten, at least one of them; tops at 1, 2 or 5")
    func axes() {
        #expect(LogAxis([2000, 30_000], least: 1).ticks.map { $0.rounded() } == [1000, 10_000, 100_000])
        #expect(LogAxis([1000], least: 1).ticks.map { $0.rounded() } == [1000, 10_000])
        #expect(LogAxis([], least: 100).ticks.map { $0.rounded() } == [100, 1000])
        #expect([1e3, 1e9, 1e10, 1e11, 1e12].map(LogAxis.label) == ["1.00 us", "1.00 s", "10.0 s", "100 s", "1000 s"])
        let axis = LogAxis([1000, 100_000], least: 1)
        #expect([500, 1000, 10_000, 100_000].map(axis.place) == [0, 0, 0.5, 1])
        #expect([0, 1, 2, 3, 6, 11, 51, 101].map(TimelinePlot.ceiling) == [1, 1, 2, 5, 10, 20, 100, 200])
    }
    @Test("Moments of the time axis: round, seven at most, whatever the length")
    func moments() {
        func seconds(_ length: Double) -> [Int64] {
            TimelinePlot.moments(length * 1e9).map { $0.nanoseconds / 1_000_000_000 }
        }
        #expect(seconds(425) == [0, 120, 240, 360])
        #expect(seconds(60) == [0, 10, 20, 30, 40, 50, 60])
        #expect(seconds(0) == [0] && seconds(3) == [0, 1, 2, 3])
        #expect(seconds(86400 * 30).count == 7)
    }
}
