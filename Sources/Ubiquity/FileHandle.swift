import Foundation
import PadApp

/// A file of the sandbox that is open for writing, for the one thing that `FileManager` cannot do: make sure that it outlives a power cut.
///
/// Not modelled: reading and writing through the handle, seeking, pipes, standard streams.
public final class FileHandle: @unchecked Sendable {
    private let path: String

    /// - Throws: `CocoaError` 4 when there is no such file.
    public init(forWritingTo url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
        }
        path = url.path
    }

    /// Returns when the file's bytes and its name are on the disk.
    public func synchronize() throws { try FileManager.default.call("file.sync", ["path": .string(path)]) }
    /// Nothing is kept open.
    public func close() throws {}
}
