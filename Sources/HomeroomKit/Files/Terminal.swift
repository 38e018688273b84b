import FleetModel
import Glibc

/// What a line of output looks like on a terminal; in a pipe and in a file there are no colours.
enum Terminal {
    /// What a colour says.
    enum Colour: String {
        case good = "32"
        case bad = "31"
        case open = "33"
    }

    /// No colours for users who have said so (https://no-color.org).
    static let hasColours = isatty(1) == 1 && word("TERM") != "dumb" && (word("NO_COLOR") ?? "").isEmpty

    private static func word(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The line with its first word in a colour.
    static func marked(_ line: String, _ colour: Colour) -> String {
        guard hasColours else { return line }
        let end = line.firstIndex(of: " ") ?? line.endIndex
        return "\u{1b}[1;\(colour.rawValue)m\(line[..<end])\u{1b}[0m\(line[end...])"
    }

    /// Columns; nil where the output is no terminal, or one that does not tell.
    static var width: Int? {
        var size = winsize()
        guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// A line in pieces of at most so many columns, cut at blanks; what follows is indented. A word that is longer stays whole.
    /// - Parameter width: nil: nothing is cut.
    static func folded(_ line: String, width: Int?) -> [String] {
        guard let width, line.count > width else { return [line] }
        var (pieces, piece, words) = ([String](), "", line.split(separator: " ", omittingEmptySubsequences: false)[...])
        while let word = words.popFirst() {
            let longer = piece.isEmpty ? String(word) : piece + " " + word
            if longer.count <= width || piece.allSatisfy({ $0 == " " }) {
                piece = longer
            } else {
                pieces.append(piece)
                piece = indent + word
            }
        }
        return pieces + [piece]
    }
    private static let indent = "    "

    /// How much of something is done, as `[####------]`.
    static func bar(_ part: Double) -> String {
        let width = 10
        let done = Int((min(1, max(0, part)) * Double(width)).rounded(.down))
        return "[" + String(repeating: "#", count: done) + String(repeating: "-", count: width - done) + "]"
    }
}

/// Prints a line. All that commands print of scenarios, apps and traces goes through here: nothing in it reaches a terminal as a command.
/// - Parameter colour: of its first word, on a terminal.
func say(_ line: String, _ colour: Terminal.Colour? = nil) {
    guard !JSONOutput.isAsked else { return }
    let line = line.visible
    print(colour.map { Terminal.marked(line, $0) } ?? line)
}
