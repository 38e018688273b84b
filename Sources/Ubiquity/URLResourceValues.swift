import Foundation
import PadApp

/// What is known of a file of the sandbox beside its content.
///
/// Shadows Foundation's, which asks the machine's disk. The ubiquity values are of documents in containers, also of those whose data are
/// not on this iPad; they are nil for other files (icloud-documents.md 4). Not modelled: all other values, values of a URL's own cache.
public struct URLResourceValues: Sendable {
    /// Whether the file, or the folder with all in it, stays out of backups. It is still there after an update of the app; a file that
    /// takes its place has to be marked anew (app-lifecycle.md 13).
    public var isExcludedFromBackup: Bool?
    /// Nil unless it was asked for.
    public internal(set) var isDirectory: Bool?
    /// Everything that is not a folder. Nil unless it was asked for.
    public internal(set) var isRegularFile: Bool?
    /// Bytes.
    public internal(set) var fileSize: Int?
    /// When the content on this iPad was changed last. Nil unless it was asked for.
    public internal(set) var contentModificationDate: Date?
    /// Whether the path lies in a ubiquity container.
    public internal(set) var isUbiquitousItem: Bool?
    /// How much of the document is on this iPad.
    public internal(set) var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus?
    /// A download is under way.
    public internal(set) var ubiquitousItemIsDownloading: Bool?
    /// Somebody asked for the data, and they are not here yet.
    public internal(set) var ubiquitousItemDownloadRequested: Bool?
    /// What is on this iPad is in the account.
    public internal(set) var ubiquitousItemIsUploaded: Bool?
    /// An upload is under way.
    public internal(set) var ubiquitousItemIsUploading: Bool?
    /// Versions wait for a decision (`NSFileVersion.unresolvedConflictVersionsOfItem(at:)`).
    public internal(set) var ubiquitousItemHasUnresolvedConflicts: Bool?
    /// The container's name as people see it. ASSUMED: the end of its identifier where the app publishes none.
    public internal(set) var ubiquitousItemContainerDisplayName: String?
    /// Always false: sharing of documents is not modelled.
    public internal(set) var ubiquitousItemIsShared: Bool?
    /// `.nosync`.
    public internal(set) var ubiquitousItemIsExcludedFromSync: Bool?
    /// 4354 (no space in the account) or 4355 (no answer) in the Cocoa domain, until an upload goes through.
    public var ubiquitousItemUploadingError: NSError? { NSError.ubiquity(uploadingErrorCode) }
    /// 4353 (not in the account any longer) or 4355 (no answer) in the Cocoa domain, until a download goes through.
    public var ubiquitousItemDownloadingError: NSError? { NSError.ubiquity(downloadingErrorCode) }
    var uploadingErrorCode: Int?
    var downloadingErrorCode: Int?

    /// No value is set: for `URL.setResourceValues`.
    public init() {}

    /// - Parameter entry: of `docs.status`; empty for what is no document.
    fileprivate mutating func take(_ key: URLResourceKey, _ entry: Value, _ path: String) {
        switch key {
        case .ubiquitousItemIsExcludedFromSyncKey:
            ubiquitousItemIsExcludedFromSync = path.split(separator: "/").contains { $0.hasSuffix(".nosync") }
        case _ where entry["path"] == nil: break
        case .ubiquitousItemDownloadingStatusKey:
            ubiquitousItemDownloadingStatus =
                switch entry["status"]?.string {
                case "current": .current
                case "downloaded": .downloaded
                default: .notDownloaded
                }
        case .ubiquitousItemIsDownloadingKey: ubiquitousItemIsDownloading = entry["downloading"]?.bool ?? false
        case .ubiquitousItemDownloadRequestedKey: ubiquitousItemDownloadRequested = entry["requested"]?.bool ?? false
        case .ubiquitousItemIsUploadedKey: ubiquitousItemIsUploaded = entry["uploaded"]?.bool ?? false
        case .ubiquitousItemIsUploadingKey: ubiquitousItemIsUploading = entry["uploading"]?.bool ?? false
        case .ubiquitousItemHasUnresolvedConflictsKey:
            ubiquitousItemHasUnresolvedConflicts = entry["conflicts"]?.bool ?? false
        case .ubiquitousItemContainerDisplayNameKey:
            ubiquitousItemContainerDisplayName = entry["containerName"]?.string
        case .ubiquitousItemIsSharedKey: ubiquitousItemIsShared = false
        case .ubiquitousItemUploadingErrorKey: uploadingErrorCode = entry["uploadError"]?.int.map { Int($0) }
        case .ubiquitousItemDownloadingErrorKey: downloadingErrorCode = entry["downloadError"]?.int.map { Int($0) }
        default: break
        }
    }
}

/// How much of a document is on this iPad (icloud-documents.md 4); Foundation has it on Apple's systems only.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    /// Apple's constant.
    public let rawValue: String
    /// Takes any text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// No data on this iPad.
    public static let notDownloaded = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")
    /// A copy that is older than the account's.
    public static let downloaded = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
    /// The newest version, as far as the iPad knows.
    public static let current = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")
}

extension URLResourceKey {
    /// Asks for `ubiquitousItemIsShared`; Foundation has it on Apple's systems only.
    public static let ubiquitousItemIsSharedKey = URLResourceKey(rawValue: "NSURLUbiquitousItemIsSharedKey")
    /// Asks for `ubiquitousItemIsExcludedFromSync`; Foundation has it on Apple's systems only.
    public static let ubiquitousItemIsExcludedFromSyncKey = URLResourceKey(
        rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey")
}

extension NSError {
    /// What went wrong with a transfer, by Cocoa's numbers 4353 to 4355; nil: nothing.
    static func ubiquity(_ code: Int?) -> NSError? {
        let what =
            switch code {
            case 4354: "the person's iCloud account has no space for it: free some, it is tried again"
            case 4355: "iCloud does not answer: it is tried again"
            default: "it is not in the account any more"
            }
        return code.map {
            NSError(domain: NSCocoaErrorDomain, code: $0, userInfo: [NSLocalizedDescriptionKey: what])
        }
    }
}

extension URL {
    /// Sets what can be set: `isExcludedFromBackup`.
    /// - Throws: `CocoaError` 4 when there is no such file, 513 for one that the app may not change.
    public mutating func setResourceValues(_ values: URLResourceValues) throws {
        if let isExcluded = values.isExcludedFromBackup { try FileManager.default.setExcluded(isExcluded, path) }
    }

    /// - Parameter keys: as a literal; Foundation's form with a `Set` asks the machine's disk.
    /// - Throws: `CocoaError` 260 when there is no such file, and no such document when ubiquity values are asked for.
    public func resourceValues(forKeys keys: [URLResourceKey]) throws -> URLResourceValues {
        let files = FileManager.default
        let status = files.status(path)
        let isAsked = UbiquityPath(path) != nil && keys.contains { $0.rawValue.hasPrefix("NSURLUbiquitousItem") }
        let entry = isAsked ? AppLink.current.call(DocumentMessages.Status.name, ["path": .string(path)]) : .empty
        guard status["exists"]?.bool == true || entry["path"] != nil else {
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
            default: if isAsked { values.take(key, entry, path) }
            }
        }
        return values
    }
}
