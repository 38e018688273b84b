import FleetModel
import Glibc
import Trace

/// How a run, or a command, ended without a verdict about the app. Its kind decides the exit status.
public struct RunEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// What ended it, by who can do something about that. The raw value is its name on the wire.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The testbed itself failed, or was misused.
        case harness
        /// App code did what no deterministic participant may do: the message says what to change.
        case leak
        /// The machine allows too little of something: open files, processes.
        case limit
        /// The machine cannot keep the run's files.
        case disk
        /// What the caller of the command gave cannot be used: arguments, files, traces, a Cloud.
        case input
        /// A replay came to another line than the recording.
        case differs
        /// The run cannot go on, and says nothing about the app's data: its verdict is `unknown`.
        case inconclusive
        /// Somebody stopped it.
        case interrupted

        /// The exit status of a command that ends this way.
        public var status: ExitStatus {
            switch self {
            case .harness, .leak: .harness
            case .limit, .disk, .input: .input
            case .differs: .unexpected
            case .inconclusive: .unknown
            case .interrupted: .interrupted
            }
        }
    }
    /// Decides the exit status, and whether `homeroom:` stands before the message.
    public var kind: Kind
    /// What happened, where, and what to do next; without the name of the command.
    public var message: String

    /// The message without the name of the command.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
    /// Nothing is said about the app: the testbed failed.
    public static func harness(_ message: String) -> RunEnd { RunEnd(.harness, message) }
    /// For the caller of the command to change.
    public static func input(_ message: String) -> RunEnd { RunEnd(.input, message) }
    /// The verdict is `unknown`, for this reason.
    public static func inconclusive(_ reason: String) -> RunEnd { RunEnd(.inconclusive, reason) }

    /// The exit status of a command that ends this way.
    public var status: ExitStatus { kind.status }
    /// The message alone.
    public var description: String { message }
    /// What the command prints.
    public var line: String { status == .harness ? "homeroom: " + message : message }
    /// The same end with other words.
    public func saying(_ message: String) -> RunEnd { RunEnd(kind, message) }
}

extension RunEnd {
    /// Nil for an error that neither a run nor a command throws.
    public init?(_ error: any Error) {
        switch error {
        case let end as RunEnd: self = end
        case let trace as TraceProblem:
            switch trace.kind {
            case .differs: self.init(.differs, trace.message)
            case .tooLong: self.init(.inconclusive, trace.message)
            case .unwritable, .unreadable, .newer: self.init(.input, trace.message)
            }
        default: return nil
        }
    }
    /// An error that a run does not know is a fault of the testbed.
    public static func of(_ error: any Error) -> RunEnd { RunEnd(error) ?? .harness("\(error)") }

    /// As a worker tells it to its supervisor, and a part of a split run to the other parts.
    public var body: Value { .object(Value.Object([(kind.rawValue, .string(message))])) }
    /// Nil for what no `body` is.
    public init?(_ body: Value) {
        for kind in Kind.allCases {
            guard let message = body[kind.rawValue]?.string else { continue }
            self.init(kind, message)
            return
        }
        return nil
    }
}

extension RunEnd {
    /// Of a socket or a pipe that cannot be opened.
    package static func noFile(_ what: String) -> RunEnd {
        RunEnd(.limit, "\(what): raise the limit of open files (ulimit -n) or use fewer iPads")
    }
    /// Of a process that cannot be forked; the reason is in `errno`.
    package static func noProcess(_ what: String) -> RunEnd {
        let reason = String(cString: strerror(errno))
        return RunEnd(
            .limit, "\(what) cannot be forked (\(reason)): raise the limit of processes (ulimit -u) or use fewer iPads")
    }
}
