import Ubiquity

/// The content of a page: drawings side by side. Usually one; several when two iPads drew at once and both must be kept.
///
/// A set in sorted order, so that every iPad that merges the same drawings gets the same bytes.
struct Page: Hashable {
    private(set) var drawings: [String]

    /// Between two drawings: a control character that nobody types.
    private static let separator = "\n\u{1E}\n"

    init(_ drawings: [String]) { self.drawings = Set(drawings).filter { !$0.isEmpty }.sorted() }
    init(text: String) { self.init(text.components(separatedBy: Self.separator)) }

    var text: String { drawings.joined(separator: Self.separator) }

    func merged(with others: [Page]) -> Page { Page(drawings + others.flatMap(\.drawings)) }
    /// What is in this page and not in the other.
    func without(_ other: Page) -> Page { Page(drawings.filter { !other.drawings.contains($0) }) }
}
