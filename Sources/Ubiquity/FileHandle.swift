import Foundation
import PadApp

/// A file of the sandbox that is open for writing, for what `FileManager` cannot do: add to its end, and make sure that it outlives a
/// power cut.
///
/// Not modelled: reading, writing anywhere but at the end, pipes, standard streams.
public final class FileHandle: @unchecked Sendable {
    private let path: String
    private var isAtEnd = false

    /// - Throws: `CocoaError` 4 when there is no such file.
    public init(forWritingTo url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
        }
        path = url.path
    }

    /// The end is where every write goes.
    /// - Returns: the size in bytes.
    @discardableResult public func seekToEnd() throws -> UInt64 {
        isAtEnd = true
        let status = try FileManager.default.call(FileMessages.Stat.name, ["path": .string(path)])
        return UInt64(max(0, status["size"]?.int ?? 0))
    }
    /// Adds to the end of the file; not synced.
    /// - Throws: `CocoaError` 640 when the disk is full; then nothing was added. 3328 before `seekToEnd`: overwriting the beginning is not
    /// modelled.
    public func write(contentsOf data: some DataProtocol) throws {
        guard isAtEnd else { throw CocoaError(.featureUnsupported, userInfo: [NSFilePathErrorKey: path]) }
        try FileManager.default.call(FileMessages.Append.name, ["path": .string(path), "data": .data(Array(data))])
    }
    /// Returns when the file's bytes and its name are on the disk.
    public func synchronize() throws { try FileManager.default.call(FileMessages.Sync.name, ["path": .string(path)]) }
    /// A file of class `completeUnlessOpen` that is closed while the iPad is locked cannot be added to any more (app-lifecycle.md 10).
    public func close() throws { try FileManager.default.call(FileMessages.Close.name, ["path": .string(path)]) }
}
