import Foundation
import StubProgram
import Testing

@Suite("Scripts", .timeLimit(.minutes(20))) struct ScriptTests {
    /// Foundation starts processes with the signals blocked that its own threads block, and no shell lets them in again.
    private static let exec = "exec env --default-signal=TERM"

    /// A script of this package, with a stub in the place of both programs.
    private func run(_ script: String, _ words: String, stub: String, in folder: URL) throws -> CommandLineRun {
        let program = try folder.appending(path: "stub").stub(stub)
        let path = CommandLineRun.package.appending(path: "Scripts/\(script)").path
        let command = "HOMEROOM='\(program)' HOMEROOM_CLOUD='\(program)' \(Self.exec) '\(path)' \(words)"
        return try CommandLineRun.of(["-c", command], by: "/bin/bash", in: folder)
    }

    @Test("live-again: a run counts by its own exit status; of one that failed the line and the results stay")
    func liveAgain() throws {
        let scenario = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml").path
        for (status, good) in [(0, 2), (1, 0)] {
            try withFolder { folder in
                let stub = "echo first; echo 'the verdict'; echo why >&2; exit \(status)"
                let run = try run("live-again", "2 -o results '\(scenario)'", stub: stub, in: folder)
                #expect(run.status == Int32(status), "\(run.errors)")
                let lines = run.output.split(separator: "\n")
                #expect(lines.first == "\(good) of 2  two-ipads")
                #expect(
                    lines.dropFirst() == (status == 0 ? [] : ["    status 1 the verdict", "    status 1 the verdict"]))
                let kept = status == 0 ? [] : ["two-ipads-1.errors", "two-ipads-2.errors"]
                #expect(try left(in: folder.appending(path: "results")) == kept)
            }
        }
    }

    @Test("soak: a scenario without alike windows is refused before anything runs, as is what is no number")
    func soakUsage() throws {
        let two =
            "storm: 4m\n  - {start: 0m, length: 2m, seats: {red: 1-2}}\n  - {start: 2m, length: 2m, seats: {red: 1-2}}\n"
        for (words, message) in [
            ("s.yaml", "less than three lessons"), ("-m 0 s.yaml", "soak [-m MINUTES]"), ("-e x s.yaml", "[-e SEED]"),
        ] {
            try withFolder { folder in
                _ = try folder.appending(path: "s.yaml").write(two)
                let run = try run("soak", words, stub: "touch ran", in: folder)
                #expect(run.status == 3 && run.errors.contains(message), "\(run.errors)")
                #expect(try left(in: folder) == ["s.yaml", "stub", "stub.sh"])
            }
        }
    }

    @Test("shards: takes the speeds that a run takes, and passes them on", arguments: ["2.5", ".5", "1000"])
    func speeds(speed: String) throws {
        let stub = """
            echo "$*" >>words
            case $1 in
              serve) mkdir -p "$4"; echo >"$4/server.json"; exec sleep 60 ;;
              proxy) echo listening; exec sleep 60 ;;
            esac
            """
        try withFolder { folder in
            let run = try run("shards", "-s \(speed) s.yaml", stub: stub, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let words = try String(contentsOf: folder.appending(path: "words"), encoding: .utf8).split(separator: "\n")
            #expect(words.count { $0.contains("--speed \(speed)") } == 3, "a proxy and two parts: \(words)")
        }
    }
    @Test(
        "shards: ends as the worst of its parts; one that was killed has failed (parameters: of the first, of the second, of the script)",
        arguments: [
            ("kill -9 $$", "exit 4", 4), ("kill -9 $$", "exit 1", 4), ("exit 2", "exit 3", 3), ("exit 2", "exit 1", 1),
        ])
    func ends(first: String, second: String, status: Int) throws {
        let stub = """
            case $1 in
              serve) mkdir -p "$4"; echo >"$4/server.json"; exec sleep 60 ;;
              proxy) echo listening; exec sleep 60 ;;
            esac
            case "$*" in
              *"--shard 1/2"*) \(first) ;;
              *"--shard 2/2"*) \(second) ;;
            esac
            """
        try withFolder { folder in
            let run = try run("shards", "s.yaml", stub: stub, in: folder)
            #expect(run.status == Int32(status), "\(run.errors)")
        }
    }
    @Test(
        "shards: refuses other speeds, and places that cannot be written, before anything runs",
        arguments: ["0", "0.0", "1000.5", "x", "nan", "-1"].map { ("-s \($0)", "[-s SPEED]") }
            + ["/dev/null", "/proc/x"].map { ("-o \($0)", "\($0) cannot be written: choose another -o") })
    func refused(option: String, message: String) throws {
        try withFolder { folder in
            let run = try run("shards", "\(option) s.yaml", stub: "touch ran", in: folder)
            #expect(run.status == 3 && run.errors.contains(message), "\(run.errors)")
            #expect(try left(in: folder) == ["stub", "stub.sh"])
        }
    }
    @Test(
        "A script that is killed, or ended: nothing goes on of what it started",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
            "not on this machine: there is no setpriv"),
        arguments: [
            (words: "shards s.yaml", starts: 2), ("live-again 1 s.yaml", 1), ("soak s.yaml", 1), ("bench-load", 1),
            ("bench-proxy", 4),
        ], [SIGKILL, SIGTERM])
    func leftovers(script: (words: String, starts: Int), signal: Int32) throws {
        try withFolder { folder in
            let started = folder.appending(path: "started")
            let program = try folder.appending(path: "stub").stub("echo >>'\(started.path)'; exec sleep 600")
            // Tools of the benches, which need not be there.
            for tool in ["haproxy", "nginx", "wrk"] { _ = try folder.appending(path: tool).stub(". '\(program).sh'") }
            _ = try folder.appending(path: "curl").stub("exit 1")
            _ = try folder.appending(path: "s.yaml").write("storm: 4m\n")
            let scripts = CommandLineRun.package.appending(path: "Scripts").path
            let places =
                "HOMEROOM='\(program)' HOMEROOM_CLOUD='\(program)' PATH='\(folder.path)':$PATH TMPDIR='\(folder.path)'"
            let (process, _, errors) = try CommandLineRun.start(
                "/bin/bash", ["-c", "\(places) \(Self.exec) '\(scripts)'/\(script.words)"], in: folder)
            let lines = { (try? Data(contentsOf: started))?.count ?? 0 }
            while process.isRunning, lines() < script.starts { usleep(20_000) }
            let all = descendants(of: process.processIdentifier)
            let said = try String(contentsOf: errors, encoding: .utf8)
            #expect(all.count >= script.starts, "\(said)")
            kill(process.processIdentifier, signal)
            let left = stillRunning(all + [process.processIdentifier])
            #expect(left.isEmpty)
            for pid in left { kill(pid, SIGKILL) }
        }
    }
}
