import CloudKit
import Ubiquity

/// Pages that pupils of a class write together: who writes on a page first makes it and shares it, and puts the link where all find it; who
/// writes on it later takes part by the link. Everybody may leave a page, and who made it may close it to all others.
///
/// Each page is a record in a zone of its own with a `CKShare` (cloudkit-framework.md 16): in its maker's private database, and in the
/// shared database of who takes part. A line is written when the service has it; until then the person waits. What is kept on the iPad
/// is a copy of what the service has, and goes when the person has no part in the page any more.
///
/// Written with queues and completion handlers: `PageStore` and what it stands on run on one serial queue.
class Groupwork: PadApp, CloudKitSharingDelegate {
    nonisolated class var declaration: AppDeclaration { groupworkDeclaration("groupwork") }
    // What variants put in place of it.
    class var storeType: PageStore.Type { PageStore.self }

    private var store: PageStore
    /// What a person left and closed is the person's own, on each iPad.
    private let flags = NSUbiquitousKeyValueStore.default
    private var isActive = false

    required init() { store = Self.storeType.init(account: AccountName.present ?? "none") }

    // MARK: Life

    func application(didFinishLaunching reason: LaunchReason) async {
        NotificationCenter.default.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main) {
            [weak self] _ in
            MainActor.assumeIsolated { self?.accountChanged() }
        }
        flags.synchronize()
        store.subscribe()
    }
    func applicationDidBecomeActive() async {
        isActive = true
        flags.synchronize()
        store.look(wanted: flagged("left"))
    }
    func applicationWillResignActive() async { isActive = false }
    func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult {
        let store = self.store
        return await withCheckedContinuation { answer in
            store.fetch { answer.resume(returning: $0 ? .newData : .failed) }
        }
    }
    /// A person opened the link of a page, from wherever it came.
    func application(userDidAcceptCloudKitShareWith metadata: CKShare.Metadata) async {
        store.accept(metadata)
    }
    private func accountChanged() {
        store = Self.storeType.init(account: AccountName.present ?? "none")
        store.subscribe()
        if isActive { store.look(wanted: flagged("left")) }
    }

    // MARK: What people do and see

    func perform(_ edit: Edit) async throws {
        let store = self.store
        switch (edit.action, edit.verb) {
        case ("write", .put):
            guard let page = PlainName.encoded(edit.item, bytesMax: 255) else {
                throw Refusal("no page can be called '\(edit.item)'")
            }
            guard flags.string(forKey: "left-\(number(page))") == nil else {
                throw Refusal("\(edit.item): you have left this page")
            }
            try await done { store.write(edit.value, on: page, completion: $0) }
        case ("leave", .effect): try await end(edit) { store.leave($0, completion: $1) }
        case ("close", .effect): try await end(edit) { store.close($0, completion: $1) }
        default: throw Refusal("groupwork has no \(edit.action)")
        }
    }
    /// To leave and to close a page are flags, apart from what is done to the page itself.
    private func end(
        _ edit: Edit, _ body: @escaping @Sendable (String, @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        let page = "page-\(number(edit.item))"
        try await done { body(page, $0) }
        flags.set(edit.value, forKey: edit.item)
        guard flags.synchronize() else { throw Refusal("there is no room on this iPad to remember it") }
    }
    private func done(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (whole: CheckedContinuation<Void, any Error>) in
            body { error in
                if let error { whole.resume(throwing: error) } else { whole.resume() }
            }
        }
    }
    private func number(_ item: String) -> String { String(item.drop { $0 != "-" }.dropFirst()) }
    private func flagged(_ word: String) -> [String] {
        flags.dictionaryRepresentation.keys.sorted().filter { $0.hasPrefix("\(word)-") }.map { "page-\(number($0))" }
    }

    func visibleState() async -> VisibleState {
        let store = self.store
        let (pages, isUpToDate) = await withCheckedContinuation { answer in
            store.read { answer.resume(returning: ($0, $1)) }
        }
        let items = pages.keys.sorted().compactMap { item($0, pages[$0] ?? []) }
        let done = (flagged("closed").map { ("closed", $0) } + flagged("left").map { ("left", $0) }).map { word, page in
            Item(id: "\(word)-\(number(page))", kind: "flag", digest: "true")
        }
        return VisibleState(items + done, complete: isUpToDate)
    }
    private func item(_ page: String, _ lines: [String]) -> Item? {
        guard !lines.isEmpty, let name = PlainName.decoded(page) else { return nil }
        return Item(id: name, kind: "page", text: lines.joined(separator: "\n"))
    }
}

func groupworkDeclaration(_ name: AppName) -> AppDeclaration {
    AppDeclaration(
        name: name, infoPlistPath: infoPlistPath(name), channel: .record,
        actions: [
            AppManifest.Action("write", kind: "page", verb: .put, weight: 20, pool: 6, prefix: "page"),
            AppManifest.Action("leave", kind: "flag", verb: .effect, weight: 3, pool: 6, prefix: "left"),
            AppManifest.Action("close", kind: "flag", verb: .effect, pool: 6, prefix: "closed"),
        ],
        promises: ["page": .keepsAll, "flag": .effect], shared: ["page"])
}
