import CloudKit
import Ubiquity

/// Notes on this iPad: one file each, in a folder of the iCloud account they belong to, so that another account never sees them.
@MainActor final class NoteShelf {
    private(set) var notes: [String: Note] = [:]
    /// Which of them are dirty: asked for at every turn, when most notes are not.
    private var dirty: Set<String> = []
    /// The change token of what is on the shelf: kept after the changes, never before.
    var token: CKServerChangeToken? { didSet { keepToken() } }
    private let folder: URL
    private let encoder = JSONEncoder()

    /// - Parameter name: the account's folder; it is kept while another account is signed in.
    init(folder name: String) {
        encoder.outputFormatting = .sortedKeys
        folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
            .appending(path: name, directoryHint: .isDirectory)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasSuffix(".json") {
            guard let data = FileManager.default.contents(atPath: folder.path + "/" + name),
                let note = try? JSONDecoder().decode(Note.self, from: data)
            else { continue }
            put(note, as: String(name.dropLast(5)))
        }
        token = keptToken
    }

    var dirtyNames: [String] { dirty.sorted() }

    private func put(_ note: Note?, as name: String) {
        notes[name] = note
        if note?.isDirty == true { dirty.insert(name) } else { dirty.remove(name) }
    }

    /// Keeps a note, on disk before this returns.
    /// - Throws: when the disk is full; then the old note is still there.
    func keep(_ note: Note, as name: String) throws {
        try keep(String(decoding: try encoder.encode(note), as: UTF8.self), as: name + ".json")
        put(note, as: name)
    }
    /// Changes what is seen, not what is on disk: the mistake of an app that means to save later.
    func show(_ note: Note, as name: String) { put(note, as: name) }

    func drop(_ name: String) {
        put(nil, as: name)
        try? FileManager.default.removeItem(at: folder.appending(path: name + ".json"))
    }

    private var keptToken: CKServerChangeToken? {
        guard let text = FileManager.default.contents(atPath: folder.path + "/token"),
            let data = Data(base64Encoded: text)
        else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
    }
    private func keepToken() {
        guard let token,
            let data = try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        else {
            try? FileManager.default.removeItem(at: folder.appending(path: "token"))
            return
        }
        try? keep(data.base64EncodedString(), as: "token")
    }

    /// Whole and there after a power cut: a note that fell back to older lines would not be fetched again once the token is newer.
    private func keep(_ text: String, as name: String) throws {
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        try FileHandle(forWritingTo: file).synchronize()
    }
}
