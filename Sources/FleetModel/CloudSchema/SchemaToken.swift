/// One token of CloudKit's schema language, with its place.
struct SchemaToken {
    enum Kind { case word, quoted, symbol, end }
    var kind: Kind
    var text: String
    /// From 1.
    var line: Int
    var column: Int

    /// How a message names it.
    var words: String { kind == .end ? "the end of the file" : "'\(text.prefix(40))'" }

    /// All tokens of a text, and then its end.
    static func all(in text: String) throws(SchemaError) -> [SchemaToken] {
        var scanner = Scanner(rest: Array(text.unicodeScalars)[...])
        var tokens: [SchemaToken] = []
        repeat { tokens.append(try scanner.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private struct Scanner {
        var rest: ArraySlice<Unicode.Scalar>
        var line = 1
        var column = 1

        private mutating func take() -> Unicode.Scalar {
            let first = rest.removeFirst()
            (line, column) = first == "\n" ? (line + 1, 1) : (line, column + 1)
            return first
        }
        private func begins(_ text: String) -> Bool { rest.starts(with: text.unicodeScalars) }

        mutating func next() throws(SchemaError) -> SchemaToken {
            try skip()
            var token = SchemaToken(kind: .end, text: "", line: line, column: column)
            guard let first = rest.first else { return token }
            if Self.isNamePart(first) {
                token.kind = .word
                while let next = rest.first, Self.isNamePart(next) { token.text.unicodeScalars.append(take()) }
            } else if first == "\"" {
                token.kind = .quoted
                _ = take()
                while let next = rest.first, next != "\"", next != "\n" { token.text.unicodeScalars.append(take()) }
                guard rest.first == "\"" else {
                    throw SchemaError(
                        line: token.line, column: token.column, message: "this name has no closing quotation mark")
                }
                _ = take()
            } else if ["(", ")", ",", ";", "<", ">"].contains(first) {
                token.kind = .symbol
                token.text.unicodeScalars.append(take())
            } else {
                throw SchemaError(
                    line: line, column: column,
                    message: "'\(String(first).visible)' has no place here: names are letters, digits and low lines")
            }
            return token
        }
        private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }

        /// Blanks and comments.
        private mutating func skip() throws(SchemaError) {
            while let first = rest.first {
                if first.properties.isWhitespace {
                    _ = take()
                } else if begins("//") || begins("--") {
                    while let next = rest.first, next != "\n" { _ = take() }
                } else if begins("/*") {
                    let place = (line, column)
                    while !begins("*/") {
                        guard !rest.isEmpty else {
                            throw SchemaError(
                                line: place.0, column: place.1, message: "this comment has no end: write */")
                        }
                        _ = take()
                    }
                    _ = (take(), take())
                } else {
                    return
                }
            }
        }
    }
}
