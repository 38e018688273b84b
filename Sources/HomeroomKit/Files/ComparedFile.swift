import Trace

/// Where a run's lines go: into its trace, and against the recording that it follows; either may be missing. What differs is not written.
final class ComparedFile: TraceSink {
    private let file: TraceFile?
    private let comparison: Comparison?
    private let linesMax: Int?

    /// - Parameter linesMax: a run that is longer ends there; nil: none does.
    init(_ file: TraceFile?, _ comparison: Comparison?, linesMax: Int? = nil) {
        self.file = file
        self.comparison = comparison
        self.linesMax = linesMax
    }

    func take(_ line: [UInt8], number: Int) throws(TraceProblem) {
        if let linesMax, number > linesMax { throw TraceProblem(.tooLong, "the run has more than \(linesMax) lines") }
        try comparison?.take(line, number: number)
        try file?.take(line, number: number)
    }
}
