import Foundation
import PadApp

// What a presenter may hear beside its item's content (icloud-documents.md 6): versions that lost a conflict, eviction, sync, and what lies in a
// folder that it presents. All of it has happened when it is told (ASSUMED: nobody waits for the answers).
extension NSFilePresenter {
    /// A version lost a conflict and can be read.
    public func presentedItemDidGain(_ version: NSFileVersion) {}
    /// A version was thrown away.
    public func presentedItemDidLose(_ version: NSFileVersion) {}
    /// Another device or app has settled a conflict.
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
    /// The item's data are gone from this iPad.
    public func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    /// What a presenter wants to hear of; empty by default: nothing.
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }
    /// The item is further in sync, or less.
    public func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
    /// By default nothing: an item is new in the presented folder.
    public func presentedSubitemDidAppear(at url: URL) {}
    /// By default a change of the folder itself, as of a package.
    public func presentedSubitemDidChange(at url: URL) { presentedItemDidChange() }
    /// By default nothing: an item of the presented folder is somewhere else, perhaps outside of it.
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}
    /// By default nothing is in the way. The item is gone already, and an error keeps nobody away.
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
    /// By default nothing: a version of an item in the folder lost a conflict and can be read.
    public func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
    /// By default nothing: a version of an item in the folder was thrown away.
    public func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    /// By default nothing: another device or app has settled a conflict of an item in the folder.
    public func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}

extension FilePresenters {
    /// Presenters of folders that a place lies in.
    func above(_ path: String, but own: (any NSFilePresenter)?) -> [any NSFilePresenter] {
        all.filter { presenter in
            guard presenter !== own, let folder = presenter.presentedItemURL?.path else { return false }
            return path.hasPrefix(folder + "/")
        }
    }

    /// What the Pad tells of versions, eviction and parts of folders.
    /// - Returns: whether nothing more is to be told: neither a change, nor a move, nor a deletion of the item.
    func heardOfParts(_ message: Message, _ path: String) -> Bool {
        let url = URL(filePath: path)
        let (items, folders) = (of(path, but: nil), above(path, but: nil))
        switch message["change"]?.string {
        case "appeared": for folder in folders { folder.presentedSubitemDidAppear(at: url) }
        case "attributes":
            let keys = Set((message["names"]?.strings ?? []).compactMap { Self.attributes[$0] })
            for item in items {
                let wanted = keys.intersection(item.observedPresentedItemUbiquityAttributes)
                if !wanted.isEmpty { item.presentedItemDidChangeUbiquityAttributes(wanted) }
            }
        case "evicted": for item in items { item.accommodatePresentedItemEviction { _ in } }
        case "deleted":
            for folder in folders { folder.accommodatePresentedSubitemDeletion(at: url) { _ in } }
            return items.isEmpty
        case "gained", "lost", "resolved":
            guard let version = message["version"].flatMap({ NSFileVersion.told($0, of: url) }) else { return true }
            for item in items {
                switch message["change"] {
                case "gained": item.presentedItemDidGain(version)
                case "lost": item.presentedItemDidLose(version)
                default: item.presentedItemDidResolveConflict(version)
                }
            }
            for folder in folders {
                switch message["change"] {
                case "gained": folder.presentedSubitem(at: url, didGain: version)
                case "lost": folder.presentedSubitem(at: url, didLose: version)
                default: folder.presentedSubitem(at: url, didResolve: version)
                }
            }
        default: return false
        }
        return true
    }
    /// Members of an entry of `docs.list` as Foundation names them.
    private static let attributes: [String: URLResourceKey] = [
        "status": .ubiquitousItemDownloadingStatusKey, "uploaded": .ubiquitousItemIsUploadedKey,
        "uploading": .ubiquitousItemIsUploadingKey, "conflicts": .ubiquitousItemHasUnresolvedConflictsKey,
        "downloading": .ubiquitousItemIsDownloadingKey, "requested": .ubiquitousItemDownloadRequestedKey,
        "uploadError": .ubiquitousItemUploadingErrorKey, "downloadError": .ubiquitousItemDownloadingErrorKey,
    ]
}
