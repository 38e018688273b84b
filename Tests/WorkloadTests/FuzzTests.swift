import FleetModel
import Mutator
import Testing

@testable import Workload

/// The reader meets whatever people, editors and broken disks make of a scenario file.
@Suite("Scenario reader: any input", .timeLimit(.minutes(20)))
struct FuzzTests {
    private static let corpus: [[UInt8]] =
        Fleet.names.compactMap { try? Array(Fleet.text($0).utf8) } + [Array(Sample.text.utf8)]
    private static let pieces: [[UInt8]] = [
        "&a ", "*a ", "[", "]", "{", "}", ": ", "- ", "\n", "\t", "'", "\"", "!!int ", "? ", "| \n", "%YAML 9\n",
        "---\n", "...\n", "<<: ",
        "9999999999999999999", "-1", "1e400", "nan", ".inf", "\u{0}", "\u{feff}", "\\ud800", "\"\\ud800\"", "\"\\x80\"",
        "0x", "~", "ä", "🍎",
        "ipads: 99999999", "1-99999999", "length: 0s", "start: -5m", "edits: 1e9", "at: 99999d",
    ].map { Array($0.utf8) }

    private static func mutated(_ draw: inout Draw) -> [UInt8] {
        Mutator(pieces: pieces, changesMax: 8, lengthMax: 60).mutated(draw.pick(corpus) ?? [], &draw)
    }

    @Test("Mutated files: an error with a place, or a scenario that can be planned; never a trap (2,000 files)")
    func mutations() {
        var (right, wrong) = (0, 0)
        for seed in 0..<2_000 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "fuzz")
            switch read(String(decoding: Self.mutated(&draw), as: UTF8.self)) {
            case .success(let scenario):
                right += 1
                if scenario.work.edits < 100 { _ = plan(scenario, seed: seed) }
            case .failure(let errors):
                wrong += 1
                #expect(
                    !errors.errors.isEmpty && errors.errors.allSatisfy { $0.place.line >= 1 && $0.place.column >= 1 })
            }
        }
        #expect(right > 15 && wrong > 500, "the mutations are too tame or too wild: \(right) right, \(wrong) wrong")
    }

    @Test("Cut files: every length of one file (1 scenario)")
    func truncations() {
        let bytes = Array(Sample.text.utf8)
        for length in 0..<bytes.count {
            if case .failure(let errors) = read(String(decoding: bytes[..<length], as: UTF8.self)) {
                #expect(!errors.errors.isEmpty)
            }
        }
    }
}
