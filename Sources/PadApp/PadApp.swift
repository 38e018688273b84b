@_exported import FleetModel

/// An app under test: an ordinary application delegate, plus the contract by which people and checkers meet it.
///
/// Write it as for an iPad: `import CloudKit`, `import Ubiquity`, `async`/`await`, actors. What is not modelled: UIKit's views.
/// Delegate methods may be synchronous, as Apple declares them; the iPad waits for their return, with Apple's deadlines.
@MainActor public protocol PadApp: PadAppDelegate, SendableMetatype {
    /// What the app is and promises.
    nonisolated static var declaration: AppDeclaration { get }

    init()

    /// Whose methods the iPad calls in the end: the app itself, or its application delegate (`DelegatedApp`). For words about names that miss
    /// by a little; leave it alone.
    nonisolated static var delegateType: Any.Type { get }
}

extension PadApp {
    nonisolated public static var delegateType: Any.Type { Self.self }
}

/// What the iPad calls of an app that runs. `PadApp` adds what is known before it does; `EngineApp` makes one of closures.
@MainActor public protocol PadAppDelegate: AnyObject {
    /// The first code of a launch, before the interface of an earlier launch is restored (app-lifecycle.md 2).
    func application(willFinishLaunching reason: LaunchReason) async
    /// Launch is complete when this returns (app-lifecycle.md 2, 3). Called once.
    func application(didFinishLaunching reason: LaunchReason) async
    func applicationDidBecomeActive() async
    /// The last moment that is promised to hand work over (S20).
    func applicationWillResignActive() async
    /// Must return within 5 s; longer work needs a background task.
    func applicationDidEnterBackground() async
    func applicationWillEnterForeground() async
    /// May never be called (S129-S133).
    func applicationWillTerminate() async
    func applicationDidReceiveMemoryWarning() async
    /// A silent push; 30 s. What it came to decides how many more start the app (app-lifecycle.md 6.1). Apple's name is
    /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
    func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult
    /// The same with the dictionary that Apple's method has. Write one of the two.
    func application(didReceiveRemoteNotification userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult
    /// Background transfers finished while the app was not running.
    func application(handleEventsForBackgroundURLSession identifier: String) async
    /// Time to look for something new: the app declares `fetch` in `UIBackgroundModes` and has set an interval; 30 s. Apple's name is
    /// `application(_:performFetchWithCompletionHandler:)`.
    func applicationPerformsFetch() async -> UIBackgroundFetchResult
    /// A URL or a received file (`file:///...`), before the app is active.
    /// - Returns: whether the app could do something with it.
    func application(open url: String) async -> Bool

    /// An event of a declared background mode; 30 s.
    func application(wokenFor mode: String) async
    /// A local notification whose time came while the app is in front of the person: the system does not show it.
    func application(didReceiveLocalNotification text: String) async

    // State preservation (app-lifecycle.md 12): opt-in, and never for what must last.
    /// `application(_:shouldSaveSecureApplicationState:)`: asked on the way to the background, first of all.
    func application(shouldSaveSecureApplicationState coder: RestorationCoder) -> Bool
    /// `application(_:shouldRestoreSecureApplicationState:)`: the coder holds what `willEncode` put there; look at the version in it.
    func application(shouldRestoreSecureApplicationState coder: RestorationCoder) -> Bool
    /// Before any object of the tree is encoded.
    func application(willEncodeRestorableStateWith coder: RestorationCoder)
    /// Before any object of the tree is decoded.
    func application(didDecodeRestorableStateWith coder: RestorationCoder)
    /// The root of what is kept: in UIKit the window's first view controller.
    var restorationRoot: (any UIStateRestoring)? { get }

    /// What is on the screen, as a text in place of pixels: the system's snapshot shows it. Nil: not modelled.
    var screen: String? { get }
    /// Memory the app holds; the biggest app goes first when memory is short. Nil: not modelled.
    var residentBytes: Int? { get }

    /// Does what a person did. Returning means: the app has taken it and shows it. Throwing means: it visibly refused.
    func perform(_ edit: Edit) async throws
    /// Everything the person can see, every object opened: no item may be left out because it is not downloaded yet.
    /// - Returns: the items, and whether the view is whole (false while a download that the app waits for is under way).
    func visibleState() async -> VisibleState
    /// One item as the person sees it now; nil when it is not there. Override where `visibleState` is slow.
    func visibleItem(_ id: String) async -> Item?
}

extension PadAppDelegate {
    public func application(willFinishLaunching reason: LaunchReason) async {
        DefaultCalls.note("application(willFinishLaunching:)", of: self)
    }
    public func application(wokenFor mode: String) async { DefaultCalls.note("application(wokenFor:)", of: self) }
    public func application(didReceiveLocalNotification text: String) async {
        DefaultCalls.note("application(didReceiveLocalNotification:)", of: self)
    }
    public func applicationPerformsFetch() async -> UIBackgroundFetchResult {
        DefaultCalls.note("applicationPerformsFetch()", of: self)
        return .noData
    }
    public func application(open url: String) async -> Bool {
        DefaultCalls.note("application(open:)", of: self)
        return false
    }
    public func application(shouldSaveSecureApplicationState coder: RestorationCoder) -> Bool { false }
    public func application(shouldRestoreSecureApplicationState coder: RestorationCoder) -> Bool { false }
    public func application(willEncodeRestorableStateWith coder: RestorationCoder) {}
    public func application(didDecodeRestorableStateWith coder: RestorationCoder) {}
    public var restorationRoot: (any UIStateRestoring)? { nil }
    public var screen: String? { nil }
    public var residentBytes: Int? { nil }
    public func application(didFinishLaunching reason: LaunchReason) async {
        DefaultCalls.note("application(didFinishLaunching:)", of: self)
    }
    public func applicationDidBecomeActive() async { DefaultCalls.note("applicationDidBecomeActive()", of: self) }
    public func applicationWillResignActive() async { DefaultCalls.note("applicationWillResignActive()", of: self) }
    public func applicationDidEnterBackground() async { DefaultCalls.note("applicationDidEnterBackground()", of: self) }
    public func applicationWillEnterForeground() async {
        DefaultCalls.note("applicationWillEnterForeground()", of: self)
    }
    public func applicationWillTerminate() async { DefaultCalls.note("applicationWillTerminate()", of: self) }
    public func applicationDidReceiveMemoryWarning() async {
        DefaultCalls.note("applicationDidReceiveMemoryWarning()", of: self)
    }
    public func application(handleEventsForBackgroundURLSession identifier: String) async {
        DefaultCalls.note("application(handleEventsForBackgroundURLSession:)", of: self)
    }
    public func visibleItem(_ id: String) async -> Item? { await visibleState().items.first { $0.id == id } }
}

/// Why the app runs.
public enum LaunchReason: String, Hashable, Sendable {
    case user
    /// For an event; `applicationDidBecomeActive` does not follow.
    case background
}

/// What a background fetch or a silent push came to; it decides when the next one comes (app-lifecycle.md 6.1, 6.2).
public enum UIBackgroundFetchResult: String, Hashable, Sendable {
    case newData, noData, failed
}

/// What a person can see in an app.
public struct VisibleState: Hashable, Sendable {
    public var items: [Item]
    public var complete: Bool
    public init(_ items: [Item], complete: Bool = true) {
        self.items = items
        self.complete = complete
    }
}

/// A visible refusal: the person sees that the edit was not taken, and why.
public struct Refusal: Error, Hashable, Sendable {
    public var reason: String
    public init(_ reason: String) { self.reason = reason }
}

/// What an app's author declares.
public struct AppDeclaration: Hashable, Sendable {
    public var name: AppName
    /// The Info.plist: a path relative to the folder of the executable, or absolute; nil: there is no file, and all is said here.
    public var infoPlistPath: String?
    /// Takes the place of the Info.plist's `CFBundleIdentifier`, so that variants of one app share its Info.plist, as targets in Xcode do with
    /// `PRODUCT_BUNDLE_IDENTIFIER`; nil: the one in the file.
    public var bundleIdentifier: String?
    /// Keys of the Info.plist, such as `NSSupportsPurgeableLocalStorage` and `UIBackgroundModes`; they take the place of those in the file.
    public var infoPlist: Value
    /// The entitlements file, found like the Info.plist; nil: the app has what `entitlements` says.
    public var entitlementsPath: String?
    /// Entitlements by their keys, which take the place of those in the file; nil and no file: the app has its own container and store, and
    /// nobody else's.
    public var entitlements: Value?
    public var channel: Channel
    public var actions: [AppManifest.Action]
    public var promises: [String: Promise]
    /// Kinds of items that all users of the app may read, as in CloudKit's public database; the rest is its person's alone.
    public var forEveryone: Set<String>

    /// Either `infoPlistPath` or `bundleIdentifier` is needed.
    public init(
        name: AppName, infoPlistPath: String? = nil, bundleIdentifier: String? = nil, infoPlist: Value = .empty,
        entitlementsPath: String? = nil, entitlements: Value? = nil, channel: Channel,
        actions: [AppManifest.Action], promises: [String: Promise], forEveryone: Set<String> = []
    ) {
        self.name = name
        self.infoPlistPath = infoPlistPath
        self.bundleIdentifier = bundleIdentifier
        self.infoPlist = infoPlist
        self.entitlementsPath = entitlementsPath
        self.entitlements = entitlements
        self.channel = channel
        self.actions = actions
        self.promises = promises
        self.forEveryone = forEveryone
    }
}
