import FleetModel
import Workload

/// Makes a scenario that fails smaller and smaller, as long as it fails in the same class.
///
/// It tries what costs less than the best so far and keeps what fails, pass after pass, until a whole round of passes finds nothing. So it ends, and
/// shrinking what it made changes nothing. What it tries follows from the scenario alone: the same input gives the same result, however many tries run
/// side by side.
public struct Shrinker {
    /// Plays candidates in the order in which `next` gives them, and finds the first one that fails as `isRight` wants it with each of its seeds.
    /// `failed` is to be called for each that does not.
    public typealias Play = (
        _ next: () -> (place: Int, candidate: Candidate)?, _ isRight: (Trial) -> Bool, _ failed: (Candidate) -> Void
    ) throws -> (place: Int, trial: Trial)?

    /// The smallest one so far.
    public internal(set) var best: Candidate
    /// How it fails.
    public private(set) var trial: Trial
    /// What each smaller run must have in common with the first one.
    public let goal: Trial.Goal
    /// How many candidates were tried.
    public private(set) var tries = 0
    /// Why it ended before nothing was left to try; nil: it did not.
    public private(set) var stop: (any Error)?
    /// What is being tried, for a line of progress.
    public private(set) var pass = ""
    private let play: Play
    /// Called whenever there is a smaller one.
    private let onBetter: (Shrinker) throws -> Void
    private var tried: Set<UInt64> = []

    /// - Parameters:
    ///   - first: fails as `trial` says.
    ///   - play: throws when the search shall end; what is best then stays.
    public init(
        _ first: Candidate, failing trial: Trial, goal: Trial.Goal, play: @escaping Play,
        onBetter: @escaping (Shrinker) throws -> Void = { _ in }
    ) {
        best = first
        self.trial = trial
        self.goal = goal
        self.play = play
        self.onBetter = onBetter
    }

    /// Goes on until a whole round changes nothing, or `play` or `onBetter` throws.
    public mutating func run() {
        do {
            try guess()
            var before: Candidate
            repeat {
                before = best
                try round()
            } while best != before
        } catch { stop = error }
    }

    /// Tries scenarios in their order and keeps the first that fails and costs less.
    /// - Returns: its place; nil: none does.
    mutating func accept(_ pass: String, _ scenarios: [Scenario]) throws -> Int? {
        try accept(pass, scenarios.count, isOfAnySeed: best.isOfAnySeed) { scenarios[$0] }
    }
    mutating func accept(_ pass: String, _ count: Int, isOfAnySeed: Bool, _ scenario: (Int) -> Scenario) throws -> Int?
    {
        self.pass = pass
        let (cost, goal) = (best.cost, goal)
        var (place, given, tried, tries) = (0, [Int: Candidate](), tried, 0)
        let found = try play(
            {
                while place < count {
                    defer { place += 1 }
                    let candidate = Candidate(scenario(place), isOfAnySeed: isOfAnySeed)
                    guard candidate.cost < cost, !tried.contains(candidate.key) else { continue }
                    given[place] = candidate
                    tries += 1
                    return (place, candidate)
                }
                return nil
            }, goal.isMet, { tried.insert($0.key) })
        self.tried = tried
        self.tries += tries
        guard let found, let candidate = given[found.place] else { return nil }
        (best, trial) = (candidate, found.trial)
        try onBetter(self)
        return found.place
    }
}
