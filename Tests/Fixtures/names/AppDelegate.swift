import CoreLocation
import Network
import Security
import UIKit

/// As Xcode's template and Apple's sample code write it.
final class AppDelegate: UIResponder, UIApplicationDelegate {
    let monitor = NWPathMonitor()
    var place: CLLocation?
    private(set) var heard: [String] = []

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.registerForRemoteNotifications()
        NotificationCenter.default.addObserver(
            forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
        ) { _ in print("back at \(Date())") }
        return true
    }
    func applicationDidEnterBackground(_ application: UIApplication) { heard.append("background") }
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        completionHandler(userInfo.isEmpty ? .noData : .newData)
    }
}
