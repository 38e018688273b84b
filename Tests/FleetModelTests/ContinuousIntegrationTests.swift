import Foundation
import Testing

/// `.ci/run` and `Scripts/tally` on made-up output of tests.
private struct ScriptRun {
    static let package = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    var status: Int32
    /// Standard output and errors.
    var lines: [Substring]

    init(_ script: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = Self.package.appending(path: script)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        lines = text.split(separator: "\n")
        status = process.terminationStatus
    }
}

/// A folder with files, that is removed afterwards.
private func withFiles(_ files: [String: String], _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "homeroom-ci-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    try body(folder)
}

private let good = """
    ◇ Test "One: with (parentheses)" started.
    noise of a program✔ Test "One: with (parentheses)" passed after 0.1 seconds.
    ◇ Test case passing 1 argument text → "nul◇ Test "Three" started.
    ◇ Test case passing 1 argument text → "nul◇ Test case passing 1 argument text → "nul✔ Test "Three" passed after 0.1 seconds.
    ◇ Test case passing 1 argument mode → "sim" (String) to "Two" started.
    ◇ Test two() started.
    ✔ Test two() with 2 test cases passed after 0.1 seconds.
    ✔ Test run with 2 tests in 1 suite passed after 1.000 seconds.
    """
private let skippedSuite = """

    ➜ Suite "Live" skipped: "no server there"
    ➜ Test "Live: one" skipped: "no server there"
    """
private let skippedTest = """

    ➜ Test "Live: two" skipped: "no server there"
    """
private let notHere = """

    ➜ Test "Container: owner" skipped: "not on this machine: only root can give files away"
    """
private let bad = """
    ◇ Test "One" started.
    ✘ Test "One" recorded an issue at A.swift:1:2: Expectation failed: false
    ↳ its words
    ✘ Test "One" failed after 0.1 seconds with 1 issue.
    ◇ Test "Two hangs" started.
    """

@Suite("Continuous integration", .timeLimit(.minutes(20))) struct ContinuousIntegrationTests {
    @Test("Tally: counts tests once, whatever stands on their lines; a skipped suite is a failure with -a only")
    func counts() throws {
        try withFiles(["good": good, "skips": good + skippedSuite]) { folder in
            let all = try ScriptRun("Scripts/tally", ["-a", folder.appending(path: "good").path])
            #expect(all.status == 0 && all.lines == ["3 passed, 0 failed, 0 skipped"])
            let path = folder.appending(path: "skips").path
            let skips = try ScriptRun("Scripts/tally", [path])
            #expect(skips.status == 0 && skips.lines.last == "3 passed, 0 failed, 1 skipped")
            #expect(skips.lines.contains(#"skipped: "Live: one": "no server there""#), "\(skips.lines)")
            #expect(try ScriptRun("Scripts/tally", ["-a", path]).status == 1)
        }
    }

    @Test(
        "Tally: with -a a skipped test is a failure, unless its reason says that this machine cannot run it; both are printed"
    )
    func skips() throws {
        try withFiles(["test": good + notHere + skippedTest, "machine": good + notHere]) { folder in
            let (test, machine) = (folder.appending(path: "test").path, folder.appending(path: "machine").path)
            let run = try ScriptRun("Scripts/tally", ["-a", test])
            #expect(run.status == 1 && run.lines.last == "3 passed, 0 failed, 2 skipped", "\(run.lines)")
            #expect(
                run.lines.filter { $0.hasPrefix("has to run here: ") } == [
                    #"has to run here: "Live: two": "no server there""#
                ])
            let excused = try ScriptRun("Scripts/tally", ["-a", machine])
            #expect(excused.status == 0 && excused.lines.first?.hasPrefix("skipped: \"Container: owner\"") == true)
            #expect(try ScriptRun("Scripts/tally", [test]).status == 0)
        }
    }

    @Test(
        "Third of the scenarios in fleet: what is asked for, else of the commit; outside of git the first; other words are refused"
    )
    func third() throws {
        func third(_ word: String, git: String) throws -> ScriptRun {
            var run: ScriptRun?
            try withFiles(["git": "#!/bin/sh\n\(git)\n"]) { folder in
                run = try ScriptRun(
                    "Scripts/fleet-third", [],
                    environment: ["HOMEROOM_FLEET_THIRD": word, "PATH": folder.path + ":/usr/bin:/bin"])
            }
            return try #require(run)
        }
        for word in ["0", "1", "2", "all"] { #expect(try third(word, git: "exit 1").lines == ["\(word)"[...]]) }
        for (hash, expected) in [("00000003f", "0"), ("00000004a", "1"), ("fffffffe0", "2")] {
            #expect(try third("", git: "echo \(hash)").lines == [expected[...]])
        }
        let outside = try third("", git: "exit 128")
        #expect(outside.status == 0 && outside.lines == ["0"])
        for word in ["3", "-1", "x", "ALL"] {
            let refused = try third(word, git: "echo 1")
            #expect(refused.status == 3 && refused.lines.first?.contains("use 0, 1, 2 or all") == true, "\(refused)")
        }
    }

    @Test("Tally: a test that passes with an issue that it expects has passed")
    func known() throws {
        let known = """
            ◇ Test "Planted" started.
            ━ Test "Planted" recorded a known issue at FleetTests.swift:50:17: Issue recorded
            ━ Test "Planted" passed after 1.181 seconds with 1 known issue.

            """
        try withFiles(["known": known]) { folder in
            let run = try ScriptRun("Scripts/tally", ["-a", folder.appending(path: "known").path])
            #expect(run.status == 0 && run.lines == ["1 passed, 0 failed, 0 skipped"])
        }
    }

    @Test("Tally: names what failed with its words, and what did not end; nothing at all is a failure")
    func failures() throws {
        try withFiles(["bad": bad, "nothing": "error: no such module\n"]) { folder in
            let run = try ScriptRun("Scripts/tally", [folder.appending(path: "bad").path])
            #expect(run.status == 1 && run.lines.last == "0 passed, 1 failed, 0 skipped, 1 did not end")
            for line in ["What failed:", "↳ its words", #"failed: "One""#, #"did not end: "Two hangs""#] {
                #expect(run.lines.contains { $0 == line }, "\(line) in \(run.lines)")
            }
            let nothing = try ScriptRun("Scripts/tally", [folder.appending(path: "nothing").path])
            #expect(nothing.status == 1 && nothing.lines.contains { $0.contains("no such module") })
        }
    }

    /// `.ci/run` on a folder of scripts that print these words and end with these statuses.
    private func integrate(
        test: (String, Int), cloud: (String, Int) = (good, 0), examples: Int = 0
    ) throws -> ScriptRun {
        func script(_ words: String, _ status: Int) -> String {
            "#!/bin/sh\ncat <<'END'\n\(words)\nEND\nexit \(status)\n"
        }
        let tally = try String(contentsOf: ScriptRun.package.appending(path: "Scripts/tally"), encoding: .utf8)
        var run: ScriptRun?
        try withFiles([
            "tally": tally, "build-cloud": script("built", 0), "test": script(test.0, test.1),
            "test-cloud": script(cloud.0, cloud.1), "test-examples": script("4 runs", examples),
        ]) { folder in run = try ScriptRun(".ci/run", [], environment: ["HOMEROOM_SCRIPTS": folder.path]) }
        return try #require(run)
    }

    @Test("All good: status 0, how long each part took, and the sum as the last line")
    func allGood() throws {
        let run = try integrate(test: (good, 0))
        #expect(run.status == 0 && run.lines.last == "6 passed, 0 failed", "\(run.lines)")
        for part in ["server ", "test ", "test-cloud ", "examples "] {
            #expect(run.lines.contains { $0.hasPrefix(part) && $0.hasSuffix(" s") }, "\(run.lines)")
        }
    }

    @Test("Anything that fails: status 1, named at the end (a test; a skipped suite; no test; a part's own status)")
    func failing() throws {
        let failed = try integrate(test: (bad, 1))
        #expect(failed.status == 1 && failed.lines.last == "3 passed, 2 failed", "\(failed.lines)")
        #expect(failed.lines.contains { $0 == #"test: did not end: "Two hangs""# }, "\(failed.lines)")
        let skipped = try integrate(test: (good + skippedSuite, 0))
        #expect(skipped.status == 1 && skipped.lines.last == "6 passed, 1 failed", "\(skipped.lines)")
        #expect(skipped.lines.contains { $0.hasPrefix("test: a suite ran nothing") }, "\(skipped.lines)")
        let alone = try integrate(test: (good + skippedTest, 0))
        #expect(alone.status == 1 && alone.lines.last == "6 passed, 1 failed", "\(alone.lines)")
        #expect(try integrate(test: (good + notHere, 0)).status == 0)
        let none = try integrate(test: (good, 0), cloud: ("nothing", 0))
        #expect(none.status == 1 && none.lines.last == "3 passed, 1 failed", "\(none.lines)")
        let example = try integrate(test: (good, 0), examples: 1)
        #expect(example.status == 1 && example.lines.contains { $0 == "failed part: examples: exit status 1" })
        let crashed = try integrate(test: (good, 7))
        #expect(crashed.status == 1 && crashed.lines.contains { $0 == "failed part: test: exit status 7" })
    }
}
