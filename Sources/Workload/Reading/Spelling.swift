/// Finds the word that somebody probably meant.
enum Spelling {
    /// The end of a sentence about an unknown word: `; did you mean 'ipads'?`, or a full stop when no word is near.
    static func hint(_ word: String, among words: [String]) -> String {
        guard word.utf8.count <= 40 else { return "." }
        let near = words.map { (distance(Array(word.utf8), Array($0.utf8)), $0) }.min { $0.0 < $1.0 }
        guard let near, near.0 <= max(1, word.utf8.count / 3) else { return "." }
        return "; did you mean '\(near.1)'?"
    }

    /// A list for an error message, cut when long.
    static func list(_ words: [String]) -> String {
        guard words.count > 50 else { return words.joined(separator: ", ") }
        return words.prefix(50).joined(separator: ", ") + ", ..."
    }

    /// Levenshtein distance.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (left == right ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[b.count]
    }
}
