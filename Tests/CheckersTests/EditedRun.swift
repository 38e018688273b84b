import FleetModel

@testable import Checkers

/// Kinds of apps, one of each channel and promise.
enum BaseApp: String, CaseIterable, Sendable {
    /// Records that are merged; records of which the app keeps one; records of all people.
    case record, lastWriter, board
    case keyValue, document, upload, keychain

    var channel: Channel {
        switch self {
        case .record, .lastWriter, .board: .record
        case .keyValue: .keyValue
        case .document: .document
        case .upload: .upload
        case .keychain: .keychain
        }
    }
    var promise: Promise { [.lastWriter, .keyValue, .keychain].contains(self) ? .lastWriterWins : .keepsAll }
    var deletes: Bool { [.record, .document, .board].contains(self) }

    static let keepingAll = allCases.filter { $0.promise == .keepsAll }
    static let keepingOne = allCases.filter { $0.promise == .lastWriterWins }
    static let deleting = allCases.filter(\.deletes)
    /// What is made there is its person's alone.
    static let personal = allCases.filter { $0 != .board }
    /// What is kept there by iCloud account.
    static let ofAccounts: [BaseApp] = [.record, .lastWriter, .keyValue, .document]
}

/// The history of a small run in which all went well, to be edited.
///
/// Maya and Leo share iPads 1 and 2; iPad 3 is brand-new for Maya, iPad 4 for Leo. Maya replaces `maya.1` in note-1 by `maya.3`, which saw it;
/// writes `maya.2` into note-2; writes `maya.4` and `maya.5` into note-4 on two iPads at once. Where items can be deleted, `maya.7` deletes
/// `maya.6` from note-6; in the key-value store `maya.8` sets a flag. Leo writes `leo.1` and `leo.2` into notes 8 and 9.
struct EditedRun {
    let app: BaseApp
    var events: [HistoryEvent] = []

    static func payload(_ token: Token) -> String { EditPayload.text(token: token, "the words of \(token)") }
    /// An item that shows these edits, one a line.
    static func note(_ number: Int, _ tokens: Token...) -> Item { page("note-\(number)", tokens) }
    static func page(_ id: String, _ tokens: [Token]) -> Item {
        Item(id: id, kind: "note", text: tokens.map(payload).joined(separator: "\n"))
    }

    init(_ app: BaseApp) {
        self.app = app
        var day = Chronicle(app.promise, channel: app.channel, forEveryone: app == .board ? ["note"] : [])
        phase("storm", &day)
        for (pad, person) in [(1, "maya"), (2, "leo")] { day.add(.pad(pad), Note(.signedIn, person: person)) }
        put("maya.1", 1, on: 1, &day)
        put("maya.2", 2, on: 1, &day)
        put("maya.3", 1, on: 2, saw: ["maya.1"], &day)
        day.replace("maya.1", by: ["maya.3"], from: 2)
        put("leo.1", 8, on: 1, &day)
        put("leo.2", 9, on: 2, &day)
        writeAtOnce(&day)
        if app.deletes { delete(&day) }
        if app == .keyValue {
            day.set("maya.8", "flag-1", to: "on")
            day.stamp(at: 90, on: 1, key: "flag-1")
            day.commit(place: "key flag-1", from: 1)
        }
        finish(&day)
        events = day.events
    }

    // MARK: The storm

    private func phase(_ name: String, _ day: inout Chronicle) {
        day.add(.people, Note(.phase, detail: ["name": .string(name)]))
    }
    private func perform(_ token: Token, _ item: Int, on pad: Int, saw: [Token] = [], _ day: inout Chronicle) {
        day.invoke(token, .put, "note-\(item)", value: Self.payload(token), on: pad)
        day.perform(token, on: pad, saw: saw)
    }
    private func put(_ token: Token, _ item: Int, on pad: Int, saw: [Token] = [], _ day: inout Chronicle) {
        perform(token, item, on: pad, saw: saw, &day)
        handOver(token, item, on: pad, &day)
        day.commit(token, place: "note-\(item)", from: pad)
    }
    private func handOver(_ token: Token, _ item: Int, on pad: Int, _ day: inout Chronicle) {
        guard app == .keyValue else { day.handOver(token, on: pad); return }
        day.stamp(token, at: day.next, on: pad, key: "note-\(item)")
    }

    /// What becomes of two edits of which neither saw the other.
    private func writeAtOnce(_ day: inout Chronicle) {
        switch app {
        case .upload:
            put("maya.4", 4, on: 1, &day)
            put("maya.5", 5, on: 2, &day)
        case .board:
            day.invoke("maya.4", .put, "note-4", value: Self.payload("maya.4"), on: 1)
            day.begin("maya.4", on: 1)
            day.refuse("maya.4", on: 1)
            put("maya.5", 4, on: 2, &day)
        case .lastWriter:
            perform("maya.4", 4, on: 1, &day)
            day.handOver("maya.4", on: 1)
            put("maya.5", 4, on: 2, &day)
            day.handBack("maya.4", on: 1)
        default:
            perform("maya.4", 4, on: 1, &day)
            put("maya.5", 4, on: 2, &day)
            // In the key-value store the largest stamp stays: that of maya.5, on a clock that is right.
            if app == .keyValue {
                day.stamp("maya.4", at: 40, on: 1, key: "note-4")
            } else {
                day.handOver("maya.4", on: 1)
            }
            if app == .record { day.commit("maya.4", "maya.5", from: 1) } else { day.commit("maya.4", from: 1) }
        }
    }
    private func delete(_ day: inout Chronicle) {
        put("maya.6", 6, on: 1, &day)
        day.delete("maya.7", "note-6", on: 1, saw: ["maya.6"])
        day.replace("maya.6", by: [], from: 1)
    }

    // MARK: The end

    private var ofMaya: [Item] {
        var items = [Self.note(1, "maya.3"), Self.note(2, "maya.2")]
        switch app {
        case .record: items.append(Self.note(4, "maya.4", "maya.5"))
        case .document: items += [Self.note(4, "maya.4"), Self.page("note-4 2", ["maya.5"])]
        case .upload: items += [Self.note(4, "maya.4"), Self.note(5, "maya.5")]
        default: items.append(Self.note(4, "maya.5"))
        }
        if app == .keyValue { items.append(flag("flag-1", "on")) }
        return items
    }
    private var ofLeo: [Item] { [Self.note(8, "leo.1"), Self.note(9, "leo.2")] }

    private func finish(_ day: inout Chronicle) {
        phase("calm", &day)
        for (reader, visits) in [
            ("core", [(1, ["maya", "leo"]), (2, ["maya", "leo"])]), ("new", [(3, ["maya"]), (4, ["leo"])]),
            ("again", [(1, ["maya", "leo"]), (2, ["maya", "leo"])]),
        ] {
            phase("reading-\(reader)", &day)
            let places = visits.map { ["pad": .int($0.0), "people": .strings($0.1)] as Value }
            let plan: Value = ["reader": .string(reader), "apps": ["notebook"], "places": .array(places)]
            day.add(.people, Note(.readingPlanned, detail: plan))
            for (pad, people) in visits {
                for person in people {
                    let own = person == "maya" ? ofMaya : ofLeo
                    day.read(reader, on: pad, of: person, app == .board ? ofMaya + ofLeo : own)
                }
            }
        }
        observe("maya.2", of: "maya", &day)
    }
    private func observe(_ token: Token, of person: Person, _ day: inout Chronicle) {
        let detail: Value = ["where": "note-2"]
        day.add(.cloud, Note(.observed, person: person, channel: app.channel, tokens: [token], detail: detail))
    }

    // MARK: Judging

    var judgement: Judgement { judge(events, isRun: true) }
    /// `valid`, `unknown`, or every finding: `lost maya.1, stuck leo.2`.
    var outcome: String {
        let judgement = judgement
        let findings = judgement.findings.map { "\($0.lossClass.rawValue) \($0.token)" }.joined(separator: ", ")
        return findings.isEmpty ? judgement.verdict.rawValue : findings
    }
}
