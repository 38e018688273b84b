import Foundation

extension FileHandle {
    /// A new file that only its owner reads, open for both.
    /// - Throws: `Problem`, mostly of a full disk.
    static func made(at url: URL) throws -> FileHandle {
        guard
            FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw Problem("'\(url.path)' cannot be written; look for space and rights there") }
        return try FileHandle(forUpdating: url)
    }
}
