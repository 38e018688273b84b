import FleetModel
import Testing

@testable import ExampleApps

/// What a server with change tags does with one note of several iPads; answers may arrive late, but of one iPad in order.
private struct NoteModel {
    struct Pad {
        var note = Note()
        /// The server's version that the note was last told.
        var version = 0
        /// What was sent: lines, and the version they were made from.
        var sent: (lines: [String], from: Int)?
    }
    var server: [String] = []
    var version = 0
    var pads = [Pad(), Pad()]
    var typed = 0
    /// Lines that somebody saw and replaced or deleted.
    var replaced: Set<String> = []

    mutating func type(on pad: Int) {
        typed += 1
        replaced.formUnion(pads[pad].note.lines)
        pads[pad].note.replace(pads[pad].note.lines, with: ["line-\(typed)"])
    }
    mutating func delete(on pad: Int) {
        replaced.formUnion(pads[pad].note.lines)
        pads[pad].note.replace(pads[pad].note.lines, with: [])
    }
    mutating func send(from pad: Int) {
        guard pads[pad].sent == nil, pads[pad].note.isDirty else { return }
        pads[pad].sent = (pads[pad].note.lines, pads[pad].version)
    }
    /// The server takes or refuses what was sent, and the iPad hears of it unless the answer is lost.
    mutating func answer(_ pad: Int, isLost: Bool = false) {
        guard let sent = pads[pad].sent else { return }
        pads[pad].sent = nil
        if isLost {
            guard sent.from == version else { return }
            server = sent.lines
            version += 1
            return
        }
        if sent.from == version {
            server = sent.lines
            version += 1
            pads[pad].note.acknowledge(server)
        } else {
            pads[pad].note.merge(server: server)
        }
        pads[pad].version = version
    }
    /// What changed since an old change token: also what the iPad knows already.
    mutating func fetch(_ pad: Int) {
        pads[pad].note.merge(server: server)
        pads[pad].version = version
    }
    mutating func settle() {
        for _ in 0..<6 {
            for pad in pads.indices {
                answer(pad)
                fetch(pad)
                send(from: pad)
            }
        }
    }
}

@Suite("Note", .timeLimit(.minutes(20))) struct NoteTests {
    @Test(
        "Two iPads, edits, deletions, saves, lost answers and fetches in any order: both agree, and nothing that nobody replaced is gone (2,000 orders)"
    )
    func orders() {
        var kept = 0
        for seed in 0..<2000 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "note")
            var model = NoteModel()
            for _ in 0..<30 {
                let pad = draw.below(2)
                switch draw.below(6) {
                case 0, 1: model.type(on: pad)
                case 2: if draw.below(3) == 0 { model.delete(on: pad) }
                case 3: model.send(from: pad)
                case 4: model.answer(pad, isLost: draw.below(3) == 0)
                default: model.fetch(pad)
                }
            }
            model.settle()
            let lines = model.pads.map { $0.note.lines.sorted() }
            #expect(lines[0] == lines[1] && lines[0] == model.server.sorted(), "seed \(seed): \(lines) \(model.server)")
            let wanted = Set((1...max(1, model.typed)).map { "line-\($0)" }).subtracting(model.replaced)
            if model.typed > 0 {
                #expect(wanted.isSubset(of: Set(model.server)), "seed \(seed): \(wanted) \(model.server)")
            }
            #expect(model.replaced.isDisjoint(with: model.server), "seed \(seed): \(model.server)")
            kept += wanted.count
        }
        #expect(kept > 1000)
    }

    @Test("Merge: what both sides added stays, what either side removed goes")
    func merge() {
        var note = Note(lines: ["a", "mine"], base: ["a", "b"])
        note.merge(server: ["a", "b", "theirs"])
        #expect(note.lines == ["a", "theirs", "mine"])
        #expect(note.base == ["a", "b", "theirs"] && note.isDirty)
    }

    @Test("Deletion behind a version on its way: the version that arrives later is not taken back")
    func deletion() {
        var note = Note()
        note.replace(note.lines, with: ["first"])
        note.replace(note.lines, with: [])
        #expect(note.isDirty)
        note.merge(server: ["first"])
        #expect(note.lines.isEmpty && note.isDirty)
        note.acknowledge([])
        #expect(!note.isDirty)
    }

    @Test("Deletion that the server agrees with by chance: the version on its way is still not taken back")
    func agreement() {
        var note = Note()
        note.replace(note.lines, with: ["first"])
        note.replace(note.lines, with: [])
        note.merge(server: [])
        #expect(note.isDirty)
        note.replace(note.lines, with: ["second"])
        note.merge(server: ["first"])
        #expect(note.lines == ["second"] && note.isDirty)
        note.acknowledge(["second"])
        #expect(!note.isDirty)
    }

    @Test("Save without an answer, then a deletion by somebody who saw it: the line stays removed")
    func unanswered() {
        var (typing, deleting) = (Note(), Note())
        typing.replace([], with: ["mine"])
        // The save arrived, the answer did not.
        let saved = NoteRecord.make("n", typing)
        _ = NoteRecord.tell(&deleting, of: saved) { $0.merge(server: $1) }
        #expect(deleting.lines == ["mine"])
        deleting.replace(["mine"], with: [])
        let deleted = NoteRecord.make("n", deleting)
        typing.replace(["mine"], with: ["mine", "more"])
        _ = NoteRecord.tell(&typing, of: deleted) { $0.merge(server: $1) }
        #expect(typing.lines == ["more"] && typing.isDirty)
    }

    @Test("Line typed again after it was removed: it stays")
    func again() {
        var note = Note()
        note.replace([], with: ["a"])
        note.replace(["a"], with: [])
        note.replace([], with: ["a"])
        #expect(note.lines == ["a"] && note.removed.data == nil)
    }
}
