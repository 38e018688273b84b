import FleetModel
import Testing

@testable import Run
@testable import World

@Suite("Marks", .timeLimit(.minutes(20))) struct MarkTests {
    private func mark(_ name: String?) -> Note { Note(.mark, detail: name.map { ["name": .string($0)] } ?? .empty) }
    private func began(_ token: Token, saw: [Token] = []) -> Note {
        Note(.began, tokens: [token], detail: ["saw": .strings(saw)])
    }
    /// What the notes of iPads add to the history.
    private func events(_ notes: [(pad: Int, note: Note)]) -> [Note] {
        var book = MarkBook()
        return notes.flatMap { book.events(for: HistoryEvent(at: .zero, from: .pad($0.pad), $0.note)) }.map(\.note)
    }

    @Test("A mark is news once; one without a name never; other notes are passed on each time")
    func once() {
        let told = events([
            (1, mark("a")), (2, mark("a")), (1, mark("b")), (1, mark(nil)), (1, began("maya.1")), (1, began("maya.1")),
        ])
        #expect(told == [mark("a"), mark("b"), began("maya.1"), began("maya.1")])
    }

    @Test("A mark that names an iPad is told each time: who lags behind asks which push it missed")
    func ofPad() {
        let push = Note(.mark, detail: ["name": "push-lost", "pad": 2])
        #expect(events([(1, push), (1, push), (1, mark("push-lost"))]) == [push, push])
    }

    @Test("An edit on the screen of a second iPad: marked the first time, and not on the iPad that it was made on")
    func second() {
        let (first, again) = (began("maya.1"), began("maya.2", saw: ["maya.1"]))
        #expect(events([(1, first), (1, again)]) == [first, again])
        let seen = mark("second-ipad-saw")
        #expect(events([(1, first), (2, again)]) == [first, again, seen])
        #expect(events([(1, first), (2, again), (3, again)]) == [first, again, seen, again])
        #expect(events([(2, again)]) == [again], "an edit that nobody made")
    }
}
