import Foundation
import PadApp

/// A version of a document: the current one, or one that lost a conflict (icloud-documents.md 8).
///
/// Losers stay, synced to every iPad, until somebody resolves them. Read a version with `Data(contentsOf: version.url)`.
/// Not modelled: versions that an app adds, versions that are not on this iPad.
public final class NSFileVersion: @unchecked Sendable {
    /// Where to read this version.
    public let url: URL
    /// When its content was saved; nil when that is not known.
    public let modificationDate: Date?
    /// The iPad that made it; nil for the current version.
    public let localizedNameOfSavingComputer: String?
    /// True for a version that lost a conflict, resolved or not.
    public let isConflict: Bool
    /// Set it once the version's content is merged or given up: the version disappears on every iPad. Never goes back to false.
    public var isResolved: Bool {
        get { resolved }
        set {
            guard newValue, !resolved else { return }
            resolved = true
            AppLink.current.call(DocumentMessages.Resolve.name, ["path": .string(path), "ids": [.string(id)]])
        }
    }

    /// How a version takes an item's place.
    public struct ReplacingOptions: OptionSet, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Takes any bits; those without a constant have no effect.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The version is used up: one that lost a conflict is resolved with it.
        public static let byMoving = ReplacingOptions(rawValue: 1)
    }

    private let path: String
    private let id: String
    private var resolved: Bool

    private init(path: String, id: String, url: URL, modified: Int64?, device: String?, isConflict: Bool) {
        self.path = path
        self.id = id
        self.url = url
        modificationDate = modified.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
        localizedNameOfSavingComputer = device
        self.isConflict = isConflict
        resolved = !isConflict
    }

    /// - Returns: nil when there is no such file on this iPad.
    public static func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
        let modified = (attributes[.modificationDate] as? Date).map { Int64($0.timeIntervalSince1970 * 1e9) }
        return NSFileVersion(path: url.path, id: "", url: url, modified: modified, device: nil, isConflict: false)
    }

    /// All versions beside the current one. ASSUMED: those that wait for a decision; resolved ones are gone at once.
    /// - Returns: nil when the item lies in no ubiquity container.
    public static func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        unresolvedConflictVersionsOfItem(at: url)
    }

    /// Writes this version's content to an item, in a coordinated write of the caller's; set `isResolved` then (icloud-documents.md 8).
    /// - Returns: where it lies now.
    /// - Throws: `CocoaError` 260 when the version is not here any more.
    @discardableResult public func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        let content = try Data(contentsOf: self.url)
        if self.url != url { try FileManager.default.write(url.path, content, atomic: true) }
        if options.contains(.byMoving), isConflict { isResolved = true }
        return url
    }

    /// The versions that wait for a decision; empty when there are none.
    /// - Returns: nil when the item lies in no ubiquity container.
    public static func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard UbiquityPath(url.path) != nil else { return nil }
        let answer = AppLink.current.call(DocumentMessages.Versions.name, ["path": .string(url.path)])
        return (answer["versions"]?.array ?? []).compactMap { version in
            guard let id = version["id"]?.string else { return nil }
            let place = FileVersions.current.keep(version["data"]?.data ?? [], id: id, of: url.path)
            return NSFileVersion(
                path: url.path, id: id, url: place, modified: version["modified"]?.int,
                device: version["device"]?.string,
                isConflict: true)
        }
    }

    /// A version that the Pad tells of; one that waits can be read, the others are gone.
    static func told(_ version: Value, of url: URL) -> NSFileVersion? {
        guard let id = version["id"]?.string else { return nil }
        if let waiting = unresolvedConflictVersionsOfItem(at: url)?.first(where: { $0.id == id }) { return waiting }
        let gone = NSFileVersion(
            path: url.path, id: id, url: FileVersions.place(of: id, url.path), modified: version["modified"]?.int,
            device: version["device"]?.string, isConflict: true)
        gone.resolved = true
        return gone
    }

    /// Resolves all that wait. Merge their content first: what nobody has read is gone.
    public static func removeOtherVersionsOfItem(at url: URL) throws {
        let ids = (unresolvedConflictVersionsOfItem(at: url) ?? []).map { Value.string($0.id) }
        guard !ids.isEmpty else { return }
        let body: Value = ["path": .string(url.path), "ids": .array(ids), "removing": true]
        _ = try AppLink.current.call(DocumentMessages.Resolve.name, body).orThrow()
    }
}

/// The contents of conflict versions that this launch has asked for, by the path of their `url`.
final class FileVersions {
    static var current: FileVersions { AppLink.current.singleton { FileVersions() } }

    private static let root = "/var/mobile/Library/Versions"
    private var contents: [String: [UInt8]] = [:]

    func keep(_ data: [UInt8], id: String, of path: String) -> URL {
        let url = Self.place(of: id, path)
        contents[url.path] = data
        return url
    }
    static func place(of id: String, _ path: String) -> URL {
        URL(filePath: "\(root)/\(id)\(path)", directoryHint: .notDirectory)
    }
    func data(at path: String) -> [UInt8]? { path.hasPrefix(Self.root) ? contents[path] : nil }
}
