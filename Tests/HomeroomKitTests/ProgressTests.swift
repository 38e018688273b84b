import Foundation
import Testing

@testable import HomeroomKit

@Suite("Progress", .serialized, .timeLimit(.minutes(20))) struct ProgressTests {
    /// A verdict that a scenario expects.
    private static let green = "\u{1b}[1;32mvalid\u{1b}[0m  a "

    /// The command on a terminal; its output and errors as the terminal gets them.
    private func onTerminal(
        _ arguments: [String], environment: String = "TERM=xterm", before: String = "", in folder: URL
    ) throws -> String {
        let program = CommandLineRun.products.appending(path: "homeroom").path
        let command = before + (["env -u NO_COLOR", environment, program] + arguments).joined(separator: " ")
        return try CommandLineRun.of(["-qec", command, "/dev/null"], by: "/usr/bin/script", in: folder).output
    }

    @Test("On a terminal: run, replay and explore say how far they are in a line that is taken back")
    func terminal() throws {
        try withFolder { folder in
            for name in ["a", "b"] { _ = try folder.appending(path: "\(name).yaml").write(SmallRun.scenario(name)) }
            for (arguments, says, ends) in [
                (
                    ["run", ".", "--mode", "sim"], ["1 of 2: a-1 in sim: storm, 0s of 3m", "2 of 2: b-1 in sim"],
                    Self.green
                ),
                (["run", "a.yaml"], ["a-1 in fleet: storm, 0s of 3m"], Self.green),
                (["replay", ".homeroom/a-1", "--mode", "sim"], ["replaying a-1 in sim: 0s of "], "identical  a"),
                (["explore", "a.yaml", "--seeds", "2"], ["a: 0 of 2 seeds", "a: 1 of 2 seeds"], "explored  a"),
                (["explore", "a.yaml", "--minutes", "0.01"], ["a: 0 seeds, 0s left"], "explored  a"),
            ] {
                let seen = try onTerminal(arguments, in: folder)
                for words in says { #expect(seen.contains("\r\u{1b}[K\u{1b}[?7l\(words)"), "\(seen.debugDescription)") }
                #expect(seen.contains("\r\u{1b}[K\(ends)"), "\(seen.debugDescription)")
            }
            for (arguments, environment) in [
                (["run", "a.yaml", "--mode", "sim", "--quiet"], "TERM=xterm"),
                (["run", "a.yaml", "--mode", "sim"], "TERM=dumb"),
                (["run", "a.yaml", "--mode", "sim", "2>/dev/null"], "TERM=xterm"),
            ] {
                let seen = try onTerminal(arguments, environment: environment, in: folder)
                #expect(seen.contains("  a  seed=1 ") && !seen.contains("\r\u{1b}"), "\(seen.debugDescription)")
                #expect(seen.contains("\u{1b}[") == (environment == "TERM=xterm"), "\(seen.debugDescription)")
            }
            let plain = try onTerminal(["run", "a.yaml", "--quiet"], environment: "NO_COLOR=1", in: folder)
            #expect(plain.hasPrefix("ok    valid  a "), "\(plain.debugDescription)")
        }
    }

    @Test("Verdict line: on a narrow terminal it is cut at blanks, in a pipe it never is")
    func folded() throws {
        let line = "valid  small  seed=1 mode=sim edits=2"
        #expect(Terminal.folded(line, width: nil) == [line] && Terminal.folded(line, width: line.count) == [line])
        #expect(Terminal.folded(line, width: 22) == ["valid  small  seed=1", "    mode=sim edits=2"])
        #expect(Terminal.folded(line, width: 14) == ["valid  small ", "    seed=1", "    mode=sim", "    edits=2"])
        #expect(Terminal.folded("word another", width: 1) == ["word", "    another"])
        try withFolder { folder in
            _ = try folder.appending(path: "a.yaml").write(SmallRun.scenario("a"))
            let seen = try onTerminal(
                ["run", "a.yaml", "--mode", "sim", "--quiet"], before: "stty cols 40; ", in: folder)
            let lines = seen.split(whereSeparator: \.isNewline)
            #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 40 + 11 }, "\(seen.debugDescription)")
            #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("    ") }, "\(seen.debugDescription)")
        }
    }

    @Test("In a pipe: nothing")
    func pipe() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "a.yaml").write(SmallRun.scenario("a"))
            for arguments in [
                ["run", "a.yaml", "--mode", "sim", "--out", "out"], ["replay", "out"],
                ["explore", "a.yaml", "--seeds", "1"],
            ] {
                let run = try CommandLineRun.of(arguments, in: folder)
                #expect(run.status == 0 && run.errors.isEmpty && !run.output.contains("\u{1b}"), "\(run)")
            }
        }
    }
}
