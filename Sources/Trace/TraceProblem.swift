/// Why a trace cannot be written, read or followed.
public struct TraceProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of problem it is: it decides a command's exit status.
    public enum Kind: Hashable, Sendable {
        /// The machine's disk is full or the file cannot be written.
        case unwritable
        /// Truncated, corrupted or not a trace.
        case unreadable
        /// Written by a newer Homeroom.
        case newer
        /// A replay came to another line than the recording.
        case differs
        /// Longer than who plays it wants to wait for.
        case tooLong
    }
    /// For a program.
    public var kind: Kind
    /// For a person: what happened, where, and what to do next.
    public var message: String

    /// From its parts.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
    /// The message.
    public var description: String { message }
}
