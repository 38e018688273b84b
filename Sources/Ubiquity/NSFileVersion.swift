import Foundation
import PadApp

/// A version of a document: the current one, or one that lost a conflict (icloud-documents.md 8).
///
/// Losers stay, synced to every iPad, until somebody resolves them. Read a version with `Data(contentsOf: version.url)`.
/// Not modelled: versions that an app adds, `replaceItem`, versions that are not on this iPad.
public final class NSFileVersion: @unchecked Sendable {
    /// Where to read this version.
    public let url: URL
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
            AppLink.current.call("docs.resolve", ["path": .string(path), "ids": [.string(id)]])
        }
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

    /// The versions that wait for a decision; empty when there are none.
    /// - Returns: nil when the item lies in no ubiquity container.
    public static func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard UbiquityPath(url.path) != nil else { return nil }
        let answer = AppLink.current.call("docs.versions", ["path": .string(url.path)])
        return (answer["versions"]?.array ?? []).compactMap { version in
            guard let id = version["id"]?.string else { return nil }
            let place = FileVersions.current.keep(version["data"]?.data ?? [], id: id, of: url.path)
            return NSFileVersion(
                path: url.path, id: id, url: place, modified: version["modified"]?.int,
                device: version["device"]?.string,
                isConflict: true)
        }
    }

    /// Resolves all that wait. Merge their content first: what nobody has read is gone.
    public static func removeOtherVersionsOfItem(at url: URL) throws {
        let ids = (unresolvedConflictVersionsOfItem(at: url) ?? []).map { Value.string($0.id) }
        guard !ids.isEmpty else { return }
        _ = try AppLink.current.call("docs.resolve", ["path": .string(url.path), "ids": .array(ids)]).orThrow()
    }
}

/// The contents of conflict versions that this launch has asked for, by the path of their `url`.
final class FileVersions {
    static var current: FileVersions { AppLink.current.singleton { FileVersions() } }

    private static let root = "/var/mobile/Library/Versions"
    private var contents: [String: [UInt8]] = [:]

    func keep(_ data: [UInt8], id: String, of path: String) -> URL {
        let url = URL(filePath: "\(Self.root)/\(id)\(path)", directoryHint: .notDirectory)
        contents[url.path] = data
        return url
    }
    func data(at path: String) -> [UInt8]? { path.hasPrefix(Self.root) ? contents[path] : nil }
}
