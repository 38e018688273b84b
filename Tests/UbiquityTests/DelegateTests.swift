import PadDouble
import Testing
import UIKit
import os.lock

@testable import Ubiquity

@Suite("Application delegates and logs as they are found", .timeLimit(.minutes(20))) struct DelegateTests {
    @Test("Delegate: each event reaches its method, then the observers of its notification, in that order")
    func lifecycle() throws {
        let pad = PadDouble()
        pad.launch(Wild.self)
        for event in [
            "app.willResignActive", "app.didEnterBackground", "app.willEnterForeground",
            "app.memoryWarning", "app.willTerminate",
        ] { pad.deliver(event) }
        pad.deliver("app.openURL", ["url": "notes://7"])
        #expect(
            try #require(pad.state()).items.map(\.id) == [
                "will launch, options false", "launched", "DidFinishLaunching", "active", "DidBecomeActive", "resign",
                "WillResignActive", "background", "DidEnterBackground", "foreground", "WillEnterForeground", "memory",
                "DidReceiveMemoryWarning", "terminate", "WillTerminate", "open notes://7",
            ])
    }

    @Test("Delegate: a launch for an event says so, and what a handler is called with is the answer")
    func events() throws {
        let pad = PadDouble()
        pad.launch(Wild.self, reason: "background")
        #expect(pad.ask("app.remoteNotification", ["payload": ["ck": 1]])?["result"] == "newData")
        #expect(pad.ask("app.performFetch")?["result"] == "failed")
        #expect(pad.ask("app.backgroundEvents", ["session": "uploads"]) != nil)
        #expect(
            try #require(pad.state()).items.map(\.id) == [
                "will launch, options true", "launched", "DidFinishLaunching", "push 1", "fetch", "events uploads",
            ])
    }

    @Test("Log: C's conversions take their values whatever their type, and what is in braces goes")
    func conversions() {
        #expect(
            formatted("%{public}@ of %d: %5.2f%% at %{private, mask.hash}s", ["note", 3, 2.5, "x"])
                == "note of 3: 2.5% at x")
        #expect(formatted("%@ and %@", ["one"]) == "one and <no value>")
        #expect(formatted("100%", []) == "100<no value>")
        #expect(formatted("%{open", []) == "<no value>")
    }

    @Test("Log: values by format, precision and alignment")
    func values() {
        let message: OSLogMessage =
            "\(255, format: .hex) \(2.345, format: .fixed(precision: 1))|\("ab", align: .right(columns: 4))|\("ab", align: .left(columns: 3), privacy: .private)|"
        #expect(message.text == "ff 2.3|  ab|ab |")
    }

    @Test("Unfair lock: code of an app waits for it, and what holds it goes on")
    func unfairLock() {
        let pad = PadDouble()
        let said = pad.run {
            nonisolated(unsafe) let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock())
            nonisolated(unsafe) var said: [String] = []
            let group = DispatchGroup()
            for name in ["a", "b"] {
                DispatchQueue.global().async(group: group) {
                    os_unfair_lock_lock(lock)
                    said.append("\(name) in")
                    Thread.sleep(forTimeInterval: 1)
                    said.append("\(name) out")
                    os_unfair_lock_unlock(lock)
                }
            }
            await withCheckedContinuation { whole in group.notify(queue: .main) { whole.resume() } }
            return said
        }
        #expect(said == ["a in", "a out", "b in", "b out"])
    }
}

private final class WildDelegate: UIResponder, UIApplicationDelegate {
    var heard: [String] = []
    private func hear(_ text: String) { heard.append(text) }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        hear("will launch, options \(launchOptions != nil)")
        for name in [
            UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
            UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
            UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
            UIApplication.didReceiveMemoryWarningNotification,
        ] {
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
                let name = notification.name.rawValue.dropFirst("UIApplication".count).dropLast("Notification".count)
                MainActor.assumeIsolated { self?.hear(String(name)) }
            }
        }
        return true
    }
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        hear("launched")
        return true
    }
    func applicationDidBecomeActive(_ application: UIApplication) { hear("active") }
    func applicationWillResignActive(_ application: UIApplication) { hear("resign") }
    func applicationDidEnterBackground(_ application: UIApplication) { hear("background") }
    func applicationWillEnterForeground(_ application: UIApplication) { hear("foreground") }
    func applicationWillTerminate(_ application: UIApplication) { hear("terminate") }
    func applicationDidReceiveMemoryWarning(_ application: UIApplication) { hear("memory") }
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        hear("push \(userInfo.count)")
        completionHandler(.newData)
    }
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        hear("fetch")
        completionHandler(.failed)
    }
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        hear("events \(identifier)")
        completionHandler()
    }
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        hear("open \(url.absoluteString)")
        return true
    }
}

private final class Wild: DelegatedApp {
    static let declaration = AppDeclaration(
        name: "wild", infoPlistPath: "", channel: .record, actions: [], promises: [:])
    let delegate = WildDelegate()
    func perform(_ edit: Edit) async throws {}
    func visibleState() async -> VisibleState {
        VisibleState(delegate.heard.map { Item(id: $0, kind: "event", digest: "") })
    }
}
