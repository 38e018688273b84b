import Foundation
import Testing

/// One run of `Scripts/coverage` (Docs/coverage.md).
private struct CoverageRun {
    static let package = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
    var status: Int32
    /// Table and problems.
    var text: String

    init(root: URL = package, update: Bool = false) throws {
        let process = Process()
        process.executableURL = Self.package.appending(path: "Scripts/coverage")
        process.arguments = ["--root", root.path] + (update ? ["--update"] : [])
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
    var problems: [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("coverage: ") }.map(String.init)
    }
}

/// A package of three statements: the first is covered, the second open, the third not applicable.
private struct SmallPackage {
    /// So that the script does not take the examples of this file for tests.
    static let attribute = "@" + "Test"
    var statements = "S1\tone\tdoc 1\nS2\ttwo\tdoc 2\nS3\tthree\tdoc 3\tno screen\n"
    var covered = "S1\n"
    var tests = "\(attribute)(\"Title (S1)\") func a() {}\n"

    func run<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "homeroom-coverage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["Docs", "Tests/RoomTests"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("Docs/statements.tsv", statements), ("Docs/covered.txt", covered), ("Tests/RoomTests/A.swift", tests),
        ] { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try body(folder)
    }
}

@Suite("Coverage of the statements", .timeLimit(.minutes(20))) struct CoverageTests {
    @Test("This package: S1 to S294 once each, none of the covered ones lost, the list complete")
    func package() throws {
        let run = try CoverageRun()
        #expect(run.problems == [])
        #expect(run.status == 0)
        #expect(run.text.contains(", of 294\n"))
    }

    @Test("Table: covered with its test, open, not applicable with the reason, totals")
    func table() throws {
        let run = try SmallPackage().run { try CoverageRun(root: $0) }
        #expect(run.status == 0)
        #expect(run.text.contains("S1    covered  one  [doc 1]\n        Tests/RoomTests/A.swift:1  Title\n"))
        #expect(run.text.contains("S2    open     two  [doc 2]\n"))
        #expect(run.text.contains("S3    n/a      three  [doc 3]\n        no screen\n"))
        #expect(run.text.hasSuffix("covered 1, open 1, not applicable 1, of 3\n"))
    }

    @Test(
        "Refused: what is wrong is named",
        arguments: [
            ("tests", "\(SmallPackage.attribute)(\"Title\") func a() {}", "S1 has lost its last test"),
            ("tests", "// \(SmallPackage.attribute)(\"Title (S1)\") func a() {}", "S1 has lost its last test"),
            ("tests", "\(SmallPackage.attribute)(\"Title (S1, S9)\") func a() {}", "there is no statement S9"),
            ("tests", "\(SmallPackage.attribute)(\"Title (S1, S3)\") func a() {}", "S3 is not applicable: no screen"),
            ("tests", "\(SmallPackage.attribute)(\n \"Title (S1, S2)\"\n)\nfunc a() {}", "lacks S2"),
            ("tests", "\(SmallPackage.attribute)(\"Title (S1) and\") func a() {}", "at the end of the title"),
            ("tests", "\(SmallPackage.attribute)(\"Title (S1,S2)\") func a() {}", "at the end of the title"),
            ("tests", "\(SmallPackage.attribute)(\"Title (S1)\", .disabled(\"x\")) func a() {}", "may be left out"),
            ("tests", "#if os(iOS)\n\(SmallPackage.attribute)(\"Title (S1)\") func a() {}\n#endif", "may be left out"),
            (
                "tests", "\(SmallPackage.attribute)(\"Title (S1)\") func a() {\n withKnownIssue { f() }\n}",
                "known issue"
            ),
            ("covered", "S1\nS9\n", "Docs/covered.txt: there is no statement S9"),
            ("covered", "", "lacks S1"),
            ("statements", "S1\tone\tdoc 1\nS3\tthree\tdoc 3\n", "S2 is expected where S3 stands"),
            ("statements", "S1\tone\tdoc 1\nS1\tone\tdoc 1\n", "S2 is expected where S1 stands"),
        ])
    func refused(file: String, text: String, problem: String) throws {
        var package = SmallPackage()
        switch file {
        case "tests": package.tests = text
        case "covered": package.covered = text
        default: package.statements = text
        }
        let run = try package.run { try CoverageRun(root: $0) }
        #expect(run.status == 1)
        #expect(run.problems.contains { $0.contains(problem) }, "\(run.problems)")
    }

    @Test("Update: writes the list, and not when something else is wrong")
    func update() throws {
        var package = SmallPackage()
        package.tests += "\(SmallPackage.attribute)(\"Other (S2)\") func b() {}\n"
        for (extra, expected) in [("", "S1\nS2\n"), ("\(SmallPackage.attribute)(\"X (S3)\") func c() {}\n", "S1\n")] {
            package.tests += extra
            let list = try package.run { folder in
                let run = try CoverageRun(root: folder, update: true)
                #expect((run.status == 0) == extra.isEmpty)
                return try String(contentsOf: folder.appending(path: "Docs/covered.txt"), encoding: .utf8)
            }
            #expect(list == expected)
        }
    }
}
