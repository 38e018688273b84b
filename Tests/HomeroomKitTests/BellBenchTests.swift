import FleetModel
import Foundation
import Load
import Testing

@testable import HomeroomKit

@Suite("Bench bell", .timeLimit(.minutes(20))) struct BellBenchTests {
    private let level = BellLevel(ipads: 3, app: "notebook", most: .seconds(10))

    @Test(
        "Usage: what cannot be is refused with status 3 and what would be right, before anything starts",
        arguments: [
            (["--ipads", "0"], "--ipads takes 1 to 10000"), (["--within", "1s"], "--within takes a time from 2s"),
            (["--within", "soon"], "not 'soon'"),
            (["--app", "nothing", "--cloud-program", "/bin/true"], "no app called 'nothing' in which something is"),
            (["--cloud-program", "/bin/true", "--out", "/dev/null/figures"], "choose another --out"),
            (["--cloud-program", "/nowhere/homeroom-cloud"], "there is none at /nowhere/homeroom-cloud"),
        ])
    func usage(options: [String], message: String) throws {
        try withFolder { folder in
            let run = try CommandLineRun.of(["bench", "bell"] + options, in: folder)
            #expect(run.status == 3 && run.errors.contains(message), "\(run.status) \(run.errors)")
            #expect(try left(in: folder) == [])
        }
    }

    @Test(
        "The scenario: three periods, red, blue and red, everybody answered after both bells (parameters: iPads)",
        arguments: [1, 3])
    func scenario(ipads: Int) throws {
        let level = BellLevel(ipads: ipads, app: "notebook", most: .seconds(30))
        #expect(level.scenario.contains("{start: 120000ms, length: 60000ms, seats: {red: 1-\(ipads)}}"))
        try withFolder { folder in
            let file = try folder.appending(path: "bell.yaml").write(level.scenario)
            let run = try CommandLineRun.of(["run", file, "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            let figures = try FigureFiles.read(folder.appending(path: "out/figures.json").path)
            #expect(BellLevel.bells(figures).map(\.at) == [.zero + .minutes(1), .zero + .minutes(2)])
            #expect(level.holds(BellLevel.bells(figures)), "\(figures.bells)")
        }
    }
    @Test("A large one: a period is as long as so many sign-ins take, and the file is one that can be run")
    func large() throws {
        let level = BellLevel(ipads: 300, app: "notebook", most: .seconds(10))
        #expect(level.scenario.contains("{start: 90000ms, length: 90000ms, seats: {blue: 1-300}}"))
        try withFolder { folder in
            let file = try folder.appending(path: "bell.yaml").write(level.scenario)
            let run = try CommandLineRun.of(["validate", file], in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }

    @Test("Kept: everybody of both classes had their iPad in time; else it is broken")
    func holds() {
        func bell(_ settled: Span?, planned: Int = 3) -> RunFigures.Bell {
            .init(at: .zero + .minutes(1), planned: planned, answered: 3, lastPlanned: .seconds(2), settled: settled)
        }
        #expect(level.holds([bell(.seconds(10)), bell(.seconds(3))]))
        for bells in [
            [], [bell(.seconds(3))], [bell(.seconds(3)), bell(nil)], [bell(.milliseconds(10_001)), bell(.seconds(3))],
            [bell(.seconds(3)), bell(.seconds(3), planned: 2)],
        ] { #expect(!level.holds(bells), "\(bells)") }
    }

    /// How long it takes is the machine's business, but everybody gets an iPad and the status says what came out.
    @Test(
        "Two bells in live: both are told with all their people",
        .enabled(if: hasServer, noServer))
    func bells() throws {
        try withFolder { folder in
            let options = ["bench", "bell", "--ipads", "2", "--json", "--cloud-program", server, "--out", "results"]
            let run = try CommandLineRun.of(options, in: folder)
            #expect([0, 1].contains(run.status), "\(run.errors)")
            let body = try Value(json: Array(run.output.utf8))
            #expect(body["kept"] == .bool(run.status == 0) && body["settled"]?.array?.count == 2)
            let bells = try #require(body["figures"]?["bells"]?.array)
            #expect(bells.map { $0["planned"] } == [2, 2, 2] && bells.map { $0["answered"] } == [2, 2, 2], "\(bells)")
            #expect(
                try left(in: folder) == ["results/", "results/2/", "results/2/figures.html", "results/2/figures.json"])
        }
    }
}
