import FleetModel
import Glibc

/// A recorded run, read back: its header, its tapes, its history, and the raw lines that a replay is held against.
public struct RecordedTrace: Sendable {
    public var header: TraceHeader
    public var plan: [PlanStep] = []
    public var faults: [FaultSpec] = []
    /// The schedule tape, by the message's stable key.
    public var fates: [String: Value] = [:]
    public var history: [HistoryEvent] = []
    /// Messages delivered.
    public private(set) var events = 0
    /// Lines after the header, without newline, footer excluded.
    public var lines: [ArraySlice<UInt8>] = []
    public var footer: TraceFooter

    /// Lines of the file on which the plan and the faults stand, in their order: for messages about a tape that does not fit.
    public private(set) var planLines: [Int] = []
    public private(set) var faultLines: [Int] = []

    /// Reads a trace file.
    /// - Parameter checkDigest: false lets a hand-edited tape through: a replay will name the first difference.
    /// - Throws: `.unreadable` or `.newer` with file, line and column; nothing is half-read.
    public static func read(path: String, checkDigest: Bool = false) throws(TraceProblem) -> RecordedTrace {
        try read(bytes: contents(of: path), file: path, checkDigest: checkDigest)
    }

    /// - Parameter file: the name that errors carry.
    public static func read(bytes: [UInt8], file: String, checkDigest: Bool = false) throws(TraceProblem)
        -> RecordedTrace
    {
        // Empty lines are kept, so that line numbers are those of an editor.
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard let first = lines.first else {
            throw TraceProblem(.unreadable, "\(file):1:1: the file is empty; record it again with homeroom run")
        }
        let header = try header(of: value(first, file: file, line: 1), file: file)
        let number = lines.count
        guard number > 1, bytes.last == UInt8(ascii: "\n"), let last = lines.last,
            let footer = try footer(last, file: file, line: number)
        else {
            throw TraceProblem(
                .unreadable, "\(file):\(number):1: the trace is truncated: its last line is missing; record it again")
        }
        lines.removeFirst()
        lines.removeLast()
        guard footer.lines == lines.count else {
            throw TraceProblem(
                .unreadable,
                "\(file):\(number):1: the trace says that it has \(footer.lines) lines but holds \(lines.count); record it again"
            )
        }
        var trace = RecordedTrace(header: header, lines: lines, footer: footer)
        for (index, line) in lines.enumerated() {
            try trace.take(value(line, file: file, line: index + 2), file, index + 2)
        }
        if checkDigest { try trace.checkDigest(file) }
        return trace
    }

    /// Whether scenario, seed and lines still have the digest that was recorded with them.
    public var isIntact: Bool {
        var digest = RunDigest()
        digest.add(header.identity)
        for line in lines { digest.add(Array(line) + [UInt8(ascii: "\n")]) }
        return digest.hex == footer.digest
    }
    private func checkDigest(_ file: String) throws(TraceProblem) {
        guard isIntact else {
            throw TraceProblem(
                .unreadable,
                "\(file):\(lines.count + 2):1: the trace has been changed: its lines do not have the digest recorded here; record it again"
            )
        }
    }

    private mutating func take(_ value: Value, _ file: String, _ line: Int) throws(TraceProblem) {
        let known: Bool
        if let body = value["plan"] {
            known = PlanStep(body).map { plan.append($0) } != nil
            planLines.append(line)
        } else if let body = value["fault"] {
            known = FaultSpec(body).map { faults.append($0) } != nil
            faultLines.append(line)
        } else if let key = value["pass"]?.string, let fate = value["fate"] {
            fates[key] = fate
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
            isLive: value["live"]?.bool ?? false, drawn: value["drawn"] ?? .empty)
    }

    private init(header: TraceHeader, lines: [ArraySlice<UInt8>], footer: TraceFooter) {
        self.header = header
        self.lines = lines
        self.footer = footer
    }

    /// Nil when the line is something else: the end is missing.
    private static func footer(_ line: ArraySlice<UInt8>, file: String, line number: Int) throws(TraceProblem)
        -> TraceFooter?
    {
        let value = try value(line, file: file, line: number)
        guard let lines = value["end"]?.int.flatMap({ Int(exactly: $0) }), let digest = value["digest"]?.string else {
            return nil
        }
        return TraceFooter(lines: lines, digest: digest)
    }

    private static func value(_ line: ArraySlice<UInt8>, file: String, line number: Int) throws(TraceProblem) -> Value {
        do { return try Value(json: Array(line)) } catch {
            throw TraceProblem(
                .unreadable,
                "\(file):\(number):\(error.offset + 1): the trace is corrupted: \(error.reason); record it again")
        }
    }

    private static func contents(of path: String) throws(TraceProblem) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw TraceProblem(.unreadable, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let got = fread(&buffer, 1, buffer.count, file)
            if got == 0 { break }
            bytes.append(contentsOf: buffer[..<got])
            // A device that never ends must not fill the memory.
            guard bytes.first == UInt8(ascii: "{") else {
                throw TraceProblem(.unreadable, "\(path):1:1: not a Homeroom trace: the first line is no JSON object")
            }
        }
        guard ferror(file) == 0 else { throw TraceProblem(.unreadable, "cannot read \(path): is it a folder?") }
        return bytes
    }
}

/// Holds a replay against its recording, line by line, and stops it at the first difference.
public final class Comparison: TraceSink {
    private let recorded: RecordedTrace
    /// The line last compared, for the report.
    public private(set) var compared = 0

    public init(with recorded: RecordedTrace) { self.recorded = recorded }

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
