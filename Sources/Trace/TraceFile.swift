import FleetModel
import Glibc

/// The first line of a trace: what is needed to run it again.
public struct TraceHeader: Hashable, Sendable {
    /// Raised when an older Homeroom could misread a trace.
    public static let version: Int64 = 2

    /// The scenario's own name.
    public var scenario: String
    /// The scenario file, whole: a trace needs nothing beside it.
    public var scenarioText: String
    /// What all draws of the run come from; as text in the file, because JSON's numbers end at 2^53.
    public var seed: UInt64
    /// The scenario's path as given, for messages only.
    public var file: String
    /// Recorded in real time: it fixes the plan and tells what happened, but nothing makes that happen again in the same order.
    public var isLive: Bool
    /// What the seed drew of the scenario beside its faults, by axis; empty where it draws nothing. A replay takes it from here.
    public var drawn: Value
    /// Text of production's schema, by app: the files that the scenario names, whole.
    public var schemas: [AppName: String]

    /// From its parts; nothing is checked.
    public init(
        scenario: String, scenarioText: String, seed: UInt64, file: String, isLive: Bool = false,
        drawn: Value = .empty, schemas: [AppName: String] = [:]
    ) {
        self.scenario = scenario
        self.scenarioText = scenarioText
        self.seed = seed
        self.file = file
        self.isLive = isLive
        self.drawn = drawn
        self.schemas = schemas
    }
    private var schemasBody: Value { .object(Value.Object(schemas.map { ($0.key, .string($0.value)) })) }

    /// What of it belongs to the run: the scenario's path is for messages only.
    var identity: [UInt8] {
        var identity: Value = ["text": .string(scenarioText), "seed": .string(String(seed))]
        if drawn != .empty { identity["drawn"] = drawn }
        if !schemas.isEmpty { identity["schemas"] = schemasBody }
        return identity.jsonBytes
    }

    var body: Value {
        var body: Value = [
            "homeroom": .int(Self.version), "scenario": .string(scenario), "text": .string(scenarioText),
            "seed": .string(String(seed)), "file": .string(file),
        ]
        if isLive { body["live"] = true }
        if drawn != .empty { body["drawn"] = drawn }
        if !schemas.isEmpty { body["schemas"] = schemasBody }
        return body
    }
}

/// The last line: without it a trace is truncated.
public struct TraceFooter: Hashable, Sendable {
    /// Lines between header and footer.
    public var lines: Int
    /// The digest of the run, 64 hex digits.
    public var digest: String
    /// How long the run took by its own clock; it may go on after its last line. Nil: not known, or not told by an earlier version.
    public var virtual: Span?
    var body: Value {
        var body: Value = ["end": .int(lines), "digest": .string(digest)]
        body["virtual"] = virtual.map { .int($0.nanoseconds) }
        return body
    }
}

/// Writes a trace beside its final name and renames it when it is whole, so that a half-written trace is never taken for one.
///
/// Invariant: after `finish` (also one that throws), `abandon`, a `take` that throws, or the end of this object no `.partial` is left.
public final class TraceFile: TraceSink {
    private let path: String
    private let partial: String
    private let file: UnsafeMutablePointer<FILE>
    private var isOpen = true
    /// Why it was given up: whoever writes on hears it again.
    private var failure: TraceProblem?

    /// - Throws: `.unwritable` with the machine's reason.
    public init(path: String, header: TraceHeader) throws(TraceProblem) {
        self.path = path
        partial = path + ".partial"
        guard let file = fopen(partial, "w") else { throw Self.unwritable(partial, errno) }
        self.file = file
        try put(header.body.jsonBytes + [UInt8(ascii: "\n")])
    }
    deinit { abandon() }

    /// Appends a line; its number is not used. Throws `.unwritable`, after which the trace is given up and nothing of it is left.
    public func take(_ line: [UInt8], number: Int) throws(TraceProblem) { try put(line) }

    /// Writes the footer and gives the trace its name.
    /// - Parameter virtual: how long the run took by its own clock.
    /// - Throws: `.unwritable` with the machine's reason; then nothing is left.
    public func finish(lines: Int, digest: String, virtual: Span? = nil) throws(TraceProblem) {
        try put(TraceFooter(lines: lines, digest: digest, virtual: virtual).body.jsonBytes + [UInt8(ascii: "\n")])
        // On the disk before it has its name: after a power cut an empty file would pass for a trace.
        guard fflush(file) == 0, fsync(fileno(file)) == 0 else { throw failed(partial, errno) }
        isOpen = false
        guard fclose(file) == 0, rename(partial, path) == 0 else { throw failed(path, errno) }
    }

    /// Removes what was written. Idempotent; a finished trace stays.
    public func abandon() {
        guard isOpen else { return }
        isOpen = false
        fclose(file)
        unlink(partial)
    }

    private func put(_ bytes: [UInt8]) throws(TraceProblem) {
        guard isOpen else {
            throw failure
                ?? TraceProblem(.unwritable, "\(path): the trace is finished or abandoned; nothing more can be written")
        }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw failed(partial, errno) }
    }
    private func failed(_ path: String, _ reason: Int32) -> TraceProblem {
        abandon()
        unlink(partial)
        let problem = Self.unwritable(path, reason)
        failure = problem
        return problem
    }
    private static func unwritable(_ path: String, _ reason: Int32) -> TraceProblem {
        TraceProblem(
            .unwritable,
            "cannot write \(path): \(String(cString: strerror(reason))); free space or choose another --out")
    }
}
