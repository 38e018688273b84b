import FleetModel
import Glibc

/// The machine cannot keep the run's files: for the caller of the command to repair, and nothing is said about the app.
public struct MachineProblem: Error, Hashable, Sendable {
    public var message: String
    public init(_ message: String) { self.message = message }
}

/// The run cannot go on, and says nothing about the app's data: its verdict is `unknown`.
public struct Inconclusive: Error, Hashable, Sendable {
    public var reason: String
    public init(_ reason: String) { self.reason = reason }
}

/// The testbed itself failed, or was misused: nothing is said about the app.
public struct HarnessProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String
    /// A determinism leak of app code: the message says what to change.
    public var isLeak: Bool
    /// The machine allows too little of something: the caller of the command can change that.
    public var isLimit: Bool
    public init(_ message: String, isLeak: Bool = false, isLimit: Bool = false) {
        self.message = message
        self.isLeak = isLeak
        self.isLimit = isLimit
    }
    /// Of a socket or a pipe that cannot be opened.
    package static func noFile(_ what: String) -> HarnessProblem {
        HarnessProblem("\(what): raise the limit of open files (ulimit -n) or use fewer iPads", isLimit: true)
    }
    /// Of a process that cannot be forked; the reason is in `errno`.
    package static func noProcess(_ what: String) -> HarnessProblem {
        let reason = String(cString: strerror(errno))
        return HarnessProblem(
            "\(what) cannot be forked (\(reason)): raise the limit of processes (ulimit -u) or use fewer iPads",
            isLimit: true)
    }
    public var description: String { message }
}
