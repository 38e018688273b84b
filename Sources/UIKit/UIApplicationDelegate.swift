import CloudKit
import Foundation
import Ubiquity

/// The head of the chain that events go along; without views it is only the class that delegates inherit from.
@MainActor open class UIResponder: NSObject {}

/// What the system tells an app (UIKit, "UIApplicationDelegate"): write it as for an iPad, and hand it over by `DelegatedApp`.
/// Scenes, views and user activities are not modelled.
@MainActor public protocol UIApplicationDelegate: AnyObject {
    /// ASSUMED: what they return decides nothing here.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// The launch is complete when this returns; the interface of an earlier launch is restored before it (app-lifecycle.md 2).
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// The person can use the app from here on.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// The last moment that is promised to hand work over (S20).
    func applicationWillResignActive(_ application: UIApplication)
    /// Must return within 5 s; longer work needs `beginBackgroundTask`.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// On a return to the foreground, before `applicationDidBecomeActive`; not at a launch.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// May never be called (S129-S133): save before.
    func applicationWillTerminate(_ application: UIApplication)
    /// Give back what can be made again.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)
    /// A silent push. Write one of the two forms; 30 s until the handler is called or the method returns.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    /// The same without a handler: returning is the answer.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult
    /// Time to look for something new, for an app that declares `fetch` and has set an interval; 30 s until the handler is called.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    /// Background transfers finished while the app was not running. Make the session again, and call the handler when its events are
    /// through.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
    /// A URL or a received file, before the app is active. Returns whether the app could do something with it. `options` is always empty.
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool
    /// A person opened a link to a share: accept it (`CKAcceptSharesOperation`).
    func application(
        _ application: UIApplication, userDidAcceptCloudKitShareWith cloudKitShareMetadata: CKShare.Metadata)
    /// Never called: nobody here sends by a token.
    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    /// Never called: registering does not fail here.
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
}

extension UIApplicationDelegate {
    /// Does nothing and returns true.
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DefaultCalls.note("application(_:willFinishLaunchingWithOptions:)", of: self)
        return true
    }
    /// Does nothing and returns true.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DefaultCalls.note("application(_:didFinishLaunchingWithOptions:)", of: self)
        return true
    }
    /// Does nothing.
    public func applicationDidBecomeActive(_ application: UIApplication) {
        DefaultCalls.note("applicationDidBecomeActive(_:)", of: self)
    }
    /// Does nothing.
    public func applicationWillResignActive(_ application: UIApplication) {
        DefaultCalls.note("applicationWillResignActive(_:)", of: self)
    }
    /// Does nothing.
    public func applicationDidEnterBackground(_ application: UIApplication) {
        DefaultCalls.note("applicationDidEnterBackground(_:)", of: self)
    }
    /// Does nothing.
    public func applicationWillEnterForeground(_ application: UIApplication) {
        DefaultCalls.note("applicationWillEnterForeground(_:)", of: self)
    }
    /// Does nothing.
    public func applicationWillTerminate(_ application: UIApplication) {
        DefaultCalls.note("applicationWillTerminate(_:)", of: self)
    }
    /// Does nothing.
    public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        DefaultCalls.note("applicationDidReceiveMemoryWarning(_:)", of: self)
    }
    /// Answers `.noData` at once.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        DefaultCalls.note("application(_:didReceiveRemoteNotification:fetchCompletionHandler:)", of: self)
        completionHandler(.noData)
    }
    /// Calls the form with a handler and waits for it: an app that has written only that one is served by this.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await withCheckedContinuation { whole in
            self.application(application, didReceiveRemoteNotification: userInfo) { whole.resume(returning: $0) }
        }
    }
    /// Answers `.noData` at once.
    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        DefaultCalls.note("application(_:performFetchWithCompletionHandler:)", of: self)
        completionHandler(.noData)
    }
    /// Calls the handler at once.
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        DefaultCalls.note("application(_:handleEventsForBackgroundURLSession:completionHandler:)", of: self)
        completionHandler()
    }
    /// Returns false: the app does not open URLs.
    public func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool {
        DefaultCalls.note("application(_:open:options:)", of: self)
        return false
    }
    /// Does nothing: the app takes no part in shares.
    public func application(
        _ application: UIApplication, userDidAcceptCloudKitShareWith cloudKitShareMetadata: CKShare.Metadata
    ) {
        DefaultCalls.note("application(_:userDidAcceptCloudKitShareWith:)", of: self)
    }
    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    /// Does nothing; never called.
    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}
}

extension UIApplication {
    /// Why the app was launched. Nothing is in it for a launch by a person.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's constant, so that an archived key compares equal.
        public let rawValue: String
        /// Takes any text: a key that the iPad never sets is simply not in the options.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The launch is for an event, which comes by its own method. ASSUMED: of which kind is not told apart.
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        /// ASSUMED: never set here. A URL comes by `application(_:open:options:)` after the launch that it caused.
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
    }
    /// How a URL is to be opened. The options are always empty here.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's constant.
        public let rawValue: String
        /// Takes any text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Never set: a received file is the app's own copy.
        public static let openInPlace = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }
}
