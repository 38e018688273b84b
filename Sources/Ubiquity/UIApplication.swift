import Foundation
import PadApp

/// The running app as the system sees it. Only background tasks; views, windows and state restoration are not modelled.
@MainActor public final class UIApplication {
    public static var shared: UIApplication { AppLink.current.singleton { UIApplication(AppLink.current) } }

    private let link: AppLink
    private var expirationHandlers: [Int: @MainActor @Sendable () -> Void] = [:]

    private init(_ link: AppLink) {
        self.link = link
        link.listen("app.backgroundTaskExpired") { [weak self] message in
            MainActor.assumeIsolated { self?.expired(Int(clamping: message["task"]?.int ?? 0)) }
        }
    }

    /// Asks for time after leaving the foreground: only as much as handing work over takes (S24-S26).
    /// - Parameter handler: called when the time is used up; it must end the task.
    /// - Returns: `.invalid` when the system gives none.
    public func beginBackgroundTask(
        withName taskName: String? = nil, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        let answer = link.call("app.beginBackgroundTask", ["name": .string(taskName ?? "")])
        let task = Int(clamping: answer["task"]?.int ?? 0)
        if task != 0 { expirationHandlers[task] = handler }
        return UIBackgroundTaskIdentifier(rawValue: task)
    }
    /// Once for each task; more are passed over.
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        guard identifier != .invalid else { return }
        expirationHandlers[identifier.rawValue] = nil
        link.call("app.endBackgroundTask", ["task": .int(identifier.rawValue)])
    }
    private func expired(_ task: Int) { expirationHandlers.removeValue(forKey: task)?() }
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No background time.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
