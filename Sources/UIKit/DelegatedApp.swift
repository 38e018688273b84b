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
    associatedtype Delegate: UIApplicationDelegate
    var delegate: Delegate { get }
}

extension DelegatedApp {
    nonisolated public static var delegateType: Any.Type { Delegate.self }
    private func options(_ reason: LaunchReason) -> [UIApplication.LaunchOptionsKey: Any]? {
        reason == .user ? nil : [.remoteNotification: [AnyHashable: Any]()]
    }
    public func application(willFinishLaunching reason: LaunchReason) async {
        _ = delegate.application(.shared, willFinishLaunchingWithOptions: options(reason))
    }
    public func application(didFinishLaunching reason: LaunchReason) async {
        _ = delegate.application(.shared, didFinishLaunchingWithOptions: options(reason))
    }
    public func applicationDidBecomeActive() async { delegate.applicationDidBecomeActive(.shared) }
    public func applicationWillResignActive() async { delegate.applicationWillResignActive(.shared) }
    public func applicationDidEnterBackground() async { delegate.applicationDidEnterBackground(.shared) }
    public func applicationWillEnterForeground() async { delegate.applicationWillEnterForeground(.shared) }
    public func applicationWillTerminate() async { delegate.applicationWillTerminate(.shared) }
    public func applicationDidReceiveMemoryWarning() async { delegate.applicationDidReceiveMemoryWarning(.shared) }
    public func application(didReceiveRemoteNotification userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult
    {
        await delegate.application(.shared, didReceiveRemoteNotification: userInfo)
    }
    public func applicationPerformsFetch() async -> UIBackgroundFetchResult {
        await withCheckedContinuation { whole in
            delegate.application(.shared) { whole.resume(returning: $0) }
        }
    }
    public func application(handleEventsForBackgroundURLSession identifier: String) async {
        await withCheckedContinuation { whole in
            delegate.application(.shared, handleEventsForBackgroundURLSession: identifier) { whole.resume() }
        }
    }
    public func application(open url: String) async -> Bool {
        guard let url = URL(string: url) else { return false }
        return delegate.application(.shared, open: url, options: [:])
    }
}
