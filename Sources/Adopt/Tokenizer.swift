/// Cuts a Swift source into tokens: comments inside comments, raw and multi-line strings with what they interpolate, regular expressions, and
/// conditions (`#if`), of which only what Linux compiles is left.
struct Tokenizer {
    private(set) var tokens: [Token] = []
    private(set) var conditions: Conditions
    /// Lines that only another platform compiles.
    private(set) var leftOut: Set<Int> = []

    private let bytes: [UInt8]
    private var place = 0
    private var line = 1
    private var lineStart = 0
    private var isFirst = true

    init(_ source: String, conditions: Conditions = Conditions()) {
        bytes = Array(source.utf8)
        self.conditions = conditions
        run(until: nil)
    }
    static func tokens(_ source: String) -> [Token] { Tokenizer(source).tokens }

    private func byte(_ offset: Int = 0) -> UInt8 { place + offset < bytes.count ? bytes[place + offset] : 0 }
    private func starts(_ text: StaticString) -> Bool {
        (0..<text.utf8CodeUnitCount).allSatisfy { byte($0) == text.utf8Start[$0] }
    }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80 || isDigit(byte)
            || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private func text(from start: Int) -> String { String(decoding: bytes[start..<place], as: UTF8.self) }

    private mutating func newline() {
        place += 1
        line += 1
        lineStart = place
        isFirst = true
    }
    private mutating func add(_ kind: Token.Kind, _ text: String, at start: Int, line: Int? = nil, column: Int? = nil) {
        let isSpaced = start == 0 || [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) || isFirst
        defer { isFirst = false }
        guard conditions.isActive else {
            leftOut.insert(self.line)
            return
        }
        tokens.append(
            Token(
                kind: kind, text: text, line: line ?? self.line, column: column ?? start - lineStart + 1,
                isFirst: isFirst,
                isSpaced: isSpaced))
    }

    /// - Parameter closing: nil reads to the end; otherwise to the bracket that ends an interpolation.
    private mutating func run(until closing: UInt8?) {
        var depth = 0
        while place < bytes.count {
            let start = place
            switch byte() {
            case UInt8(ascii: "\n"): newline()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): place += 1
            case UInt8(ascii: "/") where starts("//"): while place < bytes.count, byte() != 0x0A { place += 1 }
            case UInt8(ascii: "/") where starts("/*"): comment()
            case UInt8(ascii: "/") where isRegularExpression: regularExpression(pounds: 0)
            case UInt8(ascii: "\""): string(pounds: 0)
            case UInt8(ascii: "#"): pound()
            case UInt8(ascii: "`"):
                place += 1
                while place < bytes.count, byte() != UInt8(ascii: "`") { place += 1 }
                add(.name, String(decoding: bytes[(start + 1)..<place], as: UTF8.self), at: start)
                place += 1
            case UInt8(ascii: "@"):
                place += 1
                let name = place
                while Self.isNameByte(byte()) { place += 1 }
                add(.attribute, text(from: name), at: start)
            case let first where Self.isDigit(first): number()
            case let first where Self.isNameByte(first):
                while Self.isNameByte(byte()) { place += 1 }
                add(.name, text(from: start), at: start)
            default:
                if closing != nil {
                    if byte() == UInt8(ascii: "(") { depth += 1 }
                    if byte() == UInt8(ascii: ")") {
                        if depth == 0 { return }
                        depth -= 1
                    }
                }
                symbol()
            }
        }
    }

    private mutating func comment() {
        var depth = 0
        repeat {
            if starts("/*") {
                (depth, place) = (depth + 1, place + 2)
            } else if starts("*/") {
                (depth, place) = (depth - 1, place + 2)
            } else if byte() == 0x0A {
                newline()
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }

    private mutating func number() {
        let start = place
        while Self.isNameByte(byte()) || (byte() == UInt8(ascii: ".") && Self.isDigit(byte(1))) { place += 1 }
        add(.number, text(from: start), at: start)
    }

    private static let operators = Set("+-*/%=<>&|^~!?.".utf8)
    private mutating func symbol() {
        let start = place
        let first = byte()
        guard Self.operators.contains(first) else {
            place += 1
            return add(.symbol, text(from: start), at: start)
        }
        let isBound = start > 0 && (Self.isNameByte(bytes[start - 1]) || ")]}>\"`?!".utf8.contains(bytes[start - 1]))
        // `?` and `!` behind a value, a single `.` and a `<` or `>` stand alone: `a?.b`, `[A<B>?]`.
        if (first == UInt8(ascii: "?") || first == UInt8(ascii: "!")) && isBound && byte(1) != UInt8(ascii: "=")
            || first == UInt8(ascii: ".") && byte(1) != UInt8(ascii: ".")
            || (first == UInt8(ascii: "<") || first == UInt8(ascii: ">")) && isBound && byte(1) != UInt8(ascii: "=")
                && byte(1) != first
        {
            place += 1
        } else {
            while Self.operators.contains(byte()), !starts("//"), !starts("/*") {
                if byte() == UInt8(ascii: "."), place > start, bytes[start] != UInt8(ascii: ".") { break }
                place += 1
            }
        }
        add(.symbol, text(from: start), at: start)
    }

    /// A `/` that begins a value, with its other `/` on the same line.
    private var isRegularExpression: Bool {
        guard byte(1) != UInt8(ascii: " "), byte(1) != UInt8(ascii: ")"), byte(1) != UInt8(ascii: "=") else {
            return false
        }
        if let last = tokens.last {
            let endsValue = last.kind != .symbol && !["return", "in", "case", "let"].contains(last.text)
            if endsValue || [")", "]", "}", "?", "!"].contains(last.text) { return false }
        }
        var offset = 1
        while place + offset < bytes.count, byte(offset) != 0x0A {
            if byte(offset) == UInt8(ascii: "\\") {
                offset += 1
            } else if byte(offset) == UInt8(ascii: "/") {
                return true
            }
            offset += 1
        }
        return false
    }
    private mutating func regularExpression(pounds: Int) {
        let (start, firstLine, column) = (place, line, place - lineStart + 1)
        place += 1
        while place < bytes.count {
            if byte() == UInt8(ascii: "\\") {
                place += 1
            } else if byte() == UInt8(ascii: "/"), (0..<pounds).allSatisfy({ byte(1 + $0) == UInt8(ascii: "#") }) {
                break
            }
            if byte() == 0x0A { newline() } else { place += 1 }
        }
        place += 1 + pounds
        add(.string, "", at: start, line: firstLine, column: column)
    }

    private mutating func string(pounds: Int) {
        let (start, firstLine, column) = (place, line, place - lineStart + 1)
        let quotes = starts("\"\"\"") ? 3 : 1
        place += quotes
        var content: [UInt8] = []
        while place < bytes.count {
            if byte() == UInt8(ascii: "\\"), (0..<pounds).allSatisfy({ byte(1 + $0) == UInt8(ascii: "#") }) {
                place += 1 + pounds
                if byte() == UInt8(ascii: "(") {
                    add(.symbol, "\\(", at: place)
                    place += 1
                    run(until: UInt8(ascii: ")"))
                    add(.symbol, "\\)", at: place)
                }
                if byte() == 0x0A { newline() } else { place += 1 }
            } else if byte() == UInt8(ascii: "\""), (0..<quotes).allSatisfy({ byte($0) == UInt8(ascii: "\"") }),
                (0..<pounds).allSatisfy({ byte(quotes + $0) == UInt8(ascii: "#") })
            {
                place += quotes + pounds
                return add(
                    .string, String(decoding: content, as: UTF8.self), at: start, line: firstLine, column: column)
            } else if byte() == 0x0A {
                if quotes == 1 { return add(.string, "", at: start, line: firstLine, column: column) }
                newline()
            } else {
                content.append(byte())
                place += 1
            }
        }
    }

    private mutating func pound() {
        let start = place
        var pounds = 0
        while byte() == UInt8(ascii: "#") { (pounds, place) = (pounds + 1, place + 1) }
        if byte() == UInt8(ascii: "\"") { return string(pounds: pounds) }
        if byte() == UInt8(ascii: "/") { return regularExpression(pounds: pounds) }
        let name = place
        while Self.isNameByte(byte()) { place += 1 }
        let word = text(from: name)
        guard
            ["if", "elseif", "else", "endif", "sourceLocation", "warning", "error"].contains(word)
                || bytes.starts(with: "#!".utf8) && start == 0
        else { return add(.pound, word, at: start) }
        let rest = place
        while place < bytes.count, byte() != 0x0A, !starts("//") { place += 1 }
        conditions.meet(word, text(from: rest))
        while place < bytes.count, byte() != 0x0A { place += 1 }
    }
}
