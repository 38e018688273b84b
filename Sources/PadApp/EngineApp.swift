import DeterministicRuntime

/// An app of values and closures instead of a class: a team's sync engine, how it is built, and what a person sees of it.
///
/// A test gives it to a fleet (Docs/testing.md); `Homeroom.main(apps:engines:)` makes the same app part of a `homeroom` command, so that a
/// scenario which a test has written down runs there as well.
///
/// ```swift
/// let notes = EngineApp("notes") { await NoteEngine() } shows: { await $0.texts } writes: { try await $0.save($2, as: $1) }
/// ```
public struct EngineApp: Sendable {
    /// As a scenario calls it: small letters, digits and hyphens.
    public let name: AppName
    /// What the iPads and the Cloud know of the app. One action, `write`, puts a text into an item; `delete` removes one.
    public let manifest: AppManifest
    package let make: AppMaker
    package let desk: EngineDesk

    /// The kind of all its items.
    public static let kind = "item"

    /// - Parameters:
    ///   - bundleIdentifier: `CFBundleIdentifier`; nil: `com.example.` and the name.
    ///   - containers: identifiers of CloudKit containers and ubiquity containers that the app is entitled to, in addition to its own.
    ///   - channel: the system that carries its edits; it decides what "handed over" means.
    ///   - promise: what it promises to people for each item.
    ///   - isPurgeable: `NSSupportsPurgeableLocalStorage`.
    ///   - build: called once in each launch, inside of `application(_:didFinishLaunchingWithOptions:)`. An engine that it cannot build is
    ///     a launch that shows nothing and takes nothing.
    ///   - shows: what the person can see: texts by item. An error means that the view is not whole yet.
    ///   - becomesActive: `applicationDidBecomeActive(_:)`.
    ///   - entersBackground: `applicationDidEnterBackground(_:)`.
    ///   - receivesPush: `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`; returns whether something new came. A
    ///     `CKSyncEngine` hears of pushes by itself.
    ///   - writes: puts a text into an item, as the person's hand does; returning means that it is taken. Nil: people cannot write.
    ///   - deletes: removes an item. Nil: people cannot.
    public init<Engine>(
        _ name: AppName, bundleIdentifier: String? = nil, containers: [String] = [], channel: Channel = .record,
        promise: Promise = .keepsAll, isPurgeable: Bool = false,
        build: @escaping @MainActor @Sendable () async throws -> Engine,
        shows: @escaping @MainActor @Sendable (Engine) async throws -> [String: String],
        becomesActive: (@MainActor @Sendable (Engine) async -> Void)? = nil,
        entersBackground: (@MainActor @Sendable (Engine) async -> Void)? = nil,
        receivesPush: (@MainActor @Sendable (Engine, [AnyHashable: Any]) async -> Bool)? = nil,
        writes: (@MainActor @Sendable (Engine, _ item: String, _ text: String) async throws -> Void)? = nil,
        deletes: (@MainActor @Sendable (Engine, _ item: String) async throws -> Void)? = nil
    ) {
        self.name = name
        let bundle = bundleIdentifier ?? "com.example.\(name)"
        var actions: [AppManifest.Action] = []
        if writes != nil {
            actions.append(.init("write", kind: Self.kind, verb: .put, weight: 7, pool: 8, prefix: Self.kind))
        }
        if deletes != nil {
            actions.append(.init("delete", kind: Self.kind, verb: .delete, pool: 8, prefix: Self.kind))
        }
        var plist: Value = ["CFBundleIdentifier": .string(bundle)]
        if isPurgeable { plist["NSSupportsPurgeableLocalStorage"] = true }
        var manifest = AppManifest(
            name: name, bundleID: bundle, infoPlist: plist, actions: actions, promises: [Self.kind: promise],
            channel: channel)
        if !containers.isEmpty {
            let all = Value.strings(["iCloud." + bundle] + containers)
            // Without these two the names of containers open nothing.
            manifest.entitlements = [
                "com.apple.developer.icloud-services": ["CloudKit", "CloudDocuments"],
                "com.apple.developer.ubiquity-kvstore-identifier": .string(bundle),
                "com.apple.developer.icloud-container-identifiers": all,
                "com.apple.developer.ubiquity-container-identifiers": all,
            ]
        }
        self.manifest = manifest
        let desk = EngineDesk()
        self.desk = desk
        let parts = EngineHost<Engine>.Parts(
            build: build, shows: shows, becomesActive: becomesActive, entersBackground: entersBackground,
            receivesPush: receivesPush, writes: writes, deletes: deletes)
        make = { EngineHost(parts, desk) }
    }
}

/// Where a test finds the engines of its run: they are in its own process.
package final class EngineDesk: @unchecked Sendable {
    /// One launch, as long as its app lives.
    fileprivate struct Place {
        weak var loop: AppLoop?
        /// Asked on the app's main actor.
        var engine: @MainActor @Sendable () -> Any?
    }
    fileprivate var places: [Int: Place] = [:]
    /// What each iPad's app has shown last: texts by item.
    package fileprivate(set) var shown: [Int: [String: String]] = [:]

    package func forgetShown(on pad: Int) { shown[pad] = nil }

    /// Puts a piece of a test among the jobs of the newest launch on an iPad: it runs in the app's next step, with its engine (nil: it could
    /// not be built). What is local to the calling task is local to it too.
    /// - Returns: false where no app has been launched, or its process has ended.
    package func visit(_ pad: Int, _ body: @escaping @MainActor @Sendable (_ engine: Any?) async -> Void) -> Bool {
        guard let place = places[pad], let loop = place.loop else { return false }
        loop.enter { _ = Task { @MainActor in await body(place.engine()) } }
        return true
    }
}

/// The delegate that an engine's closures make.
@MainActor private final class EngineHost<Engine>: PadAppDelegate {
    struct Parts: Sendable {
        var build: @MainActor @Sendable () async throws -> Engine
        var shows: @MainActor @Sendable (Engine) async throws -> [String: String]
        var becomesActive: (@MainActor @Sendable (Engine) async -> Void)?
        var entersBackground: (@MainActor @Sendable (Engine) async -> Void)?
        var receivesPush: (@MainActor @Sendable (Engine, [AnyHashable: Any]) async -> Bool)?
        var writes: (@MainActor @Sendable (Engine, String, String) async throws -> Void)?
        var deletes: (@MainActor @Sendable (Engine, String) async throws -> Void)?
    }
    private let parts: Parts
    private let desk: EngineDesk
    private var engine: Engine?
    private var failure: String?

    init(_ parts: Parts, _ desk: EngineDesk) {
        (self.parts, self.desk) = (parts, desk)
        guard let pad = AppLink.current.pad.pad else { return }
        desk.places[pad] = EngineDesk.Place(loop: AppLoop.current) { [weak self] in self?.engine }
    }

    func application(didFinishLaunching reason: LaunchReason) async {
        do { engine = try await parts.build() } catch {
            failure = "the engine could not be built: \(error)"
            print(failure ?? "")
        }
    }
    func applicationDidBecomeActive() async { if let engine { await parts.becomesActive?(engine) } }
    func applicationDidEnterBackground() async { if let engine { await parts.entersBackground?(engine) } }
    func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult {
        guard let engine, let receives = parts.receivesPush else { return .noData }
        return await receives(engine, userInfo.userInfo) ? .newData : .noData
    }

    func perform(_ edit: Edit) async throws {
        guard let engine else { throw Refusal(failure ?? "the engine is not built yet") }
        switch edit.verb {
        case .put: try await parts.writes?(engine, edit.item, edit.value)
        case .delete: try await parts.deletes?(engine, edit.item)
        case .effect: throw Refusal("an engine has no flags")
        }
    }
    func visibleState() async -> VisibleState {
        guard let engine, let texts = try? await parts.shows(engine) else { return VisibleState([], complete: false) }
        if let pad = AppLink.current.pad.pad { desk.shown[pad] = texts }
        return VisibleState(
            texts.sorted { $0.key < $1.key }.map { Item(id: $0.key, kind: EngineApp.kind, text: $0.value) })
    }
}
