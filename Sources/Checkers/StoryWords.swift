import FleetModel

/// The wording of stories, all in one place: one sentence for each kind of note.
enum StoryWords {
    /// What the note says, told from the side of the edit `token` of `person`.
    static func sentence(_ note: Note, about token: Token, in item: String? = nil, of person: Person) -> String {
        edit(note) ?? life(note) ?? reading(note, about: token, in: item, of: person) ?? plain(note)
    }

    /// An edit's ladder.
    private static func edit(_ note: Note) -> String? {
        let tokens = list(note.tokens)
        switch note.kind {
        case .invoked: return invoked(note)
        case .began: return "\(note.app ?? "the app") receives edit \(tokens)\(saw(note))"
        case .performed: return "\(tokens) is performed"
        case .refused: return "\(tokens) is refused\(because(note))"
        case .handedOver: return "\(tokens) is handed over to the \(channel(note)) service\(policy(note))"
        case .handedBack: return "\(tokens) is returned to the app\(code(note))"
        case .answered: return answered(note)
        case .fetched: return fetched(note)
        case .forgotten: return "\(note.app ?? "the app") has no file with \(tokens) any more (\(deed(note)))"
        case .committed: return "\(tokens) is committed\(place(note))"
        case .replaced: return replaced(note)
        case .arrived: return "\(note.app ?? "the app") is handed \(tokens)"
        case .stamped: return "\(tokens) is stamped \(stamp(note)) for key \(text(note, "key") ?? "?")"
        case .undeployed:
            return
                "the Cloud refuses \(tokens), because production does not have \(text(note, "type") ?? "it") as it is saved"
        case .shareJoined: return "\(who(note)) takes part in a share of \(note.detail["owner"]?.string ?? "somebody")"
        case .shareLeft:
            return "\(who(note)) has no part in a share of \(note.detail["owner"]?.string ?? "somebody") any more"
        case .shareCovers:
            let isOut = note.detail["share"]?.string?.isEmpty ?? true
            return "\(tokens) \(isOut ? "is not shared any more" : "is shared")\(place(note))"
        case .zoneDeleted: return "the zone of \(tokens) is deleted in iCloud\(place(note))"
        case .transfersCancelled: return "the upload of \(tokens) is cancelled by the force-quit"
        default: return nil
        }
    }

    /// What befalls iPads, people and apps.
    private static func life(_ note: Note) -> String? {
        let app = note.app ?? "the app"
        switch note.kind {
        case .signedIn: return "\(who(note)) signs in"
        case .signedOut: return "\(who(note)) signs out"
        case .signInRefused: return "the sign-in of \(who(note)) is refused\(because(note))"
        case .appLaunched: return "\(app) is launched"
        case .appSuspended: return "\(app) is suspended"
        case .appResumed: return "\(app) is resumed"
        case .appExited:
            let why = text(note, "detail") ?? text(note, "missed").map { "it missed \($0)" }
            return "\(app) ends\(because(note))" + (why.map { " (\($0))" } ?? "")
        case .purged: return "local data of \(note.app ?? who(note)) is removed\(because(note))"
        case .powerCut: return "power cut"
        case .rebooted: return "reboot"
        case .cloudCrashed: return "the Cloud crashes"
        case .cloudRestarted: return "the Cloud is back"
        case .identityChanged:
            return "the iCloud identity of \(who(note)) changes" + (text(note, "to").map { " to '\($0)'" } ?? "")
        case .faultBegan:
            let pads = text(note, "target")?.split(separator: " ") ?? []
            let target = pads.count > 4 ? "\(pads.count) iPads" : pads.joined(separator: ", ")
            return "the fault '\(text(note, "kind") ?? "?")' begins" + (target.isEmpty ? "" : " on \(target)")
        case .faultHealed: return "the fault '\(text(note, "kind") ?? "?")' ends"
        default: return nil
        }
    }

    /// What is found at the end.
    private static func reading(
        _ note: Note, about token: Token, in item: String?, of person: Person
    ) -> String? {
        switch note.kind {
        case .read:
            let reader = readers[text(note, "reader") ?? ""] ?? "at the end"
            return "\(reader) \(shown(note, token, in: item))"
        case .pending:
            let what = text(note, "what") ?? "something"
            return "\(what) still waits" + (text(note, "waitsFor").map { " for \($0)" } ?? "")
        case .observed:
            return
                "\(note.tokens.contains(token) ? token : list(note.tokens)) lies in \(text(note, "where") ?? "a place")"
                + (note.person.map { $0 == person ? "" : " of \($0)" } ?? "")
        default: return nil
        }
    }

    /// What bears on no edit in particular.
    private static func plain(_ note: Note) -> String {
        if note.mark == .pushLost {
            return "a push" + (note.detail["pad"]?.int.map { " to ipad-\($0)" } ?? "") + " is lost"
        }
        return mark(note)
    }
    private static func mark(_ note: Note) -> String {
        text(note, "name").map { "\(note.kind.rawValue) \($0)" } ?? note.kind.rawValue
    }

    private static let readers = [
        "core": "after recovery", "new": "on a brand-new iPad", "again": "after a fresh launch",
    ]
    private static let verbs: [Edit.Verb: String] = [.put: "writes", .delete: "deletes", .effect: "sets"]

    private static func invoked(_ note: Note) -> String {
        guard let edit = note.detail["edit"].flatMap(Edit.init) else {
            return "\(who(note)) tries \(list(note.tokens))"
        }
        let value = edit.verb == .effect ? " to \(edit.value)" : ""
        return "\(edit.person) \(verbs[edit.verb] ?? "changes") \(edit.item)\(value): \(edit.token)"
    }
    private static func saw(_ note: Note) -> String {
        guard let tokens = note.detail["saw"]?.strings else { return "" }
        return "; \(tokens.isEmpty ? "no edit" : list(tokens)) was on the screen"
    }
    private static func replaced(_ note: Note) -> String {
        let by = note.detail["by"]?.strings ?? []
        return
            "\(list(note.tokens)) is replaced by \(by.isEmpty ? "something without an edit" : list(by))\(place(note))"
    }
    private static func shown(_ note: Note, _ token: Token, in item: String?) -> String {
        let items = (note.detail["items"]?.array ?? []).compactMap(Item.init)
        if let item = items.first(where: { $0.damaged.contains(token) }) { return "\(token) is damaged in \(item.id)" }
        let holders = items.filter { $0.tokens.contains(token) }.map(\.id)
        guard holders.isEmpty else { return "\(token) is shown in \(holders.joined(separator: " and "))" }
        return "\(token) is missing" + (item.map { " from \($0)" } ?? "")
    }
    private static func stamp(_ note: Note) -> String {
        let device = text(note, "device").map { " by \($0)" } ?? ""
        guard let nanoseconds = note.detail["stamp"]?.int else { return "without a time\(device)" }
        let (since, overflow) = nanoseconds.subtractingReportingOverflow(Instant.epochNanoseconds)
        // Device stamps are calendar time or time since the run began; either way people read the clock of the story.
        let isCalendar = !overflow && since > -Self.day
        return Instant(nanoseconds: isCalendar ? since : nanoseconds).wallClock + device
    }

    /// An iPad's clock may be wrong by hours, hardly by more.
    private static let day: Int64 = 86_400_000_000_000

    private static func answered(_ note: Note) -> String {
        let answer = AnswerNote(note)
        let what = asked[text(note, "what") ?? ""] ?? "request"
        let place = text(note, "where").map { " to \($0)" } ?? ""
        let subject = "the \(what) of \(list(note.tokens))\(place)\(policy(note))"
        return answer.isCutOff
            ? "\(subject) is cut off: the app ended before the answer"
            : "\(subject) is answered \(answer.words)\(tags(note))"
    }
    private static let asked = [
        RecordMessages.Modify.name: "save", TransferMessages.Upload.name: "upload",
        TransferMessages.Send.name: "request", KeyValueMessages.Set.name: "setting",
        DocumentMessages.put: "document", KeychainMessages.Add.name: "keychain item",
        KeychainMessages.Update.name: "keychain item",
        FileMessages.Write.name: "writing", FileMessages.Append.name: "writing",
    ]
    /// `CKModifyRecordsOperation.RecordSavePolicy`; the default one is not named.
    private static func policy(_ note: Note) -> String {
        switch note.detail["policy"]?.int {
        case 1: ", policy changedKeys"
        case 2: ", policy allKeys"
        default: ""
        }
    }
    private static func tags(_ note: Note) -> String {
        guard let server = text(note, "serverTag") else { return "" }
        let by = note.detail["by"]?.strings ?? []
        let holds = by.isEmpty ? "" : " and holds \(list(by))"
        return
            "; it had \(text(note, "tag").map { "change tag \($0)" } ?? "no change tag"), the record has \(server)\(holds)"
    }
    private static func fetched(_ note: Note) -> String {
        let subject = "\(note.app ?? "the app") looks for changes"
        let answer = AnswerNote(note)
        guard answer.code == nil, answer.status == nil else { return "\(subject) and is answered \(answer.words)" }
        let found = note.tokens.isEmpty ? "finds no edit" : "finds \(list(note.tokens))"
        return "\(subject) and \(found)" + (note.detail["more"]?.bool == true ? ", with more to come" : "")
    }
    private static let deeds = [
        FileMessages.Remove.name: "removed", FileMessages.Write.name: "rewritten", FileMessages.Move.name: "replaced",
        PadCommand.Purge.name: "purged by the system",
    ]
    private static func deed(_ note: Note) -> String {
        let by = note.detail["by"]?.strings ?? []
        let place = "\(text(note, "where") ?? "a file") \(deeds[text(note, "what") ?? ""] ?? "changed")"
        return by.isEmpty ? place : "\(place) with \(list(by))"
    }

    private static func who(_ note: Note) -> String { note.person ?? "somebody" }
    private static func text(_ note: Note, _ key: String) -> String? { note.detail[key]?.string }
    private static func because(_ note: Note) -> String { text(note, "reason").map { ": \($0)" } ?? "" }
    private static func place(_ note: Note) -> String { text(note, "where").map { " (\($0))" } ?? "" }
    private static func channel(_ note: Note) -> String { note.channel?.rawValue ?? "system" }
    private static func code(_ note: Note) -> String {
        guard let code = note.detail["code"] else { return "" }
        guard let number = code.int else { return ": \(code.string ?? "refused")" }
        // A record's is one of CKError's; the others are statuses.
        let name = note.channel == .record ? " (\(ErrorTable.cloudKit(Int(clamping: number)).name))" : ""
        return " with error \(number)\(name)"
    }
    /// At most six names: a key that holds a whole list would fill the page.
    private static func list(_ tokens: [Token]) -> String {
        if tokens.isEmpty { return "it" }
        return tokens.count <= 6
            ? tokens.joined(separator: ", ")
            : tokens.prefix(5).joined(separator: ", ") + " and \(tokens.count - 5) more"
    }
}
