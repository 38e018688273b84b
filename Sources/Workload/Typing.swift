import FleetModel

/// What people type where the file gives no text.
public enum TextStyle: String, CaseIterable, Hashable, Sendable {
    /// A few short words.
    case words
    /// Whatever a keyboard, the clipboard or another program may bring: see `Typing`.
    case any
}

/// How people name things where the file gives no name.
public enum ItemStyle: String, CaseIterable, Hashable, Sendable {
    /// `note-3`: the action's prefix and a number or a token.
    case plain
    /// The same with anything behind it. The name still begins with the prefix and the number: what an app may rely on.
    case any
}

/// Texts and names of every kind. ASSUMED: the list is ours; each entry broke an app or a parser somewhere.
enum Typing {
    /// At most so many bytes, as in a written step.
    static let textMax = 4_096
    static let itemMax = 100

    private static let texts = [
        "", " ", "\n", "a\nb", "first\r\nsecond\rthird", "line\u{2028}paragraph\u{2029}end", "\ttab\u{b}\u{c}",
        "50% off", "%s %d %n %@ %%", "a%20b%00c", "100 %", "\u{0}", "a\u{0}b", "\u{1b}[31mred\u{7}\u{7f}\u{85}",
        "<b>\"&amp;'</b><!-- ]]>", "{\"$data\":\"AA==\"}", "'); DROP TABLE notes;--", "\\u0041\\n\\", "$HOME `id` ~",
        "العربية", "עברית", "हिन्दी", "বাংলা", "தமிழ்", "ไทย", "中文字", "日本語のテキスト", "한국어", "Ελληνικά", "Кириллица",
        "ქართული", "አማርኛ", "Straße", "İstanbul ıI", "e\u{301}", "\u{e9}", "Z\u{351}\u{36b}\u{343}a\u{328}",
        "\u{feff}bom",
        "right\u{202e}left\u{202c}", "zero\u{200b}width\u{200d}", "👍", "👩‍👩‍👧‍👦", "🇩🇪🏴‍☠️", "👋🏽", "𝒳𝓎𝕫", "\u{10ffff}", "\u{fffd}",
        "null", "true", "0", "-1", "1e999", "NaN", "..", "/", "C:\\", "#hash>", "<#", ">", " leading", "trailing ",
    ]
    private static let names = [
        "50% off", "a%20b", "%", "nöte", "no\u{308}te", "日本", "العربية", "हिन्दी", "👩‍👩‍👧‍👦", "🇩🇪", "two words", " trailing ",
        "\"quoted\"", "it's", "<tag>&", "a+b=c", "q?x#y", "semi;colon", "comma,", "back\\slash", "a/b", "../up", ".",
        "a\nb",
        "\u{1b}[31m", "\u{200d}", "\u{202e}tfel", "UPPER", "upper", "e\u{301}", "\u{e9}", "\u{10ffff}", "[1]", "{}",
        "$x", "*",
        "|", "~", ":", "@",
    ]

    /// One text: of the list, a word or two around it, or one that is as long as a text may be.
    static func text(_ draw: inout Draw) -> String {
        let plain = Words.some(&draw)
        let odd = draw.pick(texts) ?? ""
        switch draw.below(8) {
        case 0: return plain
        case 1: return plain + odd
        case 2: return plain + odd + plain
        case 3: return long(odd.isEmpty ? plain : odd)
        default: return odd
        }
    }
    private static func long(_ text: String) -> String {
        let times = textMax / max(1, text.utf8.count)
        let body = String(repeating: text, count: times)
        return body + String(repeating: "x", count: max(0, textMax - body.utf8.count))
    }

    /// The same ending for the same name and seed, so that a pool stays a pool.
    static func item(_ plain: String, seed: UInt64) -> String {
        var draw = Draw(seed: seed, name: "item/\(plain)")
        switch draw.below(8) {
        case 0, 1: return plain
        case 2: return plain + String(repeating: "n", count: max(0, itemMax - plain.utf8.count))
        default: return plain + " " + (draw.pick(names) ?? "")
        }
    }
}
