/// What the exit status of the command says. The numbers are a promise to scripts (README, Docs/ci.md): they stand here only.
public enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
    /// What the scenario expects; a search, lint or comparison that found nothing.
    case asExpected = 0
    /// `invalid`, or an expected loss did not come; a replay that differs, a limit that is not kept, a habit.
    case unexpected = 1
    /// `unknown`: nothing was shown.
    case unknown = 2
    /// Usage, files, what the machine allows: the caller of the command can change that.
    case input = 3
    /// The testbed itself failed.
    case harness = 4
    /// Ctrl-C: the status that shells give it.
    case interrupted = 130

    /// The run came to a verdict.
    public var isVerdict: Bool {
        switch self {
        case .asExpected, .unexpected, .unknown: true
        case .input, .harness, .interrupted: false
        }
    }

    /// What a command that did several things ends with: a failed harness, bad input, an unmet expectation, an unknown, or 0.
    public static func worst(_ statuses: [ExitStatus]) -> ExitStatus {
        [.harness, .input, .unexpected, .unknown].first(where: statuses.contains) ?? .asExpected
    }
}
