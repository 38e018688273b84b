/// A piece of a Swift source, with its place.
struct Token: Equatable {
    enum Kind { case name, number, string, symbol, attribute, pound }

    var kind: Kind
    /// Without the quotes of a name, the `@` of an attribute and the `#` of a macro; the content of a string.
    var text: String
    /// From 1.
    var line: Int
    var column: Int
    /// Nothing but blanks stands before it on its line.
    var isFirst: Bool
    /// Blanks or the line's beginning stand before it.
    var isSpaced: Bool

    func `is`(_ symbol: String) -> Bool { kind == .symbol && text == symbol }
    func isWord(_ word: String) -> Bool { kind == .name && text == word }
    var isUppercase: Bool { kind == .name && text.first?.isUppercase ?? false }
}

/// The token at a place, or one that is nothing, so that looking ahead needs no care.
extension [Token] {
    static let nothing = Token(kind: .symbol, text: "", line: 0, column: 0, isFirst: true, isSpaced: true)
    func at(_ index: Int) -> Token { index >= 0 && index < count ? self[index] : Self.nothing }

    /// Places from one to another that exist: none if they are the wrong way round, as at the end of a file that is cut off.
    func span(_ from: Int, _ to: Int) -> Range<Int> {
        let end = Swift.min(Swift.max(from, to), count)
        return Swift.min(from, end)..<end
    }

    static let openers: Set = ["(", "[", "{", "\\("]
    static let closers: Set = [")", "]", "}", "\\)"]

    /// After the bracket that closes the one at `index`; the end if there is none.
    func afterBracket(_ index: Int) -> Int {
        var (depth, place) = (0, index)
        while place < count {
            if self[place].kind == .symbol {
                if Self.openers.contains(self[place].text) { depth += 1 }
                if Self.closers.contains(self[place].text) { depth -= 1 }
            }
            place += 1
            if depth == 0 { return place }
        }
        return count
    }
    /// After the `>` of the generic arguments or parameters that open at `index`; nil if this `<` compares.
    func afterAngles(_ index: Int) -> Int? {
        var (depth, place) = (0, index)
        while place < count {
            let token = self[place]
            if token.kind == .symbol {
                switch token.text {
                case "<": depth += 1
                case ">", ">?", ">!", ">.", ">=": depth -= 1
                case ">>": depth -= 2
                case "(", "[":
                    place = afterBracket(place)
                    continue
                case ".", ",", ":", "->", "?", "!", "&", "==", "...", "...>": break
                default: return nil
                }
            } else if token.kind != .name, token.kind != .attribute {
                return nil
            }
            place += 1
            if depth <= 0 { return place }
        }
        return nil
    }
}
