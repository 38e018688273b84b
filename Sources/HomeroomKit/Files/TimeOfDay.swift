import Glibc

/// The machine's calendar, for files that other programs read; never reaches a participant.
enum TimeOfDay {
    /// UTC without a fraction and without a zone, as the schemas of JUnit want it: `2026-11-23T18:00:00`.
    static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
