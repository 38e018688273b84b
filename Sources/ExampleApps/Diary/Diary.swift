import Ubiquity

/// A diary: a scrapbook that can be written in without iCloud too.
///
/// It goes the way that Apple's guide tells apps with documents (icloud-documents.md 9, identity.md 3): one question at the first launch,
/// for all or nothing; the identity token kept in the defaults and compared when it changes; what is written while iCloud is away lies in
/// the app's own `Documents`, and moves to iCloud without a question when it is back. Each page is in one place only. Which day was
/// written last is the person's preference and lies in the key-value store. Because those pages are nowhere else, its local storage is not
/// declared purgeable (S11, S12).
class Diary: Scrapbook {
    nonisolated override class var declaration: AppDeclaration {
        AppDeclaration(
            name: "diary", infoPlistPath: infoPlistPath("diary"), channel: .document,
            actions: [AppManifest.Action("draw", kind: "page", verb: .put, pool: 5, prefix: "day")],
            promises: ["page": .keepsAll])
    }
    private static let tokenKey = "ubiquityToken"
    private static let choiceKey = "usesICloud"
    static let lastDayKey = "lastDay"

    private let defaults = UserDefaults.standard
    private let local = PageFiles(
        documents: FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0])
    /// The person is asked in this launch.
    private var isAsking = false

    override var screen: String? {
        if isAsking { return "Keep your diary in iCloud?" }
        return NSUbiquitousKeyValueStore.default.string(forKey: Self.lastDayKey) ?? "An empty diary"
    }

    // MARK: Account

    override func application(didFinishLaunching reason: LaunchReason) async {
        compareAccount()
        askOnce()
        await super.application(didFinishLaunching: reason)
        await moveIn()
    }
    override func applicationDidBecomeActive() async {
        _ = await files()
        await moveIn()
        // A view of iCloud only when there is something to view (S86).
        if opened != nil { await super.applicationDidBecomeActive() }
    }

    /// Only where the person wants it.
    override func files() async -> PageFiles? { defaults.bool(forKey: Self.choiceKey) ? await super.files() : nil }

    /// A notice may bring the token that is known already: then nothing has changed (S88, S89).
    override func accountChanged() {
        guard compareAccount() else { return }
        askOnce()
        super.accountChanged()
        Task { await applicationDidBecomeActive() }
    }
    /// Keeps the token for the next time, or nothing when there is none (S78).
    /// - Returns: whether it is another one than before.
    @discardableResult private func compareAccount() -> Bool {
        let known = defaults.data(forKey: Self.tokenKey)
        let token = FileManager.default.ubiquityIdentityToken
        let present = token.flatMap {
            try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
        }
        guard present != known else { return false }
        if let present {
            defaults.set(present, forKey: Self.tokenKey)
        } else {
            defaults.removeObject(forKey: Self.tokenKey)
        }
        return true
    }
    /// One choice for everything (S72), asked for when there is an account for the first time and never again (S74, S180). People say yes.
    private func askOnce() {
        guard defaults.data(forKey: Self.tokenKey) != nil, defaults.object(forKey: Self.choiceKey) == nil else {
            return
        }
        isAsking = true
        defaults.set(true, forKey: Self.choiceKey)
    }

    // MARK: Pages without iCloud

    /// Pages of the time without iCloud, by id.
    private var localIDs: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: local.documents.path)) ?? []
        return names.sorted().compactMap { local.id(local.documents.appending(path: $0, directoryHint: .notDirectory)) }
    }

    /// Whatever was written while iCloud was away goes there, without a question (S92); then it is here no more (S73).
    ///
    /// One move a page: a kill or a power cut leaves it in one of the two places. Merged into a page of iCloud it would be in both for a
    /// moment, and after a cut in that moment nothing tells whether iCloud has it: its page may have got another name by then, may not be
    /// on this iPad, or somebody may have drawn over what was merged.
    func moveIn() async {
        guard !localIDs.isEmpty, let files = await files() else { return }
        for id in localIDs {
            guard let from = local.url(id), let to = try? freePlace(id, files) else { continue }
            try? FileManager.default.setUbiquitous(true, itemAt: from, destinationURL: to)
        }
    }
    /// Where iCloud has such a page, here or not, another stands next to it, named as the system does (`day-1 2`).
    private func freePlace(_ id: String, _ files: PageFiles) throws(PageFiles.Problem) -> URL? {
        for number in 1...99 {
            guard let url = files.url(number == 1 ? id : "\(id) \(number)") else { continue }
            do { if try files.read(url) == nil { return url } } catch .notHere { continue }
        }
        return nil
    }

    /// Whole and there after a power cut: nobody else has it.
    private func keep(_ edit: Edit) throws {
        guard let url = local.url(edit.item) else { throw Refusal("no day can be called '\(edit.item)'") }
        do {
            let seen = shown[edit.item] ?? Page([])
            let rest = try local.read(url)?.current.without(seen) ?? Page([])
            let page = Page([edit.value]).merged(with: [rest])
            try page.text.write(to: url, atomically: true, encoding: .utf8)
            try FileHandle(forWritingTo: url).synchronize()
            _ = show(edit.item, page)
        } catch { throw Refusal("\(edit.item) could not be saved: \(error.localizedDescription)") }
    }
    private func localItem(_ id: String) -> Item? {
        guard let url = local.url(id), let found = try? local.read(url) else { return nil }
        return show(id, found.current)
    }

    // MARK: What people do and see

    override func draw(_ edit: Edit) async throws {
        NSUbiquitousKeyValueStore.default.set(edit.item, forKey: Self.lastDayKey)
        if await files() != nil { return try await super.draw(edit) }
        // A page without iCloud is nobody's, and moves into the first account's that is there: this one has its own.
        guard FileManager.default.ubiquityIdentityToken == nil else {
            throw Refusal("\(edit.item) could not be saved: its iCloud container cannot be opened now; try again later")
        }
        try keep(edit)
    }
    override func visibleItem(_ id: String) async -> Item? {
        await moveIn()
        let item = await super.visibleItem(id)
        return await files() == nil ? localItem(id) : item
    }
    override func visibleState() async -> VisibleState {
        await moveIn()
        var state = await super.visibleState()
        if await files() == nil { state.items = localIDs.compactMap(localItem) }
        return state
    }
}
