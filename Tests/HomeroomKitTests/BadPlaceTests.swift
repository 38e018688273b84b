import Foundation
import Testing

@Suite("Places that take no results", .serialized) struct BadPlaceTests {
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
            #expect(try left(in: folder) == ["t.jsonl", "tmp/"])
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
        "A folder with somebody's own logs or disks: exit status 3, nothing in it is touched",
        arguments: ["logs", "disks"])
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
            for place in ["no/such/folder.xml", "/proc/j.xml", "."] {
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
            let told = try CommandLineRun.of(run + ["/dev/stdout"], in: folder)
            #expect(told.status == 0 && told.output.contains("<testsuite "), "\(told.output)\(told.errors)")
            let lost = try CommandLineRun.of(run + ["no/j.xml"], in: folder)
            #expect(lost.errors.contains("cannot write no/j.xml: No such file or directory; choose another --junit"))
        }
    }

    @Test("A folder of earlier results: a run that fails leaves none of them to be taken for its own; other files stay")
    func earlier() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            try FileManager.default.createDirectory(
                at: folder.appending(path: "out"), withIntermediateDirectories: true)
            for name in ["trace.jsonl", "verdict.json", "mine.txt"] {
                _ = try folder.appending(path: "out/" + name).write("earlier")
            }
            let run = try CommandLineRun.limited(
                "ulimit -f 8", ["run", file, "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 3)
            #expect(try left(in: folder) == ["out/", "out/mine.txt", "small.yaml"])
        }
    }
}
