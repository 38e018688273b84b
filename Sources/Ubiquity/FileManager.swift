import Foundation
import PadApp

/// The running app's files: its sandbox and the ubiquity containers it has opened. All disk access is the Pad's.
///
/// Paths are the iPad's (`/var/mobile/...`), never the machine's. Errors are `CocoaError`s. Not modelled: symbolic links, permissions,
/// the current directory, delegates, enumerators.
public final class FileManager: @unchecked Sendable {
    /// The running app's file manager: apps that share a process have one each.
    public static var `default`: FileManager { AppLink.current.singleton { FileManager(AppLink.current) } }

    /// Foundation's own, so that an app's code compiles unchanged.
    public typealias SearchPathDirectory = Foundation.FileManager.SearchPathDirectory
    /// Foundation's own. Only `.userDomainMask` finds folders here.
    public typealias SearchPathDomainMask = Foundation.FileManager.SearchPathDomainMask
    /// Foundation's own. Only `.skipsHiddenFiles` has an effect here.
    public typealias DirectoryEnumerationOptions = Foundation.FileManager.DirectoryEnumerationOptions

    let link: AppLink

    private init(_ link: AppLink) { self.link = link }

    // MARK: Places

    /// `NSHomeDirectory()`: stable for all launches, gone with a purge but for its empty folders.
    public var homeDirectoryForCurrentUser: URL { folder(link.home) }
    /// `tmp` of the sandbox. The system may empty it while the app does not run (app-lifecycle.md 13).
    public var temporaryDirectory: URL { folder(link.home + "/tmp") }

    /// The app's standard folders; empty for those that an iPad app does not have.
    public func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] {
        guard domainMask.contains(.userDomainMask) else { return [] }
        switch directory {
        case .documentDirectory: return [folder(link.home + "/Documents")]
        case .applicationSupportDirectory: return [folder(link.home + "/Library/Application Support")]
        case .cachesDirectory: return [folder(link.home + "/Library/Caches")]
        case .libraryDirectory: return [folder(link.home + "/Library")]
        default: return []
        }
    }
    private func folder(_ path: String) -> URL { URL(filePath: path, directoryHint: .isDirectory) }

    // MARK: Reading

    /// A file's bytes; nil for every error alike, a missing file, a folder, a sealed one. `Data(contentsOf:)` says which.
    public func contents(atPath path: String) -> Data? { try? read(path) }
    /// Whether a file or folder is there. False for a document whose data are not on this iPad.
    public func fileExists(atPath path: String) -> Bool { status(path)["exists"]?.bool ?? false }
    /// As `fileExists(atPath:)`; `isDirectory` is set to false when nothing is there.
    public func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool {
        let status = status(path)
        isDirectory?.pointee = ObjCBool(status["folder"]?.bool ?? false)
        return status["exists"]?.bool ?? false
    }
    /// Names in a folder, sorted. Of a ubiquity container only what is on this iPad: placeholders are seen by `NSMetadataQuery`.
    public func contentsOfDirectory(atPath path: String) throws -> [String] {
        FileMessages.List.Answer(lenient: try call(FileMessages.List(path: path))).names
    }
    /// As `contentsOfDirectory(atPath:)`, as URLs in the order of the names. `keys` prefetch nothing here.
    public func contentsOfDirectory(
        at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?, options mask: DirectoryEnumerationOptions = []
    ) throws -> [URL] {
        try contentsOfDirectory(atPath: url.path)
            .filter { !(mask.contains(.skipsHiddenFiles) && $0.hasPrefix(".")) }
            .map { url.appending(path: $0, directoryHint: .notDirectory) }
    }
    /// Type, size in bytes and time of the last change.
    /// - Throws: `CocoaError` 260 when there is nothing.
    public func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] {
        let status = status(path)
        guard status["exists"]?.bool ?? false else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        }
        let modified = Double(status["modified"]?.int ?? 0) / 1e9 + Double(Instant.epochNanoseconds) / 1e9
        var attributes: [FileAttributeKey: Any] = [
            .type: (status["folder"]?.bool ?? false) ? FileAttributeType.typeDirectory : .typeRegular,
            .size: Int(clamping: status["size"]?.int ?? 0), .modificationDate: Date(timeIntervalSince1970: modified),
        ]
        if let protection = status["protection"]?.string {
            attributes[.protectionKey] = FileProtectionType(linkName: protection)
        }
        return attributes
    }
    /// Sets the protection class; other attributes are passed over. Set it before the content is written (S191): what was on the disk
    /// without protection was on the disk without protection.
    public func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {
        guard let protection = attributes[.protectionKey] as? FileProtectionType else { return }
        try call(FileMessages.Protect(path: path, protection: protection.linkName))
    }

    // MARK: Changing

    /// - Returns: false when it could not be written: no space, a missing folder.
    @discardableResult public func createFile(
        atPath path: String, contents data: Data?, attributes attr: [FileAttributeKey: Any]? = nil
    ) -> Bool {
        (try? write(path, data ?? Data(), atomic: false, attr?[.protectionKey] as? FileProtectionType)) != nil
    }
    /// Intermediate folders are always made (the Pad does), so that `withIntermediateDirectories` false is not told apart.
    public func createDirectory(
        at url: URL, withIntermediateDirectories createIntermediates: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {
        try call(FileMessages.MakeFolder(path: url.path))
    }
    /// - Throws: `CocoaError` 4 when there is nothing.
    public func removeItem(at url: URL) throws { try removeItem(atPath: url.path) }
    /// Removes a file or a folder with all in it.
    public func removeItem(atPath path: String) throws { try call(FileMessages.Remove(path: path)) }
    /// - Throws: `CocoaError` 516 when the target exists.
    public func moveItem(at srcURL: URL, to dstURL: URL) throws {
        try call(FileMessages.Move(from: srcURL.path, to: dstURL.path))
    }
    /// Copies one file with its protection class and its mark for backups.
    public func copyItem(at srcURL: URL, to dstURL: URL) throws {
        guard !fileExists(atPath: dstURL.path) else {
            throw CocoaError(.fileWriteFileExists, userInfo: [NSFilePathErrorKey: dstURL.path])
        }
        let protection = status(srcURL.path)["protection"]?.string.map { FileProtectionType(linkName: $0) }
        try write(dstURL.path, read(srcURL.path), atomic: false, protection)
        if status(srcURL.path)["excluded"]?.bool == true { try setExcluded(true, dstURL.path) }
    }

    // MARK: The link

    /// A file's bytes, or a conflict version's (`NSFileVersion.url`).
    /// - Throws: `CocoaError` 260, or 4353 for a document that is not on this iPad.
    func read(_ path: String) throws -> Data {
        if let version = FileVersions.current.data(at: path) { return Data(version) }
        return Data(FileMessages.Bytes(lenient: try call(FileMessages.Read(path: path))).data)
    }
    /// - Parameter atomic: old or new after a power cut, never parts.
    func write(_ path: String, _ data: Data, atomic: Bool, _ protection: FileProtectionType? = nil) throws {
        var body: Value = ["path": .string(path), "data": .data(Array(data)), "atomic": .bool(atomic)]
        if let protection { body["protection"] = .string(protection.linkName) }
        try call(FileMessages.Write.name, body)
    }
    /// - Throws: `CocoaError` 4 when there is nothing.
    func setExcluded(_ isExcluded: Bool, _ path: String) throws {
        try call(FileMessages.Exclude(path: path, excluded: isExcluded))
    }
    func status(_ path: String) -> Value { link.call(FileMessages.Stat.name, ["path": .string(path)]) }
    @discardableResult func call(_ message: some LocalMessage) throws -> Value { try link.call(message).orThrow() }
    @discardableResult func call(_ name: String, _ body: Value) throws -> Value { try link.call(name, body).orThrow() }
}

/// The names of protection classes on the local link: Apple's without the prefix.
extension FileProtectionType {
    private static let prefix = "NSFileProtection"
    var linkName: String {
        let name = rawValue.hasPrefix(Self.prefix) ? String(rawValue.dropFirst(Self.prefix.count)) : rawValue
        return name.prefix(1).lowercased() + name.dropFirst()
    }
    init(linkName: String) { self.init(rawValue: Self.prefix + linkName.prefix(1).uppercased() + linkName.dropFirst()) }
}
