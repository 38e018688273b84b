import Foundation
import Testing

/// What a citation may lead to: pages of facts with their sections, pages of Docs with their headings, numbered statements (Docs/style.md, Pages).
private struct CitedPages {
    /// Sections of each page of Docs/sources: `3`, `9.1`.
    var sections: [String: Set<String>]
    /// Headings of each page of Docs, without what they add in parentheses.
    var headings: [String: [String]]
    var statements: Set<String>

    init(sections: [String: Set<String>], headings: [String: [String]], statements: Set<String>) {
        (self.sections, self.headings, self.statements) = (sections, headings, statements)
    }
    init(root: URL) throws {
        func pages(_ folder: String) throws -> [(name: String, headings: [String])] {
            try FileManager.default.contentsOfDirectory(
                at: root.appending(path: folder), includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == "md" }.map { url in
                let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
                let headings = lines.filter { $0.hasPrefix("##") }.map { $0.drop { $0 == "#" || $0 == " " } }
                return (url.lastPathComponent, headings.map(String.init))
            }
        }
        sections = try Dictionary(
            uniqueKeysWithValues: pages("Docs/sources").filter { $0.name != "README.md" }.map { page in
                let numbers = page.headings.compactMap { $0.prefixMatch(of: #/([0-9]+(\.[0-9]+)?)\. /#)?.output.1 }
                return (page.name, Set(numbers.map(String.init)))
            })
        headings = try Dictionary(
            uniqueKeysWithValues: pages("Docs").map { page in
                (page.name, page.headings.map { $0.prefix { $0 != "(" }.trimmingCharacters(in: .whitespaces) })
            })
        let table = try String(contentsOf: root.appending(path: "Docs/statements.tsv"), encoding: .utf8)
        statements = Set(
            table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != "\t" }) })
    }
}

/// A text with its line ends and the comment signs after them as spaces, so that a citation over two lines is one.
private struct CitingText {
    private var bytes: [UInt8] = []
    private var lines: [Int] = []
    private let file: String
    private let pages: CitedPages

    init(_ text: String, file: String, pages: CitedPages) {
        (self.file, self.pages) = (file, pages)
        bytes.reserveCapacity(text.utf8.count)
        lines.reserveCapacity(text.utf8.count)
        var line = 1
        var begins = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\n") {
                begins = true
                bytes.append(UInt8(ascii: " "))
                lines.append(line)
                line += 1
            } else if !begins || (byte != UInt8(ascii: " ") && byte != UInt8(ascii: "/")) {
                begins = false
                bytes.append(byte)
                lines.append(line)
            }
        }
    }

    /// What does not resolve: file, line and why.
    func problems() -> [String] {
        var found: [String] = []
        for place in bytes.indices {
            switch bytes[place] {
            case UInt8(ascii: "."): found += page(at: place)
            case UInt8(ascii: "S"): found += statement(at: place)
            default: break
            }
            found += retired(at: place)
        }
        return found
    }

    private func problem(_ place: Int, _ why: String) -> String { "\(file):\(lines[place]): \(why)" }
    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    private func byte(_ place: Int) -> UInt8 { bytes.indices.contains(place) ? bytes[place] : UInt8(ascii: " ") }
    private func isDigit(_ place: Int) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte(place)) }
    private func isWord(_ place: Int) -> Bool {
        let byte = byte(place)
        return isDigit(place) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private func stands(_ word: String, at place: Int) -> Bool {
        place + word.utf8.count <= bytes.count && bytes[place...].starts(with: word.utf8)
    }

    /// A number of a section that begins here, and its end.
    private func number(at place: Int) -> (text: String, end: Int)? {
        guard isDigit(place) else { return nil }
        var end = place
        while isDigit(end) { end += 1 }
        if byte(end) == UInt8(ascii: "."), isDigit(end + 1) {
            end += 1
            while isDigit(end) { end += 1 }
        }
        return isWord(end) ? nil : (text(place..<end), end)
    }

    /// `identity.md 3`, `identity.md 1 and 2`, `identity.md 1-3`, `identity.md 5 (a word), 2`, `Docs/live.md, Ends`.
    private func page(at dot: Int) -> [String] {
        guard stands(".md", at: dot), !isWord(dot + 3), isWord(dot - 1) else { return [] }
        var start = dot
        while isWord(start - 1) || byte(start - 1) == UInt8(ascii: "-") { start -= 1 }
        let name = text(start..<dot + 3)
        if ["design", "lessons", "bug-zoo", "prototypes"].contains(name.dropLast(3)) {
            return [problem(start, "\(name) is not part of the repository")]
        }
        if start >= 5, stands("Docs/", at: start - 5), !isWord(start - 6) {
            guard let headings = pages.headings[name] else { return [problem(start, "there is no Docs/\(name)")] }
            let begin = dot + 5
            guard stands(", ", at: dot + 3), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte(begin)),
                !headings.contains(where: { stands($0, at: begin) })
            else { return [] }
            return [problem(start, "Docs/\(name) has no heading '\(text(begin..<min(begin + 20, bytes.count)))'")]
        }
        guard byte(dot + 3) == UInt8(ascii: " "), var next = number(at: dot + 4) else { return [] }
        guard let sections = pages.sections[name] else { return [problem(start, "there is no Docs/sources/\(name)")] }
        var found: [String] = []
        while true {
            if !sections.contains(next.text) {
                found.append(problem(start, "Docs/sources/\(name) has no section \(next.text)"))
            }
            guard let place = continued(next.end), let further = number(at: place) else { return found }
            next = further
        }
    }
    /// Where the next number of a list may begin.
    private func continued(_ end: Int) -> Int? {
        var end = end
        if stands(" (", at: end), let close = bytes[end...].firstIndex(of: UInt8(ascii: ")")) { end = close + 1 }
        for word in [", and ", ", ", " and ", "-"] where stands(word, at: end) { return end + word.utf8.count }
        return nil
    }

    /// `S12`.
    private func statement(at place: Int) -> [String] {
        guard !isWord(place - 1), isDigit(place + 1), let number = number(at: place + 1),
            !number.text.contains("."), !pages.statements.contains("S\(number.text)")
        else { return [] }
        return [problem(place, "there is no statement S\(number.text)")]
    }

    private static let retired = [
        "design ", "Design ", "design, section ", "lessons ", "prototypes ", "AL ", "CK ", "DO ", "IY ", "KV ", "SI ",
        "WS ",
    ]
    private static let initials = Set(retired.compactMap(\.utf8.first))
    /// Names and marks of documents that are not here, with a number.
    private func retired(at place: Int) -> [String] {
        guard Self.initials.contains(bytes[place]), !isWord(place - 1) else { return [] }
        for word in Self.retired where word.utf8.first == bytes[place] && stands(word, at: place) {
            guard let number = number(at: place + word.utf8.count) else { continue }
            return [problem(place, "'\(word)\(number.text)' leads nowhere: name a page of Docs")]
        }
        return []
    }
}

@Suite("Citations", .timeLimit(.minutes(20))) struct CitationTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let folders = ["Sources", "Tests", "Docs", "Cloud/Sources", "Cloud/Tests", "Fleet"]

    /// All texts that people read, by their path in the repository.
    private static func texts() throws -> [(path: String, text: String)] {
        let kinds: Set<String> = ["swift", "c", "h", "md", "tsv", "yaml"]
        var paths = ["README.md", "Package.swift", "Cloud/Package.swift"]
        for folder in folders {
            let files = try #require(FileManager.default.enumerator(atPath: root.appending(path: folder).path))
            paths += files.compactMap { $0 as? String }.filter { kinds.contains(($0 as NSString).pathExtension) }
                .map { "\(folder)/\($0)" }
        }
        return try paths.sorted().map {
            ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8))
        }
    }

    @Test("Sources, tests and pages: what they cite is in the repository")
    func resolve() throws {
        let pages = try CitedPages(root: Self.root)
        let texts = try Self.texts()
        #expect(texts.count > 1000)
        for (path, text) in texts {
            let problems = CitingText(text, file: path, pages: pages).problems()
            #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        }
    }

    @Test("Tables of sections: conformance checks and settings of the Cloud name sections that exist")
    func tables() throws {
        let pages = try CitedPages(root: Self.root)
        var count = 0
        for (path, text) in try Self.texts() {
            let cited: [Substring] =
                switch path {
                case _ where path.hasPrefix("Tests/CloudConformance/Checks/"):
                    text.matches(of: /Check\(\s*"((framework )?[0-9.]+)"/).map(\.output.1)
                case "Sources/CloudCore/Core/CloudSettings.swift":
                    text.matches(of: /meaning:\s*"([0-9.]+):/).map(\.output.1)
                default: []
                }
            for section in cited {
                count += 1
                let isFramework = section.hasPrefix("framework ")
                let page = isFramework ? "cloudkit-framework.md" : "cloudkit-web-services.md"
                let number = isFramework ? section.dropFirst("framework ".count) : section
                #expect(
                    pages.sections[page]?.contains(String(number)) == true, "\(path): \(page) has no section \(number)")
            }
        }
        #expect(count > 100)
    }

    @Test("Statements: each names sections that exist")
    func statements() throws {
        let pages = try CitedPages(root: Self.root)
        #expect(pages.statements.count == 294)
        let table = try String(contentsOf: Self.root.appending(path: "Docs/statements.tsv"), encoding: .utf8)
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: "\t")
            #expect(columns.count > 2 && columns[2].contains(/\.md [0-9]/), "no section: \(line)")
        }
    }

    @Test("Faults: the page has the source that the code has")
    func faults() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/faults.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        var count = 0
        for (path, text) in try Self.texts() where path.hasPrefix("Sources/Nemesis/Faults/") {
            guard let name = text.firstMatch(of: /static let name = "([^"]+)"/)?.output.1 else { continue }
            count += 1
            let source = try #require(
                text.firstMatch(of: /static let source =\s+"([^"]+)"\n/)?.output.1, "\(path): a literal of one piece")
            let row = try #require(rows.first { $0.hasPrefix("| `\(name)` | ") }, "Docs/faults.md has no \(name)")
            #expect(row.hasSuffix(" | \(source) |"), "\(path): Docs/faults.md has another source")
        }
        #expect(count > 60)
    }

    /// Apart, so that this file does not cite them.
    private static let ending = ".md"

    @Test(
        "Seen: what does not resolve, with file and line",
        arguments: [
            ("/// one\(ending) 9", "a:1: Docs/sources/one\(ending) has no section 9"),
            ("// a\n/// one\(ending)\n    /// 9.1", "a:2: Docs/sources/one\(ending) has no section 9.1"),
            ("one\(ending) 1 and 8", "a:1: Docs/sources/one\(ending) has no section 8"),
            ("one\(ending) 1 (see there), 8", "a:1: Docs/sources/one\(ending) has no section 8"),
            ("one\(ending) 1, 2.1-8", "a:1: Docs/sources/one\(ending) has no section 8"),
            ("two\(ending) 1", "a:1: there is no Docs/sources/two\(ending)"),
            ("Docs/two\(ending)", "a:1: there is no Docs/two\(ending)"),
            ("Docs/page\(ending), Beginnings", "a:1: Docs/page\(ending) has no heading 'Beginnings'"),
            ("lessons\(ending)", "a:1: lessons\(ending) is not part of the repository"),
            ("(de\("sign") 3)", "a:1: 'de\("sign") 3' leads nowhere: name a page of Docs"),
            ("S1, \("S")4", "a:1: there is no statement \("S")4"),
        ])
    func red(text: String, problem: String) {
        #expect(CitingText(text, file: "a", pages: Self.few).problems() == [problem])
    }

    @Test("Not seen: what resolves, and what only looks like a citation")
    func green() {
        let text = """
            one\(Self.ending) 1, 2 and 2.1; one\(Self.ending) 1-2. 20 s later; Docs/page\(Self.ending), Ends of it;
            page\(Self.ending), 3 times; S1-S3; \("S")9a; a de\("sign") of 3; Docs/page\(Self.ending), which says it
            """
        #expect(CitingText(text, file: "a", pages: Self.few).problems() == [])
    }
    private static let few = CitedPages(
        sections: ["one\(ending)": ["1", "2", "2.1"]], headings: ["page\(ending)": ["Ends"]],
        statements: ["S1", "S2", "S3"])
}
