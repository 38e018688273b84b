import Foundation
import Testing

/// One reading of a list of mutants by `Scripts/mutate.awk` (Docs/mutants.md).
private struct MutantRun {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    var status: Int32
    /// Plan and problems.
    var lines: [String]

    init(_ list: String, in copy: URL, reads: Bool) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["awk", "-v", "copy=" + copy.path] + (reads ? ["-v", "reads=1"] : [])
            + ["-f", Self.package.appending(path: "Scripts/mutate.awk").path, list]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        lines = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}

@Suite("List of mutants", .timeLimit(.minutes(20))) struct MutantListTests {
    @Test("This package: each mutant's text stands once in its file, its killer is a test that there is")
    func package() throws {
        let list = MutantRun.package.appending(path: "Tests/mutants.tsv").path
        let run = try MutantRun(list, in: MutantRun.package, reads: true)
        #expect(run.status == 0, "\(run.lines.filter { $0.hasPrefix("mutate: ") }.joined(separator: "\n"))")
        #expect(run.lines.count >= 150)
        var sources: [String: String] = [:]
        for line in run.lines {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 5 else {
                Issue.record("five columns are expected: \(line)")
                continue
            }
            if columns[3].hasPrefix("equivalent: ") { continue }
            let target = columns[3].prefix { $0.isLetter }
            let folder = MutantRun.package.appending(path: "Tests/\(target)").path
            guard target.hasSuffix("Tests"), FileManager.default.fileExists(atPath: folder) else {
                Issue.record("there is no such test target: \(line)")
                continue
            }
            let source = try sources[folder] ?? Self.sources(in: folder)
            sources[folder] = source
            let names = columns[3].dropFirst(target.count + 1).split(separator: "/")
            // One suite, or `(A|B)`.
            let suites = (names.first?.split(separator: ".").last ?? "").split { "(|)".contains($0) }
            for suite in suites {
                #expect(source.contains("struct \(suite)") || source.contains("class \(suite)"), "no suite: \(line)")
            }
            if names.count > 1 { #expect(source.contains("func \(names[1])("), "no test: \(line)") }
        }
    }
    private static func sources(in folder: String) throws -> String {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return try files.filter { $0.hasSuffix(".swift") }.sorted()
            .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// - Returns: what came of a list, and the source with the mutants in it.
    private func planted(_ entries: [String], in source: String) throws -> (run: MutantRun, source: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "homeroom-mutants-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (file, list) = (folder.appending(path: "A.swift"), folder.appending(path: "list.tsv"))
        try Data(source.utf8).write(to: file)
        let lines = entries.map { $0.replacing(" | ", with: "\t") }
        try Data((["# a list", ""] + lines).joined(separator: "\n").appending("\n").utf8).write(to: list)
        let run = try MutantRun(list.path, in: folder, reads: false)
        return (run, try String(contentsOf: file, encoding: .utf8))
    }

    @Test("Expression and statement: each behind its switch; the marks say which part, the sign of a line feed is one")
    func switches() throws {
        let (run, source) = try planted(
            [
                "expr | A.swift | if «a < b» { | a <= b | ATests.A | one too many",
                "stmt | A.swift | {⏎    «c()» |  | ATests.A | left out",
            ], in: "if a < b {\n    c()\n}\nif a < c {}\n")
        #expect(run.status == 0)
        #expect(
            run.lines == [
                "1\texpr\tA.swift:1\tATests.A\tone too many", "2\tstmt\tA.swift:2\tATests.A\tleft out",
            ])
        let lines = [
            "if (homeroomMutant(1) ? (a <= b) : (a < b)) {", "    if homeroomMutant(2) {", "", "} else {", "c()", "}",
            "}", "if a < c {}", "",
        ]
        #expect(source == lines.joined(separator: "\n"))
    }

    @Test("Two mutants of one place: each has its own switch")
    func together() throws {
        let (run, source) = try planted(
            ["expr | A.swift | «x» + y | 1 | ATests.A | one", "expr | A.swift | «x» + y | 2 | ATests.A | two"],
            in: "let z = x + y\n")
        #expect(run.status == 0)
        #expect(source == "let z = (homeroomMutant(1) ? (1) : (homeroomMutant(2) ? (2) : (x))) + y\n")
    }

    private static let wrong: [(entry: String, problem: String)] = [
        ("expr | A.swift | gone | 1 | ATests.A | m", "this text is not in A.swift exactly once: gone"),
        ("expr | A.swift | x | 1 | ATests.A | m", "this text is not in A.swift exactly once: x"),
        ("expr | B.swift | x | 1 | ATests.A | m", "B.swift is not there or empty"),
        ("word | A.swift | y | 1 | ATests.A | m", "the kind 'word' is neither expr nor stmt"),
        ("expr | A.swift | y | 1 |  | m", "killer and meaning are needed"),
        ("expr | A.swift | y | 1", "6 columns are expected"),
    ]
    @Test("Entries that do not fit: told with their line, and nothing is written", arguments: wrong)
    func wrongEntry(entry: String, problem: String) throws {
        let (run, source) = try planted(
            ["expr | A.swift | let z | let a | ATests.A | m", entry], in: "let z = x + x * y\n")
        #expect(run.status == 1)
        #expect(run.lines.contains { $0.hasPrefix("mutate: Tests/mutants.tsv:4: \(problem)") }, "\(run.lines)")
        #expect(source == "let z = x + x * y\n")
    }

    @Test("Two places that overlap: refused")
    func overlap() throws {
        let (run, source) = try planted(
            ["expr | A.swift | x + y | 1 | ATests.A | m", "expr | A.swift | y * 2 | 2 | ATests.A | m"],
            in: "let z = x + y * 2\n")
        #expect(run.status == 1 && run.lines.contains { $0.contains("overlaps line 3") }, "\(run.lines)")
        #expect(source == "let z = x + y * 2\n")
    }
}
