import Foundation
import Testing

/// What commands print and leave, beside the verdict line.
@Suite("Output", .timeLimit(.minutes(20))) struct OutputTests {
    @Test("Names with escape sequences: written out in run, explain, check and errors, never sent to the terminal")
    func escapes() throws {
        try withFolder { folder in
            let text = SmallRun.scenario(expect: "{verdict: invalid, class: lost}")
                .replacing("item: answer-1", with: #"item: "answer-\e[31mred""#)
            _ = try folder.appending(path: "s.yaml").write(text)
            for command in [
                ["run", "s.yaml", "--mode", "sim", "--out", "out"], ["explain", "out", "maya.1"], ["check", "out"],
                ["explain", "out", "maya.1\u{1b}[31m"], ["run", "\u{1b}[31m.yaml"],
            ] {
                let run = try CommandLineRun.of(command, in: folder)
                #expect(!(run.output + run.errors).contains("\u{1b}"), "\(run.output)\(run.errors)")
            }
            let told = try CommandLineRun.of(["explain", "out", "maya.1"], in: folder)
            #expect(told.output.contains(#"answer-\u{1b}[31mred"#), "\(told.output)")
        }
    }

    @Test("Trace of somebody else's app: check and explain judge its history; replay, which plays it, names the app")
    func foreignApp() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(misbehavingScenario("trapping"))
            let run = try CommandLineRun.of(
                ["run", file, "--mode", "sim", "--out", "out"], by: "misbehaving", in: folder)
            let check = try CommandLineRun.of(["check", "out"], in: folder)
            #expect(check.status == run.status && check.digest == run.digest, "\(check.output)\(check.errors)")
            #expect(check.output.contains("unsaved"))
            let explain = try CommandLineRun.of(["explain", "out", "maya.1"], in: folder)
            #expect(explain.status == 0 && explain.output.contains("maya.1"), "\(explain.errors)")
            let replay = try CommandLineRun.of(["replay", "out", "--mode", "sim"], in: folder)
            #expect(replay.status == 3 && replay.errors.contains("unknown app 'trapping'"), "\(replay.errors)")
        }
    }

    @Test("Repeat: the command as it was called, by its path or by the script that says so")
    func repetition() throws {
        try withFolder { folder in
            let text = SmallRun.scenario("w", expect: "{verdict: invalid, class: lost}")
            _ = try folder.appending(path: "w.yaml").write(text)
            let program = CommandLineRun.products.appending(path: "homeroom").path
            for (words, says) in [
                ("'\(program)'", program), ("HOMEROOM_CALLED_AS=Scripts/homeroom '\(program)'", "Scripts/homeroom"),
            ] {
                let run = try CommandLineRun.of(["-c", "\(words) run w.yaml --mode sim"], by: "/bin/sh", in: folder)
                #expect(run.output.contains("\nrepeat with: \(says) run w.yaml --seed 1 --mode sim\n"), "\(run.output)")
            }
        }
    }

    @Test("Packed trace: check, explain and replay read it, in a folder too; a damaged one is refused with its reason")
    func packed() throws {
        try withFolder { folder in
            let out = folder.appending(path: "out it's")
            try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
            _ = try out.appending(path: "trace.jsonl").write(SmallRun.trace.get())
            let packed = try CommandLineRun.of([out.appending(path: "trace.jsonl").path], by: "/bin/gzip", in: folder)
            #expect(packed.status == 0, "\(packed.errors)")
            for path in ["out it's", "out it's/trace.jsonl.gz"] {
                for (command, says) in [
                    (["check"], "valid  small"), (["explain"], "nothing went wrong"),
                    (["replay", "--mode", "sim"], "identical  small"),
                ] {
                    let run = try CommandLineRun.of(command + [path], in: folder)
                    #expect(run.status == 0 && run.output.hasPrefix(says), "\(run.output)\(run.errors)")
                }
            }
            let bytes = try Data(contentsOf: out.appending(path: "trace.jsonl.gz"))
            try bytes.prefix(bytes.count / 2).write(to: folder.appending(path: "half.gz"))
            let half = try CommandLineRun.of(["check", "half.gz"], in: folder)
            #expect(half.status == 3 && half.errors.contains("'gzip -dc' cannot unpack it"), "\(half.errors)")
        }
    }

    @Test(
        "Explore: --out keeps the runs that the summary names, --junit has a case for each seed that says how to repeat it"
    )
    func explore() throws {
        try withFolder { folder in
            let text = SmallRun.scenario(expect: "{verdict: invalid, class: lost}")
            _ = try folder.appending(path: "small.yaml").write(text)
            let run = try CommandLineRun.of(
                ["explore", "small.yaml", "--seeds", "2", "--from", "4", "--out", "kept", "--junit", "j.xml"],
                in: folder)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            #expect(try left(in: folder.appending(path: "kept")).contains("small-4/verdict.json"))
            let xml = try String(contentsOf: folder.appending(path: "j.xml"), encoding: .utf8)
            #expect(xml.contains(#"tests="2" failures="2""#) && xml.contains(#"file="small.yaml""#), "\(xml)")
            #expect(xml.contains(#"<property name="trace" value="kept/small-4/trace.jsonl"/>"#), "\(xml)")
            #expect(xml.contains("run small.yaml --seed 5 --mode sim\"/>"), "\(xml)")
        }
    }

    @Test(
        "Explore: an --out that cannot be written is told before a seed is tried",
        arguments: ["small.yaml", "/proc", "/proc/x"])
    func exploreNowhere(out: String) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.of(["explore", "small.yaml", "--seeds", "1", "--out", out], in: folder)
            #expect(run.status == 3 && run.output.isEmpty, "\(run.status) \(run.output)\(run.errors)")
            #expect(run.errors.contains("choose another --out"), "\(run.errors)")
            #expect(try left(in: folder) == ["small.yaml"])
        }
    }

    @Test(
        "Explore: a run that cannot be kept is an error, and the JUnit file is written all the same; an --out for nothing goes"
    )
    func exploreKept() throws {
        try withFolder { folder in
            let text = SmallRun.scenario(expect: "{verdict: invalid, class: lost}")
            _ = try folder.appending(path: "small.yaml").write(text)
            let kept = folder.appending(path: "kept")
            try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
            _ = try kept.appending(path: "small-1").write("mine")
            let explore = ["explore", "small.yaml", "--seeds", "2", "--junit", "j.xml", "--out"]
            let run = try CommandLineRun.of(explore + ["kept"], in: folder)
            #expect(run.status == 3 && run.errors.contains("kept/small-1: a file is in the way"), "\(run)")
            #expect(run.output.contains("explored  small  seeds=2"), "\(run.output)")
            let xml = try String(contentsOf: folder.appending(path: "j.xml"), encoding: .utf8)
            #expect(xml.contains(#"tests="2" failures="2""#), "\(xml)")
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            #expect(try CommandLineRun.of(explore + ["none"], in: folder).status == 0)
            #expect(try left(in: folder) == ["j.xml", "kept/", "kept/small-1", "small.yaml"])
        }
    }

    private static let canTrace =
        (try? withFolder { try CommandLineRun.of(["true"], by: "/usr/bin/strace", in: $0).status == 0 }) ?? false

    @Test(
        "Results are on the disk before they have their names: trace, verdict, JUnit file",
        .enabled(if: canTrace, "not on this machine: strace is missing or may not trace"))
    func durable() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            let run = try CommandLineRun.of(
                ["-fyo", "calls", "-e", "trace=fsync,rename", homeroom, "run", "small.yaml", "--mode", "sim"]
                    + ["--out", "out", "--junit", "j.xml"], by: "/usr/bin/strace", in: folder)
            #expect(run.status == 0, "\(run)")
            let calls = try String(contentsOf: folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
            for name in ["trace.jsonl.partial", "verdict.json.partial", "j.xml.partial"] {
                let synced = calls.firstIndex { $0.contains(" fsync(") && $0.contains(name) }
                let renamed = try #require(calls.firstIndex { $0.contains(" rename(") && $0.contains(name) })
                #expect(synced.map { $0 < renamed } == true, "\(name): \(calls)")
            }
        }
    }

    @Test("Replay: --out keeps the results and logs of a run; of one that differs the logs, and the recording stays")
    func replay() throws {
        try withFolder { folder in
            let trace = try SmallRun.trace.get()
            _ = try folder.appending(path: "t.jsonl").write(trace)
            let same = try CommandLineRun.of(["replay", "t.jsonl", "--mode", "fleet", "--out", "again"], in: folder)
            #expect(same.status == 0, "\(same.output)\(same.errors)")
            let names = try left(in: folder.appending(path: "again"))
            #expect(
                Set(["logs/ipad-1.log", "logs/run.log", "trace.jsonl", "verdict.json"]).isSubset(of: names), "\(names)")
            #expect(try String(contentsOf: folder.appending(path: "again/trace.jsonl"), encoding: .utf8) == trace)
            let own = try CommandLineRun.of(["replay", "again", "--out", "again"], in: folder)
            #expect(own.status == 3 && own.errors.contains("again holds the recording"), "\(own.errors)")
            _ = try folder.appending(path: "e.jsonl").write(trace.replacing("winter", with: "summer"))
            let other = try CommandLineRun.of(["replay", "e.jsonl", "--mode", "fleet", "--out", "other"], in: folder)
            #expect(other.status == 1 && other.output.contains("the logs of the replay are in other/failed-logs"))
            #expect(try left(in: folder.appending(path: "other")).contains("failed-logs/run.log"))
        }
    }

    @Test(
        "List: without an argument all that the executable knows; without a folder of scenarios it says how to name one"
    )
    func list() throws {
        try withFolder { folder in
            let nowhere = try CommandLineRun.of(["list"], in: folder)
            #expect(nowhere.status == 0, "\(nowhere.errors)")
            let lines = nowhere.output.split(separator: "\n")
            #expect(lines.filter { !$0.hasPrefix(" ") } == ["apps:", "faults:", "checkers:", "scenarios:"])
            #expect(lines.last?.contains("none in Fleet; name another folder: ") == true, "\(nowhere.output)")
            for word in ["  quiz ", "  partition ", "  overwritten "] {
                #expect(lines.contains { $0.hasPrefix(word) }, "\(word)")
            }
            let one = try CommandLineRun.of(["list", "apps"], in: folder)
            #expect(one.output.split(separator: "\n").allSatisfy { !$0.hasPrefix(" ") })
        }
    }

    @Test(
        "Too few open files for a fleet: told before anything starts, though they would do for its storm (48 for 8 people)"
    )
    func openFiles() throws {
        try withFolder { folder in
            let scenario = CommandLineRun.package.appending(path: "Fleet/captive-portal.yaml").path
            let run = try CommandLineRun.limited("ulimit -n 48", ["run", scenario, "--mode", "fleet"], in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(
                run.errors.contains("4 iPads and 8 people with 4 apps needs 56 open files, and 48 are allowed here"),
                "\(run.errors)")
            let names = try left(in: folder)
            #expect(names.allSatisfy { !$0.contains("trace") }, "\(names)")
        }
    }

    @Test("A reading command that falls: status 4 and words, no signal")
    func fallen() throws {
        try withFolder { folder in
            let pipe = folder.appending(path: "t.jsonl").path
            #expect(mkfifo(pipe, 0o600) == 0)
            // Somebody who could write into the pipe, and does not: it waits for him.
            let writer = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(writer) }
            let (process, _, errors) = try CommandLineRun.start("homeroom", ["check", pipe], in: folder)
            while process.isRunning, !catches(SIGABRT, process.processIdentifier) { usleep(20_000) }
            kill(process.processIdentifier, SIGABRT)
            process.waitUntilExit()
            let said = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationReason == .exit && process.terminationStatus == 4, "\(said)")
            #expect(said.contains("ran out of memory (ulimit -v)"), "\(said)")
        }
    }
    /// Whether a process has a handler for a signal, from proc_pid_status(5).
    private func catches(_ signal: Int32, _ pid: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
        return caught.flatMap { UInt64($0, radix: 16) }.map { $0 >> UInt64(signal - 1) & 1 == 1 } ?? false
    }
}
