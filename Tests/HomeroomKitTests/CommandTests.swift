import FleetModel
import Foundation
import Testing

@Suite("Commands", .serialized, .timeLimit(.minutes(20))) struct CommandTests {
    /// How tests call the command.
    private static let homeroom = CommandLineRun.products.appending(path: "homeroom").path

    @Test(
        "Run: the verdict line, the result folder, JUnit; the default folder; a story and the command when a person should look"
    )
    func run() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.of(
                ["run", file, "--seed", "42", "--mode", "sim", "--out", "out", "--junit", "j.xml"], in: folder)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
            let line =
                /valid  small  seed=42 mode=sim edits=2 violations=0 events=[0-9]+ digest=[0-9a-f]{12} virtual=[0-9hms.]+ wall=[0-9]+\.[0-9]s\n/
            #expect(run.output.wholeMatch(of: line) != nil, "\(run.output)")
            #expect(
                try left(in: folder).filter { !$0.hasPrefix("out/logs/") } == [
                    "j.xml", "out/", "out/trace.jsonl", "out/verdict.json", "small.yaml",
                ])
            let xml = try String(contentsOf: folder.appending(path: "j.xml"), encoding: .utf8)
            #expect(xml.contains(#"tests="1" failures="0" errors="0""#) && xml.contains(#"name="small seed=42""#))
            let again = try CommandLineRun.of(["run", file, "--seed", "42", "--mode", "sim", "--quiet"], in: folder)
            #expect(again.digest == run.digest)
            #expect(
                FileManager.default.fileExists(atPath: folder.appending(path: ".homeroom/small-42/trace.jsonl").path))
            let wrong = try folder.appending(path: "w.yaml").write(
                SmallRun.scenario("w", expect: "{verdict: invalid, class: lost}"))
            let loud = try CommandLineRun.of(["run", wrong, "--mode", "sim", "--seed", "7"], in: folder)
            #expect(
                loud.status == 1 && loud.output.hasPrefix("w: expected invalid (lost), got valid\n"), "\(loud.output)")
            #expect(loud.output.contains("repeat with: \(Self.homeroom) run \(wrong) --seed 7 --mode sim"))
            let quiet = try CommandLineRun.of(["run", wrong, "--mode", "sim", "--seed", "7", "--quiet"], in: folder)
            #expect(quiet.status == 1 && quiet.output.hasPrefix("FAIL  valid  w  seed=7 "), "\(quiet.output)")
        }
    }

    @Test("Version: of the program and of its traces")
    func version() throws {
        let run = try CommandLineRun.of(["--version"], in: FileManager.default.temporaryDirectory)
        #expect(run.status == 0 && run.output.wholeMatch(of: /homeroom [0-9.]+, writes traces of format 2\n/) != nil)
    }

    @Test("Exit status of several scenarios: 4, 3, 1, 2, 0 in this order; each has its line or its message")
    func precedence() throws {
        try withFolder { folder in
            func file(_ name: String, _ text: String) throws -> String {
                try folder.appending(path: name + ".yaml").write(text)
            }
            let valid = try file("v", SmallRun.scenario("v"))
            let unmet = try file("u", SmallRun.scenario("u", expect: "{verdict: invalid, class: lost}"))
            let unknown = try file("n", SmallRun.scenario("n", more: "mustReach: [cloud-crashed]"))
            let blocked = try file("b", SmallRun.scenario("b"))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "out"), withIntermediateDirectories: true)
            _ = try folder.appending(path: "out/b-1").write("in the way")
            for (files, status, lines) in [
                ([valid, unknown], 2, 2), ([unknown, unmet, valid], 1, 3), ([unmet, blocked, unknown], 3, 2),
                ([blocked, valid], 3, 1),
            ] as [([String], Int32, Int)] {
                let run = try CommandLineRun.of(
                    ["run"] + files + ["--mode", "sim", "--quiet", "--out", "out", "--seed", "1", "--junit", "j.xml"],
                    in: folder)
                #expect(run.status == status, "\(run.output)\(run.errors)")
                // And how many gave what they expect.
                #expect(run.output.split(separator: "\n").count == lines + 1)
                let good = run.output.split(separator: "\n").count { $0.hasPrefix("ok    ") }
                #expect(run.output.hasSuffix("\n\(good) of \(files.count) scenarios gave what they expect\n"))
                #expect(run.errors.contains("a file is in the way") == files.contains(blocked))
                let xml = try String(contentsOf: folder.appending(path: "j.xml"), encoding: .utf8)
                #expect(
                    xml.contains(#"tests="\#(files.count)""#) && xml.contains("no verdict") == files.contains(blocked))
            }
            let leak = try file("leak", misbehavingScenario("threading"))
            let crash = try file("crash", misbehavingScenario("trapping"))
            _ = try folder.appending(path: "out/spinning-1").write("in the way")
            let spin = try file("spin", misbehavingScenario("spinning"))
            let run = try CommandLineRun.of(
                ["run", spin, leak, crash, "--mode", "sim", "--out", "out", "--seed", "1", "--quiet"],
                by: "misbehaving", in: folder)
            #expect(run.status == 4, "\(run.output)\(run.errors)")
            #expect(
                run.output.contains("invalid  trapping") && run.errors.contains("thread")
                    && run.errors.contains("in the way"))
        }
    }

    @Test("Crash that the scenario expects: exit status 0")
    func expected() throws {
        try withFolder { folder in
            let text = misbehavingScenario("trapping").replacing(
                "expect: valid", with: "expect: {verdict: invalid, class: unsaved}")
            let file = try folder.appending(path: "s.yaml").write(text)
            let run = try CommandLineRun.of(["run", file, "--mode", "sim", "--quiet"], by: "misbehaving", in: folder)
            #expect(run.status == 0 && run.output.hasPrefix("ok    invalid  trapping"), "\(run.output)\(run.errors)")
        }
    }

    @Test("List: apps with their channel and actions, faults with their source, checkers, scenarios with their purpose")
    func list() throws {
        func rows(_ subject: String) throws -> [String: String] {
            let run = try CommandLineRun.of(["list", subject], in: CommandLineRun.package)
            #expect(run.status == 0 && run.errors.isEmpty)
            let pairs = run.output.split(separator: "\n").map { line in
                (String(line.prefix { $0 != " " }), String(line.drop { $0 != " " }.drop { $0 == " " }))
            }
            return Dictionary(pairs) { first, _ in first }
        }
        let apps = try rows("apps")
        #expect(
            apps.keys.sorted() == [
                "bulletin", "diary", "groupwork", "groupwork-keeps-pages", "groupwork-private", "homework",
                "homework-late-upload", "notebook", "notebook-memory-queue", "notebook-one-account",
                "notebook-overwrites", "quiz", "quiz-local-flag", "scrapbook",
            ])
        #expect(apps["notebook"]?.hasPrefix("record") == true && apps["quiz"]?.contains("answer") == true)
        let faults = try rows("faults")
        #expect(
            Set(faults.keys).isSuperset(of: [
                "latency", "jitter", "loss-of-request", "loss-of-response", "duplicate", "one-way-cut", "partition",
                "hold", "service-unavailable",
                "cloud-crash", "airplane-mode", "identity-change", "sign-out-with-uploads-pending",
                "user-switch-mid-edit", "app-kill", "force-quit",
                "reboot", "power-cut", "clock-skew", "push-lost",
            ]))
        #expect(faults.values.allSatisfy { $0.contains("[") && $0.hasSuffix("]") })
        #expect(
            Set(try rows("checkers").keys).isSuperset(of: [
                "lost", "unsaved", "overwritten", "resurrected", "duplicated", "damaged", "stuck", "diverged", "leaked",
            ]))
        #expect(try rows("scenarios").count == shippedScenarios.count)
    }

    @Test("Validate: every shipped scenario, one line each")
    func validate() throws {
        let run = try CommandLineRun.of(["validate", "Fleet"], in: CommandLineRun.package)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(run.output.split(separator: "\n").count == shippedScenarios.count && shippedScenarios.count >= 12)
        #expect(run.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ok  Fleet/") })
    }

    @Test(
        "Check: the same verdict, counts, events, digest and length as the run; explain without a loss says so; explore sums up"
    )
    func check() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.of(["run", "small.yaml", "--mode", "sim", "--out", "out"], in: folder)
            let check = try CommandLineRun.of(["check", "out/trace.jsonl"], in: folder)
            func words(_ run: CommandLineRun) -> [Substring] {
                run.output.split(separator: " ").filter {
                    ["mode", "wall"].contains($0.prefix { $0 != "=" }) == false
                }
            }
            #expect(check.status == 0 && words(check) == words(run), "\(run.output)\(check.output)")
            // A run may go on after its last note, as live ones do.
            var lines = try SmallRun.trace.get().split(separator: "\n").map(String.init)
            var footer = try Value(json: lines.removeLast())
            footer["virtual"] = .int(Span.hours(1).nanoseconds)
            _ = try folder.appending(path: "longer.jsonl").write((lines + [footer.json, ""]).joined(separator: "\n"))
            let longer = try CommandLineRun.of(["check", "longer.jsonl"], in: folder)
            #expect(longer.output.contains(" virtual=1h00m "), "\(longer)")
            for (command, says) in [("replay", "identical  small"), ("check", "valid  small"), ("explain", "nothing")] {
                let run = try CommandLineRun.of([command, "out/"], in: folder)
                #expect(run.status == 0 && run.output.hasPrefix(says), "\(run)")
            }
            let explain = try CommandLineRun.of(["explain", "out/trace.jsonl"], in: folder)
            #expect(explain.status == 0 && explain.output == "nothing went wrong with any of the 2 edits\n")
            let edit = try CommandLineRun.of(["explain", "out/trace.jsonl", "maya.1"], in: folder)
            #expect(edit.status == 0 && edit.output.contains("maya.1"))
            let explore = try CommandLineRun.of(["explore", "small.yaml", "--seeds", "3", "--jobs", "2"], in: folder)
            #expect(
                explore.status == 0
                    && explore.output.hasPrefix("explored  small  seeds=3 valid=3 invalid=0 unknown=0 edits=6"),
                "\(explore.output)")
        }
    }

    @Test(
        "Explore: seeds that did not give what the scenario expects are told, with the first; help tells the statuses")
    func missed() throws {
        try withFolder { folder in
            let text = SmallRun.scenario(expect: "{verdict: invalid, class: lost}")
            _ = try folder.appending(path: "small.yaml").write(text)
            let run = try CommandLineRun.of(["explore", "small.yaml", "--seeds", "2", "--from", "4"], in: folder)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            #expect(
                run.output.hasPrefix(
                    "2 seeds did not give what the scenario expects (invalid (lost)); first at seed 4, which is valid; repeat with: "
                ), "\(run.output)")
            let help = try CommandLineRun.of(["explore", "--help"], in: folder)
            #expect(help.output.contains("Exit status: 0 every seed"), "\(help.output)")
        }
    }
}
