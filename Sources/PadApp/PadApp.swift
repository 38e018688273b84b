@_exported import FleetModel

/// An app under test: an ordinary application delegate, plus the contract by which people and checkers meet it.
///
/// Write it as for an iPad: `import CloudKit`, `import Ubiquity`, `async`/`await`, actors. What is not modelled: UIKit's views.
/// Delegate methods may be synchronous, as Apple declares them; the iPad waits for their return, with Apple's deadlines.
@MainActor public protocol PadApp: PadAppDelegate, SendableMetatype {
    /// What the app is and promises.
    nonisolated static var declaration: AppDeclaration { get }

    /// Called on the main actor at the first message of a launch, before `application(willFinishLaunching:)`. Nothing is restored yet.
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
    /// The person can use the app from here on.
    func applicationDidBecomeActive() async
    /// The last moment that is promised to hand work over (S20).
    func applicationWillResignActive() async
    /// Must return within 5 s; longer work needs a background task.
    func applicationDidEnterBackground() async
    /// On a return to the foreground, before `applicationDidBecomeActive()`; not at a launch (app-lifecycle.md 2).
    func applicationWillEnterForeground() async
    /// May never be called (S129-S133).
    func applicationWillTerminate() async
    /// Give back what can be made again. The notification and the parts of the interface hear of it afterwards.
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
    /// A person opened a link to a CloudKit share. Module CloudKit finds what it leads to and calls Apple's method (`CloudKitSharingDelegate`).
    func application(userDidAcceptCloudKitShareAt url: String) async

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
    /// Does nothing.
    public func application(willFinishLaunching reason: LaunchReason) async {
        DefaultCalls.note("application(willFinishLaunching:)", of: self)
    }
    /// Does nothing.
    public func application(wokenFor mode: String) async { DefaultCalls.note("application(wokenFor:)", of: self) }
    /// Does nothing.
    public func application(didReceiveLocalNotification text: String) async {
        DefaultCalls.note("application(didReceiveLocalNotification:)", of: self)
    }
    /// Answers `.noData` at once.
    public func applicationPerformsFetch() async -> UIBackgroundFetchResult {
        DefaultCalls.note("applicationPerformsFetch()", of: self)
        return .noData
    }
    /// Returns false: the app does not open URLs.
    public func application(open url: String) async -> Bool {
        DefaultCalls.note("application(open:)", of: self)
        return false
    }
    /// Does nothing: the app takes no part in shares.
    public func application(userDidAcceptCloudKitShareAt url: String) async {
        DefaultCalls.note("application(userDidAcceptCloudKitShareAt:)", of: self)
    }
    /// Returns false: nothing is kept.
    public func application(shouldSaveSecureApplicationState coder: RestorationCoder) -> Bool { false }
    /// Returns false: nothing is restored.
    public func application(shouldRestoreSecureApplicationState coder: RestorationCoder) -> Bool { false }
    /// Does nothing.
    public func application(willEncodeRestorableStateWith coder: RestorationCoder) {}
    /// Does nothing.
    public func application(didDecodeRestorableStateWith coder: RestorationCoder) {}
    /// Nil: the app keeps only what it encodes itself.
    public var restorationRoot: (any UIStateRestoring)? { nil }
    /// Nil: not modelled.
    public var screen: String? { nil }
    /// Nil: not modelled.
    public var residentBytes: Int? { nil }
    /// Does nothing.
    public func application(didFinishLaunching reason: LaunchReason) async {
        DefaultCalls.note("application(didFinishLaunching:)", of: self)
    }
    /// Does nothing.
    public func applicationDidBecomeActive() async { DefaultCalls.note("applicationDidBecomeActive()", of: self) }
    /// Does nothing.
    public func applicationWillResignActive() async { DefaultCalls.note("applicationWillResignActive()", of: self) }
    /// Does nothing.
    public func applicationDidEnterBackground() async { DefaultCalls.note("applicationDidEnterBackground()", of: self) }
    /// Does nothing.
    public func applicationWillEnterForeground() async {
        DefaultCalls.note("applicationWillEnterForeground()", of: self)
    }
    /// Does nothing.
    public func applicationWillTerminate() async { DefaultCalls.note("applicationWillTerminate()", of: self) }
    /// Does nothing.
    public func applicationDidReceiveMemoryWarning() async {
        DefaultCalls.note("applicationDidReceiveMemoryWarning()", of: self)
    }
    /// Does nothing.
    public func application(handleEventsForBackgroundURLSession identifier: String) async {
        DefaultCalls.note("application(handleEventsForBackgroundURLSession:)", of: self)
    }
    /// Looks for the item in `visibleState()`, also while that is not whole.
    public func visibleItem(_ id: String) async -> Item? { await visibleState().items.first { $0.id == id } }
}

/// Why the app runs.
public enum LaunchReason: String, Hashable, Sendable {
    /// A person has opened it.
    case user
    /// For an event; `applicationDidBecomeActive` does not follow.
    case background
}

/// What a background fetch or a silent push came to; it decides when the next one comes (app-lifecycle.md 6.1, 6.2).
public enum UIBackgroundFetchResult: String, Hashable, Sendable {
    /// Something new came; nothing did; it could not be found out.
    case newData, noData, failed
}

/// What a person can see in an app.
public struct VisibleState: Hashable, Sendable {
    /// Everything the person can see, also what is not downloaded yet.
    public var items: [Item]
    /// False while a download that the app waits for is under way: an item that is missing may still come.
    public var complete: Bool
    /// Whole unless said otherwise.
    public init(_ items: [Item], complete: Bool = true) {
        self.items = items
        self.complete = complete
    }
}

/// A visible refusal: the person sees that the edit was not taken, and why.
public struct Refusal: Error, Hashable, Sendable {
    /// What the person reads; the history keeps it.
    public var reason: String
    /// Throw it from `perform`: the edit counts as not taken.
    public init(_ reason: String) { self.reason = reason }
}

/// What an app's author declares.
public struct AppDeclaration: Hashable, Sendable {
    /// As scenarios and reports call the app; unique in a fleet.
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
    /// The system that carries its edits; it decides what "handed over" means.
    public var channel: Channel
    /// What people can do in it, and how often they do it.
    public var actions: [AppManifest.Action]
    /// What the app promises to people, by kind of item.
    public var promises: [String: Promise]
    /// Kinds of items that all users of the app may read, as in CloudKit's public database.
    public var forEveryone: Set<String>
    /// Kinds of items that people share with each other by `CKShare`: an item of one name is the same for all of them, and who takes part in
    /// the share of its record sees it. What is of no kind of either list is its person's alone.
    public var shared: Set<String>

    /// Either `infoPlistPath` or `bundleIdentifier` is needed.
    public init(
        name: AppName, infoPlistPath: String? = nil, bundleIdentifier: String? = nil, infoPlist: Value = .empty,
        entitlementsPath: String? = nil, entitlements: Value? = nil, channel: Channel,
        actions: [AppManifest.Action], promises: [String: Promise], forEveryone: Set<String> = [],
        shared: Set<String> = []
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
        self.shared = shared
    }
}
