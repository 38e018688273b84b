import Trace

/// Where a run's lines go: into its trace, and against the recording that it follows; either may be missing. What differs is not written.
final class ComparedFile: TraceSink {
    private let file: TraceFile?
    private let comparison: Comparison?

    init(_ file: TraceFile?, _ comparison: Comparison?) {
        self.file = file
        self.comparison = comparison
    }

    func take(_ line: [UInt8], number: Int) throws(TraceProblem) {
        try comparison?.take(line, number: number)
        try file?.take(line, number: number)
    }
}
