import CloudKit
import Foundation
import Ubiquity

/// An app whose lifecycle is an application delegate, as it was found. What is left to say is what the app is, how a person edits in it and what
/// it shows.
///
/// ```
/// final class Notes: DelegatedApp {
///     static let declaration = AppDeclaration(...)
///     let delegate = AppDelegate()
///     func perform(_ edit: Edit) async throws { try await delegate.store.save(edit.item, edit.value) }
///     func visibleState() async -> VisibleState { VisibleState(delegate.store.notes.map { Item(id: $0.id, kind: "note", text: $0.text) }) }
/// }
/// ```
@MainActor public protocol DelegatedApp: PadApp {
    /// The app's own delegate class.
    associatedtype Delegate: UIApplicationDelegate
    /// The delegate of this launch. Make it once: every lifecycle call goes to it.
    var delegate: Delegate { get }
}

extension DelegatedApp {
    nonisolated public static var delegateType: Any.Type { Delegate.self }
    private func options(_ reason: LaunchReason) -> [UIApplication.LaunchOptionsKey: Any]? {
        reason == .user ? nil : [.remoteNotification: [AnyHashable: Any]()]
    }
    /// Hands the launch to the delegate. The options are nil for a launch by a person; the `Bool` that the delegate returns decides
    /// nothing.
    public func application(willFinishLaunching reason: LaunchReason) async {
        _ = delegate.application(.shared, willFinishLaunchingWithOptions: options(reason))
    }
    /// As `application(willFinishLaunching:)`: the launch is complete when the delegate's method returns.
    public func application(didFinishLaunching reason: LaunchReason) async {
        _ = delegate.application(.shared, didFinishLaunchingWithOptions: options(reason))
    }
    /// Hands the call to the delegate; it must return before anything else happens in the app.
    public func applicationDidBecomeActive() async { delegate.applicationDidBecomeActive(.shared) }
    /// Hands the call to the delegate: the last moment that is promised to hand work over (S20).
    public func applicationWillResignActive() async { delegate.applicationWillResignActive(.shared) }
    /// Hands the call to the delegate, which must return within 5 s.
    public func applicationDidEnterBackground() async { delegate.applicationDidEnterBackground(.shared) }
    /// Hands the call to the delegate. A launch by a person does not bring it, only a return to the foreground (app-lifecycle.md 2).
    public func applicationWillEnterForeground() async { delegate.applicationWillEnterForeground(.shared) }
    /// Hands the call to the delegate. It may never come (S129-S133).
    public func applicationWillTerminate() async { delegate.applicationWillTerminate(.shared) }
    /// Hands the call to the delegate; the notification and the parts of the interface follow.
    public func applicationDidReceiveMemoryWarning() async { delegate.applicationDidReceiveMemoryWarning(.shared) }
    /// Hands a silent push to whichever of the two forms the delegate has written.
    public func application(didReceiveRemoteNotification userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult
    {
        await delegate.application(.shared, didReceiveRemoteNotification: userInfo)
    }
    /// Waits until the delegate calls the completion handler; the iPad ends the app after 30 s.
    public func applicationPerformsFetch() async -> UIBackgroundFetchResult {
        await withCheckedContinuation { whole in
            delegate.application(.shared) { whole.resume(returning: $0) }
        }
    }
    /// Waits until the delegate calls the stored handler: one that it never calls holds the app awake until its time is used up.
    public func application(handleEventsForBackgroundURLSession identifier: String) async {
        await withCheckedContinuation { whole in
            delegate.application(.shared, handleEventsForBackgroundURLSession: identifier) { whole.resume() }
        }
    }
    /// Fetches what the link leads to and hands it to the delegate; nothing happens when that fails.
    public func application(userDidAcceptCloudKitShareAt url: String) async {
        Task {
            guard let metadata = await CKShare.Metadata.opened(url) else { return }
            delegate.application(.shared, userDidAcceptCloudKitShareWith: metadata)
        }
    }
    /// Hands the URL to the delegate with empty options. False, and no call, for a text that is not a URL.
    public func application(open url: String) async -> Bool {
        guard let url = URL(string: url) else { return false }
        return delegate.application(.shared, open: url, options: [:])
    }
}
