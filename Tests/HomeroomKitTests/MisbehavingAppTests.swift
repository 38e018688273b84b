import Foundation
import Testing

func misbehavingScenario(_ app: String, limits: String = "{}") -> String {
    """
    name: \(app)
    purpose: An app that misbehaves.
    expect: valid
    limits: \(limits)
    apps: [\(app)]
    ipads: 1
    people: [maya]
    storm: 5m
    calm: 5m
    steps:
      - {at: 5s, who: maya, ipad: 1, do: signIn}
      - {at: 15s, who: maya, ipad: 1, do: open, app: \(app)}
      - {at: 25s, who: maya, ipad: 1, do: edit, app: \(app), action: write, item: note-1, text: one}
      - {at: 35s, who: maya, ipad: 1, do: edit, app: \(app), action: write, item: note-2, text: two}
      - {at: 45s, who: maya, ipad: 1, do: edit, app: \(app), action: write, item: note-3, text: three}
    """
}

@Suite("Misbehaving apps", .serialized, .timeLimit(.minutes(20))) struct MisbehavingAppTests {
    /// A run of one of them, with its results in `out`.
    private func run(
        _ app: String, _ arguments: String..., limits: String = "{}", in folder: URL, out: String = "out"
    ) throws -> CommandLineRun {
        let file = try folder.appending(path: "s.yaml").write(misbehavingScenario(app, limits: limits))
        return try CommandLineRun.of(["run", file, "--out", out] + arguments, by: "misbehaving", in: folder)
    }

    @Test("Trap: an app crash in the story, in both modes", arguments: ["sim", "fleet"])
    func trap(mode: String) throws {
        try withFolder { folder in
            let run = try run("trapping", "--mode", mode, in: folder)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            #expect(run.output.contains("crash"))
            #expect(run.output.contains("unsaved"))
        }
    }

    @Test(
        "An error thrown at most edits: counted and told with its words, and in the app's log as no refusal that was meant"
    )
    func throwing() throws {
        try withFolder { folder in
            let run = try run("throwing", limits: "{minPerformed: 2}", in: folder)
            #expect(run.output.contains(" refused=2 "), "\(run.output)\(run.errors)")
            #expect(run.output.contains("2 of 3 edits refused; first maya.2 by throwing on ipad-1 at "))
            #expect(run.output.contains("2 are needed: 2 were refused, first maya.2 by throwing"), "\(run.output)")
            let log = try String(contentsOf: folder.appending(path: "out/logs/ipad-1-app-1.log"), encoding: .utf8)
            #expect(log.contains("maya.2: perform threw Oops(), which is no Refusal"), "\(log)")
            let verdict = try String(contentsOf: folder.appending(path: "out/verdict.json"), encoding: .utf8)
            #expect(verdict.contains("\"refused\":2") && verdict.contains("Oops()"), "\(verdict)")
        }
    }

    @Test(
        "Methods that nobody calls: each is told with what it misses, in the same words in both modes, and the verdict stays",
        arguments: ["sim", "fleet"])
    func unheard(mode: String) throws {
        try withFolder { folder in
            let run = try run("unheard", "--mode", mode, limits: "{minPerformed: 2}", in: folder)
            let hints = run.output.split(separator: "\n").filter { $0.hasPrefix("  hint: ") }.map { $0.dropFirst(8) }
            #expect(hints.count == 3, "\(run.output)\(run.errors)")
            for (wanted, written, why) in [
                ("application(didFinishLaunching:)", "application(didFinishLaunching:)", "its types are others"),
                ("applicationDidBecomeActive()", "applicationDidBecomeActive(_:)", "its name is another"),
                ("applicationDidEnterBackground()", "applicationDidEnterBackgrounds()", "its name is another"),
            ] {
                let hint = hints.first { $0.contains(" of \(wanted) went to the default") } ?? ""
                #expect(hint.hasPrefix("unheard: ") && hint.contains("by \(written)? \(why)"), "\(hints)")
            }
            let verdict = try String(contentsOf: folder.appending(path: "out/verdict.json"), encoding: .utf8)
            #expect(verdict.contains(#""hints":["unheard: "#), "\(verdict)")
            let clean = try self.run("throwing", "--mode", mode, in: folder, out: "clean")
            #expect(!clean.output.contains("hint:"), "\(clean.output)")
        }
    }

    @Test("Spin: the run ends as unknown and says which app", arguments: ["sim", "fleet"])
    func spin(mode: String) throws {
        try withFolder { folder in
            let run = try run("spinning", "--mode", mode, "--spin-limit", "1", in: folder)
            #expect(run.output.contains("spinning"))
            #expect(run.output.contains("did not end"), "\(run.output)\(run.errors)")
            #expect(run.status == 2)
        }
    }

    @Test(
        "Polling without a pause: the run ends as unknown, says which app and what to do", arguments: ["sim", "fleet"])
    func polling(mode: String) throws {
        try withFolder { folder in
            let run = try run(
                "polling", "--mode", mode, "--spin-limit", "3", limits: "{maxCallsPerInstant: 2000}", in: folder)
            #expect(run.status == 2, "\(run.output)\(run.errors)")
            #expect(run.output.contains("more than 2000 calls in one instant"), "\(run.output)")
            #expect(run.output.contains("app-1 was spinning") && run.output.contains("file.stat"), "\(run.output)")
        }
    }

    @Test("Thread: a leak fails loudly, names what started it and the way round", arguments: ["sim", "fleet"])
    func thread(mode: String) throws {
        try withFolder { folder in
            let run = try run("threading", "--mode", mode, in: folder)
            #expect(run.status == 4, "\(run.output)\(run.errors)")
            #expect(
                run.errors.contains("Thread.detachNewThread") && run.errors.contains("DispatchQueue"), "\(run.errors)")
            #expect(run.errors.contains("Threading.misbehave()"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out/trace.jsonl").path))
        }
    }

    @Test("Main thread that waits for itself: the watchdog ends the app, in both modes alike")
    func blocking() throws {
        try withFolder { folder in
            let runs = try ["sim", "fleet"].map { try run("blocking", "--mode", $0, in: folder, out: $0) }
            #expect(runs[0].digest != nil && runs[0].digest == runs[1].digest, "\(runs)")
            let trace = try String(contentsOf: folder.appending(path: "fleet/trace.jsonl"), encoding: .utf8)
            #expect(trace.contains("watchdog"), "\(runs[1].output)")
        }
    }

    @Test("A queue that waits for itself traps, as on an iPad: a crash in the story")
    func deadlock() throws {
        try withFolder { folder in
            let run = try run("deadlocking", in: folder)
            #expect(run.status == 1 && run.output.contains("crash"), "\(run.output)\(run.errors)")
            let log = try String(contentsOf: folder.appending(path: "out/logs/ipad-1-app-1.log"), encoding: .utf8)
            #expect(log.contains("dispatch_sync on a queue that the caller runs on"), "\(log)")
        }
    }

    @Test(
        "What needs the machine ends the run and says what to write instead: Foundation's Timer, DispatchIO",
        arguments: [("ticking", "Ubiquity.Timer"), ("piping", "FileHandle")])
    func refused(app: String, advice: String) throws {
        try withFolder { folder in
            for mode in ["sim", "fleet"] {
                let run = try run(app, "--mode", mode, in: folder)
                #expect(run.status == 4 && run.errors.contains(advice), "\(run.output)\(run.errors)")
            }
        }
    }

    @Test(
        "Machine: calendar time, entropy, identifiers and hash order of an app are the same in both modes and in every run"
    )
    func curious() throws {
        try withFolder { folder in
            let runs = try ["sim", "fleet", "sim", "fleet"].enumerated().map { index, mode in
                try run("curious", "--mode", mode, in: folder, out: "out\(index)")
            }
            #expect(Set(runs.map(\.digest)).count == 1)
            #expect(runs[0].digest != nil)
            let printed = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "out1/logs").path)
                .filter { $0.hasPrefix("ipad-1-app") }.sorted()
            let texts = try printed.map {
                try String(contentsOf: folder.appending(path: "out1/logs/\($0)"), encoding: .utf8)
            }
            let again = try printed.map {
                try String(contentsOf: folder.appending(path: "out3/logs/\($0)"), encoding: .utf8)
            }
            #expect(texts == again && texts.contains { $0.contains("1788249") })
        }
    }

    /// A fleet whose app spins: it stands still with all its processes.
    private func startSpinning(in folder: URL) throws -> (Process, output: URL, errors: URL) {
        let file = try folder.appending(path: "s.yaml").write(misbehavingScenario("spinning"))
        let started = try CommandLineRun.start(
            "misbehaving", ["run", file, "--mode", "fleet", "--out", "out", "--spin-limit", "100"], in: folder)
        let log = folder.appending(path: "out/.homeroom-unfinished/logs/ipad-1-app-1.log").path
        while !FileManager.default.fileExists(atPath: log), started.0.isRunning { usleep(20_000) }
        return started
    }

    @Test("Killed from outside: a failure of the harness, never the app's crash")
    func killedFromOutside() throws {
        try withFolder { folder in
            let (process, output, errors) = try startSpinning(in: folder)
            // The newest process is the app, which spins.
            let app = try #require(descendants(of: process.processIdentifier).max())
            kill(app, SIGKILL)
            process.waitUntilExit()
            let said = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationStatus == 4 && said.contains("killed from outside"), "\(said)")
            #expect(try String(contentsOf: output, encoding: .utf8).isEmpty)
        }
    }

    @Test("Orphans: none survives a killed homeroom")
    func orphans() throws {
        try withFolder { folder in
            let (process, _, _) = try startSpinning(in: folder)
            let family = descendants(of: process.processIdentifier)
            #expect(family.count >= 4, "worker, zygote, Cloud, Pad, app")
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(stillRunning(family).isEmpty)
        }
    }
}
