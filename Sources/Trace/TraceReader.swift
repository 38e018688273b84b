import FleetModel

/// A recorded run, read back: its header, its tapes, its history, and the raw lines that a replay is held against.
public struct RecordedTrace: Sendable {
    /// What the run was.
    public var header: TraceHeader
    /// The plan tape: what people did, in order.
    public var plan: [PlanStep] = []
    /// The fault tape, in order.
    public var faults: [FaultSpec] = []
    /// The schedule tape, by the message's stable key.
    public var outcomes: [String: Value] = [:]
    /// What checkers see, in order.
    public var history: [HistoryEvent] = []
    /// Messages delivered.
    public private(set) var events = 0
    /// Lines after the header, without newline, footer excluded.
    public var lines: [[UInt8]] = []
    /// How many lines the recorder wrote, and their digest.
    public var footer = TraceFooter(lines: 0, digest: "")

    /// Lines of the file on which the plan and the faults stand, in their order: for messages about a tape that does not fit.
    public private(set) var planLines: [Int] = []
    /// Lines of the file on which the faults stand, in the order of `faults`.
    public private(set) var faultLines: [Int] = []

    /// Whether scenario, seed and lines still have the digest that was recorded with them.
    public private(set) var isIntact = false

    /// Reads a trace file, also one that gzip has packed.
    /// - Parameters:
    ///   - checkDigest: false lets a hand-edited tape through: a replay will name the first difference.
    ///   - isReplayed: false leaves out what only a replay needs, the lines and the schedule tape: of a long trace they are nearly all.
    /// - Throws: `.unreadable` or `.newer` with file, line and column; nothing is half-read.
    public static func read(path: String, checkDigest: Bool = false, isReplayed: Bool = true) throws(TraceProblem)
        -> RecordedTrace
    {
        try read(TraceLines(path: path), file: path, checkDigest: checkDigest, isReplayed: isReplayed)
    }

    /// - Parameter file: the name that errors carry.
    public static func read(bytes: [UInt8], file: String, checkDigest: Bool = false) throws(TraceProblem)
        -> RecordedTrace
    {
        try read(TraceLines(bytes: bytes, path: file), file: file, checkDigest: checkDigest, isReplayed: true)
    }

    private static func read(
        _ source: TraceLines, file: String, checkDigest: Bool, isReplayed: Bool
    ) throws(TraceProblem) -> RecordedTrace {
        guard let first = try source.next() else {
            throw TraceProblem(.unreadable, "\(file):1:1: the file is empty; record it again with homeroom run")
        }
        let header = try header(of: value(first, file: file, line: 1), file: file)
        guard !source.isCut, var last = try source.next() else { throw truncated(file, at: 1) }
        var trace = RecordedTrace(header: header)
        var digest = RunDigest()
        digest.add(header.identity)
        // Empty lines count, so that line numbers are those of an editor.
        var number = 2
        while let next = try source.next() {
            try trace.take(value(last, file: file, line: number), file, number, isReplayed: isReplayed)
            digest.add(last)
            digest.add([UInt8(ascii: "\n")])
            if isReplayed { trace.lines.append(last) }
            (last, number) = (next, number + 1)
        }
        guard !source.isCut, let footer = try footer(last, file: file, line: number) else {
            throw truncated(file, at: number)
        }
        guard footer.lines == number - 2 else {
            throw TraceProblem(
                .unreadable,
                "\(file):\(number):1: the trace says that it has \(footer.lines) lines but holds \(number - 2); record it again"
            )
        }
        trace.footer = footer
        trace.isIntact = digest.hex == footer.digest
        guard trace.isIntact || !checkDigest else {
            throw TraceProblem(
                .unreadable,
                "\(file):\(number):1: the trace has been changed: its lines do not have the digest recorded here; record it again"
            )
        }
        return trace
    }
    private static func truncated(_ file: String, at line: Int) -> TraceProblem {
        TraceProblem(
            .unreadable, "\(file):\(line):1: the trace is truncated: its last line is missing; record it again")
    }

    private mutating func take(
        _ value: Value, _ file: String, _ line: Int, isReplayed: Bool
    ) throws(TraceProblem) {
        let known: Bool
        if let body = value["plan"] {
            known = PlanStep(body).map { plan.append($0) } != nil
            planLines.append(line)
        } else if let body = value["fault"] {
            known = FaultSpec(body).map { faults.append($0) } != nil
            faultLines.append(line)
        } else if let key = value["pass"]?.string, let outcome = value["fate"] {
            if isReplayed { outcomes[key] = outcome }
            known = true
        } else if value["note"] != nil {
            known = HistoryEvent(value).map { history.append($0) } != nil
        } else {
            known = value["e"]?.int != nil && value["t"]?.int != nil
            events += 1
        }
        guard known else {
            throw TraceProblem(.unreadable, "\(file):\(line):1: this line is no part of a trace; record it again")
        }
    }

    private static func header(of value: Value, file: String) throws(TraceProblem) -> TraceHeader {
        guard let version = value["homeroom"]?.int else {
            throw TraceProblem(
                .unreadable, "\(file):1:1: not a Homeroom trace: the first line has no \"homeroom\" version")
        }
        guard version >= TraceHeader.version else {
            throw TraceProblem(
                .unreadable,
                "\(file):1:1: the trace has format \(version), this homeroom reads format \(TraceHeader.version); record it again"
            )
        }
        guard version <= TraceHeader.version else {
            throw TraceProblem(
                .newer,
                "\(file):1:1: the trace has format \(version), this homeroom reads format \(TraceHeader.version); use a newer one"
            )
        }
        guard let scenario = value["scenario"]?.string, let text = value["text"]?.string,
            let seed = value["seed"]?.string.flatMap({ UInt64($0) })
        else { throw TraceProblem(.unreadable, "\(file):1:1: the header of the trace is damaged; record it again") }
        return TraceHeader(
            scenario: scenario, scenarioText: text, seed: seed, file: value["file"]?.string ?? file,
            isLive: value["live"]?.bool ?? false, drawn: value["drawn"] ?? .empty,
            schemas: Dictionary(
                (value["schemas"]?.object?.pairs ?? []).map { ($0.key, $0.value.string ?? "") },
                uniquingKeysWith: { first, _ in first }))
    }

    private init(header: TraceHeader) { self.header = header }

    /// Nil when the line is something else: the end is missing.
    private static func footer(_ line: [UInt8], file: String, line number: Int) throws(TraceProblem)
        -> TraceFooter?
    {
        let value = try value(line, file: file, line: number)
        guard let lines = value["end"]?.int.flatMap({ Int(exactly: $0) }), let digest = value["digest"]?.string else {
            return nil
        }
        return TraceFooter(
            lines: lines, digest: digest, virtual: value["virtual"]?.int.map(Span.init(nanoseconds:)))
    }

    private static func value(_ line: [UInt8], file: String, line number: Int) throws(TraceProblem) -> Value {
        do { return try Value(json: line) } catch {
            throw TraceProblem(
                .unreadable,
                "\(file):\(number):\(error.offset + 1): the trace is corrupted: \(error.reason); record it again")
        }
    }
}

/// Holds a replay against its recording, line by line, and stops it at the first difference.
public final class Comparison: TraceSink {
    private let recorded: RecordedTrace
    /// The line last compared, for the report.
    public private(set) var compared = 0

    /// Holds a replay against `recorded`, which must have been read with its lines.
    public init(with recorded: RecordedTrace) { self.recorded = recorded }

    /// Compares one line of the replay. Throws `.differs` with both lines when it is not the recorded one, or the recording has ended.
    public func take(_ line: [UInt8], number: Int) throws(TraceProblem) {
        compared = number
        guard number <= recorded.lines.count else {
            throw differs(
                at: number, recorded: "(the recording has ended)",
                replayed: String(decoding: line.dropLast(), as: UTF8.self))
        }
        let expected = recorded.lines[number - 1]
        guard line.dropLast().elementsEqual(expected) else {
            throw differs(
                at: number, recorded: String(decoding: expected, as: UTF8.self),
                replayed: String(decoding: line.dropLast(), as: UTF8.self))
        }
    }

    /// To be called when the replay has ended.
    public func finish(lines: Int) throws(TraceProblem) {
        guard lines == recorded.lines.count else {
            let next =
                recorded.lines.dropFirst(lines).first.map { String(decoding: $0, as: UTF8.self) }
                ?? "(the recording has ended)"
            throw differs(at: lines + 1, recorded: next, replayed: "(the replay has ended)")
        }
    }

    private func differs(at number: Int, recorded: String, replayed: String) -> TraceProblem {
        TraceProblem(
            .differs, "first difference at line \(number + 1):\n  recorded  \(recorded)\n  replayed  \(replayed)")
    }
}
