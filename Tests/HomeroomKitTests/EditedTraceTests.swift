import Checkers
import FleetModel
import Foundation
import Testing
import Trace

@testable import HomeroomKit

/// The trace of a real run, edited and judged as `check` judges it: the table of edits is in CheckersTests, here is that real traces hold what it
/// takes.
@Suite("Edited traces", .timeLimit(.minutes(20))) struct EditedTraceTests {
    typealias Edit = @Sendable (inout [HistoryEvent]) -> Void

    private static func judged(_ edit: Edit) throws -> Judgement {
        let recorded = try RecordedTrace.read(bytes: Array(try SmallRun.trace.get().utf8), file: "t.jsonl")
        var history = recorded.history
        edit(&history)
        return try RecordedFiles.scenario(of: recorded, "t.jsonl").scenario.judged(history)
    }
    private static func items(_ change: @escaping @Sendable (inout [Item]) -> Void) -> Edit {
        { history in
            for index in history.indices where history[index].note.kind == .read {
                var items = (history[index].note.detail["items"]?.array ?? []).compactMap(Item.init)
                change(&items)
                history[index].note.detail["items"] = .array(items.map(\.body))
            }
        }
    }
    private static func remove(_ isMeant: @escaping @Sendable (HistoryEvent) -> Bool) -> Edit {
        { $0.removeAll(where: isMeant) }
    }

    private static let found: [(name: String, edit: Edit, classes: [LossClass])] = [
        ("not edited", { _ in }, []),
        (
            "answers change places",
            items { items in
                for index in items.indices {
                    items[index].id = items[index].id == "answer-1" ? "answer-2" : "answer-1"
                }
            }, [.damaged, .damaged]
        ),
        ("an answer has another name", items { if !$0.isEmpty { $0[0].id = "answer-7" } }, [.damaged]),
        ("an answer has other content", items { if !$0.isEmpty { $0[0].digest = "5ca1ab1e" } }, [.damaged]),
        ("an answer is there twice", items { $0 += $0.prefix(1) }, [.duplicated]),
        ("an answer is gone", items { if !$0.isEmpty { $0.removeFirst() } }, [.lost]),
        (
            "committed with another person",
            { history in
                let index = history.firstIndex { $0.note.kind == .committed && $0.note.tokens == ["maya.1"] }
                if let index { history[index].note.person = "leo" }
            }, [.leaked]
        ),
    ]

    @Test("What the readings show and services hold: the class of each edit", arguments: found.indices)
    func findings(row: Int) throws {
        let (name, edit, classes) = Self.found[row]
        let judgement = try Self.judged(edit)
        #expect(judgement.findings.map(\.lossClass) == classes, "\(name): \(judgement)")
        #expect(judgement.verdict == (classes.isEmpty ? .valid : .invalid), "\(name): \(judgement.reasons)")
    }

    private static func withoutReading(_ reader: String) -> Edit {
        remove { $0.note.kind == .read && $0.note.detail["reader"]?.string == reader }
    }
    private static let cutOff: Edit = { history in
        let note = Note(.obstacle, detail: ["reason": "it spins"])
        history.append(HistoryEvent(at: history.last?.at ?? .zero, from: .people, note))
    }
    private static let missing: [(name: String, edit: Edit, words: String)] = [
        ("no reading of the core", withoutReading("core"), "a promised reading is missing"),
        ("no brand-new iPad", withoutReading("new"), "a promised reading is missing"),
        ("no fresh launches", withoutReading("again"), "a promised reading is missing"),
        ("no phases", remove { $0.note.kind == .phase }, "the history is not whole"),
        ("no plans", remove { $0.note.kind == .readingPlanned }, "made before runs planned their readings"),
        ("a time of nowhere", { $0[3].at = Instant(nanoseconds: .max) }, "the history is not whole"),
        ("cut off", cutOff, "it spins"),
    ]

    @Test("What is missing: unknown, and says what", arguments: missing.indices)
    func unknown(row: Int) throws {
        let (name, edit, words) = Self.missing[row]
        let judgement = try Self.judged(edit)
        #expect(judgement.verdict == .unknown, "\(name): \(judgement)")
        #expect(judgement.reasons.contains { $0.contains(words) }, "\(name): \(judgement.reasons)")
    }
}
