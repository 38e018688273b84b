import Foundation
import PadApp
import Testing

/// The page by which authors write their apps, held against the code.
@Suite("Contract", .timeLimit(.minutes(20))) struct ContractTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: CommandLineRun.package.appending(path: path), encoding: .utf8)
    }
    /// Lines from one that begins with `first` to the closing brace at its margin, without comments and empty ones.
    private static func lines(from first: String, in text: String) -> [String] {
        text.components(separatedBy: "\n").drop { !$0.hasPrefix(first) }.dropFirst().prefix { $0 != "}" }.map { line in
            (line.components(separatedBy: "//").first ?? "").trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
    }
    /// What stands between a function's parentheses, without blanks.
    private static func arguments(after opening: String, in text: some StringProtocol) throws -> String {
        let tail = text[try #require(text.range(of: opening), "\(opening)").upperBound...]
        var depth = 1
        let inside = tail.prefix { character in
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            return depth > 0
        }
        return String(inside.filter { !$0.isWhitespace })
    }

    @Test("Docs/apps.md has each requirement as the code has it, no other, and marks those without a default")
    func requirements() throws {
        let page = try Self.text("Docs/apps.md")
        let code = try Self.text("Sources/PadApp/PadApp.swift")
        let wanted =
            Self.lines(from: "@MainActor public protocol PadApp:", in: code)
            .filter { !$0.contains("delegateType") }
            + Self.lines(from: "@MainActor public protocol PadAppDelegate", in: code)
        let shown = Self.lines(from: "@MainActor protocol PadApp:", in: page)
        #expect(wanted.count > 20)
        #expect(shown.sorted() == wanted.sorted())
        let defaults = try code + Self.text("Sources/PadApp/RemoteNotification.swift")
        let required = page.components(separatedBy: "\n").filter { $0.hasSuffix("// required") }.map {
            ($0.components(separatedBy: "//").first ?? "").trimmingCharacters(in: .whitespaces)
        }
        let without = wanted.filter { line in
            let plain = line.replacing(" { get }", with: "")
            return !defaults.contains("    public " + plain + " {")
                && !defaults.contains("    public " + plain + "\n    {")
        }
        #expect(required.sorted() == without.sorted())
    }

    @Test("Docs/apps.md has the arguments of what an app is declared with as the code has them")
    func declarations() throws {
        let page = try Self.text("Docs/apps.md")
        let declaration = try Self.text("Sources/PadApp/PadApp.swift")
        let manifest = try Self.text("Sources/FleetModel/FaultSpec.swift")
        for (shown, owner, code) in [
            ("\nAppDeclaration(", "struct AppDeclaration", declaration),
            ("\nAppManifest.Action(", "struct Action", manifest),
            ("\nVisibleState(", "struct VisibleState", declaration),
        ] {
            let tail = code[try #require(code.range(of: owner)).upperBound...]
            #expect(
                try Self.arguments(after: shown, in: page) == Self.arguments(after: "public init(", in: tail),
                "\(shown)")
        }
    }

    @Test("The defaults that count are all methods of the protocol that have one, but for those that answer a question")
    func counted() throws {
        let code = try Self.text("Sources/PadApp/PadApp.swift")
        let methods = Self.lines(from: "@MainActor public protocol PadAppDelegate", in: code)
            .filter { $0.hasPrefix("func application") && !$0.contains("coder: RestorationCoder") }
            .compactMap { line in
                let labels = (line.firstMatch(of: /func (\w+)\((?:(\w+) )?/)).map { ($0.1, $0.2) }
                return labels.map { name, label in "\(name)(\(label.map { "\($0):" } ?? ""))" }
            }
        #expect(Set(methods) == Set(DefaultCalls.ofApps))
    }
}
