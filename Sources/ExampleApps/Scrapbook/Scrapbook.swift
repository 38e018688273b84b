import Ubiquity

/// A sketchbook: each page is a document in iCloud.
///
/// A drawing replaces what the person saw on the page, and nothing else: what another iPad drew meanwhile stays beside it, and so do
/// copies that lost a conflict. Pages that are not on this iPad are downloaded before they are shown or drawn on. Signed out of iCloud
/// nothing can be drawn. Two pages of one name made on two iPads stay two pages (`page-1`, `page-1 2`), as the system names them.
class Scrapbook: PadApp {
    nonisolated class var declaration: AppDeclaration {
        AppDeclaration(
            name: "scrapbook", infoPlistPath: infoPlistPath("scrapbook"), channel: .document,
            actions: [AppManifest.Action("draw", kind: "page", verb: .put, pool: 5, prefix: "page")],
            promises: ["page": .keepsAll])
    }
    /// How long one page is waited for before a drawing, and all of them before they are shown.
    static let pageWait = Duration.seconds(20)
    static let bookWait = 60

    /// What the person last saw of each page.
    var shown: [String: Page] = [:]
    /// The pages on the screen. They follow the iCloud while the person looks on; `shown` is what the next drawing replaces, so it is taken
    /// where somebody looks on purpose.
    private(set) var onScreen: [String: Page] = [:]
    /// Of the content on the screen.
    private var changed: [String: Date] = [:]
    private(set) var opened: PageFiles?
    private var account: (any NSObjectProtocol)?
    /// How often the account has changed.
    private var notices = 0
    private let query = NSMetadataQuery()

    required init() {}

    /// Opens the container at first use; nil while signed out.
    func files() async -> PageFiles? {
        while opened == nil {
            let asked = notices
            guard let url = await Self.container() else { return nil }
            // What was opened for the account before is out of reach.
            if asked == notices, opened == nil { opened = PageFiles(documents: url) }
        }
        return opened
    }
    /// Opening may block: never on the main thread (S84).
    private nonisolated static func container() async -> URL? {
        await Task.detached { FileManager.default.url(forUbiquityContainerIdentifier: nil) }.value?
            .appending(path: "Documents", directoryHint: .isDirectory)
    }

    // MARK: Life

    func application(didFinishLaunching reason: LaunchReason) async {
        // First of all, on the main thread: it tells whether there is an account (S75, S76).
        account = FileManager.default.ubiquityIdentityToken
        let center = NotificationCenter.default
        center.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main) { [weak self] _ in
            MainActor.assumeIsolated { self?.accountChanged() }
        }
        for name in [Notification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
            center.addObserver(forName: name, object: query, queue: .main) { [weak self] _ in
                MainActor.assumeIsolated { self?.itemsChanged() }
            }
        }
        _ = await files()
    }
    func applicationDidBecomeActive() async { query.start() }
    func applicationWillResignActive() async { query.stop() }
    /// What the system's snapshot shows; for the app that says it.
    var screen: String? { nil }

    /// The old account's pages are out of reach, the new one's were never shown (identity.md 3).
    func accountChanged() {
        account = FileManager.default.ubiquityIdentityToken
        notices += 1
        (shown, onScreen, changed) = ([:], [:], [:])
        opened = nil
        guard query.isStarted else { return }
        query.stop()
        query.start()
    }
    /// What another iPad has drawn, or has yet to send.
    private func itemsChanged() {
        mergeConflicts()
        refresh()
    }
    /// Brings the screen up to date. A page that is not here is asked for, and comes with a later change.
    private func refresh() {
        guard let files = opened else { return }
        for item in items {
            guard let url = item.value(forAttribute: NSMetadataItemURLKey) as? URL, let id = files.id(url) else {
                continue
            }
            let date = item.value(forAttribute: NSMetadataItemFSContentChangeDateKey) as? Date
            switch status(item) {
            // Asked for once, the system does the rest: another page's change is no reason to ask again.
            case NSMetadataUbiquitousItemDownloadingStatusNotDownloaded where !isRequested(item):
                try? FileManager.default.startDownloadingUbiquitousItem(at: url)
            case NSMetadataUbiquitousItemDownloadingStatusCurrent where date != changed[id] || onScreen[id] == nil:
                guard let found = try? files.read(url) else { continue }
                (onScreen[id], changed[id]) = (found.whole, date)
            default: break
            }
        }
    }
    /// Settles conflicts as they arrive. What cannot be settled now (no room) is found again at the next change or launch.
    private func mergeConflicts() {
        guard let files = opened else {
            Task { if await files() != nil { mergeConflicts() } }
            return
        }
        for item in items
        where item.value(forAttribute: NSMetadataUbiquitousItemHasUnresolvedConflictsKey) as? Bool == true {
            if let url = item.value(forAttribute: NSMetadataItemURLKey) as? URL { settle(url, files) }
        }
    }
    /// A page has copies that lost a conflict.
    func settle(_ url: URL, _ files: PageFiles) { try? files.mergeConflicts(url) }
    private var items: [NSMetadataItem] { query.results.compactMap { $0 as? NSMetadataItem } }

    // MARK: Drawing

    func perform(_ edit: Edit) async throws {
        guard edit.action == "draw", edit.verb == .put else {
            throw Refusal("a scrapbook can only be drawn in, not \(edit.action)")
        }
        try await draw(edit)
    }
    /// One coordinated write; what came meanwhile stays beside it.
    func draw(_ edit: Edit) async throws {
        guard let files = await files() else {
            throw Refusal(
                account == nil
                    ? "you are signed out of iCloud: sign in to draw" : "iCloud cannot be used now: draw when it can")
        }
        guard let url = files.url(edit.item) else { throw Refusal("no page can be called '\(edit.item)'") }
        do {
            _ = try await page(url, files)  // must be here before it is drawn on
            let seen = shown[edit.item] ?? Page([])
            var drawn = Page([])
            try files.write(url) { found in
                drawn = Page([edit.value]).merged(with: found.copies + [found.current.without(seen)])
                return drawn
            }
            shown[edit.item] = drawn
        } catch PageFiles.Problem.notHere {
            throw Refusal("\(edit.item) is not on this iPad yet: draw when it has been downloaded")
        } catch PageFiles.Problem.failed(let error) {
            throw Refusal("\(edit.item) could not be saved: \(error.localizedDescription)")
        }
    }

    /// A page, downloaded if need be; nil when there is none.
    private func page(_ url: URL, _ files: PageFiles) async throws(PageFiles.Problem) -> PageFiles.Found? {
        do {
            return try files.read(url)
        } catch .notHere {
            guard await files.download([url], within: Self.pageWait) else { throw .notHere }
            return try files.read(url)
        }
    }

    // MARK: Showing

    func visibleItem(_ id: String) async -> Item? {
        guard let files = await files(), let url = files.url(id), let found = try? await page(url, files) else {
            // What is not shown now must not count as seen by the drawing that follows.
            shown[id] = nil
            return nil
        }
        return show(id, found.whole)
    }
    func show(_ id: String, _ page: Page) -> Item {
        shown[id] = page
        return Item(id: id, kind: "page", text: page.text)
    }

    /// All pages, once they are here and as new as the iPad knows; what has not come in time is left out and the view is not whole.
    func visibleState() async -> VisibleState {
        guard let files = await files() else { return VisibleState([], complete: false) }
        var isWhole = await everythingIsHere(files)
        var items: [Item] = []
        for url in urls() {
            guard let id = files.id(url) else { continue }
            do {
                if let found = try files.read(url) { items.append(show(id, found.whole)) }
            } catch {
                isWhole = false
            }
        }
        return VisibleState(items, complete: isWhole)
    }
    private func urls(where isWanted: (NSMetadataItem) -> Bool = { _ in true }) -> [URL] {
        items.filter(isWanted).compactMap { $0.value(forAttribute: NSMetadataItemURLKey) as? URL }
    }

    private func everythingIsHere(_ files: PageFiles) async -> Bool {
        for _ in 0..<Self.bookWait {
            await gather()
            let missing = urls { status($0) == NSMetadataUbiquitousItemDownloadingStatusNotDownloaded }
            let isStale = items.contains { status($0) == NSMetadataUbiquitousItemDownloadingStatusDownloaded }
            if missing.isEmpty, !isStale { return true }
            guard await files.download(missing, within: .seconds(Self.bookWait)) else { return false }
            if isStale { try? await Task.sleep(for: .seconds(1)) }
        }
        return false
    }
    private func isRequested(_ item: NSMetadataItem) -> Bool {
        item.value(forAttribute: NSMetadataUbiquitousItemDownloadRequestedKey) as? Bool ?? false
    }
    private func status(_ item: NSMetadataItem) -> String? {
        item.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
    }
    /// Lists the container anew.
    private func gather() async {
        let gathered = NotificationCenter.default.notifications(
            named: .NSMetadataQueryDidFinishGathering, object: query)
        query.stop()
        query.start()
        for await _ in gathered { break }
    }
}
