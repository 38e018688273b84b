import CloudKit
import Ubiquity

/// Notes as records in a custom zone: several fields, conflicts merged line by line, nothing kept only in memory.
///
/// An edit is on disk before it is shown as taken, and handed to the system at once as a long-lived operation, which goes on without
/// the app and without the person (S33, S34).
class Notebook: PadApp {
    nonisolated class var declaration: AppDeclaration { notebookDeclaration("notebook") }
    class var policy: NoteSync.Policy { NoteSync.Policy() }

    // What variants put in place of these.
    class var syncType: NoteSync.Type { NoteSync.self }
    class var shelfType: NoteShelf.Type { NoteShelf.self }
    /// Another account has notes of its own.
    class var followsAccount: Bool { true }

    private(set) var shelf: NoteShelf
    private(set) var sync: NoteSync
    /// What the person sees of notes whose newest text the system has no room for.
    private let waiting = WaitingForRoom<Note>()
    /// The account whose notes these are; nil until there was one for the first time.
    private var account: String?

    required init() {
        // First of all: what an earlier launch knew may be of another account (S88).
        let met = Self.meetAccount()
        account = met.account
        shelf = Self.shelfType.init(folder: Self.folder(of: account))
        sync = Self.syncType.init(shelf: shelf, policy: Self.policy, isSignedIn: met.isSignedIn)
    }

    /// By the account alone: what else an app remembers a power cut may take.
    private static func folder(of account: String?) -> String { account.map { "notes-\($0)" } ?? "notes" }

    // MARK: Life

    func application(didFinishLaunching reason: LaunchReason) async {
        NotificationCenter.default.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main) {
            [weak self] _ in
            MainActor.assumeIsolated { self?.identityChanged() }
        }
        begin()
    }
    func applicationDidBecomeActive() async {
        sync.isActive = true
        sync.tryRefusedAgain()
        look()
    }
    func applicationWillResignActive() async {
        sync.isActive = false
        sync.send()
    }
    func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult {
        await sync.fetch()
    }

    private func begin() {
        let sync = self.sync
        guard sync.isSignedIn else { return }
        sync.recallZone()
        Task {
            await sync.resume()
            sync.send()
            await sync.subscribe()
            if sync.looksUnasked { await sync.fetch() }
            sync.send()
        }
    }
    private func look() {
        let sync = self.sync
        Task {
            sync.send()
            if sync.looksUnasked { await sync.fetch() }
        }
    }

    /// Told apart by the token, in the moment of the notice: asked over the network, the answer would come when the old notes had been shown
    /// to the new account, or sent to it. The notes of the account before leave the screen, and the iPad but for what is not sent.
    private func identityChanged() {
        let previous = Self.folder(of: account)
        let met = Self.meetAccount()
        account = met.account
        guard Self.folder(of: account) != previous else {
            sync.isSignedIn = met.isSignedIn
            return begin()
        }
        shelf.leave()
        waiting.forget()
        shelf = Self.shelfType.init(folder: Self.folder(of: account))
        let isActive = sync.isActive
        sync = Self.syncType.init(shelf: shelf, policy: Self.policy, isSignedIn: met.isSignedIn)
        sync.isActive = isActive
        begin()
    }

    /// The account whose notes are shown from now on, and whether it is there. Signed out it is the one before: what is here stays, and goes
    /// up when that is back.
    private static func meetAccount() -> (account: String?, isSignedIn: Bool) {
        let defaults = UserDefaults.standard
        let known = defaults.string(forKey: "account")
        let present = AccountName.present
        guard let present, present != known, followsAccount || known == nil else {
            return (known, present != nil || !followsAccount)
        }
        defaults.set(present, forKey: "account")
        return (present, true)
    }

    // MARK: What people do and see

    func perform(_ edit: Edit) async throws {
        guard let name = Self.recordName(edit.item).map(place(of:)) else {
            throw Refusal("no note can be called '\(edit.item)'")
        }
        let seen = visible(name) ?? Note()
        // Nothing is kept before there is a zone: what the system gives back is the app's alone again, and gone when the person leaves.
        try await waitForZone(of: account)
        let shelf = self.shelf
        var note = shelf.notes[name] ?? Note()
        switch (edit.action, edit.verb) {
        case ("write", .put): note.replace(seen.lines, with: [edit.value])
        case ("delete", .delete): note.replace(seen.lines, with: [])
        default: throw Refusal("the notebook has no \(edit.action)")
        }
        guard note.lines.reduce(0, { $0 + $1.utf8.count }) <= NoteRecord.bytesMax else {
            throw Refusal("the note would be too long for iCloud: delete something in it first")
        }
        if Self.policy.keepsEditsOnDisk {
            do { try shelf.keep(note, as: name) } catch { throw Refusal("the note cannot be kept: \(error)") }
        } else {
            shelf.show(note, as: name)
        }
        // Taken only when the system has it: the app may be killed at any moment, and its files purged before it runs again.
        let place = Self.folder(of: account)
        try await Task.sleep(for: NoteSync.gathering)
        if handsOver(from: place) { return }
        let isShown = Self.folder(of: account) == place
        try await waiting.wait(name, showing: isShown ? seen : nil) { handsOver(from: place) }
    }
    /// Returns when the account is there and has a zone for notes.
    /// - Parameter author: the account at the beginning; nil: nobody's yet, so of whoever comes.
    private func waitForZone(of author: String?) async throws {
        while true {
            // Asked anew each time: another account has a sync of its own, and the one before would wait for ever.
            let problem = await sync.makeZone()
            // What was seen while the person wrote is another account's by now, and must not come to this one's.
            guard author == nil || author == account else {
                throw Refusal("another iCloud account is signed in: write it there")
            }
            guard let problem else { return }
            let hint = (problem as? CKError)?.retryAfterSeconds
            try await Task.sleep(for: hint.map { .seconds($0) } ?? NoteSync.zonePause)
        }
    }
    /// What was written for another account waits on its shelf until that is back.
    func handsOver(from place: String) -> Bool { Self.folder(of: account) == place && sync.send() }

    func visibleState() async -> VisibleState {
        let items = shelf.notes.keys.sorted().compactMap(item)
        return VisibleState(items, complete: sync.isUpToDate)
    }
    func visibleItem(_ id: String) async -> Item? { Self.recordName(id).map(place(of:)).flatMap(item) }

    /// Where on the shelf the note of that title lies, and what the note there is called: each other, unless a variant names its records
    /// otherwise.
    func place(of title: String) -> String { title }
    func title(of place: String) -> String { place }

    /// Nil for a name that is empty or too long.
    private static func recordName(_ id: String) -> String? {
        PlainName.encoded(id, bytesMax: NoteRecord.nameBytesMax)
    }

    private func visible(_ name: String) -> Note? { waiting[name] ?? shelf.notes[name] }
    private func item(_ name: String) -> Item? {
        guard let lines = visible(name)?.lines, !lines.isEmpty else { return nil }
        return Item(id: PlainName.decoded(title(of: name)) ?? name, kind: "note", text: lines.joined(separator: "\n"))
    }
}

func notebookDeclaration(_ name: AppName) -> AppDeclaration {
    AppDeclaration(
        name: name, infoPlistPath: infoPlistPath(name), channel: .record,
        actions: [
            AppManifest.Action("write", kind: "note", verb: .put, weight: 7, pool: 6, prefix: "note"),
            AppManifest.Action("delete", kind: "note", verb: .delete, weight: 1, pool: 6, prefix: "note"),
        ],
        promises: ["note": .keepsAll])
}
