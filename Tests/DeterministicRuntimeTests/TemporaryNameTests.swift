import CInterpose
import Glibc
import Testing

@Suite("Temporary names", .timeLimit(.minutes(20))) struct TemporaryNameTests {
    /// What `mktemp` makes of a template, by its C symbol: Swift's importer hides it.
    private static let make: @convention(c) (UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<CChar>? =
        unsafeBitCast(
            dlsym(nil, "mktemp"),
            to: (@convention(c) (UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<CChar>?).self)
    private func name(_ template: String, rng: UInt64?) -> String {
        var letters = template.utf8CString.map { $0 }
        var context = hr_context(now_ns: 0, epoch_ns: 0, rng: rng ?? 0, drawn: 0)
        let before = rng == nil ? nil : hr_enter(&context)
        _ = Self.make(&letters)
        if rng != nil { _ = hr_enter(before) }
        return String(decoding: letters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test("mktemp: the same name for equal draws inside a context, another for others; outside of one by the machine's")
    func drawn() {
        let template = "/tmp/homeroom-none-XXXXXX"
        let one = name(template, rng: 1)
        #expect(one.hasPrefix("/tmp/homeroom-none-") && one.count == template.count && one != template)
        #expect(name(template, rng: 1) == one && name(template, rng: 2) != one)
        #expect(name(template, rng: nil) != name(template, rng: nil))
        #expect(name("/tmp/short", rng: 1).isEmpty)
    }
}
