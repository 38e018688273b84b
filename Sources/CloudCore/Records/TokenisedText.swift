/// The words of a text, as full-text search sees them: without case and marks (cloudkit-framework.md 6).
enum TokenisedText {
    static func words(_ text: String) -> Set<String> {
        var words: Set<String> = []
        var word = ""
        for scalar in text.unicodeScalars {
            let kind = scalar.properties
            if kind.isAlphabetic || kind.numericType != nil {
                word += folded(scalar)
            } else if kind.generalCategory != .nonspacingMark, !word.isEmpty {
                words.insert(word)
                word = ""
            }
        }
        if !word.isEmpty { words.insert(word) }
        return words
    }

    /// Lower case without its mark: Unicode names a marked letter `LATIN SMALL LETTER E WITH ACUTE`.
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        let lower = scalar.properties.lowercaseMapping
        guard !scalar.isASCII, let first = lower.unicodeScalars.first, let name = first.properties.name else {
            return lower
        }
        let prefix = "LATIN SMALL LETTER "
        guard name.hasPrefix(prefix) else { return lower }
        let rest = name.dropFirst(prefix.utf8.count)
        guard let base = rest.first, rest.dropFirst().hasPrefix(" WITH ") else { return lower }
        return base.lowercased()
    }
}
