import FleetModel

/// Why the disk refused; nothing was changed.
public enum DiskError: Error, Hashable, Sendable {
    /// No space left: `capacity` would be exceeded.
    case full
    case notFound(String)
    case exists(String)
    /// A folder is missing on the way, or a folder stands where a file is wanted.
    case badPath(String)
    /// The machine's own disk failed (fleet mode: the real directory): a harness error, not the app's.
    case machine(String)
}

/// What is known about a path.
public struct FileStatus: Hashable, Sendable {
    public var isFolder: Bool
    public var size: Int
    /// Virtual time of the last change.
    public var modified: Instant
    public init(isFolder: Bool, size: Int, modified: Instant) {
        self.isFolder = isFolder
        self.size = size
        self.modified = modified
    }
}
