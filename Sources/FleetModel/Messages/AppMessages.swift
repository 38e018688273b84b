/// The life cycle of an app (app-lifecycle.md 2), and what it asks of the system.
public enum AppMessages {
    static let all: [any LocalMessage.Type] = [
        DidFinishLaunching.self, DidBecomeActive.self, WillResignActive.self, DidEnterBackground.self,
        WillEnterForeground.self, WillTerminate.self, MemoryWarning.self, RemoteNotification.self,
        BackgroundEvents.self, IdentityChanged.self, BackgroundTaskExpired.self, OpenURL.self, Notice.self,
        SaveState.self, PerformFetch.self, Wake.self, LocalNotification.self, NetworkPath.self,
        BeginBackgroundTask.self, EndBackgroundTask.self, State.self, IdentifierForVendor.self, WatchNetwork.self,
        SettingsTaken.self, NotifyLocally.self, FetchInterval.self, KeepState.self, RestoreState.self, Habit.self,
    ]

    /// What the system takes note of when a callback has returned.
    public struct Returned: FieldGroup {
        public var preserves = false
        public var resident: Int?
        public var result: String?
        public var screen: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.unless(false, "preserves", &preserves)
            fields.optional("resident", &resident)
            fields.optional("result", &result)
            fields.optional("screen", &screen)
        }
    }

    // MARK: Callbacks

    public struct DidFinishLaunching: LocalQuestion {
        public static var name: String { "app.didFinishLaunching" }
        public static var about: String { "then, in the foreground, `app.didBecomeActive`" }
        public typealias Answer = Returned
        public var reason = ""
        public var url: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("reason", &reason)
            fields.optional("url", &url)
        }
    }
    public struct DidBecomeActive: LocalQuestion {
        public static var name: String { "app.didBecomeActive" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct WillResignActive: LocalQuestion {
        public static var name: String { "app.willResignActive" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct DidEnterBackground: LocalQuestion {
        public static var name: String { "app.didEnterBackground" }
        public static var about: String { "5 s" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct WillEnterForeground: LocalQuestion {
        public static var name: String { "app.willEnterForeground" }
        public static var about: String { "5 s" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct WillTerminate: LocalQuestion {
        public static var name: String { "app.willTerminate" }
        public static var about: String { "5 s" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct MemoryWarning: LocalQuestion {
        public static var name: String { "app.memoryWarning" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct RemoteNotification: LocalQuestion {
        public static var name: String { "app.remoteNotification" }
        public static var about: String {
            "silent push; 30 s, for the app's method and then for libraries that asked for it (a sync engine). Starts or wakes an app that declares `remote-notification` in `UIBackgroundModes`, 3 times an hour, 2 while the last one brought nothing; else it waits. The answer's `result`: newData, noData or failed"
        }
        public typealias Answer = Returned
        public var payload = Value.empty
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("payload", &payload) }
    }
    public struct BackgroundEvents: LocalQuestion {
        public static var name: String { "app.backgroundEvents" }
        public static var about: String { "finished background transfers after a relaunch" }
        public typealias Answer = Returned
        public var session = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("session", &session) }
    }
    public struct IdentityChanged: LocalQuestion {
        public static var name: String { "app.identityChanged" }
        public static var about: String {
            "`NSUbiquityIdentityDidChange` when the token is another, `CKAccountChanged` when the status is; queued while suspended"
        }
        public typealias Answer = Returned
        public var accountStatus: Int64?
        /// What differs from what the launch was told before: the link's own end adds it.
        public var changed: [String]?
        public var identity: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("accountStatus", &accountStatus, "0-4")
            fields.optional("changed", &changed, "`identity`, `accountStatus`; added by the app's end of the link")
            fields.nullable("identity", &identity, "token")
        }
    }
    public struct BackgroundTaskExpired: LocalQuestion {
        public static var name: String { "app.backgroundTaskExpired" }
        public static var about: String { "expiration handler" }
        public typealias Answer = Returned
        public var task: Int64 = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("task", &task) }
    }
    public struct OpenURL: LocalQuestion {
        public static var name: String { "app.openURL" }
        public static var about: String { "before `app.didBecomeActive`; 10 s" }
        public typealias Answer = Returned
        public var url = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("url", &url) }
    }
    public struct Notice: LocalQuestion {
        public static var name: String { "app.notice" }
        public static var about: String { "a queued notice, before all else when code runs again; 10 s" }
        public typealias Answer = Returned
        public var info: Value?
        /// Without its ending `Notification`.
        public var notice = ""
        public var values: Value.Object?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("info", &info)
            fields.always("name", &notice)
            fields.optional("values", &values, "changed settings")
        }
    }
    public struct SaveState: LocalQuestion {
        public static var name: String { "app.saveState" }
        public static var about: String {
            "after `app.didEnterBackground` was answered with `preserves`: the snapshot is taken, the app keeps its interface (`app.keepState`); 5 s"
        }
        public typealias Answer = Returned
        public init() {}
    }
    public struct PerformFetch: LocalQuestion {
        public static var name: String { "app.performFetch" }
        public static var about: String { "background fetch; 30 s; the answer's `result`: newData, noData or failed" }
        public typealias Answer = Returned
        public init() {}
    }
    public struct Wake: LocalQuestion {
        public static var name: String { "app.wake" }
        public static var about: String { "an event of a declared background mode; 30 s" }
        public typealias Answer = Returned
        public var mode = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("mode", &mode) }
    }
    public struct LocalNotification: LocalNotice {
        public static var name: String { "app.localNotification" }
        public static var about: String { "its time came while the app is active" }
        public var text = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("text", &text) }
    }
    public struct NetworkPath: LocalNotice {
        public static var name: String { "app.networkPath" }
        public static var about: String { "to apps that watch" }
        public var path = Path()
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.all(of: &path) }
    }

    // MARK: What an app asks

    public struct Path: FieldGroup, Hashable {
        public var satisfied = false
        public init() {}
        public init(satisfied: Bool) { self.satisfied = satisfied }
        public mutating func visit(_ fields: inout Fields) { fields.always("satisfied", &satisfied) }
    }
    public struct Task: FieldGroup, Hashable {
        public var task: Int64 = 0
        public init() {}
        public init(_ task: Int64) { self.task = task }
        public mutating func visit(_ fields: inout Fields) { fields.always("task", &task, "0: invalid") }
    }
    public struct BeginBackgroundTask: LocalCall {
        public static var name: String { "app.beginBackgroundTask" }
        public typealias Answer = Task
        public var task: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.optional("name", &task) }
    }
    public struct EndBackgroundTask: LocalCall {
        public static var name: String { "app.endBackgroundTask" }
        public var task: Int64 = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("task", &task) }
    }
    public struct State: LocalCall {
        public static var name: String { "app.state" }
        public struct Answer: FieldGroup {
            public var protectedData: Bool?
            public var remaining: Int64?
            public var state = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.optional("protectedData", &protectedData)
                fields.nullable("remaining", &remaining, "ns")
                fields.always("state", &state, "active, inactive or background")
            }
        }
        public init() {}
    }
    public struct IdentifierForVendor: LocalCall {
        public static var name: String { "app.identifierForVendor" }
        public struct Answer: FieldGroup {
            public var identifier = ""
            public init() {}
            public init(_ identifier: String) { self.identifier = identifier }
            public mutating func visit(_ fields: inout Fields) { fields.always("identifier", &identifier) }
        }
        public init() {}
    }
    public struct WatchNetwork: LocalCall {
        public static var name: String { "app.watchNetwork" }
        public typealias Answer = Path
        public init() {}
    }
    public struct SettingsTaken: LocalCall {
        public static var name: String { "app.settingsTaken" }
        public static var about: String { "durable with the app: the iPad forgets those it still has" }
        public var values = Value.Object()
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("values", &values) }
    }
    public struct NotifyLocally: LocalCall {
        public static var name: String { "app.notifyLocally" }
        public var after: Int64 = 0
        public var text = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("after", &after, "ns")
            fields.required("text", &text)
        }
    }
    public struct FetchInterval: LocalCall {
        public static var name: String { "app.fetchInterval" }
        public static var about: String { "background fetches; null: none" }
        public var interval: Int64?
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.nullable("interval", &interval, "ns") }
    }
    public struct KeepState: LocalCall {
        public static var name: String { "app.keepState" }
        public var archive: [UInt8] = []
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("archive", &archive) }
    }
    public struct RestoreState: LocalCall {
        public static var name: String { "app.restoreState" }
        public struct Answer: FieldGroup {
            public var archive: [UInt8]?
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.nullable("archive", &archive) }
        }
        public init() {}
    }
    public struct Habit: LocalPost {
        public static var name: String { "app.habit" }
        public static var about: String { "only with `habits`: what only the app's side can see" }
        public var key: String?
        public var main: Bool?
        public var what = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("key", &key)
            fields.optional("main", &main)
            fields.always("what", &what)
        }
    }
}
