import FleetModel
import Testing

@Suite("Visible text", .timeLimit(.minutes(20))) struct VisibleTextTests {
    @Test("Texts for a terminal: what would command it is written out, the rest stays as it is")
    func visible() {
        for (text, shown) in [
            ("note-1", "note-1"), ("ümläut 🍎\n\tnext", "ümläut 🍎\n\tnext"), ("a\u{1b}[31mb", #"a\u{1b}[31mb"#),
            ("\u{0}\r\u{7}\u{8}\u{7f}", #"\u{0}\u{d}\u{7}\u{8}\u{7f}"#), ("\u{9b}2J", #"\u{9b}2J"#),
            ("\u{202e}txt\u{2066}\u{2028}", #"\u{202e}txt\u{2066}\u{2028}"#), ("", ""),
        ] { #expect(text.visible == shown) }
    }

    @Test("Every character below U+3000: shown as it is, or written out without any control character")
    func all() {
        for scalar in (0..<0x3000 as Range<UInt32>).compactMap(Unicode.Scalar.init) {
            let shown = String(scalar).visible
            #expect(shown == String(scalar) || shown == "\\u{\(String(scalar.value, radix: 16))}")
            #expect(
                shown.unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control || "\n\t".contains(String($0))
                })
        }
    }
}
