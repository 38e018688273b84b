import Foundation
import PadApp

/// What is known of a file of the sandbox beside its content.
///
/// Shadows Foundation's, which asks the machine's disk. Not modelled: all other values, values of a URL's own cache.
public struct URLResourceValues: Sendable {
    /// Whether the file, or the folder with all in it, stays out of backups. It is still there after an update of the app; a file that
    /// takes its place has to be marked anew (app-lifecycle.md 13).
    public var isExcludedFromBackup: Bool?
    public internal(set) var isDirectory: Bool?
    public internal(set) var isRegularFile: Bool?
    /// Bytes.
    public internal(set) var fileSize: Int?
    public internal(set) var contentModificationDate: Date?
    public internal(set) var isUbiquitousItem: Bool?

    public init() {}
}

extension URL {
    /// Sets what can be set: `isExcludedFromBackup`.
    /// - Throws: `CocoaError` 4 when there is no such file, 513 for one that the app may not change.
    public mutating func setResourceValues(_ values: URLResourceValues) throws {
        if let isExcluded = values.isExcludedFromBackup { try FileManager.default.setExcluded(isExcluded, path) }
    }

    /// - Parameter keys: as a literal; Foundation's form with a `Set` asks the machine's disk.
    /// - Throws: `CocoaError` 260 when there is no such file.
    public func resourceValues(forKeys keys: [URLResourceKey]) throws -> URLResourceValues {
        let files = FileManager.default
        let status = files.status(path)
        guard status["exists"]?.bool == true else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        }
        let isFolder = status["folder"]?.bool ?? false
        var values = URLResourceValues()
        for key in keys {
            switch key {
            case .isExcludedFromBackupKey: values.isExcludedFromBackup = status["excluded"]?.bool ?? false
            case .isDirectoryKey: values.isDirectory = isFolder
            case .isRegularFileKey: values.isRegularFile = !isFolder
            case .fileSizeKey: values.fileSize = isFolder ? nil : status["size"]?.int.map { Int(clamping: $0) }
            case .contentModificationDateKey:
                values.contentModificationDate = try files.attributesOfItem(atPath: path)[.modificationDate] as? Date
            case .isUbiquitousItemKey: values.isUbiquitousItem = files.isUbiquitousItem(at: self)
            default: break
            }
        }
        return values
    }
}
