import Ubiquity

/// The content of a page: drawings side by side. Usually one; several when two iPads drew at once and both must be kept.
///
/// A set in sorted order, so that every iPad that merges the same drawings gets the same bytes.
struct Page: Hashable {
    private(set) var drawings: [String]

    init(_ drawings: [String]) { self.drawings = Set(drawings).filter { !$0.isEmpty }.sorted() }

    // MARK: Text

    /// Between two drawings: a line of control characters, more of them than stand together in any drawing. More than one stand at the head
    /// of the page as well, to say how many.
    private static func separator(_ marks: Int) -> [UInt8] {
        [lineFeed] + [UInt8](repeating: mark, count: marks) + [lineFeed]
    }
    private static let (mark, lineFeed) = (UInt8(0x1E), UInt8(ascii: "\n"))

    init(text: String) {
        var rest = Array(text.utf8)[...]
        let head = rest.prefix { $0 == Self.mark }.count
        if head > 1, rest.dropFirst(head).first == Self.lineFeed { rest = rest.dropFirst(head + 1) }
        let separator = Self.separator(max(1, head))
        var drawings: [String] = []
        while let range = rest.firstRange(of: separator) {
            drawings.append(String(decoding: rest[..<range.lowerBound], as: UTF8.self))
            rest = rest[range.upperBound...]
        }
        self.init(drawings + [String(decoding: rest, as: UTF8.self)])
    }
    var text: String {
        var (marks, inARow) = (1, 0)
        for byte in drawings.joined(separator: " ").utf8 {
            inARow = byte == Self.mark ? inARow + 1 : 0
            marks = max(marks, inARow + 1)
        }
        let separator = Self.separator(marks)
        let head = marks > 1 ? separator.dropFirst() : []
        return String(decoding: head + drawings.map { Array($0.utf8) }.joined(separator: separator), as: UTF8.self)
    }

    func merged(with others: [Page]) -> Page { Page(drawings + others.flatMap(\.drawings)) }
    /// What is in this page and not in the other.
    func without(_ other: Page) -> Page { Page(drawings.filter { !other.drawings.contains($0) }) }
}
