// Apple's names:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// The running app's notification center. Delivery is synchronous, in the order of registration.
///
/// System notices (`.NSUbiquityIdentityDidChange`, the key-value store's) are posted on the main actor. Not modelled: selectors,
/// queues (a given queue is ignored: everything runs on the app's one loop).
public final class NotificationCenter: @unchecked Sendable {
    public static var `default`: NotificationCenter {
        AppLink.current.singleton {
            let center = NotificationCenter()
            // Registered with the first observer at the latest: who does not observe misses nothing.
            AppLink.current.listen(AppMessages.IdentityChanged.name) { [weak center] message in
                let changed = message["changed"]?.strings ?? []
                if changed.contains("identity") {
                    center?.post(name: .NSUbiquityIdentityDidChange, object: FileManager.default)
                }
                // Of `CKContainer` (module CloudKit). ASSUMED: also while no container lives, after the token's notice.
                if changed.contains("accountStatus") {
                    center?.post(name: Notification.Name("CKAccountChanged"), object: nil)
                }
            }
            for (message, name) in [
                (AppMessages.MemoryWarning.name, "DidReceiveMemoryWarning"),
                (AppMessages.DidFinishLaunching.name, "DidFinishLaunching"),
                (AppMessages.DidBecomeActive.name, "DidBecomeActive"),
                (AppMessages.WillResignActive.name, "WillResignActive"),
                (AppMessages.DidEnterBackground.name, "DidEnterBackground"),
                (AppMessages.WillEnterForeground.name, "WillEnterForeground"),
                (AppMessages.WillTerminate.name, "WillTerminate"),
            ] {
                AppLink.current.listen(message) { [weak center] _ in
                    center?.post(name: Notification.Name("UIApplication\(name)Notification"), object: nil)
                }
            }
            AppLink.current.listen(AppMessages.Notice.name) { [weak center] message in
                // Who hears of changed settings finds them changed.
                if let values = message["values"]?.object { UserDefaults.standard.take(values) }
                let info = message["info"].map(PropertyList.any) as? [String: Any]
                center?.post(
                    name: Notification.Name((message["name"]?.string ?? "") + "Notification"), object: nil,
                    userInfo: info)
            }
            return center
        }
    }

    private final class Observer: NSObject {
        let name: Notification.Name?
        let object: AnyObject?
        let block: @Sendable (Notification) -> Void
        init(_ name: Notification.Name?, _ object: AnyObject?, _ block: @escaping @Sendable (Notification) -> Void) {
            self.name = name
            self.object = object
            self.block = block
        }
    }
    private var observers: [Observer] = []

    public init() {}

    /// - Parameters:
    ///   - name: nil: every notification.
    ///   - obj: only what this object posts; nil: everybody's.
    /// - Returns: what `removeObserver` takes.
    @discardableResult public func addObserver(
        forName name: Notification.Name?, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let observer = Observer(name, obj.map { $0 as AnyObject }, block)
        observers.append(observer)
        return observer
    }
    public func removeObserver(_ observer: Any) {
        let gone = observer as AnyObject
        observers.removeAll { $0 === gone }
    }

    public func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil) {
        post(Notification(name: name, object: object, userInfo: userInfo))
    }
    public func post(_ notification: Notification) {
        let sender = notification.object.map { $0 as AnyObject }
        for observer in observers where observer.name == nil || observer.name == notification.name {
            if let wanted = observer.object, wanted !== sender { continue }
            observer.block(notification)
        }
    }

    /// The notifications as they come; ends when its task is cancelled.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> AsyncStream<Notification> {
        AsyncStream { continuation in
            let observer = addObserver(forName: name, object: object, queue: nil) { notification in
                nonisolated(unsafe) let notification = notification
                continuation.yield(notification)
            }
            nonisolated(unsafe) let gone = observer
            continuation.onTermination = { [weak self] _ in self?.removeObserver(gone) }
        }
    }
}

extension Notification.Name {
    /// The person signed in to or out of iCloud, or turned Documents & Data on or off. Compare `ubiquityIdentityToken` (identity.md 2).
    public static let NSUbiquityIdentityDidChange = Notification.Name("NSUbiquityIdentityDidChangeNotification")
}
