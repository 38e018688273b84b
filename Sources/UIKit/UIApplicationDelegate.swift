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
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func applicationDidBecomeActive(_ application: UIApplication)
    func applicationWillResignActive(_ application: UIApplication)
    func applicationDidEnterBackground(_ application: UIApplication)
    func applicationWillEnterForeground(_ application: UIApplication)
    func applicationWillTerminate(_ application: UIApplication)
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)
    /// A silent push. Write one of the two forms; 30 s until the handler is called or the method returns.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool
    /// Never called: nobody here sends by a token.
    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
}

extension UIApplicationDelegate {
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DefaultCalls.note("application(_:willFinishLaunchingWithOptions:)", of: self)
        return true
    }
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DefaultCalls.note("application(_:didFinishLaunchingWithOptions:)", of: self)
        return true
    }
    public func applicationDidBecomeActive(_ application: UIApplication) {
        DefaultCalls.note("applicationDidBecomeActive(_:)", of: self)
    }
    public func applicationWillResignActive(_ application: UIApplication) {
        DefaultCalls.note("applicationWillResignActive(_:)", of: self)
    }
    public func applicationDidEnterBackground(_ application: UIApplication) {
        DefaultCalls.note("applicationDidEnterBackground(_:)", of: self)
    }
    public func applicationWillEnterForeground(_ application: UIApplication) {
        DefaultCalls.note("applicationWillEnterForeground(_:)", of: self)
    }
    public func applicationWillTerminate(_ application: UIApplication) {
        DefaultCalls.note("applicationWillTerminate(_:)", of: self)
    }
    public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        DefaultCalls.note("applicationDidReceiveMemoryWarning(_:)", of: self)
    }
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        DefaultCalls.note("application(_:didReceiveRemoteNotification:fetchCompletionHandler:)", of: self)
        completionHandler(.noData)
    }
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await withCheckedContinuation { whole in
            self.application(application, didReceiveRemoteNotification: userInfo) { whole.resume(returning: $0) }
        }
    }
    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        DefaultCalls.note("application(_:performFetchWithCompletionHandler:)", of: self)
        completionHandler(.noData)
    }
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        DefaultCalls.note("application(_:handleEventsForBackgroundURLSession:completionHandler:)", of: self)
        completionHandler()
    }
    public func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool {
        DefaultCalls.note("application(_:open:options:)", of: self)
        return false
    }
    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}
}

extension UIApplication {
    /// Why the app was launched. Nothing is in it for a launch by a person.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The launch is for an event, which comes by its own method. ASSUMED: of which kind is not told apart.
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
    }
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let openInPlace = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }
}
