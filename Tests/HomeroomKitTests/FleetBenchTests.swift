import FleetModel
import Foundation
import Load
import Run
import StubProgram
import Testing
import Workload

@testable import HomeroomKit

@Suite("Bench fleet", .timeLimit(.minutes(20))) struct FleetBenchTests {
    private func bench(_ arguments: [String], in folder: URL) throws -> CommandLineRun {
        try CommandLineRun.of(["bench", "fleet"] + arguments, in: folder)
    }

    @Test(
        "Usage: what cannot be is refused with status 3 and what would be right, before anything starts",
        arguments: [
            (["--ipads", "3"], "--ipads takes an even number from 2 to 10000"),
            (["--ipads", "0"], "--ipads takes an even number"), (["--from", "7"], "--from takes an even number"),
            (
                ["--ipads", "64", "--find-limit", "--cloud-program", "/nowhere"],
                "to search from there, give --find-limit --from 64"
            ),
            (["--from", "32", "--to", "16"], "--from 32 is above --to 16"),
            (["--resolution", "0"], "--resolution takes"),
            (["--p99", "soon"], "--p99 takes a time from 0.001s to 10m"), (["--p99", "0s"], "not '0s'"),
            (["--every", "1ms"], "--every takes a time from 0.010s"), (["--length", "13h"], "--length takes a time"),
            (["--every", "2m"], "--every is longer than --length"),
            (["--app", "nothing", "--cloud-program", "/bin/true"], "no app called 'nothing' in which something is"),
            (["--cloud-program", "/nowhere/homeroom-cloud"], "there is none at /nowhere/homeroom-cloud"),
            (["--cloud-program", "/bin/true", "--out", "/dev/null/figures"], "choose another --out"),
            (["--cloud-program", "/bin/true", "--out", "/proc"], "cannot write into /proc: "),
            (
                ["--cloud-program", "/bin/false", "--out", "results"],
                "the Cloud's server does not start: it exited with status 1"
            ),
        ])
    func usage(options: [String], message: String) throws {
        try withFolder { folder in
            let run = try bench(options, in: folder)
            #expect(run.status == 3 && run.errors.contains(message), "\(run.status) \(run.errors)")
            #expect(try left(in: folder) == [])
        }
    }

    @Test("Too many iPads for the open files that are allowed: status 3 and the number that is needed")
    func openFiles() throws {
        try withFolder { folder in
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            for (options, needed) in [("--ipads 300", 2464), ("--find-limit --to 1000", 8064)] {
                let command = "ulimit -n 200; exec '\(homeroom)' bench fleet \(options) --cloud-program /bin/true"
                let run = try CommandLineRun.of(["-c", command], by: "/bin/sh", in: folder)
                #expect(run.status == 3 && run.errors.contains("needs \(needed) open files"), "\(run.errors)")
            }
        }
    }

    @Test(
        "Ends: a killed search leaves no process, a stopped one no file either (parameters: signals)",
        arguments: [SIGKILL, SIGTERM, SIGINT])
    func orphans(signal: Int32) throws {
        try withFolder { folder in
            // It takes its time to answer, as a server that hangs.
            let silent = try folder.appending(path: "silent").stub("touch started; exec sleep 3600")
            let scratch = folder.appending(path: "scratch")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: false)
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            let words = "exec '\(homeroom)' bench fleet --find-limit --cloud-program '\(silent)'"
            let (process, output, _) = try CommandLineRun.start(
                "/bin/sh", ["-c", "TMPDIR='\(scratch.path)' \(words)"], in: folder)
            let started = folder.appending(path: "started").path
            while !FileManager.default.fileExists(atPath: started), process.isRunning { usleep(20_000) }
            let family = descendants(of: process.processIdentifier)
            #expect(family.count >= 3, "worker, zygote, server")
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            #expect(stillRunning(family).isEmpty)
            guard signal != SIGKILL else { return }
            #expect(process.terminationStatus == 130)
            #expect(try left(in: scratch) == [])
            #expect(try !String(contentsOf: output, encoding: .utf8).contains("limit:"))
        }
    }

    /// Limits of a machine that fails beyond so many iPads.
    private func search(failing most: Int, with error: any Error) throws -> (holds: Int?, fails: Int?, lines: [String])
    {
        var lines: [String] = []
        let found = try FleetLevels.search(4...64, resolution: 4) { ipads in
            if ipads > most { throw error }
            return FleetLevels.Measurement(ipads: ipads, holds: true)
        } each: {
            lines.append(LevelTable.line($0))
        }
        return (found.holds, found.fails, lines)
    }

    @Test("A run that fails beyond a level that was measured: that level is broken, and the search goes on to its end")
    func failures() throws {
        for problem in [RunEnd.harness("ipad-9 ended by itself"), RunEnd(.leak, "ipad-9 ended by itself")] {
            let found = try search(failing: 20, with: problem)
            #expect(found.holds == 20 && found.fails == 24)
            let broken = found.lines.filter { $0.contains("BROKEN: ") }
            #expect(broken.count == 4 && broken.allSatisfy { $0.contains("ipad-9 ended by itself") })
        }
        let body = FleetLevels.Measurement(ipads: 8, failure: "why", holds: false).body
        #expect(body == ["ipads": 8, "failed": "why", "kept": false])
    }

    @Test(
        "A full disk beyond a level that was measured: no limit of the load, the search ends with status 3 and the reason"
    )
    func machine() throws {
        let full = RunEnd.input("ipad-9: cannot write: No space left on device")
        let problem = #expect(throws: RunEnd.self) { try search(failing: 20, with: full) }
        #expect(problem?.status == .input && problem?.message == full.message)
    }

    @Test("What a full disk advises: TMPDIR where a bench runs, --out where a run leaves results")
    func way() throws {
        try withFolder { folder in
            let text = BellLevel(ipads: 1, app: "notebook", most: .seconds(10)).scenario
            // This executable has no apps.
            let notebook = AppManifest(
                name: "notebook", bundleID: "com.example.notebook", infoPlist: .empty,
                actions: [.init("write", kind: "note", verb: .put, prefix: "note")], promises: ["note": .keepsAll],
                channel: .record)
            let scenario = try ScenarioReader.read(
                text: text, file: "bell.yaml", knownApps: [notebook], knownFaults: []
            ).get()
            var runner = Runner(
                loaded: LoadedScenario(scenario: scenario, text: text, file: "bell.yaml"), seed: 1, mode: .live)
            let results = try ResultsFolder.open(folder.appending(path: "results").path)
            defer { results.close() }
            runner.results = results
            #expect(runner.way == .out)
            runner.endsAfterStorm = true
            #expect(runner.way == .temporary)
        }
    }

    @Test("A run that fails at once, or that somebody stops: the search ends with that")
    func failuresOfTheFirst() throws {
        #expect(throws: RunEnd.self) { try search(failing: 2, with: RunEnd.harness("no")) }
        let stopped = #expect(throws: RunEnd.self) { try search(failing: 20, with: RunEnd.interrupted) }
        #expect(stopped?.status == .interrupted)
    }

    /// What the machine makes of it is not the test's business, but nothing may be missing.
    @Test(
        "One level in live: every edit is accounted for, costs of every kind of process, requests",
        .enabled(if: hasServer, noServer))
    func level() throws {
        try withFolder { folder in
            let options = ["--ipads", "2", "--every", "500ms", "--length", "4s", "--json", "--cloud-program", server]
            let run = try bench(options + ["--out", "results"], in: folder)
            #expect([0, 1].contains(run.status), "\(run.errors)")
            let body = try Value(json: Array(run.output.utf8))
            #expect(body["ipads"] == 2 && body["kept"] == .bool(run.status == 0))
            let figures = try #require(body["figures"])
            #expect(figures["mode"] == "live" && figures["rows"]?.array?.first?["planned"] == 16)
            let costs = try #require(figures["costs"])
            let kinds = costs["processes"]?.array?.compactMap { $0["kind"]?.string }
            #expect(kinds == ["ipads", "apps", "cloud", "run"])
            #expect(costs["processes"]?.array?.first?["most"] == 4, "two iPads and what starts their apps")
            #expect(costs["processes"]?.array?.allSatisfy { ($0["wakeUps"]?.int ?? 0) > 0 } == true, "everybody waits")
            #expect(costs["processes"]?.array?.allSatisfy { ($0["privateKiB"]?.int ?? 0) > 0 } == true)
            // Every edit is at least one request, and whoever commits commits requests.
            let service = costs["service"]
            #expect(service?["answered"]?.int ?? 0 >= 16, "\(costs)")
            #expect(service?["commits"]?.int ?? 0 > 0)
            #expect(service?["committed"]?.int ?? 0 >= service?["commits"]?.int ?? 0)
            let routes = costs["requests"]?.array?.compactMap { $0["route"]?.string } ?? []
            #expect(routes.contains("POST database records/modify"), "\(routes)")
            // Everybody signs in before the first edit; who writes every 500 ms asks as long as that goes on. Nobody plays the calm.
            let phases = Set(costs["requests"]?.array?.compactMap { $0["phase"]?.string } ?? [])
            #expect(phases.isSuperset(of: ["arrival", "edits"]) && phases.isSubset(of: ["arrival", "edits", "tail"]))
            #expect(
                try left(in: folder) == ["results/", "results/2/", "results/2/figures.html", "results/2/figures.json"])
            #expect(try FigureFiles.read(folder.appending(path: "results/2/figures.json").path) == RunFigures(figures))
            let page = try String(contentsOf: folder.appending(path: "results/2/figures.html"), encoding: .utf8)
            #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n") && page.contains("<svg"))
        }
    }

    @Test("Figures that stay: one folder a run, never replaced, and none where no run came to its end")
    func kept() throws {
        try withFolder { folder in
            func figures(_ seed: UInt64) -> RunFigures {
                RunFigures(
                    history: [], plan: [], bells: [], scenario: "fleet-4", seed: seed, mode: "live", wallMilliseconds: 1
                )
            }
            let results = folder.appending(path: "deep/results")
            for seed in 1...2 as ClosedRange<UInt64> {
                // Two benches, one after the other, in one folder.
                let kept = try FigureFolder(results.path)
                try kept.keep(figures(seed), of: 4)
                try kept.keep(figures(seed + 10), of: 8)
                kept.close()
            }
            for (name, seed) in [("4", 1), ("4-2", 2), ("8", 11), ("8-2", 12)] as [(String, UInt64)] {
                let place = results.appending(path: name)
                #expect(try left(in: place) == ["figures.html", "figures.json"])
                #expect(try FigureFiles.read(place.appending(path: "figures.json").path).seed == seed)
            }
            let unused = folder.appending(path: "unused")
            try FigureFolder(unused.path).close()
            #expect(!FileManager.default.fileExists(atPath: unused.path))
        }
    }
}

@Suite("Processes of the machine", .timeLimit(.minutes(20))) struct MachineProcessTests {
    @Test("A line of /proc/PID/stat: also with brackets and blanks in the name")
    func line() throws {
        let stat = "77 (a ) b(c) S 5 1 1 0 -1 4194560 1 2 3 4 30 12 5 6 20 0 1 0 8765 1000 200"
        let sample = try #require(Machine.sample(77, stat))
        #expect(sample.pid == 77 && sample.parent == 5 && sample.began == 8765)
        #expect(sample.cpu == Span(nanoseconds: 42 * 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))))
        for short in ["", "77 (a) S 5 1", "77 a S 5", "77 (a) S x 1 1 0 -1 4194560 1 2 3 4 30 12 5 6 20 0 1 0 8765"] {
            #expect(Machine.sample(77, short) == nil)
        }
    }

    @Test("Wake-ups of a line of /proc/PID/task/TID/status, and of this process: more after a wait")
    func wakeUps() throws {
        #expect(
            Machine.wakeUps(status: "Name:\tx\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t9\n") == 150)
        #expect(Machine.wakeUps(status: "nonvoluntary_ctxt_switches:\t9\n") == nil)
        let before = try #require(Machine.wakeUps(of: getpid()))
        for _ in 0..<5 { usleep(1000) }
        #expect(try #require(Machine.wakeUps(of: getpid())) > before)
        #expect(Machine.wakeUps(of: 0x7fff_fff0) == nil)
    }

    @Test("This process is among them, and the machine has been busy")
    func own() throws {
        let own = try #require(Machine.processes.first { $0.pid == getpid() })
        #expect(own.parent == getppid() && own.began > 0)
        #expect(try #require(Machine.busy) > .zero)
    }
}
