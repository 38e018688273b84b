import FleetModel

/// Why the disk refused; nothing was changed.
public enum DiskError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No space left: `capacityBytes` would be exceeded.
    case full
    /// Nothing stands at this path.
    case notFound(String)
    /// Something stands already where a new name is wanted.
    case exists(String)
    /// Path and reason: the path is malformed, a folder is missing on the way, or a folder stands where a file is wanted.
    case badPath(String)
    /// The machine's own disk failed (fleet mode: the real directory), or the power is off: a harness matter, not the app's.
    case machine(String)

    /// What happened, and what to do where a person can do something.
    public var description: String {
        switch self {
        case .full: "the disk is full; free some space"
        case .notFound(let path): "there is no \(path)"
        case .exists(let path): "\(path) exists already; remove it first"
        case .badPath(let what): "this path cannot be used: \(what)"
        case .machine(let what): "the disk failed: \(what)"
        }
    }
}

/// What is known about a path.
public struct FileStatus: Hashable, Sendable {
    /// False for a file.
    public var isFolder: Bool
    /// Bytes of a file; 0 for a folder.
    public var size: Int
    /// Virtual time of the last change.
    public var modified: Instant
    /// From its parts; nothing is checked.
    public init(isFolder: Bool, size: Int, modified: Instant) {
        self.isFolder = isFolder
        self.size = size
        self.modified = modified
    }
}
