import Foundation
import Testing

/// Tests of one Swift file that nothing ends: a suite without `.timeLimit`, a test outside of a suite without one.
/// - Parameter suites: gets the names of the file's suites, so that an extension of one in another file is known.
private func endless(in text: String, suites: Set<String>) -> [String] {
    var problems: [String] = []
    var owner = ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
        if let name = declared(by: line) { owner = name }
        let words = line.drop { $0 == " " }
        guard words.hasPrefix("@Suite") || words.hasPrefix("@Test") else { continue }
        if attribute(in: lines[index...]).contains(".timeLimit(") { continue }
        if words.hasPrefix("@Suite") {
            problems.append("line \(index + 1): a suite without .timeLimit")
        } else if line.hasPrefix("@Test") || !suites.contains(owner) {
            problems.append("line \(index + 1): a test outside of a suite, without .timeLimit")
        }
    }
    return problems
}
/// An attribute and its arguments, which may go on below.
private func attribute(in lines: ArraySlice<Substring>) -> String {
    var text = ""
    for line in lines {
        text += line
        if text.count(where: { $0 == "(" }) <= text.count(where: { $0 == ")" }) { break }
    }
    return text
}
/// The type that a line at the margin declares or extends.
private func declared(by line: Substring) -> String? {
    guard let first = line.first, first != " ", first != "/" else { return nil }
    let words = line.split { " :{<".contains($0) }
    guard let index = words.firstIndex(where: { ["struct", "class", "enum", "actor", "extension"].contains($0) }),
        index + 1 < words.count
    else { return nil }
    return String(words[index + 1])
}
/// Types that `@Suite` stands before, on their line or on the one above.
private func suites(in text: String) -> Set<String> {
    var names: Set<String> = []
    var isNext = false
    for line in text.split(separator: "\n") {
        if line.hasPrefix("@Suite") { isNext = true }
        if isNext, let name = declared(by: line) {
            names.insert(name)
            isNext = false
        }
    }
    return names
}
/// A limit counts from when a test's turn was asked for, not from when it began: of two threads one may run a scenario for minutes. So all
/// limits are one, over twice what the whole suite takes on a slow machine.
@Suite("Time limits", .timeLimit(.minutes(20))) struct TimeLimitTests {
    private static let package = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "Suites: each has a time limit, and each test lies in one (parameters: folders)",
        arguments: ["Tests", "Cloud/Tests"])
    func all(folder: String) throws {
        let root = Self.package.appending(path: folder)
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        let texts = try files.map { ($0, try String(contentsOf: $0, encoding: .utf8)) }
        #expect(texts.contains { $0.1.contains("@Suite") }, "no tests in \(folder)")
        let known = texts.reduce(into: Set<String>()) { $0.formUnion(suites(in: $1.1)) }
        for (file, text) in texts {
            let problems = endless(in: text, suites: known)
            #expect(problems.isEmpty, "\(file.lastPathComponent): \(problems.joined(separator: "; "))")
        }
    }

    @Test("A suite without a limit, a test at the margin, and one in a type that is no suite are seen")
    func red() {
        let (suite, test) = ("@Sui" + "te", "@Te" + "st")
        let text = """
            \(suite)("A") struct A {
                \(test)("in A") func a() {}
            }
            \(test)("free") func free() {}
            struct B {
                \(test)("in B") func b() {}
            }
            extension A {
                \(test)("more of A") func more() {}
            }
            """
        #expect(endless(in: text, suites: ["A"]).map { $0.prefix { $0 != ":" } } == ["line 1", "line 4", "line 6"])
    }
}
