import FleetModel
import Glibc

/// The first line of a trace: what is needed to run it again.
public struct TraceHeader: Hashable, Sendable {
    /// Raised when an older Homeroom could misread a trace.
    public static let version: Int64 = 1

    public var scenario: String
    /// The scenario file, whole: a trace needs nothing beside it.
    public var scenarioText: String
    public var seed: UInt64
    /// The scenario's path as given, for messages only.
    public var file: String

    public init(scenario: String, scenarioText: String, seed: UInt64, file: String) {
        self.scenario = scenario
        self.scenarioText = scenarioText
        self.seed = seed
        self.file = file
    }

    var body: Value {
        [
            "homeroom": .int(Self.version), "scenario": .string(scenario), "text": .string(scenarioText),
            "seed": .string(String(seed)), "file": .string(file),
        ]
    }
}

/// The last line: without it a trace is truncated.
public struct TraceFooter: Hashable, Sendable {
    public var lines: Int
    public var digest: String
    var body: Value { ["end": .int(lines), "digest": .string(digest)] }
}

/// Writes a trace beside its final name and renames it when it is whole, so that a half-written trace is never taken for one.
public final class TraceFile: TraceSink {
    private let path: String
    private let partial: String
    private let file: UnsafeMutablePointer<FILE>

    /// - Throws: `.unwritable` with the machine's reason.
    public init(path: String, header: TraceHeader) throws(TraceProblem) {
        self.path = path
        partial = path + ".partial"
        guard let file = fopen(partial, "w") else { throw Self.unwritable(partial) }
        self.file = file
        try put(header.body.jsonBytes + [UInt8(ascii: "\n")])
    }

    public func take(_ line: [UInt8], number: Int) throws(TraceProblem) { try put(line) }

    /// Writes the footer and gives the trace its name.
    public func finish(lines: Int, digest: String) throws(TraceProblem) {
        try put(TraceFooter(lines: lines, digest: digest).body.jsonBytes + [UInt8(ascii: "\n")])
        let flushed = fflush(file) == 0
        let problem = Self.unwritable(partial)
        guard fclose(file) == 0, flushed else {
            unlink(partial)
            throw problem
        }
        guard rename(partial, path) == 0 else { throw Self.unwritable(path) }
    }

    /// Removes what was written.
    public func abandon() {
        fclose(file)
        unlink(partial)
    }

    private func put(_ bytes: [UInt8]) throws(TraceProblem) {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Self.unwritable(partial) }
    }
    private static func unwritable(_ path: String) -> TraceProblem {
        TraceProblem(.unwritable, "cannot write \(path): \(String(cString: strerror(errno))); free space or choose another --out")
    }
}
