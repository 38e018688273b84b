/// Why a trace cannot be written, read or followed.
public struct TraceProblem: Error, Hashable, Sendable, CustomStringConvertible {
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
    public var kind: Kind
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
    public var description: String { message }
}
