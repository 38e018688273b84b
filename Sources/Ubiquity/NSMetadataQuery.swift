// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// The only way to see all items of the ubiquity containers, placeholders included (icloud-documents.md 5).
///
/// Gathers once, then follows the daemon's changes. Not modelled: sorting (by path), value lists, batching.
public final class NSMetadataQuery: NSObject, @unchecked Sendable {
    /// `NSMetadataQueryUbiquitousDocumentsScope` (the default) or `NSMetadataQueryUbiquitousDataScope`.
    public var searchScopes: [Any] = [NSMetadataQueryUbiquitousDocumentsScope]
    /// Which items of the scope are found, by the `NSMetadata...Key` attributes; nil: all.
    public var predicate: NSPredicate?
    public private(set) var isStarted = false
    public private(set) var isGathering = false
    /// `NSMetadataItem`s by path. Stays as it was while updates are disabled.
    public private(set) var results: [Any] = []
    public var resultCount: Int { results.count }

    private let link = AppLink.current
    private var isListening = false
    private var disabled = 0
    private var isStale = false

    public override init() {}

    /// - Returns: false when it is running already, or its predicate is none.
    @discardableResult public func start() -> Bool {
        guard !isStarted, (try? predicate?.condition.get()) != nil || predicate == nil else { return false }
        (isStarted, isGathering) = (true, true)
        if !isListening {
            isListening = true
            link.listen(DocumentMessages.Changed.name) { [weak self] _ in self?.changed() }
        }
        Task { @MainActor in
            guard isStarted else { return }
            isGathering = false
            results = gather()
            NotificationCenter.default.post(name: .NSMetadataQueryDidFinishGathering, object: self)
        }
        return true
    }
    public func stop() { (isStarted, isGathering) = (false, false) }
    public func disableUpdates() { disabled += 1 }
    public func enableUpdates() {
        disabled = max(0, disabled - 1)
        if disabled == 0, isStale { changed() }
    }

    private func changed() {
        guard isStarted, !isGathering else { return }
        isStale = disabled > 0
        guard !isStale else { return }
        results = gather()
        Task { @MainActor in NotificationCenter.default.post(name: .NSMetadataQueryDidUpdate, object: self) }
    }
    private func gather() -> [NSMetadataItem] {
        // The system's own look, on whatever thread: no habit of the app (S84).
        guard let folder = link.call(DocumentMessages.Container.name, ["identifier": .null])["path"]?.string else {
            return []
        }
        let container = URL(filePath: folder, directoryHint: .isDirectory)
        let documents = container.path + "/Documents/"
        let wantsDocuments = searchScopes.contains { $0 as? String == NSMetadataQueryUbiquitousDocumentsScope }
        let wantsData = searchScopes.contains { $0 as? String == NSMetadataQueryUbiquitousDataScope }
        let items =
            link.call(DocumentMessages.List.name, ["container": .string(container.lastPathComponent)])["items"]?.array
            ?? []
        let condition = try? predicate?.condition.get()
        return items.compactMap(NSMetadataItem.init).filter { item in
            (item.path.hasPrefix(documents) ? wantsDocuments : wantsData)
                && condition?.holds(item.value(forAttribute:)) ?? true
        }
    }
}

/// One item of a query: its place and how far it is in sync.
public final class NSMetadataItem: NSObject, @unchecked Sendable {
    let path: String
    private let entry: Value

    init?(_ entry: Value) {
        guard let path = entry["path"]?.string else { return nil }
        self.path = path
        self.entry = entry
    }

    /// - Parameter key: one of the `NSMetadata...Key` constants; nil for others.
    public func value(forAttribute key: String) -> Any? {
        switch key {
        case NSMetadataItemURLKey: URL(filePath: path, directoryHint: .notDirectory)
        case NSMetadataItemPathKey: path
        case NSMetadataItemFSNameKey: path.split(separator: "/").last.map(String.init)
        case NSMetadataItemFSSizeKey: metadata["size"]?.int.map { Int(clamping: $0) }
        case NSMetadataItemFSContentChangeDateKey:
            metadata["modified"]?.int.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
        case NSMetadataUbiquitousItemDownloadingStatusKey: status
        case NSMetadataUbiquitousItemIsUploadedKey: entry["uploaded"]?.bool ?? false
        case NSMetadataUbiquitousItemIsUploadingKey: entry["uploading"]?.bool ?? false
        case NSMetadataUbiquitousItemHasUnresolvedConflictsKey: entry["conflicts"]?.bool ?? false
        case NSMetadataUbiquitousItemIsDownloadingKey: entry["downloading"]?.bool ?? false
        case NSMetadataUbiquitousItemDownloadRequestedKey: entry["requested"]?.bool ?? false
        case NSMetadataUbiquitousItemUploadingErrorKey: error("uploadError")
        case NSMetadataUbiquitousItemDownloadingErrorKey: error("downloadError")
        // ASSUMED: a transfer is told as nothing or whole.
        case NSMetadataUbiquitousItemPercentUploadedKey: entry["uploaded"]?.bool ?? false ? 100.0 : 0.0
        case NSMetadataUbiquitousItemPercentDownloadedKey: entry["status"] == "notDownloaded" ? 0.0 : 100.0
        default: nil
        }
    }
    private func error(_ key: String) -> NSError? { NSError.ubiquity(entry[key]?.int.map { Int(clamping: $0) }) }
    /// Size and time are known of every item, wherever its data are (S67). As they were when the query looked: whoever goes through a
    /// thousand items at each update asks the daemon nothing more.
    private var metadata: Value {
        entry["modified"] == nil ? AppLink.current.call(DocumentMessages.Metadata.name, ["path": .string(path)]) : entry
    }
    private var status: String {
        switch entry["status"]?.string {
        case "current": NSMetadataUbiquitousItemDownloadingStatusCurrent
        case "downloaded": NSMetadataUbiquitousItemDownloadingStatusDownloaded
        default: NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
        }
    }
}

extension Notification.Name {
    /// The first gathering is done; `object` is the query.
    public static let NSMetadataQueryDidFinishGathering = Notification.Name(
        "NSMetadataQueryDidFinishGatheringNotification")
    /// Items came, went or changed.
    public static let NSMetadataQueryDidUpdate = Notification.Name("NSMetadataQueryDidUpdateNotification")
}

/// Scope: what people see, below `Documents`.
public let NSMetadataQueryUbiquitousDocumentsScope = "NSMetadataQueryUbiquitousDocumentsScope"
/// Scope: everything beside `Documents`.
public let NSMetadataQueryUbiquitousDataScope = "NSMetadataQueryUbiquitousDataScope"
public let NSMetadataItemURLKey = "kMDItemURL"
public let NSMetadataItemPathKey = "kMDItemPath"
public let NSMetadataItemFSNameKey = "kMDItemFSName"
/// Bytes of the newest version.
public let NSMetadataItemFSSizeKey = "kMDItemFSSize"
/// Time of the newest version's edit.
public let NSMetadataItemFSContentChangeDateKey = "kMDItemFSContentChangeDate"
public let NSMetadataUbiquitousItemDownloadingStatusKey = "NSMetadataUbiquitousItemDownloadingStatusKey"
public let NSMetadataUbiquitousItemIsUploadedKey = "NSMetadataUbiquitousItemIsUploadedKey"
public let NSMetadataUbiquitousItemIsUploadingKey = "NSMetadataUbiquitousItemIsUploadingKey"
public let NSMetadataUbiquitousItemHasUnresolvedConflictsKey = "NSMetadataUbiquitousItemHasUnresolvedConflictsKey"
public let NSMetadataUbiquitousItemIsDownloadingKey = "NSMetadataUbiquitousItemIsDownloadingKey"
public let NSMetadataUbiquitousItemDownloadRequestedKey = "NSMetadataUbiquitousItemDownloadRequestedKey"
public let NSMetadataUbiquitousItemPercentUploadedKey = "NSMetadataUbiquitousItemPercentUploadedKey"
public let NSMetadataUbiquitousItemPercentDownloadedKey = "NSMetadataUbiquitousItemPercentDownloadedKey"
/// `NSError` 4354 (no space in the account) or 4355 (no answer), until an upload goes through (icloud-documents.md 10).
public let NSMetadataUbiquitousItemUploadingErrorKey = "NSMetadataUbiquitousItemUploadingErrorKey"
public let NSMetadataUbiquitousItemDownloadingErrorKey = "NSMetadataUbiquitousItemDownloadingErrorKey"
/// No data on this iPad.
public let NSMetadataUbiquitousItemDownloadingStatusNotDownloaded =
    "NSMetadataUbiquitousItemDownloadingStatusNotDownloaded"
/// A copy that is older than the account's.
public let NSMetadataUbiquitousItemDownloadingStatusDownloaded = "NSMetadataUbiquitousItemDownloadingStatusDownloaded"
/// The newest version, as far as the iPad knows.
public let NSMetadataUbiquitousItemDownloadingStatusCurrent = "NSMetadataUbiquitousItemDownloadingStatusCurrent"
