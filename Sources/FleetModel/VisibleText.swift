extension String {
    /// The text as a terminal may show it: what would move its cursor, change its colours or turn its lines round is written out,
    /// as `\u{1b}`. Names of items and texts come from scenarios and apps; line feeds and tabs stay.
    public var visible: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var out = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                out += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

extension Unicode.Scalar {
    /// Control characters (C0, DEL, C1), marks of direction, and separators of lines that only some programs take for such.
    fileprivate var isControl: Bool {
        switch value {
        case 0x09, 0x0a: false
        case ..<0x20, 0x7f...0x9f, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
