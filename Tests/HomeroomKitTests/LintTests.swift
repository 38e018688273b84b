import Checkers
import Foundation
import Testing

@testable import HomeroomKit

@Suite("Lint command", .timeLimit(.minutes(20))) struct LintTests {
    @Test("Statements: what lint says of one is what the list of all says")
    func statements() throws {
        let list = try String(
            contentsOf: CommandLineRun.package.appending(path: "Docs/statements.tsv"), encoding: .utf8)
        let subjects = Dictionary(
            uniqueKeysWithValues: list.split(separator: "\n").map { $0.split(separator: "\t") }.map { ($0[0], $0[1]) })
        for (number, subject) in Statements.subjects { #expect(subjects[number[...]] == subject[...], "\(number)") }
        let folder = CommandLineRun.package.appending(path: "Sources/Checkers")
        for file in ["HabitLint.swift", "PurgeAdvice.swift"] {
            let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for number in source.matches(of: /"(S[0-9]+)[" ]/) {
                #expect(Statements.subjects[String(number.1)] != nil, "\(number.1) of \(file) is not explained")
            }
        }
    }

    @Test("Rules: the page names each statement by which lint tells a habit, and no other")
    func rules() throws {
        let file = CommandLineRun.package.appending(path: "Sources/Checkers/HabitLint.swift")
        let used = try String(contentsOf: file, encoding: .utf8).matches(of: /"(S[0-9]+)"/).map { String($0.1) }
        let rules = HabitLint.rules.map(\.statement)
        #expect(Set(rules) == Set(used) && Set(rules).count == rules.count)
        #expect(rules == rules.sorted { Int($0.dropFirst()) ?? 0 < Int($1.dropFirst()) ?? 0 })
    }

    @Test(
        "Lint: each habit once a line, with its statement and app; the status says whether there are any; no trace is left"
    )
    func lint() throws {
        try withFolder { folder in
            let clean = try folder.appending(path: "clean.yaml").write(SmallRun.scenario("clean"))
            let run = try CommandLineRun.of(["lint", clean], in: folder)
            #expect(run.status == 0 && run.output == "clean: no risky habits\n", "\(run.output)\(run.errors)")
            #expect(try left(in: folder) == ["clean.yaml"])
            let missing = try CommandLineRun.of(["lint", "none.yaml"], in: folder)
            #expect(missing.status == 3)
        }
    }

    @Test("Lint: a run that was cut off is never one without habits: it says what ended it, and the status tells it")
    func cut() throws {
        try withFolder { folder in
            let text = misbehavingScenario("polling", limits: "{maxCallsPerInstant: 2000}")
            let file = try folder.appending(path: "p.yaml").write(text)
            let run = try CommandLineRun.of(["lint", file, "--spin-limit", "3"], by: "misbehaving", in: folder)
            #expect(run.status == 2, "\(run.output)\(run.errors)")
            #expect(run.output.contains("polling: unknown because: ") && run.output.contains("in one instant"))
            #expect(!run.output.contains("no habits"), "\(run.output)")
        }
    }

    @Test("Lint: a secret in a file, a flag in the defaults, the same question again and again (S16, S22, S204)")
    func indiscreet() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "i.yaml").write(misbehavingScenario("indiscreet"))
            let run = try CommandLineRun.of(["lint", file], by: "misbehaving", in: folder)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            let statements = run.output.split(separator: "\n").map { $0.split(separator: " ").dropFirst().first ?? "" }
                .filter { $0 != "advice:" }
            #expect(statements == ["S16", "S22", "S204"], "\(run.output)")
            #expect(run.output.contains("'hasSeenTheTour'"))
            #expect(run.output.contains("; S16 asks: route: credentials in the keychain, nowhere else\n"))
            #expect(
                run.output.contains("indiscreet: advice: S11  indiscreet  "), "it does not say that it may be purged")
        }
    }

    @Test(
        "Lint: a container opened on the main thread by nobody knows whom, a database in it, without coordination (S52, S58)"
    )
    func careless() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "c.yaml").write(misbehavingScenario("careless"))
            let run = try CommandLineRun.of(["lint", file], by: "misbehaving", in: folder)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            let statements = run.output.split(separator: "\n").map { $0.split(separator: " ").dropFirst().first ?? "" }
                .filter { $0 != "advice:" }
            #expect(statements == ["S52", "S58", "S75", "S84"], "\(run.output)")
            #expect(run.output.hasPrefix("careless: S52  careless  changes /var/mobile/Library/Mobile Documents/"))
        }
    }
}
