import FleetModel

@testable import Checkers

/// Edits of the run itself: what is missing from it, or cannot be.
enum EditedRuns {
    static let edits: [HistoryEdit] = rounds + readings + phases + times + strangers

    private static let rounds: [HistoryEdit] = ["core", "new", "again"].map { (reader: String) -> HistoryEdit in
        HistoryEdit("no reading of '\(reader)'", .unknown("a promised reading is missing")) { run in
            run.remove(.read) { $0.note.detail["reader"]?.string == reader }
        }
    }
    private static let readings: [HistoryEdit] = [
        HistoryEdit("no reading of one old iPad", .unknown("a promised reading is missing")) {
            $0.remove(.read) { $0.from == .pad(2) }
        },
        HistoryEdit("one reading is missing", .unknown("the again reading of notebook for leo on ipad-1")) {
            $0.remove(.read) {
                $0.from == .pad(1) && $0.note.person == "leo" && $0.note.detail["reader"] == "again"
            }
        },
        HistoryEdit("the brand-new iPad is an old one", .unknown("brand-new")) {
            $0.editNotes(.read) { event in
                if event.note.detail["reader"] == "new" { event.from = .pad(1) }
            }
        },
        HistoryEdit("the brand-new iPad was used before", .unknown("in use before")) {
            $0.insert(Note(.signedIn, person: "leo"), from: .pad(3), after: .performed)
        },
        HistoryEdit("a reading that nobody planned", .unknown("never to be made")) {
            $0.append(
                Note(
                    .read, person: "leo", app: "notebook",
                    detail: ["reader": "core", "items": [], "complete": false]),
                from: .pad(5))
        },
        HistoryEdit("no plan of readings", .unknown("made before runs planned their readings")) {
            $0.remove(.readingPlanned)
        },
        HistoryEdit("no plan and no readings of 'again'", .unknown("what was to be read")) {
            $0.events.removeAll { $0.note.detail["reader"] == "again" }
        },
        HistoryEdit("no plan and no readings", .unknown("it does not say what was to be read (core, new, again)")) {
            $0.events.removeAll { [.read, .readingPlanned].contains($0.note.kind) }
        },
        HistoryEdit("a reading is not complete", .unknown("is not complete")) {
            $0.editNotes(.read) { event in if event.from == .pad(3) { event.note.detail["complete"] = false } }
        },
    ]

    private static let phases: [HistoryEdit] = [
        HistoryEdit("no phases", .unknown("the history is not whole")) { $0.remove(.phase) },
        HistoryEdit("no calm", .unknown("the history is not whole")) {
            $0.remove(.phase) { $0.note.detail["name"] == "calm" }
        },
        HistoryEdit("two phases change places", .unknown("the history is not whole")) {
            $0.editNotes(.phase) { event in
                let other = ["storm": "calm", "calm": "storm"]
                if let name = event.note.detail["name"]?.string.flatMap({ other[$0] }) {
                    event.note.detail["name"] = .string(name)
                }
            }
        },
    ]

    private static let times: [HistoryEdit] = [
        HistoryEdit("a time before the run", .unknown("outside of any run")) {
            $0.events[4].at = Instant(nanoseconds: -1)
        },
        HistoryEdit("a time after all runs", .unknown("outside of any run")) {
            $0.events[$0.events.count - 1].at = Instant(nanoseconds: .max)
        },
        HistoryEdit("a time before all runs", .unknown("outside of any run")) {
            $0.events[0].at = Instant(nanoseconds: .min)
        },
        HistoryEdit("a time that goes back", .unknown("earlier than the one before it")) {
            $0.events[20].at = $0.events[10].at
        },
        HistoryEdit("events in another order", .unknown("earlier than the one before it")) { $0.events.swapAt(5, 25) },
        HistoryEdit("the whole run an hour later", .valid) {
            for index in $0.events.indices { $0.events[index].at = $0.events[index].at + .hours(1) }
        },
        HistoryEdit("clocks that are wrong by three seconds", .unknown("the Cloud's clock may be wrong")) {
            $0.append(Note(.clocks, detail: ["error": 1, "inRun": 3_000_000_000]), from: .people)
        },
    ]

    private static let strangers: [HistoryEdit] = [
        HistoryEdit("a reading shows an edit that nobody made", .unknown("which nobody made")) {
            $0.show("note-2") { $0.tokens.append("zoe.1") }
        },
        HistoryEdit("a commit names an edit that nobody made", .unknown("which nobody made")) {
            $0.editNotes(.committed, about: "maya.2") { $0.note.tokens.append("maya.99") }
        },
        HistoryEdit("an edit saw one that nobody made", .unknown("which nobody made")) {
            $0.editNotes(.began, about: "maya.2") { $0.note.detail["saw"] = ["maya.99"] }
        },
        HistoryEdit("an edit was never tried", .unknown("which nobody made")) {
            $0.remove(.invoked) { $0.note.tokens == ["maya.2"] }
        },
        HistoryEdit("an edit that cannot be read", .unknown("cannot be read")) {
            $0.editNotes(.invoked, about: "maya.2") { $0.note.detail["edit"]?["verb"] = "paint" }
        },
        HistoryEdit("an item is of another kind", .unknown("the history is not whole")) {
            $0.show("note-2") { $0.kind = "thing" }
        },
        HistoryEdit("an item is of another kind on one iPad", .unknown("the history is not whole")) {
            $0.show("note-2", .init(pad: 2)) { $0.kind = "flag" }
        },
        HistoryEdit("a copy of a conflict is of another kind", in: [.document], .unknown("the history is not whole")) {
            $0.show("note-4 2") { $0.kind = "thing" }
        },
        HistoryEdit("an item that cannot be understood", .unknown("cannot be understood")) {
            $0.editNotes(.read) { event in
                if event.from == .pad(3) {
                    event.note.detail["items"] = .array((event.note.detail["items"]?.array ?? []) + [1])
                }
            }
        },
        HistoryEdit("an app that declares nothing", in: [.record, .document, .upload], .unknown("did not declare")) {
            $0.remove(.appDeclared)
        },
        HistoryEdit("something happens to an app", .valid) {
            $0.insert(Note(.appSuspended, person: "maya", app: "notebook"), from: .pad(1), after: .committed)
        },
    ]
}
