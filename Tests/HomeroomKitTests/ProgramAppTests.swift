import FleetModel
import Foundation
import Testing

@testable import HomeroomKit

/// Whether the example in Python can run here.
private let hasPython: Bool = ["/usr/bin/python3", "/usr/local/bin/python3", "/bin/python3"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
}
private let noPython: Comment = "not on this machine: python3"

@Suite("Apps that are programs", .serialized, .timeLimit(.minutes(20))) struct ProgramAppTests {
    /// What each step of a small program does before it ends: `$n` is its number, `$step` the line.
    private func program(_ body: String) -> String {
        """
        read -r launch
        while read -r step; do
        n=$((n+1))
        \(body)
        echo "{\\"done\\":$n}"
        done
        """
    }
    /// Answers each question of the iPad, and shows nothing.
    private static let answering = #"""
        name=$(echo "$step" | sed -n 's/.*"post":"\([a-zA-Z.]*\)".*/\1/p')
        exchange=$(echo "$step" | sed -n 's/.*"exchange":\([0-9]*\).*/\1/p')
        token=$(echo "$step" | sed -n 's/.*"token":"\([a-z0-9.]*\)".*/\1/p')
        [ "$name" = ui.perform ] && echo '{"post":"ui.began","body":{"token":"'$token'","text":null}}'
        body='{}'; [ "$name" = ui.state ] && body='{"items":[]}'
        [ -n "$exchange" ] && echo '{"post":"'$name'","body":'$body',"exchange":'$exchange'}'
        """#

    /// A run of a shell script as an app.
    private func run(_ script: String, _ arguments: String..., in folder: URL) throws -> CommandLineRun {
        _ = try folder.appending(path: "app.sh").write(script)
        let declaration: Value = [
            "name": "shell", "command": ["/bin/sh", "app.sh"], "bundle": "com.example.shell", "channel": "record",
            "promises": ["note": "keepsAll"],
            "actions": [["name": "write", "kind": "note", "verb": "put", "prefix": "note", "pool": 3]],
        ]
        _ = try folder.appending(path: "app.json").write(declaration.json)
        let scenario = misbehavingScenario("shell").replacing("ipads: 1", with: "ipads: 1\nprograms: [app.json]")
        let file = try folder.appending(path: "s.yaml").write(scenario)
        return try CommandLineRun.of(["run", file, "--out", "out"] + arguments, in: folder)
    }

    @Test("A program that answers: its edits are judged; what it says on standard error is in its log")
    func answering() throws {
        try withFolder { folder in
            var digests: [String?] = []
            for mode in ["fleet", "sim", "fleet"] {
                let run = try run(program("echo hello >&2\n" + Self.answering), "--mode", mode, in: folder)
                #expect(run.status == 1 && run.output.contains("edits=3"), "\(run.output)\(run.errors)")
                #expect(run.output.contains("unsaved 3"), "\(run.output)")
                let log = folder.appending(path: mode == "fleet" ? "out/logs/ipad-1-app-1.log" : "out/logs/run.log")
                #expect(try String(contentsOf: log, encoding: .utf8).hasPrefix("hello\n"))
                digests.append(run.digest)
            }
            #expect(digests[0] != nil && Set(digests).count == 1, "\(digests)")
        }
    }

    @Test("A program that dies: a crash in the story, with one digest in both modes")
    func dying() throws {
        try withFolder { folder in
            var digests: [String?] = []
            for mode in ["fleet", "sim"] {
                let run = try run(
                    program("case $step in *ui.perform*) exit 3;; esac\n" + Self.answering), "--mode", mode, in: folder)
                #expect(run.output.contains("it exited with status 3"), "\(run.output)\(run.errors)")
                #expect(run.output.contains("mode=\(mode)"), "\(run.output)")
                digests.append(run.digest)
            }
            #expect(digests[0] != nil && digests[0] == digests[1], "\(digests)")
        }
    }

    @Test(
        "A program that prints garbage: the run fails with program, line and what to do", arguments: ["sim", "fleet"])
    func garbage(mode: String) throws {
        try withFolder { folder in
            let run = try run(program("echo debugging"), "--mode", mode, in: folder)
            #expect(run.status == 4, "\(run.output)\(run.errors)")
            #expect(
                run.errors.contains(
                    "ipad-1/app-1: app.sh, line 1 of its output: this is no JSON (expected a value at byte 0): 'debugging'"
                )
                    || run.errors.contains("ipad-1/app-1: app.sh, line 1 of its output: this is no JSON"),
                "\(run.errors)")
            #expect(run.errors.contains("everything else on standard error"), "\(run.errors)")
        }
    }

    @Test("A program that hangs: unknown, with program and step", arguments: ["sim", "fleet"])
    func hanging(mode: String) throws {
        try withFolder { folder in
            let run = try run("read -r launch; read -r step; sleep 60", "--mode", mode, "--spin-limit", "1", in: folder)
            #expect(run.status == 2, "\(run.output)\(run.errors)")
            #expect(
                run.output.contains("ipad-1/app-1 at ") && run.output.contains("app.sh did not end step 1"),
                "\(run.output)")
        }
    }

    @Test("A declaration that cannot be used: file, line and column of the scenario, and its own fault")
    func declaration() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "app.json").write("{\"name\": \"shell\"}")
            let scenario = misbehavingScenario("shell").replacing(
                "ipads: 1", with: "ipads: 1\nprograms: [app.json, more.json]")
            let file = try folder.appending(path: "s.yaml").write(scenario)
            let run = try CommandLineRun.of(["validate", file], in: folder)
            #expect(run.status == 3)
            #expect(
                run.errors.contains("s.yaml:7:12: ") && run.errors.contains("app.json: 'command' is missing"),
                "\(run.errors)")
            #expect(
                run.errors.contains("s.yaml:7:22: ") && run.errors.contains("more.json: cannot be read"),
                "\(run.errors)")
        }
    }

    @Test("A program named like an app of the executable is refused")
    func doubled() throws {
        try withFolder { folder in
            let text = """
                {"name": "notebook", "command": ["true"], "bundle": "b", "channel": "record", "promises": {"note": "keepsAll"},
                 "actions": [{"name": "write", "kind": "note", "verb": "put", "prefix": "note"}]}
                """
            _ = try folder.appending(path: "app.json").write(text)
            let scenario = misbehavingScenario("notebook").replacing("ipads: 1", with: "ipads: 1\nprograms: [app.json]")
            let file = try folder.appending(path: "s.yaml").write(scenario)
            let run = try CommandLineRun.of(["validate", file], in: folder)
            #expect(
                run.status == 3 && run.errors.contains("'notebook' is the name of an app of this executable"),
                "\(run.errors)")
        }
    }

    @Test(
        "The example in Python: valid, with one digest in both modes, and a replay is identical",
        .enabled(if: hasPython, noPython))
    func python() throws {
        try withFolder { folder in
            let scenario = CommandLineRun.package.appending(path: "Examples/Python/notes.yaml").path
            var digests: [String?] = []
            for mode in ["fleet", "sim"] {
                let run = try CommandLineRun.of(["run", scenario, "--mode", mode, "--out", mode], in: folder)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                digests.append(run.digest)
            }
            #expect(digests[0] != nil && digests[0] == digests[1], "\(digests)")
            let replay = try CommandLineRun.of(["replay", "sim", "--mode", "fleet"], in: folder)
            #expect(replay.status == 0 && replay.output.hasPrefix("identical"), "\(replay.output)\(replay.errors)")
        }
    }

    @Test("Its mistake is found in the class that the scenario names", .enabled(if: hasPython, noPython))
    func forgetful() throws {
        try withFolder { folder in
            let scenario = CommandLineRun.package.appending(path: "Examples/Python/forgetful.yaml").path
            let run = try CommandLineRun.of(["run", scenario, "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 0 && run.output.contains("diverged"), "\(run.output)\(run.errors)")
        }
    }
}

@Suite("Messages of the local link", .timeLimit(.minutes(20))) struct LocalMessageTests {
    @Test("Each stands on the page of the local link, and each message of the page is there")
    func page() throws {
        let page = CommandLineRun.package.appending(path: "Docs/local-link.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let names = LocalMessages.all.flatMap(\.messages)
        #expect(Set(names).count == names.count)
        for name in names { #expect(text.contains("`\(name)") || text.contains("\(name)`"), "\(name)") }
        // Rows begin with the names of messages.
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cell = line.dropFirst(2).split(separator: "|")[0]
            for match in cell.matches(of: /`([a-z]+\.[a-zA-Z]+)/) {
                #expect(LocalMessages.way(of: String(match.1)) != nil, "\(match.1)")
            }
        }
        for name in LocalCalls.names { #expect(LocalMessages.way(of: name) != nil, "\(name)") }
    }
}
