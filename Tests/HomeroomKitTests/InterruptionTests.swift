import Foundation
import Testing

@Suite("Ctrl-C", .serialized, .timeLimit(.minutes(20))) struct InterruptionTests {
    /// Starts a command on an app that spins, waits until it does, and interrupts it.
    private func interrupt(
        _ arguments: [String], in folder: URL, signal: Int32 = SIGINT, when isReady: ([Int32]) -> Bool
    ) throws -> (status: Int32, errors: String, output: String, family: [Int32]) {
        _ = try folder.appending(path: "s.yaml").write(misbehavingScenario("spinning"))
        let (process, output, errors) = try CommandLineRun.start("misbehaving", arguments, in: folder)
        while !isReady(descendants(of: process.processIdentifier)), process.isRunning { usleep(20_000) }
        let family = descendants(of: process.processIdentifier)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return (
            process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            try String(contentsOf: errors, encoding: .utf8), try String(contentsOf: output, encoding: .utf8), family
        )
    }

    @Test(
        "Run: exit status 130 and a message; no result, no process is left (both modes, both signals)",
        arguments: ["sim", "fleet"], [SIGINT, SIGTERM])
    func run(mode: String, signal: Int32) throws {
        try withFolder { folder in
            let partial = folder.appending(path: "out/.homeroom-unfinished/trace.jsonl.partial").path
            let end = try interrupt(
                ["run", "s.yaml", "--mode", mode, "--out", "out", "--junit", "j.xml", "--spin-limit", "30"], in: folder,
                signal: signal
            ) { family in family.count >= (mode == "sim" ? 1 : 5) && FileManager.default.fileExists(atPath: partial) }
            #expect(end.status == 130 && end.errors.contains("interrupted") && end.output.isEmpty, "\(end)")
            #expect(!end.family.isEmpty && stillRunning(end.family).isEmpty)
            #expect(try left(in: folder) == ["s.yaml"])
        }
    }

    @Test("Several scenarios: what is finished is in the JUnit file, the rest as without a verdict; the message counts")
    func several() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "a.yaml").write(misbehavingScenario("trapping"))
            let partial = folder.appending(path: "out/spinning-1/.homeroom-unfinished/trace.jsonl.partial").path
            let end = try interrupt(
                ["run", ".", "--mode", "sim", "--out", "out", "--junit", "j.xml", "--spin-limit", "30"], in: folder
            ) { _ in FileManager.default.fileExists(atPath: partial) }
            #expect(end.status == 130 && end.errors.contains("; 1 of 2 scenarios are finished"), "\(end)")
            let junit = try String(contentsOf: folder.appending(path: "j.xml"), encoding: .utf8)
            #expect(junit.contains("tests=\"2\"") && junit.contains("name=\"trapping seed=1\""), "\(junit)")
            #expect(junit.contains("spinning: no verdict: interrupted"), "\(junit)")
        }
    }

    @Test("Rerun: the earlier results stay as they were (both modes)", arguments: ["sim", "fleet"])
    func rerun(mode: String) throws {
        try withFolder { folder in
            let out = folder.appending(path: "out")
            let run = ["run", "s.yaml", "--mode", mode, "--out", "out", "--junit", "j.xml", "--spin-limit", "30"]
            try Earlier.leave(in: out)
            _ = try folder.appending(path: "j.xml").write("earlier")
            let before = try contents(of: folder)
            let partial = out.appending(path: ".homeroom-unfinished/trace.jsonl.partial").path
            let end = try interrupt(run, in: folder) { _ in FileManager.default.fileExists(atPath: partial) }
            #expect(end.status == 130 && end.errors.contains("interrupted"), "\(end)")
            var after = try contents(of: folder)
            #expect(after.removeValue(forKey: "s.yaml") != nil && after == before)
        }
    }

    /// Starts a run over `logs` earlier files and stops it while it removes them.
    /// - Returns: the stopped process; nil when it was done before it could be stopped, which says nothing about signals.
    private func stopped(removing logs: Int, in folder: URL) throws -> (process: Process, errors: URL)? {
        let out = folder.appending(path: "out")
        try Earlier.leave(in: out, logs: logs)
        let begun = out.appending(path: ".homeroom-earlier").path
        let (process, _, errors) = try CommandLineRun.start(
            "homeroom", ["run", "small.yaml", "--mode", "sim", "--out", "out"], in: folder)
        while !FileManager.default.fileExists(atPath: begun), process.isRunning { usleep(200) }
        kill(process.processIdentifier, SIGSTOP)
        if process.isRunning, FileManager.default.fileExists(atPath: begun) { return (process, errors) }
        kill(process.processIdentifier, SIGCONT)
        process.waitUntilExit()
        return nil
    }

    @Test(
        "While earlier results are removed: that is finished, the new ones are whole; exit status 130 (both signals)",
        arguments: [SIGINT, SIGTERM])
    func removal(signal: Int32) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            // The more files, the longer it takes: enough of them for any machine.
            var caught: (process: Process, errors: URL)?
            for logs in [4_000, 20_000, 80_000, 320_000] where caught == nil {
                caught = try stopped(removing: logs, in: folder)
            }
            let (process, errors) = try #require(caught)
            kill(process.processIdentifier, signal)
            kill(process.processIdentifier, SIGCONT)
            process.waitUntilExit()
            let said = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationReason == .exit && process.terminationStatus == 130, "\(said)")
            #expect(said.contains("interrupted: the results of the scenarios above are kept"))
            let after = try contents(of: folder.appending(path: "out"))
            #expect(after.keys.sorted() == ["logs/run.log", "trace.jsonl", "verdict.json"], "\(after.count)")
            #expect(!after.values.contains("earlier"))
        }
    }

    @Test("Explore: exit status 130, the summary tells what was finished, no process is left")
    func explore() throws {
        try withFolder { folder in
            let end = try interrupt(["explore", "s.yaml", "--jobs", "2", "--seeds", "4"], in: folder) { $0.count >= 2 }
            #expect(end.status == 130 && end.errors.contains("interrupted"), "\(end)")
            #expect(end.output.contains("explored  spinning  seeds=0"))
            #expect(stillRunning(end.family).isEmpty)
            #expect(try left(in: folder) == ["s.yaml"])
        }
    }
}
