import Foundation
import Testing

/// A scenario file that cannot be used, and what has to be said about it.
struct BadScenario: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// Place and the important words.
    var says: [String]
    var testDescription: String { name }

    init(_ name: String, replacing: (String, String), _ says: String...) {
        self.name = name
        text = SmallRun.scenario().replacing(replacing.0, with: replacing.1)
        self.says = says
    }
    init(_ name: String, whole text: String, _ says: String...) {
        self.name = name
        self.text = text
        self.says = says
    }

    static let all: [BadScenario] = [
        .init("malformed YAML", replacing: ("apps: [quiz]", "apps: [quiz"), "bad.yaml:5:", "not YAML"),
        .init("a tab", replacing: ("storm: 3m", "\tstorm: 3m"), "bad.yaml:7:1:", "not YAML"),
        .init(
            "an unknown key", replacing: ("ipads: 1", "ipad: 1"), "bad.yaml:5:1:", "unknown key 'ipad'",
            "did you mean 'ipads'"),
        .init(
            "an unknown app", replacing: ("apps: [quiz]", "apps: [quizz]"), "bad.yaml:4:8:", "unknown app 'quizz'",
            "did you mean 'quiz'"),
        .init(
            "an unknown fault", replacing: ("fault: latency", "fault: latancy"), "bad.yaml:15:13:",
            "unknown fault 'latancy'", "latency"),
        .init(
            "an unknown fault parameter", replacing: ("extra: 50ms", "extro: 50ms"), "bad.yaml:15:59:",
            "no parameter 'extro'", "extra"),
        .init(
            "an impossible fault parameter", replacing: ("extra: 50ms", "extra: soon"), "bad.yaml:15:59:",
            "'extra' is a length of time"),
        .init(
            "a fault parameter beside something else",
            whole: SmallRun.scenario().replacing("extra: 50ms", with: "extra: soon").replacing(
                "ipads: 1", with: "ipads: 0"),
            "'ipads' has to be a whole number", "'extra' is a length of time"),
        .init(
            "a fault that ends before it begins", replacing: ("until: 40s", "until: 10s"), "bad.yaml:15:40:",
            "before it begins"),
        .init(
            "an event that has an end",
            replacing: ("latency, from: 20s, until: 40s, with: {extra: 50ms}", "app-kill, from: 20s, until: 40s"),
            "bad.yaml:15:41:", "'app-kill'", "no end; give 'at'"),
        .init(
            "a fault about nobody",
            replacing: (
                "latency, from: 20s, until: 40s, with: {extra: 50ms}", "delete-user, at: 20s, with: {person: maia}"
            ),
            "bad.yaml:15:50:", "'maia'", "did you mean 'maya'"),
        .init(
            "a fault of an app that nobody has",
            replacing: (
                "latency, from: 20s, until: 40s, with: {extra: 50ms}", "memory-kill, at: 20s, with: {app: notebook}"
            ),
            "bad.yaml:15:47:", "'notebook'", "Known: quiz"),
        .init(
            "a fault on an iPad that is not there", replacing: ("with: {", "ipads: 9, with: {"), "bad.yaml:15:52:",
            "no iPad 9"),
        .init(
            "an unknown mark", replacing: ("steps:", "mustReach: [moon]\nsteps:"), "bad.yaml:9:13:",
            "unknown mark 'moon'"),
        .init(
            "an expected class that is no violation",
            replacing: ("expect: valid", "expect: {verdict: invalid, class: excused}"),
            "bad.yaml:3:35:", "unknown class 'excused'"),
        .init(
            "somebody who is not there", replacing: ("who: maya, ipad: 1, do: open", "who: ben, ipad: 1, do: open"),
            "bad.yaml:11:", "'ben'"),
        .init(
            "an unknown action", replacing: ("action: answer, item: answer-1", "action: write, item: answer-1"),
            "bad.yaml:12:", "'write'"),
        .init(
            "an impossible timetable",
            whole: """
                name: late
                purpose: Two classes at one time.
                apps: [quiz]
                ipads: 1
                people: [maya, ben]
                timetable:
                  - {start: 0m, length: 5m, seats: {maya: 1}}
                  - {start: 4m, length: 5m, seats: {ben: 1}}
                  - {start: 10m, length: 5m, seats: {ben: 1, maya: 1}}
                """, "bad.yaml:8:13: the period begins at 4m", "bad.yaml:9:", "both"),
        .init("an empty file", whole: "", "bad.yaml:1:1: the file is empty"),
        .init("another format", whole: "{\"homeroom\":1}\n", "bad.yaml:1:2: unknown key 'homeroom'"),
        .init(
            "a huge file", whole: String(repeating: "# nothing\n", count: 200_000), "bad.yaml:1:1:", "at most 1048576"),
    ]
}

@Suite("Bad input", .serialized, .timeLimit(.minutes(20))) struct BadInputTests {
    @Test(
        "Scenario files: run, validate and explore say where and what, exit status 3, nothing is written",
        arguments: BadScenario.all)
    func scenario(bad: BadScenario) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "bad.yaml").write(bad.text)
            for arguments in [
                ["validate", "bad.yaml"], ["run", "bad.yaml", "--out", "out", "--junit", "j.xml"],
                ["explore", "bad.yaml", "--seeds", "1"],
            ] {
                let run = try CommandLineRun.of(arguments, in: folder)
                #expect(run.status == 3 && run.output.isEmpty, "\(arguments): \(run.status) \(run.output)\(run.errors)")
                for words in bad.says { #expect(run.errors.contains(words), "\(run.errors)") }
            }
            #expect(try left(in: folder) == ["bad.yaml"])
        }
    }

    @Test("One bad file among good ones: all are told, none is run")
    func several() throws {
        try withFolder { folder in
            for (name, text) in [("a", SmallRun.scenario("a")), ("b", "name: b\n"), ("c", "name: [\n")] {
                _ = try folder.appending(path: name + ".yaml").write(text)
            }
            let run = try CommandLineRun.of(["run", ".", "--out", "out"], in: folder)
            #expect(run.status == 3 && run.output.isEmpty)
            #expect(run.errors.contains("./b.yaml:1:") && run.errors.contains("./c.yaml:2:"), "\(run.errors)")
            let others = ["nowhere.yaml", "/dev/zero", "b.yaml", "b.yaml", "a.yaml", "c.yaml"]
            for command in ["run", "validate", "lint"] {
                let run = try CommandLineRun.of([command] + others, in: folder)
                #expect(run.status == 3 && run.output.isEmpty)
                for says in [
                    "nowhere.yaml: no such", "/dev/zero:1:1: has more", "\nb.yaml:1:1: the scenario lacks 'purpose'",
                    "\nc.yaml:2:",
                ] {
                    #expect(run.errors.components(separatedBy: says).count - 1 == 1, "\(run.errors)")
                }
            }
            let compared = try CommandLineRun.of(["bench", "compare", "b.yaml", "c.yaml"], in: folder)
            #expect(compared.status == 3)
            #expect(
                compared.errors.contains("b.yaml:1:") && compared.errors.contains("c.yaml:2:"), "\(compared.errors)")
            #expect(try left(in: folder) == ["a.yaml", "b.yaml", "c.yaml"])
        }
    }

    @Test(
        "Paths: a missing file, a folder without scenarios, two scenarios of one name, a device, bytes that are no text"
    )
    func paths() throws {
        try withFolder { folder in
            let one = try folder.appending(path: "one.yaml").write(SmallRun.scenario())
            try FileManager.default.createDirectory(
                at: folder.appending(path: "empty"), withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "twins"), withIntermediateDirectories: true)
            for name in ["a", "b"] {
                _ = try folder.appending(path: "twins/\(name).yaml").write(SmallRun.scenario("same"))
            }
            try Data("name: ok\npurpose: \u{e4}".utf8 + [0xff, 0xfe]).write(to: folder.appending(path: "latin.yaml"))
            let before = try left(in: folder)
            let cases: [([String], String)] = [
                (["run", "nowhere.yaml"], "nowhere.yaml: no such file or folder"),
                (["run", one, "nowhere"], "nowhere: no such file or folder"),
                (["run", "empty"], "empty: holds no scenario (*.yaml)"),
                (
                    ["run", "twins"],
                    "two scenarios have the same name 'same': twins/a.yaml and twins/b.yaml; rename one"
                ),
                (["run", one, one], "\(one) is given twice"),
                (["replay", "empty"], "empty: holds no trace.jsonl"),
                (["check", "empty/"], "empty/: holds no trace.jsonl"),
                (["explain", "nowhere"], "nowhere"),
                (["validate", "/dev/zero"], "/dev/zero:1:1: has more than"),
                (["validate", "latin.yaml"], "latin.yaml:2:11: is not UTF-8"),
                (["explore", "twins"], "explore takes one scenario; twins holds 2"),
                (["list", "scenarios"], "Fleet: no such file or folder"),
            ]
            for (arguments, says) in cases {
                let run = try CommandLineRun.of(arguments, in: folder)
                #expect(
                    run.status == 3 && run.output.isEmpty && run.errors.contains(says),
                    "\(arguments): \(run.status) \(run.output)\(run.errors)")
            }
            #expect(try left(in: folder) == before)
        }
    }

    private static let usages: [([String], Int32, String)] = [
        (["fly"], 3, "fly"),
        (["run"], 3, "paths"),
        (["run", "x", "--mode", "wild"], 3, "sim"),
        (["run", "x", "--seed", "-1"], 3, "seed"),
        (["run", "x", "--sead", "1"], 3, "--sead"),
        (["run", "x", "--spin-limit", "0"], 3, "1 to 3600"),
        (["replay"], 3, "trace"),
        (["list", "planets"], 3, "planets"),
        (["bench", "nothing"], 3, "sim-single"),
        (["check"], 3, "trace"),
        (["explore", "x", "--seeds", "0"], 3, "--seeds"),
        (["explore", "x", "--seeds", "-5"], 3, "--seeds takes 1 to"),
        (["run", "x", "--seed", "-1"], 3, "'-1' is invalid for '--seed"),
        (["explore", "x", "--seeds", "1", "--minutes", "1"], 3, "not both"),
        (["explore", "x", "--minutes", "1e300"], 3, "a year"),
        (["explore", "x", "--minutes", "nan"], 3, "a year"),
        (["explore", "x", "--jobs", "99999999"], 3, "--jobs"),
        (["explore", "x", "--from", "18446744073709551615"], 3, "--from"),
        (["--help"], 0, "SUBCOMMANDS"),
        (["help", "run"], 0, "--junit"),
        (["run", "--help"], 0, "--junit"),
        (["proxy", "--help"], 0, "up= and down= are bytes read from clients and from the server"),
        ([], 0, "SUBCOMMANDS"),
    ]
    @Test(
        "Usage: unknown subcommands, options and values end with 3 and say what would be right; help ends with 0",
        arguments: usages)
    func usage(arguments: [String], status: Int32, says: String) throws {
        try withFolder { folder in
            let run = try CommandLineRun.of(arguments, in: folder)
            #expect(run.status == status, "\(run.output)\(run.errors)")
            let (told, silent) = status == 0 ? (run.output, run.errors) : (run.errors, run.output)
            #expect(told.contains(says) && silent.isEmpty, "\(run.output)\(run.errors)")
            #expect(try left(in: folder) == [])
        }
    }

    @Test("doctor: a TMPDIR that is not there, or takes no folder, is missing")
    func temporary() throws {
        try withFolder { folder in
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            for place in ["none", "/proc"] {
                let command = "TMPDIR=\(place) exec '\(homeroom)' doctor"
                let doctor = try CommandLineRun.of(["-c", command], by: "/bin/sh", in: folder)
                #expect(doctor.status == 3 && doctor.errors.isEmpty, "\(doctor.output)\(doctor.errors)")
                #expect(doctor.output.contains("missing  TMPDIR: cannot make a folder in \(place): "))
                #expect(doctor.output.contains("set TMPDIR to another place"))
            }
        }
    }

    @Test(
        "Info.plist: missing, no property list, or without an identifier: a run of the app and doctor name it, the rest works"
    )
    func infoPlist() throws {
        try withFolder { folder in
            let program = folder.appending(path: "misbehaving").path
            // By a process of its own: another test's child must not inherit a descriptor that writes into what is to be executed.
            let original = CommandLineRun.products.appending(path: "misbehaving").path
            try CommandLineRun.of([original, program], by: "/bin/cp", in: folder)
            _ = try folder.appending(path: "s.yaml").write(misbehavingScenario("trapping"))
            let whole = try CommandLineRun.of(
                ["run", "s.yaml", "--mode", "sim", "--out", "out"], by: "misbehaving", in: folder)
            #expect(whole.status == 1)
            let before = try contents(of: folder.appending(path: "out"))
            let plist = folder.appending(path: "homeroom_misbehaving.resources/InfoPlists/trapping/Info.plist")
            func run(_ arguments: [String]) throws -> CommandLineRun {
                try CommandLineRun.of(arguments, by: program, in: folder)
            }
            func expect(_ says: String) throws {
                for arguments in [["run", "s.yaml", "--out", "out"], ["explore", "s.yaml"], ["replay", "out"]] {
                    let run = try run(arguments)
                    #expect(run.status == 3 && run.output.isEmpty, "\(arguments): \(run.output)\(run.errors)")
                    #expect(
                        run.errors.contains(plist.path) && run.errors.contains("'trapping'")
                            && run.errors.contains(says), "\(arguments): \(run.errors)")
                }
                #expect(try contents(of: folder.appending(path: "out")) == before)
                let doctor = try run(["doctor"])
                #expect(doctor.status == 3, "\(doctor.output)")
                #expect(doctor.output.contains("missing  app trapping: \(plist.path)") && doctor.output.contains(says))
                let list = try run(["list", "apps"])
                #expect(list.status == 0 && list.output.contains(says) && list.output.contains("write"), "\(list)")
            }
            try expect("is missing")
            for arguments in [
                ["--help"], ["run", "--help"], ["list", "faults"], ["validate", "s.yaml"], ["explain", "out"],
            ] {
                let run = try run(arguments)
                #expect(run.status == 0 && run.errors.isEmpty && !run.output.isEmpty, "\(arguments): \(run)")
            }
            let check = try run(["check", "out"])
            #expect(check.status == 1 && check.digest == whole.digest, "\(check)")
            try FileManager.default.createDirectory(
                at: plist.deletingLastPathComponent(), withIntermediateDirectories: true)
            _ = try plist.write("<plist><dict><key>")
            try expect("is no property list")
            _ = try plist.write(
                #"<?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleName</key><string>x</string></dict></plist>"#
            )
            try expect("has no CFBundleIdentifier")
            _ = try plist.write(#"<?xml version="1.0"?><plist version="1.0"><array/></plist>"#)
            try expect("has no CFBundleIdentifier")
        }
    }
}
