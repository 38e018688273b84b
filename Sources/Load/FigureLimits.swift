import FleetModel

/// How much worse each figure may become: a line for each, its name and how many times worse it may be than before, as in
/// `record.firstSight.p99 1.10`. Behind `#` anything may stand.
///
/// "Worse" is longer for a latency, more for edits that nobody saw, less for a rate: 1.10 allows a tenth in either case.
public struct FigureLimits: Hashable, Sendable {
    /// How many times worse each figure may be, by name; a figure that is missing has no limit.
    public var most: [String: Double] = [:]

    /// Limits made by a program; nothing is checked.
    public init(most: [String: Double] = [:]) { self.most = most }

    /// All that is wrong in a file, each with its place.
    public struct Problem: Error, Hashable, Sendable {
        /// One line each, `file:line:column:` first, in the order of the file.
        public var messages: [String]
    }

    /// - Parameters:
    ///   - file: the name that errors carry.
    ///   - known: names of figures that both sets of runs have.
    public init(text: String, file: String, known: [String]) throws(Problem) {
        var messages: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let said = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
            let words = said.split { $0.isWhitespace }
            guard !words.isEmpty else { continue }
            let place = "\(file):\(index + 1):\(said.prefix { $0.isWhitespace }.count + 1):"
            let name = String(words[0])
            guard words.count == 2, let limit = Double(words[1]), limit.isFinite, limit > 0 else {
                messages.append("\(place) a limit is a name and a number above 0, as in 'record.firstSight.p99 1.10'")
                continue
            }
            guard known.contains(name) else {
                messages.append("\(place) no figure of these runs is called '\(name.prefix(80))'\(Self.hint(known))")
                continue
            }
            guard most.updateValue(limit, forKey: name) == nil else {
                messages.append("\(place) '\(name)' has a limit above already")
                continue
            }
        }
        guard messages.isEmpty else { throw Problem(messages: messages) }
    }

    private static func hint(_ known: [String]) -> String {
        known.isEmpty ? "" : "; there are: \(known.prefix(60).joined(separator: ", "))"
    }
}
