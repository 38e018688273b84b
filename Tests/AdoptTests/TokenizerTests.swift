import Testing

@testable import Adopt

@Suite("Tokens of Swift sources", .timeLimit(.minutes(20))) struct TokenizerTests {
    private func words(_ source: String) -> [String] { Tokenizer.tokens(source).map(\.text) }

    @Test("Comments, also inside comments, are left out; lines and columns stay right")
    func comments() throws {
        let tokens = Tokenizer.tokens("a /* b /* c */ d */ e // f\n  g")
        #expect(tokens.map(\.text) == ["a", "e", "g"])
        let last = try #require(tokens.last)
        #expect((last.line, last.column, last.isFirst) == (2, 3, true))
    }

    @Test("Strings hide their words, and show what they interpolate: plain, raw and over several lines")
    func strings() {
        #expect(words(#"x = "let y" + z"#) == ["x", "=", "let y", "+", "z"])
        #expect(words(##"#"raw \(no) "quote" \#(yes)"#"##) == ["\\(", "yes", "\\)", "raw \\(no) \"quote\" "])
        #expect(words("\"\"\"\n  one \\(two(\"three\"))\n  four\n  \"\"\" five").contains("two"))
        #expect(words("\"\"\"\n  one\n  \"\"\" five").last == "five")
        #expect(words(#""a \(b ? "c" : "d") e" f"#).last == "f")
    }

    @Test("A slash divides, or begins a regular expression where a value begins")
    func regularExpressions() {
        #expect(words("a / b / c") == ["a", "/", "b", "/", "c"])
        #expect(words("let a = /b\"c/ \nd") == ["let", "a", "=", "", "d"])
        #expect(words("let a = #/b \"/c/# \nd") == ["let", "a", "=", "", "d"])
    }

    @Test(
        "Conditions: what Linux does not compile is left out, and counted",
        arguments: [
            ("os(iOS)", false), ("os(Linux)", true), ("!os(macOS)", true), ("canImport(AppKit)", false),
            ("canImport(UIKit)", true),
            ("canImport(CloudKit)", true),
            ("canImport(Foundation) && !os(Linux)", false), ("DEBUG", true), ("RELEASE || (DEBUG && os(Linux))", true),
            ("swift(>=5.9)", true),
            ("compiler(<6)", false), ("targetEnvironment(simulator)", false), ("swift(>=9)", false),
        ])
    func conditions(_ condition: String, isCompiled: Bool) {
        let read = Tokenizer("#if \(condition)\nyes\n#else\nno\n#endif\nafter")
        #expect(read.tokens.map(\.text) == [isCompiled ? "yes" : "no", "after"])
        #expect(read.leftOut == [isCompiled ? 4 : 2])
    }

    @Test("Conditions nest, and of several branches one is compiled")
    func nested() {
        let source = "#if os(iOS)\n#if DEBUG\na\n#endif\nb\n#elseif os(Linux)\nc\n#elseif DEBUG\nd\n#else\ne\n#endif"
        #expect(words(source) == ["c"])
    }
}
