import FleetModel

/// Makes bad files of good ones: flipped bits and bytes, pieces cut out, doubled or put in, digits changed, ends cut off.
public struct Mutator: Sendable {
    /// What is put in: whatever a reader might stumble over.
    public var pieces: [[UInt8]]
    /// So many changes a file at most.
    public var changesMax: Int
    /// The longest piece that is cut out, doubled or taken from the end.
    public var lengthMax: Int

    public init(pieces: [[UInt8]], changesMax: Int, lengthMax: Int) {
        self.pieces = pieces
        self.changesMax = changesMax
        self.lengthMax = lengthMax
    }

    public func mutated(_ original: [UInt8], _ draw: inout Draw) -> [UInt8] {
        var bytes = original
        for _ in 0..<1 + draw.below(changesMax) { change(&bytes, at: draw.below(bytes.count + 1), &draw) }
        return bytes
    }

    private func change(_ bytes: inout [UInt8], at position: Int, _ draw: inout Draw) {
        let isInside = position < bytes.count
        switch draw.below(7) {
        case 0 where isInside: bytes[position] = UInt8(truncatingIfNeeded: draw.next())
        case 1 where isInside: bytes[position] ^= 1 << UInt8(draw.below(8))
        case 2 where isInside:
            bytes.removeSubrange(position..<min(bytes.count, position + 1 + draw.below(lengthMax)))
        case 3 where isInside:
            let copy = Array(bytes[position..<min(bytes.count, position + 1 + draw.below(lengthMax))])
            bytes.insert(contentsOf: copy, at: draw.below(bytes.count + 1))
        case 4 where isInside:
            // Another digit for a digit: most stay readable.
            if let digit = bytes[position...].firstIndex(where: { (48..<58).contains($0) }) {
                bytes[digit] = 48 + UInt8(draw.below(10))
            }
        case 5: bytes.insert(contentsOf: draw.pick(pieces) ?? [], at: position)
        default: bytes.removeLast(min(bytes.count, draw.below(lengthMax)))
        }
    }
}
