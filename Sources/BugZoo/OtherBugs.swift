import CloudKit
import Ubiquity

/// Reads the first page of the board and takes it for everything.
final class FirstPage: Bulletin {
    nonisolated override class var declaration: AppDeclaration { variant("ck-03", of: Bulletin.declaration) }
    override var readsOn: Bool { false }
}

// MARK: Quiz

/// Sets the quiz up at the first launch on each iPad.
final class SetsUpAgain: Quiz {
    nonisolated override class var declaration: AppDeclaration { variant("kvs-01", of: Quiz.declaration) }
    override func prepareFirstRun() {
        if !UserDefaults.standard.bool(forKey: "hasLaunchedBefore") {
            for question in 1...Self.questions { store.set("", forKey: "answer-\(question)") }
            UserDefaults.standard.set(true, forKey: "hasLaunchedBefore")
        }
        super.prepareFirstRun()
    }
}

/// Keeps all answers under one key.
final class OneKey: Quiz {
    nonisolated override class var declaration: AppDeclaration { variant("kvs-02", of: Quiz.declaration) }
    override var answers: [String: String] { store.dictionary(forKey: "all") as? [String: String] ?? [:] }
    override func answer(_ key: String) -> String? { answers[key] }
    override func keep(_ value: String, as key: String) {
        store.set(answers.merging([key: value]) { _, new in new }, forKey: "all")
    }
}

/// Has a copy of the store in the defaults, and writes back whatever the store lacks: another account's too.
final class PoursBack: Quiz {
    nonisolated override class var declaration: AppDeclaration { variant("kvs-04", of: Quiz.declaration) }
    private let defaults = UserDefaults.standard
    private var mirror: [String: String] { defaults.dictionary(forKey: "mirror") as? [String: String] ?? [:] }
    override func keep(_ value: String, as key: String) {
        super.keep(value, as: key)
        defaults.set(mirror.merging([key: value]) { _, new in new }, forKey: "mirror")
    }
    override func storeChanged() {
        let present = answers
        for (key, value) in mirror.sorted(by: { $0.key < $1.key }) where present[key] == nil {
            super.keep(value, as: key)
        }
        defaults.set(answers, forKey: "mirror")
        super.storeChanged()
    }
}

// MARK: Documents

class ScrapbookBug: Scrapbook {
    nonisolated class var id: String { "" }
    nonisolated override class var declaration: AppDeclaration { variant(id, of: Scrapbook.declaration) }
}

/// Settles a conflict by throwing the other versions away.
final class ThrowsAway: ScrapbookBug {
    nonisolated override class var id: String { "doc-01" }
    override func settle(_ url: URL, _ files: PageFiles) {
        for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] { version.isResolved = true }
        try? NSFileVersion.removeOtherVersionsOfItem(at: url)
    }
    override func draw(_ edit: Edit) async throws {
        if let files = await files(), let url = files.url(edit.item) { settle(url, files) }
        try await super.draw(edit)
    }
}

/// Reads a page once in a launch, and writes it whole ever after.
final class ReadOnce: ScrapbookBug {
    nonisolated override class var id: String { "doc-02" }
    private var pages: [String: Page] = [:]
    override func draw(_ edit: Edit) async throws {
        guard let page = pages[edit.item], let files = await files(), let url = files.url(edit.item) else {
            return try await super.draw(edit)
        }
        let drawn = Page([edit.value]).merged(with: [page.without(shown[edit.item] ?? Page([]))])
        do { try files.write(url) { _ in drawn } } catch { throw Refusal("\(edit.item) could not be saved: \(error)") }
        (pages[edit.item], shown[edit.item]) = (drawn, drawn)
    }
    override func visibleItem(_ id: String) async -> Item? {
        if let page = pages[id] { return show(id, page) }
        let item = await super.visibleItem(id)
        pages[id] = shown[id]
        return item
    }
    override func accountChanged() {
        pages = [:]
        super.accountChanged()
    }
}

/// Takes a page that is not on this iPad for a page that there is not, and makes an empty one.
final class MissingIsNew: ScrapbookBug {
    nonisolated override class var id: String { "doc-03" }
    override func visibleItem(_ id: String) async -> Item? {
        if let files = await files(), let url = files.url(id), (try? Data(contentsOf: url)) == nil {
            try? Data().write(to: url)
        }
        return await super.visibleItem(id)
    }
}

/// Frees up space by removing pages that are written.
final class RemovesToFree: ScrapbookBug {
    nonisolated override class var id: String { "doc-07" }
    override func applicationWillResignActive() async {
        await super.applicationWillResignActive()
        guard let files = await files() else { return }
        for id in shown.keys.sorted() {
            if let url = files.url(id) { try? FileManager.default.removeItem(at: url) }
        }
    }
}

/// What is written without iCloud stays where it is for ever.
final class LeftBehind: Diary {
    nonisolated override class var declaration: AppDeclaration { variant("id-04", of: Diary.declaration) }
    override func moveIn() async {}
}

// MARK: Homework

class HomeworkBug: Homework {
    nonisolated class var id: String { "" }
    nonisolated override class var declaration: AppDeclaration { variant(id, of: Homework.declaration) }
}

/// Keeps essays in memory until the app is told to end.
final class SavesAtTheEnd: HomeworkBug {
    nonisolated override class var id: String { "life-01" }
    private var essays: [String: String] = [:]
    override func handIn(_ text: String, _ id: String) throws { essays[id] = text }
    override func applicationWillTerminate() async {
        for (id, text) in essays.sorted(by: { $0.key < $1.key }) { try? super.handIn(text, id) }
        essays = [:]
    }
    override func localEssays() -> [String: String] { super.localEssays().merging(essays) { _, new in new } }
    override func visibleItem(_ id: String) async -> Item? {
        if let text = essays[id] { return Item(id: id, kind: "handIn", text: text) }
        return await super.visibleItem(id)
    }
}

/// Removes its only copy when the system has the task.
final class RemovesAtHandOver: HomeworkBug {
    nonisolated override class var id: String { "up-02" }
    override func send(_ id: String, after pause: Int = 0) -> (any Error)? {
        let error = super.send(id, after: pause)
        if error == nil { outbox.remove(id) }
        return error
    }
}

/// Gives up after three attempts.
final class GivesUp: HomeworkBug {
    nonisolated override class var id: String { "up-03" }
    private var tries: [String: Int] = [:]
    override func sendAgain(_ id: String, refused request: URLRequest?) {
        tries[id, default: 0] += 1
        if tries[id, default: 0] < 3 { super.sendAgain(id, refused: request) } else { outbox.remove(id) }
    }
}

/// Takes any answer for a confirmation.
final class FinishedIsDelivered: HomeworkBug {
    nonisolated override class var id: String { "up-04" }
    override func confirms(_ answer: Data, _ status: Int, _ id: String, _ text: String) -> Bool { true }
}

/// Takes a password that was there and cannot be read now for a sign-out.
final class LockedIsSignedOut: HomeworkBug {
    nonisolated override class var id: String { "key-02" }
    override class var passwordAccessibility: CFString { kSecAttrAccessibleWhenUnlocked }
    private var wasSignedIn: Bool {
        get { UserDefaults.standard.bool(forKey: "wasSignedIn") }
        set { UserDefaults.standard.set(newValue, forKey: "wasSignedIn") }
    }
    override func application(didFinishLaunching reason: LaunchReason) async {
        if backend.credential == nil, wasSignedIn {
            wasSignedIn = false
            for id in outbox.ids { outbox.remove(id) }
        }
        await super.application(didFinishLaunching: reason)
    }
    override func applicationWillResignActive() async {
        if backend.credential != nil { wasSignedIn = true }
        await super.applicationWillResignActive()
    }
}

/// Keeps what is not confirmed among the caches.
final class UnsentInCaches: HomeworkBug {
    nonisolated override class var id: String { "sto-01" }
    override class var outboxDirectory: FileManager.SearchPathDirectory { .cachesDirectory }
}
