import FleetModel

/// Why a command of the debugger has no answer; the session goes on.
struct DebugProblem: Error, Hashable, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// Words of a command line: blanks separate them, and what stands between double quotes is one.
enum DebugWords {
    static func split(_ line: String) throws(DebugProblem) -> [String] {
        var (words, word, isQuoted, isOpen) = ([String](), "", false, false)
        for character in line {
            switch character {
            case "\"":
                isQuoted.toggle()
                isOpen = true
            case " " where !isQuoted, "\t" where !isQuoted:
                if isOpen { words.append(word) }
                (word, isOpen) = ("", false)
            default:
                word.append(character)
                isOpen = true
            }
        }
        guard !isQuoted else { throw DebugProblem("a quotation mark is not closed") }
        return isOpen ? words + [word] : words
    }
}
