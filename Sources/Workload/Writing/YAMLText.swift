import FleetModel

/// Values as scenario files write them, on one line.
enum YAMLText {
    /// A mapping, a list or a scalar in YAML's flow style.
    static func flow(_ value: Value) -> String {
        switch value {
        case .object(let object):
            return "{\(object.pairs.map { "\(scalar($0.key)): \(flow($0.value))" }.joined(separator: ", "))}"
        case .array(let values): return "[\(values.map(flow).joined(separator: ", "))]"
        case .string(let text): return scalar(text)
        default: return value.json
        }
    }

    /// A text: plain where every reader takes it for a text, else quoted. What no eye can see or tell apart is escaped.
    static func scalar(_ text: String) -> String {
        isPlain(text) ? text : "\"\(text.unicodeScalars.map(escaped).joined())\""
    }

    /// What a person types. The parser ends a text at a NUL, and takes a byte order mark at its beginning away.
    static func typed(_ text: String) -> String {
        text.utf8.contains(0) || text.unicodeScalars.first == "\u{feff}"
            ? "{base64: \"\(Base64.encode(Array(text.utf8)))\"}" : scalar(text)
    }

    private static func isPlain(_ text: String) -> Bool {
        let words = ["true", "false", "null", "yes", "no", "on", "off", "nan", "inf", "infinity"]
        guard let first = text.utf8.first, isLetter(first) || isTime(text), !words.contains(text.lowercased()),
            text.utf8.last != 0x20
        else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || " -_./".utf8.contains($0) }
    }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte)
    }
    /// `250ms` is no number to any reader.
    private static func isTime(_ text: String) -> Bool {
        text.utf8.last.map(isLetter) == true && Span(parsing: text) != nil
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        // A scenario file has no anchors and aliases, and is searched for what looks like one.
        case "&", "*": return "\\x" + hex(scalar, 2)
        case " "..."~": return String(scalar)
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .otherLetter: return String(scalar)
        default: return scalar.value > 0xffff ? "\\U" + hex(scalar, 8) : "\\u" + hex(scalar, 4)
        }
    }
    private static func hex(_ scalar: Unicode.Scalar, _ width: Int) -> String {
        let text = String(scalar.value, radix: 16)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// One line of a comment: nothing in it ends the line, and nothing in it looks like an anchor.
    static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar {
                    case "&", "*": "+"
                    case " "..."~": scalar
                    default: scalar.properties.isAlphabetic ? scalar : "?"
                    }
                }))
    }
}
