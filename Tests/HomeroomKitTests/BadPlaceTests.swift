import Foundation
import Testing

@Suite("Places that take no results", .serialized, .timeLimit(.minutes(20))) struct BadPlaceTests {
    @Test(
        "Full disk: exit status 3 with the reason and what to do, nothing half-done (both modes)",
        arguments: ["sim", "fleet"])
    func fullDisk(mode: String) throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.limited(
                "ulimit -f 8", ["run", file, "--mode", mode, "--out", "out", "--junit", "j.xml"], in: folder)
            #expect(run.status == 3, "\(run.status) \(run.output)\(run.errors)")
            #expect(run.errors.contains("File too large") && run.errors.contains("free space"), "\(run.errors)")
            #expect(try left(in: folder) == ["j.xml", "small.yaml"])
        }
    }

    @Test("Full disk under a replay in fleet, which keeps no results: says so, leaves nothing behind")
    func fullDiskReplay() throws {
        try withFolder { folder in
            let trace = try folder.appending(path: "t.jsonl").write(try SmallRun.trace.get())
            let scratch = folder.appending(path: "tmp")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let place = "export TMPDIR='\(scratch.path)'"
            let run = try CommandLineRun.limited(place, ["replay", trace, "--mode", "fleet"], in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            let full = try CommandLineRun.limited(
                "\(place); ulimit -f 8", ["replay", trace, "--mode", "fleet"], in: folder)
            #expect(full.status == 3, "\(full.status) \(full.output)\(full.errors)")
            #expect(
                full.errors.contains("free space there or set TMPDIR to another place")
                    && !full.errors.contains("--out"), "\(full.errors)")
            #expect(try left(in: folder) == ["t.jsonl", "tmp/"])
            let empty = try CommandLineRun.limited(
                "export TMPDIR=''; ulimit -f 8", ["replay", trace, "--mode", "fleet"], in: folder)
            #expect(empty.errors.contains(" /tmp/homeroom-"), "\(empty.errors)")
            let lost = try CommandLineRun.limited(
                "export TMPDIR=/proc", ["replay", trace, "--mode", "fleet"], in: folder)
            #expect(lost.status == 3 && lost.errors.contains("set TMPDIR to another place"), "\(lost.errors)")
        }
    }

    @Test(
        "Unwritable --out: a file in the way, a folder of the kernel, a missing name; exit status 3, nothing is written",
        arguments: [
            ("small.yaml", "a file is in the way"), ("small.yaml/deeper", "Not a directory"),
            ("/proc/homeroom", "cannot make the folder /proc/homeroom"),
            ("/dev/null", "a file is in the way"), ("", "cannot use the folder ''"),
        ])
    func unwritable(out: String, says: String) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.of(["run", "small.yaml", "--out", out, "--mode", "sim"], in: folder)
            #expect(run.status == 3 && run.output.isEmpty, "\(run.status) \(run.output)\(run.errors)")
            #expect(run.errors.contains(says) && run.errors.contains("choose another --out"), "\(run.errors)")
            #expect(try left(in: folder) == ["small.yaml"])
        }
    }

    @Test(
        "A folder with somebody's own logs: exit status 3, nothing in it is touched",
        arguments: ["logs", "failed-logs"])
    func ownFiles(name: String) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
            _ = try folder.appending(path: "\(name)/mine.txt").write("mine")
            let run = try CommandLineRun.of(["run", "small.yaml", "--out", ".", "--mode", "sim"], in: folder)
            #expect(run.status == 3 && run.errors.contains("./\(name) is there already"), "\(run.status) \(run.errors)")
            #expect(try left(in: folder) == ["\(name)/", "\(name)/mine.txt", "small.yaml"])
        }
    }

    @Test("A link among earlier results: the link goes, what it points to stays")
    func link() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = ["run", "small.yaml", "--out", "out", "--mode", "sim"]
            #expect(try CommandLineRun.of(run, in: folder).status == 0)
            let precious = folder.appending(path: "precious")
            try FileManager.default.createDirectory(at: precious, withIntermediateDirectories: true)
            _ = try precious.appending(path: "run.log").write("mine")
            try FileManager.default.removeItem(at: folder.appending(path: "out/logs"))
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "out/logs"), withDestinationURL: precious)
            #expect(try CommandLineRun.of(run, in: folder).status == 0)
            #expect(try String(contentsOf: precious.appending(path: "run.log"), encoding: .utf8) == "mine")
        }
    }

    @Test("Unwritable --junit: told before anything runs")
    func junit() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            for place in ["small.yaml/j.xml", "/proc/j.xml", "."] {
                let run = try CommandLineRun.of(
                    ["run", "small.yaml", "--mode", "sim", "--out", "out", "--junit", place], in: folder)
                #expect(
                    run.status == 3 && run.output.isEmpty && run.errors.contains("cannot write \(place)"),
                    "\(run.status) \(run.output)\(run.errors)")
                #expect(try left(in: folder) == ["small.yaml"])
            }
        }
    }

    @Test("--junit: a full device is told with what to do, and keeps its place; standard output takes it too")
    func junitDevice() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = ["run", "small.yaml", "--mode", "sim", "--out", "out", "--junit"]
            let full = try CommandLineRun.of(run + ["/dev/full"], in: folder)
            #expect(full.status == 3 && full.output.hasPrefix("valid  small"), "\(full.output)\(full.errors)")
            #expect(
                full.errors
                    == "cannot write /dev/full: No space left on device; free space or choose another --junit\n")
            #expect(!FileManager.default.fileExists(atPath: "/dev/full.partial"))
            // Two places that mean the file which standard output goes to; by name, so that no device of this machine is at stake.
            for place in ["/proc/self/fd/1", "link.xml"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.appending(path: "link.xml").path, withDestinationPath: "/proc/self/fd/1")
                let told = try CommandLineRun.of(run + [place], in: folder)
                #expect(told.status == 0 && told.output.hasPrefix("valid  small"), "\(told.output)\(told.errors)")
                #expect(told.output.contains("<testsuite ") && told.output.hasSuffix("</testsuites>\n"))
                try FileManager.default.removeItem(at: folder.appending(path: "link.xml"))
            }
            let lost = try CommandLineRun.of(run + ["/proc/no/j.xml"], in: folder)
            #expect(
                lost.status == 3 && lost.errors.hasPrefix("cannot make the folder /proc/no: ")
                    && lost.errors.hasSuffix("; choose another --junit\n"), "\(lost.errors)")
            let made = try CommandLineRun.of(run + ["new/folder/j.xml"], in: folder)
            #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
            #expect(try left(in: folder).contains("new/folder/j.xml"))
        }
    }

    @Test(
        "A folder of earlier results: a run that fails leaves all of it as it was (both modes)",
        arguments: ["sim", "fleet"])
    func earlier(mode: String) throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            try Earlier.leave(in: folder.appending(path: "out"))
            _ = try folder.appending(path: "out/mine.txt").write("mine")
            let before = try contents(of: folder)
            let run = try CommandLineRun.limited(
                "ulimit -f 8", ["run", file, "--mode", mode, "--out", "out"], in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(try contents(of: folder) == before)
        }
    }

    @Test("Open files: too few for a fleet is told before anything starts, with what to do; exit status 3")
    func openFiles() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.limited("ulimit -n 12", ["run", file, "--out", "out"], in: folder)
            #expect(run.status == 3 && run.errors.contains("raise the limit (ulimit -n)"), "\(run)")
            #expect(try left(in: folder) == ["small.yaml"])
        }
    }

    @Test("Standard output that takes nothing: said, exit status 3; a reader who has left is none of it")
    func output() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            for command in ["list faults", "run '\(file)' --mode sim --out out", "run --help"] {
                let run = try CommandLineRun.of(
                    ["-c", "'\(homeroom)' \(command) > /dev/full"], by: "/bin/bash", in: folder)
                #expect(run.status == 3, "\(command): \(run)")
                #expect(run.errors.contains("cannot write to standard output: No space left on device"), "\(run)")
            }
            let left = try CommandLineRun.of(
                ["-c", "'\(homeroom)' list faults | true; exit ${PIPESTATUS[0]}"], by: "/bin/bash", in: folder)
            #expect(left.status == 0 && left.errors.isEmpty, "\(left)")
        }
    }

    @Test(
        "Standard output that lost a verdict, with nothing left to write at the end: said too; no word of a reader who has left"
    )
    func lostOutput() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "one.yaml").write(SmallRun.scenario("one"))
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            for (way, isSaid) in [("> /dev/full", true), ("| true", false), ("", false)] {
                // No file may grow: the error about JUnit comes after the summary, and nothing after it.
                let explore = "ulimit -f 0; exec '\(homeroom)' explore one.yaml --seeds 1 --junit j.xml"
                let command = "{ (\(explore)) 2>&3 \(way); } 3>&1 | cat >&2"
                let errors = try CommandLineRun.of(["-c", command], by: "/bin/bash", in: folder).errors
                #expect(errors.contains("cannot write j.xml: "), "\(errors)")
                #expect(errors.contains("cannot write to standard output: a part is missing") == isSaid, "\(errors)")
                #expect(errors.contains("standard output") == isSaid, "\(errors)")
            }
        }
    }

    @Test("A folder of earlier results: a run with a verdict replaces them all, and nothing else")
    func replaced() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            try Earlier.leave(in: folder.appending(path: "out"))
            for name in ["mine.txt", "disks"] { _ = try folder.appending(path: "out/\(name)").write("mine") }
            let run = try CommandLineRun.of(["run", "small.yaml", "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            let after = try contents(of: folder.appending(path: "out"))
            #expect(
                after.keys.sorted() == ["disks", "logs/run.log", "mine.txt", "trace.jsonl", "verdict.json"]
                    && after.filter { $0.value == "mine" }.count == 2 && !after.values.contains("earlier"))
        }
    }

    @Test("A run that the harness cannot finish: its logs are kept apart, and go with the next one that has a verdict")
    func failedLogs() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(misbehavingScenario("threading"))
            let out = folder.appending(path: "out")
            try Earlier.leave(in: out)
            let before = try contents(of: out)
            let run = ["run", "small.yaml", "--mode", "fleet", "--out", "out"]
            for _ in 1...2 {
                #expect(try CommandLineRun.of(run, by: "misbehaving", in: folder).status == 4)
                let after = try contents(of: out)
                #expect(after.filter { !$0.key.hasPrefix("failed-logs/") } == before)
                #expect(after.keys.contains("failed-logs/ipad-1-app-1.log"), "\(after.keys)")
            }
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            #expect(
                try CommandLineRun.of(["run", "small.yaml", "--mode", "sim", "--out", "out"], in: folder).status == 0)
            #expect(try contents(of: out).keys.sorted() == ["logs/run.log", "trace.jsonl", "verdict.json"])
        }
    }

    @Test(
        "Killed while results were replaced, after each step: the next run ends that first, never a mixture",
        arguments: 0...5)
    func killed(step: Int) throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let out = folder.appending(path: "out")
            try Earlier.leave(in: out)
            let unfinished = out.appending(path: ".homeroom-unfinished")
            try Earlier.leave(in: unfinished)
            for name in Earlier.names { _ = try unfinished.appending(path: name).write("new") }
            let earlier = out.appending(path: ".homeroom-earlier")
            try FileManager.default.createDirectory(at: earlier, withIntermediateDirectories: true)
            let pieces = ["trace.jsonl", "verdict.json", "logs"]
            let steps = pieces.map { ($0, out, earlier) } + pieces.map { ($0, unfinished, out) }
            for (name, from, to) in steps.prefix(step) {
                try FileManager.default.moveItem(at: from.appending(path: name), to: to.appending(path: name))
            }
            let run = try CommandLineRun.limited(
                "ulimit -f 8", ["run", file, "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(try contents(of: out) == Dictionary(uniqueKeysWithValues: Earlier.names.map { ($0, "new") }))
        }
    }
}
