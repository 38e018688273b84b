/// Finds the highest level, such as a number of iPads, at which something still holds, by measurements that may be wrong now and then.
///
/// First the level is doubled until it does not hold, then the space between is halved. What a level shows is believed when two of its
/// measurements agree, so a single bad moment of the machine neither ends the search nor moves the limit. It takes for granted that what
/// holds at a level holds at every lower one.
public struct LevelSearch: Hashable, Sendable {
    /// What there is to do.
    public enum Move: Hashable, Sendable {
        /// Measure at this level, and say what it showed by `measured`.
        case measure(Int)
        /// - Parameters:
        ///   - holds: the highest level that was seen to hold; nil when the lowest did not.
        ///   - fails: the lowest level that was seen to fail; nil when the highest held.
        case found(holds: Int?, fails: Int?)
    }

    private let levels: ClosedRange<Int>
    private let resolution: Int
    private var holds: Int?
    private var fails: Int?
    /// Of the level being measured.
    private var votes: (kept: Int, broken: Int) = (0, 0)
    private var level: Int

    /// - Parameters:
    ///   - levels: the search begins at the lowest; both ends are at least 1.
    ///   - resolution: when the level that holds and the one that fails are no farther apart, they are the answer.
    public init(levels: ClosedRange<Int>, resolution: Int = 1) {
        let low = max(1, levels.lowerBound)
        self.levels = low...max(low, levels.upperBound)
        self.resolution = max(1, resolution)
        level = low
    }

    /// What to do now; the same until `measured` is called.
    public var next: Move { isDone ? .found(holds: holds, fails: fails) : .measure(level) }

    private var isDone: Bool {
        if let holds, let fails { return fails - holds <= resolution }
        return fails == levels.lowerBound || holds == levels.upperBound
    }

    /// What a measurement of the level of `next` showed; after the end nothing is taken any more.
    public mutating func measured(holds isKept: Bool) {
        guard !isDone else { return }
        if isKept { votes.kept += 1 } else { votes.broken += 1 }
        guard max(votes.kept, votes.broken) == 2 else { return }
        if votes.kept == 2 { holds = level } else { fails = level }
        votes = (0, 0)
        level = nextLevel
    }

    private var nextLevel: Int {
        guard let holds else { return levels.lowerBound }
        guard let fails else { return holds > levels.upperBound / 2 ? levels.upperBound : holds * 2 }
        return holds + (fails - holds) / 2
    }

    /// Equal in all that decides what comes next.
    public static func == (a: LevelSearch, b: LevelSearch) -> Bool {
        a.levels == b.levels && a.resolution == b.resolution && a.holds == b.holds && a.fails == b.fails
            && a.votes == b.votes && a.level == b.level
    }
    /// Over levels and level: equal ones have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(levels)
        hasher.combine(level)
    }
}
