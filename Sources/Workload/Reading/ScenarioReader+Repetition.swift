import Yams

extension ScenarioReader {
    /// The second place of a key that occurs twice. The YAML reader tells the first only; so the key there is written over and the text read
    /// once more: now the second is the first, or it is alone beside what was written over.
    /// - Returns: nil where the key is not written as it reads (escapes, tags).
    static func repetition(of key: String, at mark: Mark, in text: String) -> FilePlace? {
        guard !key.isEmpty, let other = overwritten(key, at: mark, in: text) else { return nil }
        do {
            let root = try Parser(yaml: other.text, resolver: .basic, encoding: .utf8).singleRoot()
            return root.flatMap { place(of: key, beside: other.key, in: $0) }
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) where keys.first == key {
            return FilePlace(line: context.mark.line, column: context.mark.column)
        } catch {
            return nil
        }
    }

    /// The text with a key of the same length in place of this one, in letters that nobody uses.
    private static func overwritten(_ key: String, at mark: Mark, in text: String) -> (text: String, key: String)? {
        var scalars = Array(text.unicodeScalars)
        guard var start = offset(of: mark, in: scalars) else { return nil }
        if scalars[start] == "\"" || scalars[start] == "'" { start += 1 }
        let length = key.unicodeScalars.count
        guard start + length <= scalars.count, scalars[start..<start + length].elementsEqual(key.unicodeScalars) else {
            return nil
        }
        let letter: Unicode.Scalar = "\u{e000}"
        for index in start..<start + length { scalars[index] = letter }
        var other = String.UnicodeScalarView()
        other.append(contentsOf: scalars)
        return (String(other), String(String.UnicodeScalarView(repeatElement(letter, count: length))))
    }
    private static func offset(of mark: Mark, in scalars: [Unicode.Scalar]) -> Int? {
        var line = 1
        var index = 0
        while line < mark.line, index < scalars.count {
            // A line ends with CR, LF or both.
            if scalars[index] == "\n" || (scalars[index] == "\r" && scalars.dropFirst(index + 1).first != "\n") {
                line += 1
            }
            index += 1
        }
        index += mark.column - 1
        return line == mark.line && scalars.indices.contains(index) ? index : nil
    }

    private static func place(of key: String, beside other: String, in root: Node) -> FilePlace? {
        var open = [root]
        while let node = open.popLast() {
            switch node {
            case .mapping(let mapping):
                if mapping.contains(where: { $0.key.string == other }),
                    let mark = mapping.first(where: { $0.key.string == key })?.key.mark
                {
                    return FilePlace(line: mark.line, column: mark.column)
                }
                for (key, value) in mapping { open += [key, value] }
            case .sequence(let sequence): open += sequence
            default: break
            }
        }
        return nil
    }
}
