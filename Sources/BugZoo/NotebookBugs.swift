import CloudKit
import Ubiquity

/// Notebook with other parts, or another policy.
class NotebookBug: Notebook {
    nonisolated class var id: String { "" }
    nonisolated override class var declaration: AppDeclaration { variant(id, of: Notebook.declaration) }
}

/// The change token expires, and the app takes that for "nothing new".
final class ExpiredIsNothing: NotebookBug {
    nonisolated override class var id: String { "ck-04" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override func tokenExpired() -> Bool { false }
    }
}

/// What the service refused within a batch counts as done.
final class PartialIsDone: NotebookBug {
    nonisolated override class var id: String { "ck-05" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override func saved(_ name: String, _ result: Result<CKRecord, any Error>) {
            if case .failure = result { forget(name) } else { super.saved(name, result) }
        }
    }
}

/// Saves without comparing change tags.
final class Forces: NotebookBug {
    nonisolated override class var id: String { "ck-08" }
    override class var policy: NoteSync.Policy { NoteSync.Policy(save: .allKeys) }
}

/// Merges by adding: what is on this iPad and not at the server is taken for new.
final class SavesBack: NotebookBug {
    nonisolated override class var id: String { "ck-09" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override func settle(_ note: inout Note, _ name: String, _ server: CKRecord) -> Bool { add(&note, server) }
        override func take(_ note: inout Note, _ record: CKRecord) -> Bool { add(&note, record) }
        private func add(_ note: inout Note, _ record: CKRecord) -> Bool {
            NoteRecord.tell(&note, of: record) { note, server in
                note.lines = server + note.lines.filter { !server.contains($0) }
                note.base = server
                note.gone = []
            }
        }
    }
}

/// Draws the name of a record each time it tries to make it.
final class NewNames: NotebookBug {
    nonisolated override class var id: String { "ck-11" }
    override class var syncType: NoteSync.Type { Sync.self }
    /// People go by the title, which the drawn name begins with.
    override func title(of place: String) -> String {
        let cut = place.index(place.endIndex, offsetBy: -37, limitedBy: place.startIndex) ?? place.endIndex
        return UUID(uuidString: String(place[cut...].dropFirst())) == nil ? place : String(place[..<cut])
    }
    override func place(of title: String) -> String {
        shelf.notes.keys.sorted().first { self.title(of: $0) == title } ?? title
    }
    final class Sync: NoteSync {
        /// Names of notes by the names that were drawn for them.
        private var notes: [String: String] = [:]
        override func record(_ name: String, _ note: Note) -> CKRecord {
            guard note.systemFields == nil else { return super.record(name, note) }
            let drawn = "\(name)-\(UUID().uuidString)"
            notes[drawn] = name
            return super.record(drawn, note)
        }
        override func saved(_ name: String, _ result: Result<CKRecord, any Error>) {
            guard let old = notes.removeValue(forKey: name) else { return super.saved(name, result) }
            guard case .success = result, let note = shelf.notes[old] else { return super.saved(old, result) }
            shelf.put(note, as: name)
            shelf.put(nil, as: old)
            super.saved(name, result)
        }
    }
}

/// Lays what it fetches over what is not sent yet.
final class FetchWins: NotebookBug {
    nonisolated override class var id: String { "ck-12" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override func take(_ note: inout Note, _ record: CKRecord) -> Bool {
            NoteRecord.tell(&note, of: record) { note, server in note = Note(lines: server, base: server) }
        }
    }
}

/// Takes the answer to an older version for an answer to the present one.
final class AnyAnswerWillDo: NotebookBug {
    nonisolated override class var id: String { "ck-13" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override func acknowledge(_ note: inout Note, _ record: CKRecord) -> Bool {
            NoteRecord.tell(&note, of: record) { note, _ in note.isDone() }
        }
    }
}

/// Fetches when a push says so, and never unasked.
final class OnlyPushes: NotebookBug {
    nonisolated override class var id: String { "ck-16" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override var looksUnasked: Bool { false }
    }
}

/// Decides conflicts by the clocks of iPads: the later of the two wins whole.
final class LaterClockWins: NotebookBug {
    nonisolated override class var id: String { "ck-18" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        private var written: [String: Date] = [:]
        override func record(_ name: String, _ note: Note) -> CKRecord {
            let record = super.record(name, note)
            written[name] = written[name] ?? Date()
            record["written"] = written[name]
            return record
        }
        override func acknowledge(_ note: inout Note, _ record: CKRecord) -> Bool {
            written[record.recordID.recordName] = nil
            return super.acknowledge(&note, record)
        }
        override func settle(_ note: inout Note, _ name: String, _ server: CKRecord) -> Bool {
            let isMineLater =
                written.removeValue(forKey: name) ?? .distantPast > server["written"] as? Date ?? .distantPast
            return NoteRecord.tell(&note, of: server) { note, lines in
                note = isMineLater ? Note(lines: note.lines, base: lines) : Note(lines: lines, base: lines)
            }
        }
    }
}

/// Forgets what was refused for the moment: no room in the account, a service that is down.
final class RefusedIsForgotten: NotebookBug {
    nonisolated override class var id: String { "eng-01" }
    override class var syncType: NoteSync.Type { Sync.self }
    final class Sync: NoteSync {
        override func failed(_ name: String, _ error: CKError?) {
            forget(name)
        }
    }
}

/// Removes everything of an account that is no longer there, sent or not.
final class LeavesNothing: NotebookBug {
    nonisolated override class var id: String { "eng-04" }
    override class var shelfType: NoteShelf.Type { Shelf.self }
    final class Shelf: NoteShelf {
        override func leave() {
            super.leave()
            try? FileManager.default.removeItem(at: folder)
        }
    }
}

/// Meets the account once and never compares it again.
final class OneAccount: NotebookBug {
    nonisolated override class var id: String { "id-01" }
    override class var followsAccount: Bool { false }
}

/// Hands over every twentieth edit, and does not when the person leaves.
final class Batches: NotebookBug {
    nonisolated override class var id: String { "life-02" }
    private var waiting = 0
    override func handsOver(from place: String) -> Bool {
        waiting += 1
        return waiting < 20 || super.handsOver(from: place)
    }
    override func applicationWillResignActive() async { sync.isActive = false }
}

/// What is not sent lives in memory.
final class InMemory: NotebookBug {
    nonisolated override class var id: String { "life-03" }
    override class var policy: NoteSync.Policy { NoteSync.Policy(isLongLived: false, keepsEditsOnDisk: false) }
}

extension Note {
    /// Nothing is left to send, whatever the server has.
    fileprivate mutating func isDone() {
        self = Note(lines: lines, base: lines, systemFields: systemFields, modified: modified)
    }
}
extension NoteSync {
    fileprivate func forget(_ name: String) {
        guard var note = shelf.notes[name] else { return }
        note.isDone()
        shelf.put(note, as: name)
    }
}
