import Foundation
import PadApp

/// iCloud documents (icloud-documents.md 1, 4; identity.md 2).
extension FileManager {
    /// The iCloud identity of this app on this iPad; nil: signed out, or Documents & Data is off. Opaque: compare with `isEqual`.
    public var ubiquityIdentityToken: (any NSObjectProtocol)? { link.identity.map { NSString(string: $0) } }

    /// Opens a ubiquity container; nil identifier: the app's own, `iCloud.<bundle>`. Needed once a launch before its files are used.
    /// - Returns: nil when signed out or not entitled.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
        var question: Value = ["identifier": .optional(containerIdentifier)]
        // It may block (S84): a lint asks where it was called.
        if link.recordsHabits { question["main"] = .bool(link.isOnMain) }
        let answer = link.call(DocumentMessages.Container.name, question)
        return answer["path"]?.string.map { URL(filePath: $0, directoryHint: .isDirectory) }
    }

    public func isUbiquitousItem(at url: URL) -> Bool { UbiquityPath(url.path) != nil }

    /// Asks for an item's data; they come later (`NSMetadataQuery`), or never while there is no network.
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        guard isUbiquitousItem(at: url) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
        }
        link.ask(DocumentMessages.Download.name, ["path": .string(url.path)]) { _ in }
    }
    /// Removes the local data only. Fails while something of the item is not uploaded.
    public func evictUbiquitousItem(at url: URL) throws {
        try call(DocumentMessages.Evict.name, ["path": .string(url.path)])
    }

    /// Moves an item into a container (`flag` true) or out of it, coordinated.
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        let inside = flag ? destinationURL : url
        var begin: Value = ["path": .string(inside.path)]
        if !flag { begin["movedTo"] = .string(destinationURL.path) }
        try call(DocumentMessages.BeginWrite.name, begin)
        defer { link.call(DocumentMessages.EndWrite.name, ["path": .string(inside.path)]) }
        try moveItem(at: url, to: destinationURL)
        FilePresenters.current.moved(url.path, to: destinationURL, besides: nil)
    }
}

/// A path inside a ubiquity container: `/var/mobile/Library/Mobile Documents/<container>/...`.
struct UbiquityPath {
    static let root = "/var/mobile/Library/Mobile Documents/"
    var container: String

    init?(_ path: String) {
        guard path.hasPrefix(Self.root), let name = path.dropFirst(Self.root.count).split(separator: "/").first else {
            return nil
        }
        container = String(name)
    }
}
