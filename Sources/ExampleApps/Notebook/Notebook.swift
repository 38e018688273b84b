import CloudKit
import Ubiquity

/// Notes as records in a custom zone: several fields, conflicts merged line by line, nothing kept only in memory.
///
/// An edit is on disk before it is shown as taken, and handed to the system at once as a long-lived operation, which goes on without
/// the app and without the person (S33, S34).
class Notebook: PadApp {
    nonisolated class var declaration: AppDeclaration { notebookDeclaration("notebook") }
    class var policy: NoteSync.Policy { NoteSync.Policy() }

    private var shelf: NoteShelf
    private var sync: NoteSync
    private var identity: String

    required init() {
        // Signed out at launch: the last account's notes, which go up when it is back.
        identity = Self.currentIdentity ?? UserDefaults.standard.string(forKey: "identity") ?? Self.nobody
        shelf = Self.shelf(of: identity)
        sync = NoteSync(shelf: shelf, policy: Self.policy)
    }

    /// Whose notes are those written before the first account.
    private static let nobody = "none"

    private static func shelf(of identity: String) -> NoteShelf {
        let shelf = NoteShelf(identity: identity)
        guard identity != nobody else { return shelf }
        UserDefaults.standard.set(identity, forKey: "identity")
        shelf.adopt(NoteShelf(identity: nobody))
        return shelf
    }

    /// A name for the iCloud account, stable on this iPad; nil while signed out.
    private static var currentIdentity: String? {
        FileManager.default.ubiquityIdentityToken.map { String(StableHash.of(0, "\($0)"), radix: 16) }
    }

    // MARK: Life

    func application(didFinishLaunching reason: LaunchReason) async {
        NotificationCenter.default.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main) {
            [weak self] _ in
            MainActor.assumeIsolated { self?.identityChanged() }
        }
        begin()
    }
    func applicationDidBecomeActive() async { look() }
    func applicationWillResignActive() async { sync.send() }
    func application(didReceiveRemoteNotification userInfo: Value) async { await sync.fetch() }

    private func begin() {
        let sync = self.sync
        Task {
            await sync.resume()
            await sync.subscribe()
            await sync.fetch()
            sync.send()
        }
    }
    private func look() {
        let sync = self.sync
        Task {
            sync.send()
            await sync.fetch()
        }
    }

    /// Another account: its own shelf. Signed out: what is here stays, and goes up when the account is back.
    private func identityChanged() {
        guard let present = Self.currentIdentity else { return }
        guard present != identity else { return look() }
        identity = present
        shelf = Self.shelf(of: present)
        sync = NoteSync(shelf: shelf, policy: Self.policy)
        begin()
    }

    // MARK: What people do and see

    func perform(_ edit: Edit) async throws {
        var note = shelf.notes[edit.item] ?? Note()
        switch (edit.action, edit.verb) {
        case ("write", .put): note.replace(with: [edit.value])
        case ("delete", .delete): note.replace(with: [])
        default: throw Refusal("the notebook has no \(edit.action)")
        }
        if Self.policy.keepsEditsOnDisk {
            do { try shelf.keep(note, as: edit.item) } catch { throw Refusal("the note cannot be kept: \(error)") }
        } else {
            shelf.show(note, as: edit.item)
        }
        // Taken only when the system has it: the app may be killed at any moment, and its files purged before it runs again.
        await sync.handOver()
    }

    func visibleState() async -> VisibleState {
        let items = shelf.notes.keys.sorted().compactMap(item)
        return VisibleState(items, complete: sync.isUpToDate)
    }
    func visibleItem(_ id: String) async -> Item? { item(id) }

    private func item(_ name: String) -> Item? {
        guard let lines = shelf.notes[name]?.lines, !lines.isEmpty else { return nil }
        return Item(id: name, kind: "note", text: lines.joined(separator: "\n"))
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
