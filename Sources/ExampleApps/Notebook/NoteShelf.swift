import CloudKit
import Ubiquity

/// Notes on this iPad, in a folder of the iCloud account they belong to, so that another account never sees them.
@MainActor class NoteShelf {
    private(set) var notes: [String: Note] = [:]
    /// The change token of what is on the shelf: reaches the disk with the changes that came with it, never before.
    var token: CKServerChangeToken? { didSet { isTokenUnsaved = true } }
    /// The lines of the notes that are dirty, by name: asked for at every turn, when most are not.
    private(set) var dirty: [String: [String]] = [:]
    /// What is not on disk yet.
    private var unsaved: Set<String> = []
    private var isTokenUnsaved = false
    private let journal: NoteJournal
    let folder: URL
    /// Another account is signed in: nothing is kept any more.
    private var isCleared = false

    /// - Parameter name: the account's folder.
    required init(folder name: String) {
        let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
            .appending(path: name, directoryHint: .isDirectory)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        journal = NoteJournal(file: folder.appending(path: "notes"))
        for entry in journal.read() {
            if let name = entry.name { show(entry.note, as: name) }
            if let data = entry.token {
                token = try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
            }
        }
        isTokenUnsaved = false
    }

    /// Another account is signed in: nothing is shown or sent any more, and what the server has as well leaves this iPad (identity.md 3;
    /// S90). What it has not acknowledged stays for the day when this account is back.
    func leave() {
        isCleared = true
        let unsent = entries(dirty.keys, withToken: false)
        (notes, dirty, unsaved) = ([:], [:], [])
        if unsent.isEmpty {
            try? FileManager.default.removeItem(at: folder)
        } else {
            // Without room everything stays: it is shown to no other account either way.
            try? journal.replace(with: unsent)
        }
    }

    /// Changes what is seen, not what is on disk: the mistake of an app that means to save later.
    func show(_ note: Note?, as name: String) {
        notes[name] = note
        dirty[name] = note.flatMap { $0.isDirty ? $0.lines : nil }
    }

    /// Changes a note, or removes it; on disk with the next `save`.
    func put(_ note: Note?, as name: String) {
        show(note, as: name)
        unsaved.insert(name)
    }

    /// Keeps a note, on disk before this returns.
    /// - Throws: when the disk is full; then the old note is still there.
    func keep(_ note: Note, as name: String) throws {
        let (old, wasUnsaved) = (notes[name], unsaved.contains(name))
        put(note, as: name)
        do { try save() } catch {
            show(old, as: name)
            if !wasUnsaved { unsaved.remove(name) }
            throw error
        }
    }

    /// Whatever was put since the last time, whole and there after a power cut: a note that fell back to older lines would not be
    /// fetched again once the token is newer.
    /// - Throws: when the disk is full; the next `save` tries again.
    func save() throws {
        guard !isCleared, !unsaved.isEmpty || isTokenUnsaved else { return }
        try journal.add(entries(unsaved, withToken: isTokenUnsaved)) { entries(notes.keys, withToken: true) }
        unsaved = []
        isTokenUnsaved = false
    }

    /// What the server had is gone for good, and everything here has to go up as if it were new.
    func forgetServer() {
        token = nil
        for (name, note) in notes.sorted(by: { $0.key < $1.key }) {
            var note = note
            (note.base, note.gone, note.acknowledged) = ([], [], [])
            (note.systemFields, note.modified) = (nil, nil)
            put(note, as: name)
        }
    }

    private func entries(_ names: some Sequence<String>, withToken: Bool) -> [NoteJournal.Entry] {
        var entries = names.sorted().map { NoteJournal.Entry(name: $0, note: notes[$0]) }
        if withToken { entries.append(NoteJournal.Entry(token: archivedToken)) }
        return entries
    }
    private var archivedToken: Data {
        token.flatMap { try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) } ?? Data()
    }
}
