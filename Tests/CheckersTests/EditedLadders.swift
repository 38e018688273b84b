import FleetModel

@testable import Checkers

/// Edits of what people, iPads and the Cloud tell of an edit.
enum EditedLadders {
    static let edits: [HistoryEdit] = owners + hands + promises + waiting + rules + gate

    private static let refusal = Note(
        .undeployed, person: "maya", channel: .record, tokens: ["maya.2"],
        detail: ["container": "iCloud.a", "lines": ["RECORD TYPE Note ( text STRING )"], "device": "ipad-1"])
    /// What production refuses for its schema.
    private static let gate: [HistoryEdit] = [
        HistoryEdit("refused by production's schema, gone", in: [.record, .lastWriter], .found("undeployed maya.2")) {
            $0.loseBeforeCommit()
            $0.insert(refusal, from: .cloud, after: .performed)
        },
        HistoryEdit("refused by production's schema, seen by all", in: [.record], .found("undeployed maya.2")) {
            $0.insert(refusal, from: .cloud, after: .performed)
        },
    ]

    /// Somebody else's hands.
    private static let owners: [HistoryEdit] =
        [Note.Kind.committed, .handedOver, .performed, .began].flatMap { (kind: Note.Kind) -> [HistoryEdit] in
            let (name, give) = ("\(kind.rawValue) with another person", give(kind))
            return [
                HistoryEdit(name, in: BaseApp.personal, .found("leaked maya.2"), give),
                HistoryEdit("\(name), meant for all", in: [.board], .valid, give),
            ]
        }
    private static func give(_ kind: Note.Kind) -> @Sendable (inout EditedRun) -> Void {
        { $0.give(kind, to: "leo") }
    }
    private static let hands: [HistoryEdit] = [
        HistoryEdit(
            "committed with another person too, gone before the end", in: BaseApp.personal, .found("leaked maya.2")
        ) {
            $0.insert(
                Note(.committed, person: "leo", channel: $0.app.channel, tokens: ["maya.2"]), from: .cloud,
                after: .committed)
        },
        HistoryEdit("committed in the person's other account", in: BaseApp.ofAccounts, .found("leaked maya.2")) {
            $0.give(.committed, to: SecondAccount.name(of: "maya"))
        },
        HistoryEdit("found with another person", in: BaseApp.personal, .found("leaked maya.2")) {
            $0.give(.observed, to: "leo")
        },
        HistoryEdit("found with another person, meant for all", in: [.board], .valid) {
            $0.give(.observed, to: "leo")
        },
        HistoryEdit("found with its person again", .valid) {
            $0.append(
                Note(.observed, person: "maya", channel: $0.app.channel, tokens: ["maya.2"]), from: .cloud)
        },
        HistoryEdit("tried by another person", in: BaseApp.personal, .found("leaked maya.2")) {
            $0.editNotes(.invoked, about: "maya.2") { $0.note.detail["edit"]?["person"] = "leo" }
        },
        HistoryEdit("tried for another item", .found("damaged maya.2")) {
            $0.editNotes(.invoked, about: "maya.2") { $0.note.detail["edit"]?["item"] = "note-7" }
        },
        HistoryEdit("seen by another person before an edit", in: BaseApp.personal, .found("leaked maya.2")) {
            $0.editNotes(.began, about: "leo.2") { $0.note.detail["saw"] = ["maya.2"] }
        },
    ]

    /// How far the edit got.
    private static let promises: [HistoryEdit] = [
        HistoryEdit("never handed over, gone", .found("unsaved maya.2")) {
            $0.loseBeforeCommit()
            $0.forget(.handedOver, .stamped)
        },
        HistoryEdit(
            "never handed over, killed at once", in: BaseApp.allCases.filter { $0 != .keyValue },
            .found("unsaved maya.2"), kill),
        HistoryEdit(
            "never handed over, killed inside the documented window", in: [.keyValue], .found("inflight maya.2"), kill),
        HistoryEdit("handed over, never committed, gone", .found("lost maya.2")) { $0.loseBeforeCommit() },
        HistoryEdit("no commit is told, yet all see it", .valid) { $0.forget(.committed) },
        HistoryEdit("handed back and dropped", .found("unsaved maya.2")) {
            $0.loseBeforeCommit()
            $0.insert(back(25), from: .pad(1), after: $0.app == .keyValue ? .stamped : .handedOver)
        },
        HistoryEdit("handed back, and yet all see it", .valid) {
            $0.forget(.committed)
            $0.insert(back(25), from: .pad(1), after: .handedOver)
        },
        HistoryEdit("refused, and all see it", .valid) {
            $0.forget(.performed, .handedOver, .stamped, .committed)
            $0.insert(Note(.refused, person: "maya", tokens: ["maya.2"]), from: .pad(1), after: .began)
        },
        HistoryEdit(
            "replaced by an edit that did not see it", in: BaseApp.keepingAll, .found("overwritten maya.1"), blind),
        HistoryEdit("replaced by an edit that did not see it, one stays", in: BaseApp.keepingOne, .valid, blind),
        HistoryEdit("replaced by something that nobody typed", .found("lost maya.2")) {
            $0.insert(
                Note(.replaced, person: "maya", channel: $0.app.channel, tokens: ["maya.2"], detail: ["by": []]),
                from: .cloud, after: .committed)
            $0.hide()
        },
    ]
    @Sendable private static func kill(_ run: inout EditedRun) {
        run.loseBeforeCommit()
        run.forget(.handedOver, .stamped)
        let exit = Note(.appExited, person: "maya", app: "notebook", detail: ["reason": "memory"])
        run.insert(exit, from: .pad(1), after: .performed)
    }
    @Sendable private static func blind(_ run: inout EditedRun) {
        run.editNotes(.began, about: "maya.3") { $0.note.detail["saw"] = [] }
    }
    private static func back(_ code: Int) -> Note {
        Note(.handedBack, person: "maya", app: "notebook", tokens: ["maya.2"], detail: ["code": .int(code)])
    }

    /// Where a copy still waits.
    private static let waiting: [HistoryEdit] = [
        HistoryEdit("still in a queue of the core", .found("stuck maya.2")) {
            $0.loseBeforeCommit()
            $0.append(pending, from: .pad(1))
        },
        HistoryEdit("still in a queue, and all see it", .valid) { $0.append(pending, from: .pad(1)) },
        HistoryEdit("only on an iPad outside the core", .found("stranded maya.2")) {
            $0.loseBeforeCommit()
            for kind in [Note.Kind.began, .performed, .handedOver, .stamped] {
                $0.editNotes(kind, about: "maya.2") { $0.from = .pad(7) }
            }
            $0.append(
                Note(.observed, person: "maya", tokens: ["maya.2"], detail: ["where": "padQueue"]), from: .pad(7))
        },
        HistoryEdit("its person was deleted by force before it was sent", .found("excused maya.2")) {
            $0.loseBeforeCommit()
            let purge = Note(.purged, person: "maya", detail: ["reason": "forceDeletion"])
            $0.insert(purge, from: .pad(1), after: $0.app == .keyValue ? .stamped : .handedOver)
        },
    ]
    private static let pending = Note(
        .pending, person: "maya", tokens: ["maya.2"], detail: ["what": "upload", "waitsFor": "the network"])

    /// What one channel's own rule says.
    private static let rules: [HistoryEdit] = [
        HistoryEdit("the largest stamp is not there", in: [.keyValue], .found("lost maya.4")) {
            stamp(&$0, "maya.4", 400)
        },
        HistoryEdit("the largest stamp is a fast clock's", in: [.keyValue], .found("excused maya.5")) {
            stamp(&$0, "maya.4", 400)
            $0.show("note-4") { $0 = EditedRun.note(4, "maya.4") }
        },
        HistoryEdit("the smaller stamp is there", in: [.keyValue], .found("lost maya.5")) {
            $0.show("note-4") { $0 = EditedRun.note(4, "maya.4") }
        },
        HistoryEdit("what met the conflict stays", in: [.lastWriter], .valid) {
            $0.show("note-4") { $0 = EditedRun.note(4, "maya.4") }
        },
        HistoryEdit("what met the conflict was the later edit", in: [.lastWriter], .valid) { $0.makeLater() },
        HistoryEdit(
            "what met the conflict was the later edit, and its app ended at once", in: [.lastWriter],
            .found("unsaved maya.4")
        ) {
            $0.makeLater()
            let exit = Note(.appExited, person: "maya", app: "notebook", detail: ["reason": "memory"])
            $0.insert(exit, from: .pad(1), after: .handedBack, of: "maya.4")
        },
        HistoryEdit("no conflict, another error, and gone", in: [.lastWriter], .found("unsaved maya.4")) {
            $0.editNotes(.handedBack, about: "maya.4") { $0.note.detail["code"] = 25 }
        },
        HistoryEdit("neither of a conflict stays", in: [.lastWriter], .found("unsaved maya.4, lost maya.5")) {
            $0.show { $0.removeAll { $0.id == "note-4" } }
        },
        HistoryEdit("a force-quit cancelled it and its source went", in: [.upload], .found("excused maya.2")) {
            $0.loseBeforeCommit()
            $0.insert(
                Note(.purged, person: "maya", app: "notebook", detail: ["reason": "lowSpace"]), from: .pad(1),
                after: .handedOver)
            $0.insert(cancelled, from: .pad(1), after: .handedOver)
        },
        HistoryEdit("a force-quit cancelled it, its source is there", in: [.upload], .found("lost maya.2")) {
            $0.loseBeforeCommit()
            $0.insert(cancelled, from: .pad(1), after: .handedOver)
        },
        HistoryEdit("its zone was deleted", in: [.record, .lastWriter], .found("excused maya.2")) {
            $0.insert(Note(.zoneDeleted, person: "maya", tokens: ["maya.2"]), from: .cloud, after: .committed)
            $0.hide()
        },
    ]
    private static let cancelled = Note(.transfersCancelled, person: "maya", app: "notebook", tokens: ["maya.2"])
    @Sendable private static func stamp(_ run: inout EditedRun, _ token: Token, _ seconds: Int) {
        run.editNotes(.stamped, about: token) { $0.note.detail["stamp"] = .int(seconds * 1_000_000_000) }
    }
}
