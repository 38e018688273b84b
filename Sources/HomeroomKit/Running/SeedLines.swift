/// Lines about seeds in the order of the seeds, whichever is finished first.
struct SeedLines {
    private var next: UInt64
    private var held: [UInt64: [String]] = [:]

    private let stride: UInt64

    /// - Parameter stride: from one seed to the next.
    init(from first: UInt64, by stride: UInt64 = 1) { (next, self.stride) = (first, stride) }

    /// - Returns: what can be printed now.
    mutating func take(_ seed: UInt64, _ lines: [String]) -> [String] {
        held[seed] = lines
        var ready: [String] = []
        while let lines = held.removeValue(forKey: next) {
            ready += lines
            next += stride
        }
        return ready
    }

    /// What waits for a seed that was never finished.
    var rest: [String] { held.sorted { $0.key < $1.key }.flatMap(\.value) }
}
