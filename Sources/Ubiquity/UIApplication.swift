import Foundation
import PadApp

/// The running app as the system sees it: its state, its background tasks, protected data. Views and windows are not modelled.
@preconcurrency @MainActor public final class UIApplication {
    /// The one application object of this launch.
    public static var shared: UIApplication { AppLink.current.singleton { UIApplication(AppLink.current) } }

    private let link: AppLink
    private var expirationHandlers: [Int: @MainActor @Sendable () -> Void] = [:]

    private init(_ link: AppLink) {
        self.link = link
        link.listen(AppMessages.BackgroundTaskExpired.name) { [weak self] message in
            MainActor.assumeIsolated { self?.expired(Int(clamping: message["task"]?.int ?? 0)) }
        }
    }

    /// Asks for time after leaving the foreground: only as much as handing work over takes (S24-S26).
    /// - Parameter handler: called when the time is used up; it must end the task.
    /// - Returns: `.invalid` when the system gives none.
    public func beginBackgroundTask(
        withName taskName: String? = nil, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        let answer = link.call(AppMessages.BeginBackgroundTask.name, ["name": .string(taskName ?? "")])
        let task = Int(clamping: answer["task"]?.int ?? 0)
        if task != 0 { expirationHandlers[task] = handler }
        return UIBackgroundTaskIdentifier(rawValue: task)
    }
    /// Once for each task; more are passed over.
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        guard identifier != .invalid else { return }
        expirationHandlers[identifier.rawValue] = nil
        link.call(AppMessages.EndBackgroundTask { $0.task = Int64(identifier.rawValue) })
    }
    /// Shows a text later, unless the app is in front of the person then (`UILocalNotification`; the newer center is not modelled).
    public func scheduleLocalNotification(_ text: String, after seconds: TimeInterval) {
        let nanoseconds = Int64(exactly: (max(0, min(seconds, 1e9)) * 1e9).rounded()) ?? 0
        link.call(AppMessages.NotifyLocally { ($0.text, $0.after) = (text, nanoseconds) })
    }

    /// The system may fetch as often as it likes; it never fetches.
    public static let backgroundFetchIntervalMinimum: TimeInterval = 0
    /// Ends background fetches; the state of a new app.
    public static let backgroundFetchIntervalNever: TimeInterval = .greatestFiniteMagnitude
    /// The least time between two background fetches, a wish and no promise; never unless set. Kept over launches and restarts.
    public func setMinimumBackgroundFetchInterval(_ interval: TimeInterval) {
        let longest = 365 * 86_400.0
        let body: Value =
            interval > longest ? ["interval": .null] : ["interval": .int(Int64(max(0, interval) * 1000) * 1_000_000)]
        link.call(AppMessages.FetchInterval.name, body)
    }

    /// `inactive`: in the foreground without input, as during a launch by a person. `background`: also a launch for an event.
    public enum State: Int, Sendable { case active, inactive, background }

    /// At launch it tells whether the app is shown or runs for an event (S168).
    public var applicationState: State {
        switch link.answer(to: AppMessages.State()).state {
        case "active": .active
        case "background": .background
        default: .inactive
        }
    }
    /// Seconds until the expiration handlers; the greatest finite number on the screen, where no limit runs.
    public var backgroundTimeRemaining: TimeInterval {
        link.answer(to: AppMessages.State()).remaining.map { Double($0) / 1e9 } ?? .greatestFiniteMagnitude
    }
    /// False while the iPad is locked: files of class complete cannot be read (app-lifecycle.md 10).
    public var isProtectedDataAvailable: Bool { link.answer(to: AppMessages.State()).protectedData ?? true }

    /// Silent pushes come to every app that declares them, registered or not. ASSUMED: no token is given, because nobody here sends by one.
    public func registerForRemoteNotifications() {}
    /// Always true, since every app that declares silent pushes gets them.
    public var isRegisteredForRemoteNotifications: Bool { true }

    // Posted when the delegate's method of the same name has returned.
    /// The launch is complete.
    public static let didFinishLaunchingNotification = Notification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    /// The person can use the app.
    public static let didBecomeActiveNotification = Notification.Name("UIApplicationDidBecomeActiveNotification")
    /// The app leaves the foreground, or is interrupted.
    public static let willResignActiveNotification = Notification.Name("UIApplicationWillResignActiveNotification")
    /// The app has handed over what it had to; its background time runs.
    public static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    /// The app is on its way back, before it becomes active.
    public static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
    /// The process ends. It may never be posted (S129-S133).
    public static let willTerminateNotification = Notification.Name("UIApplicationWillTerminateNotification")
    /// Posted beside `applicationDidReceiveMemoryWarning()`: give back what can be made again.
    public static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
    /// A new day, or another time on the clock. Queued while the app is suspended (app-lifecycle.md 8).
    public static let significantTimeChangeNotification = Notification.Name(
        "UIApplicationSignificantTimeChangeNotification")
    /// The iPad is being locked: files of class complete are sealed soon (app-lifecycle.md 10).
    public static let protectedDataWillBecomeUnavailableNotification = Notification.Name(
        "UIApplicationProtectedDataWillBecomeUnavailableNotification")
    /// The iPad was unlocked: sealed files can be read again.
    public static let protectedDataDidBecomeAvailableNotification = Notification.Name(
        "UIApplicationProtectedDataDidBecomeAvailableNotification")

    private func expired(_ task: Int) { expirationHandlers.removeValue(forKey: task)?() }
}

/// Names one background task; from `beginBackgroundTask`.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// Unique in a launch; 0 for none.
    public let rawValue: Int
    /// Takes any number; `endBackgroundTask` passes over one that is not known.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No background time.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
