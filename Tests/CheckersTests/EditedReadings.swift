import FleetModel

@testable import Checkers

/// Edits of what the final readings show.
enum EditedReadings {
    static let edits: [HistoryEdit] = missing + places + contents + copies + others

    /// What was committed is not there.
    private static let missing: [HistoryEdit] = [
        HistoryEdit("not edited", .valid) { _ in },
        HistoryEdit("an item is in no reading", .found("lost maya.2")) { $0.hide() },
        HistoryEdit("an item is not on the brand-new iPad", .found("diverged maya.2")) {
            $0.hide(.init(reader: "new"))
        },
        HistoryEdit("an item is not on one old iPad", .found("diverged maya.2")) { $0.hide(.init(pad: 1)) },
        HistoryEdit("an item comes with the fresh launches only", .found("diverged maya.2")) {
            $0.hide(.init(reader: "core"))
        },
        HistoryEdit("the older value is back everywhere", .found("lost maya.3")) {
            $0.show("note-1") { $0 = EditedRun.note(1, "maya.1") }
        },
        HistoryEdit("the older value is back on one iPad", .found("diverged maya.3")) {
            $0.show("note-1", .init(pad: 2)) { $0 = EditedRun.note(1, "maya.1") }
        },
        HistoryEdit("an item is empty", .found("lost maya.2")) {
            $0.show("note-2") { $0 = Item(id: "note-2", kind: "note", text: "") }
        },
    ]

    /// The edit is not where the person made it.
    private static let places: [HistoryEdit] = [
        HistoryEdit("two items have each other's content", .found("damaged maya.2, damaged maya.3"), swap(.init())),
        HistoryEdit(
            "two items have each other's content on the brand-new iPad", .found("damaged maya.2, damaged maya.3"),
            swap(.init(reader: "new"))),
        HistoryEdit("an item has another name everywhere", .found("damaged maya.2")) {
            $0.show("note-2") { $0.id = "note-7" }
        },
        HistoryEdit("an item that met no conflict is called like a copy", .found("damaged maya.2")) {
            $0.show("note-2") { $0.id = "note-2 2" }
        },
        HistoryEdit("an item has another's name, which is gone", .found("damaged maya.2, lost maya.3")) {
            $0.show { $0.removeAll { $0.id == "note-1" } }
            $0.show("note-2") { $0.id = "note-1" }
        },
    ]
    private static func swap(_ place: EditedRun.Where) -> @Sendable (inout EditedRun) -> Void {
        { run in
            run.show(place) { items in
                for index in items.indices {
                    items[index].id = ["note-1": "note-2", "note-2": "note-1"][items[index].id] ?? items[index].id
                }
            }
        }
    }

    /// The item is not what people put into it.
    private static let contents: [HistoryEdit] = [
        HistoryEdit("the text around a payload is another everywhere", .found("damaged maya.2")) {
            $0.show("note-2") { $0.digest = "5ca1ab1e" }
        },
        HistoryEdit("the text around a payload is another in one reading", .found("damaged maya.2")) {
            $0.show("note-2", .init(reader: "again", pad: 1)) { $0.digest = "5ca1ab1e" }
        },
        HistoryEdit("the text around a payload is not told any more, or another as its digest says", .valid) {
            $0.show("note-2") { $0.around = nil }
            $0.show("note-1") { $0 = Item(id: $0.id, kind: $0.kind, text: "\(EditedRun.payload("maya.3")) (kept)") }
        },
        HistoryEdit("a payload is truncated everywhere", .found("damaged maya.2"), truncate(.init())),
        HistoryEdit(
            "a payload is truncated on the brand-new iPad", .found("damaged maya.2"), truncate(.init(reader: "new"))),
        HistoryEdit("a piece of another payload stands in an item", .found("damaged maya.3")) {
            $0.show("note-2") { $0.damaged = ["maya.3"] }
        },
        HistoryEdit("the app decorates all that it shows", .valid) {
            $0.show { items in
                for index in items.indices where items[index].kind == "note" {
                    let text = items[index].tokens.map(EditedRun.payload).joined(separator: "\n")
                    items[index] = Item(id: items[index].id, kind: "note", text: "* \(text) (kept)")
                }
            }
        },
    ]
    private static func truncate(_ place: EditedRun.Where) -> @Sendable (inout EditedRun) -> Void {
        { $0.show("note-2", place) { ($0.tokens, $0.damaged, $0.around) = ([], ["maya.2"], nil) } }
    }

    /// Made once, there twice.
    private static let copies: [HistoryEdit] = [
        HistoryEdit("an item is there twice under one name", .found("duplicated maya.2")) {
            $0.show { $0 += $0.filter { $0.id == "note-2" } }
        },
        HistoryEdit("an item is there twice under one name on one iPad", .found("duplicated maya.2")) {
            $0.show(.init(reader: "core", pad: 2)) { $0 += $0.filter { $0.id == "note-2" } }
        },
        HistoryEdit("an item is there twice under two names", .found("duplicated maya.2")) {
            $0.show { $0.append(EditedRun.note(7, "maya.2")) }
        },
        HistoryEdit("a payload stands twice in its item everywhere", .found("duplicated maya.2")) {
            $0.show("note-2") { $0 = twice($0) }
        },
        HistoryEdit("a payload stands twice in its item on one iPad", .found("duplicated maya.2")) {
            $0.show("note-2", .init(reader: "core", pad: 2)) { $0 = twice($0) }
        },
        HistoryEdit("a copy of a conflict has a name of the app's choice", in: [.document], .valid) {
            $0.show("note-4 2") { $0.id = "Note 4 of Maya's other iPad" }
        },
        HistoryEdit(
            "a copy of a conflict has another item's place", in: [.document],
            .found("damaged maya.2, damaged maya.5"),
            { run in
                run.show { items in
                    for index in items.indices {
                        items[index].id =
                            ["note-4 2": "note-2", "note-2": "note-4 2"][items[index].id] ?? items[index].id
                    }
                }
            }),
        HistoryEdit("one side of a conflict is gone", in: [.document, .record], .found("overwritten maya.4")) {
            $0.show { $0.removeAll { $0.id == "note-4" || $0.id == "note-4 2" } }
            $0.show { $0.append(EditedRun.note(4, "maya.5")) }
        },
    ]

    private static func twice(_ item: Item) -> Item {
        let payload = item.tokens.map(EditedRun.payload).joined()
        return Item(id: item.id, kind: item.kind, text: payload + "\n" + payload)
    }

    private static let others: [HistoryEdit] = [
        HistoryEdit("another person sees an item too", in: BaseApp.personal, .found("leaked maya.2")) { run in
            run.editNotes(.read) { event in
                guard event.note.person == "leo" else { return }
                event.note.detail["items"] = .array(
                    (event.note.detail["items"]?.array ?? []) + [EditedRun.note(2, "maya.2").body])
            }
        },
        HistoryEdit("another person sees an item once", in: BaseApp.personal, .found("leaked maya.2")) { run in
            run.editNotes(.read) { event in
                guard event.note.person == "leo", event.from == .pad(4) else { return }
                event.note.detail["items"] = .array(
                    (event.note.detail["items"]?.array ?? []) + [EditedRun.note(2, "maya.2").body])
            }
        },
        HistoryEdit("a deleted item is back", in: BaseApp.deleting, .found("resurrected maya.7")) {
            $0.show { $0.append(EditedRun.note(6, "maya.6")) }
        },
        HistoryEdit("a deleted item is still on one old iPad", in: BaseApp.deleting, .found("diverged maya.7")) {
            $0.show(.init(pad: 2)) { $0.append(EditedRun.note(6, "maya.6")) }
        },
        HistoryEdit("something is left of a deleted item, everywhere the same", in: BaseApp.deleting, .valid) {
            $0.show { $0.append(Item(id: "note-6", kind: "note", text: "deleted")) }
        },
        HistoryEdit(
            "something else is left of a deleted item on one iPad", in: BaseApp.deleting, .found("diverged maya.7")
        ) {
            $0.show { $0.append(Item(id: "note-6", kind: "note", text: "deleted")) }
            $0.show("note-6", .init(reader: "core", pad: 2)) { $0.digest = "5ca1ab1e" }
        },
        HistoryEdit("a flag is gone", in: [.keyValue], .found("lost maya.8")) {
            $0.show { $0.removeAll { $0.id == "flag-1" } }
        },
        HistoryEdit("a flag has another value", in: [.keyValue], .found("lost maya.8")) {
            $0.show("flag-1") { $0.digest = "off" }
        },
        HistoryEdit("a flag has another value on one iPad", in: [.keyValue], .found("diverged maya.8")) {
            $0.show("flag-1", .init(pad: 1)) { $0.digest = "off" }
        },
        HistoryEdit("a flag has another name", in: [.keyValue], .found("lost maya.8")) {
            $0.show("flag-1") { $0.id = "flag-2" }
        },
        HistoryEdit("a flag is there twice", in: [.keyValue], .found("duplicated maya.8")) {
            $0.show { $0 += $0.filter { $0.id == "flag-1" } }
        },
        HistoryEdit("items come in another order", .valid) { $0.show { $0.reverse() } },
    ]
}
