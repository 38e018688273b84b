import Ubiquity

/// Lines of a note that somebody removed: a mark for each, newest last. Few bytes and quick to compare, since every save of the note carries
/// them.
struct RemovedLines: Hashable {
    private var marks: [UInt64] = []
    /// More lines than people remove while one iPad waits for an answer. ASSUMED.
    private static let countMax = 32

    init() {}
    /// - Parameter data: what `data` gave; anything else is taken for as many marks as it has room for.
    init(_ data: Data) {
        marks = data.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count / 8 * 8, by: 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
        keep(marks)
    }
    /// Eight bytes a mark; nil: nobody removed anything.
    var data: Data? {
        guard !marks.isEmpty else { return nil }
        return marks.map(\.littleEndian).withUnsafeBytes { Data($0) }
    }

    /// - Parameters:
    ///   - old: lines that are gone from now on.
    ///   - new: lines that somebody typed, perhaps once more.
    mutating func change(adding old: [String], removing new: [String]) {
        guard !old.isEmpty || !marks.isEmpty else { return }
        let (old, new) = (old.map(\.utf8.stableMark), new.map(\.utf8.stableMark))
        keep((marks.filter { !old.contains($0) } + old).filter { !new.contains($0) })
    }
    mutating func add(_ more: RemovedLines) {
        keep(marks + more.marks.filter { !marks.contains($0) })
    }
    /// The lines that nobody removed.
    func without(_ lines: [String]) -> [String] {
        marks.isEmpty ? lines : lines.filter { !marks.contains($0.utf8.stableMark) }
    }

    private mutating func keep(_ all: [UInt64]) { marks = Array(all.suffix(Self.countMax)) }
}
