import CloudKit
import Foundation
import UIKit

protocol CloudManagerDelegate: AnyObject {
    func cloudManager(_ manager: CloudManager, didReceive keys: [String])
}

/// One manager for settings and documents.
@objcMembers
public class CloudManager: NSObject {

    // MARK: - Singleton
    public static let sharedManager = CloudManager()

    weak var delegate: CloudManagerDelegate?
    dynamic var progress: Float = 0
    private let store = NSUbiquitousKeyValueStore.default
    private let defaults = UserDefaults.standard
    private let groupDefaults = UserDefaults(suiteName: "group.com.example.manager")
    private var query: NSMetadataQuery?
    private var observation: NSKeyValueObservation?
    private var backgroundTask: UIBackgroundTaskIdentifier = .invalid
    private var timer: Timer?

    private override init() {
        super.init()
        NotificationCenter.default.addObserver(
            self, selector: #selector(storeDidChange(_:)),
            name: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store)
        observation = observe(\.progress, options: [.new]) { manager, change in
            print(manager.progress, change)
        }
        defaults.addObserver(self, forKeyPath: "theme", options: .new, context: nil)
        timer = Timer.scheduledTimer(withTimeInterval: 30, repeats: true) { [weak self] _ in self?.synchronize() }
        Timer.scheduledTimer(timeInterval: 60, target: self, selector: #selector(tick), userInfo: nil, repeats: true)
        store.synchronize()
    }

    public override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard let keyPath = keyPath else { return }
        store.set(defaults.object(forKey: keyPath), forKey: keyPath)
    }

    @objc private func storeDidChange(_ notification: Notification) {
        guard let info = notification.userInfo,
            let reason = info[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
        else { return }
        switch reason {
        case NSUbiquitousKeyValueStoreServerChange, NSUbiquitousKeyValueStoreInitialSyncChange:
            let keys = info[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            for key in keys { defaults.set(store.object(forKey: key), forKey: key) }
            delegate?.cloudManager(self, didReceive: keys)
        case NSUbiquitousKeyValueStoreQuotaViolationChange:
            NSLog("over the quota")
        default:
            break
        }
    }

    @objc func tick() { synchronize() }

    func synchronize() {
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "sync") { [weak self] in
            self?.endTask()
        }
        store.synchronize()
        performSelector(onMainThread: #selector(tick), with: nil, waitUntilDone: false)
        endTask()
    }

    private func endTask() {
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }

    // MARK: - Documents

    var documents: URL? {
        FileManager.default.url(forUbiquityContainerIdentifier: nil)?.appendingPathComponent("Documents")
    }

    func startQuery() {
        let query = NSMetadataQuery()
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        query.notificationBatchingInterval = 1
        query.start()
        query.enableUpdates()
        self.query = query
    }

    func save(_ text: String, as name: String) throws {
        guard let url = documents?.appendingPathComponent(name) else { return }
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var coordinationError: NSError?
        var writeError: Error?
        coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: &coordinationError) { url in
            do {
                try text.write(to: url, atomically: true, encoding: .utf8)
            } catch {
                writeError = error
            }
        }
        if let error = coordinationError ?? writeError { throw error }
    }

    func names() -> [String] {
        guard let documents = documents else { return [] }
        let keys: [URLResourceKey] = [.ubiquitousItemDownloadingStatusKey]
        let urls =
            (try? FileManager.default.contentsOfDirectory(
                at: documents, includingPropertiesForKeys: keys, options: .skipsHiddenFiles)) ?? []
        return urls.map { $0.lastPathComponent }.sorted()
    }

    func evict(_ name: String) {
        guard let url = documents?.appendingPathComponent(name) else { return }
        try? FileManager.default.evictUbiquitousItem(at: url)
        try? FileManager.default.trashItem(at: url, resultingItemURL: nil)
    }

    func resolve(_ url: URL) throws {
        guard let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) else { return }
        for version in versions { version.isResolved = true }
        try NSFileVersion.removeOtherVersionsOfItem(at: url)
    }

    func haptic() {
        let generator = UINotificationFeedbackGenerator()
        generator.notificationOccurred(.success)
    }

    func model() -> String {
        let name = UIDevice.current.name
        let vendor = UIDevice.current.identifierForVendor?.uuidString ?? "none"
        return "\(name) \(vendor) \(String(describing: UIDevice.current.systemVersion))"
    }

    func archive(_ object: [String: Any]) -> Data? {
        return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    func legacy(_ data: Data) -> Any? {
        return NSKeyedUnarchiver.unarchiveObject(with: data)
    }
}
