/// One part of a run whose iPads are spread over several machines: part `index` of `count`, written `2/3`.
///
/// Invariant: 1 <= index <= count, so that each iPad belongs to exactly one part.
public struct Shard: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    public let index: Int
    /// Parts of the run, at most `most`.
    public let count: Int

    /// More parts than this are a slip of the keyboard. ASSUMED: the number is ours.
    public static let most = 1000

    /// A run that is not split.
    public static let whole = Shard(index: 1, of: 1)
    private init(index: Int, of count: Int) { (self.index, self.count) = (index, count) }

    /// - Parameter text: `I/N`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], (1...Self.most).contains(count),
            (1...count).contains(index)
        else { return nil }
        self.init(index: index, of: count)
    }

    /// `I/N`, as the command line takes it.
    public var description: String { "\(index)/\(count)" }
    /// Whether the run is not split.
    public var isWhole: Bool { count == 1 }
    /// Speaks for the run as a whole: phases, faults, the Cloud.
    public var leads: Bool { index == 1 }
    /// Neighbours go to different parts, so that classes that sit side by side meet across machines.
    public func holds(_ pad: Int) -> Bool { (pad - 1) % count == index - 1 }
}
