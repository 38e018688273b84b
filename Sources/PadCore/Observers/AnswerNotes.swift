import FleetModel

/// The notes `answered`: what an app was told about its edits when it was no plain success. Who judges a loss has to know after which answer
/// the app did nothing more.
///
/// A plain success makes no note, but of a record while its app has something newer: nothing is looked into on the way of what goes well. What another process stands in for (a captive portal)
/// is told as the app gets it.
enum AnswerNotes {
    /// What is known of an answer beside whom it is about.
    private static func note(
        _ what: String, _ app: AppIdentity, _ channel: Channel?, _ tokens: [Token], _ detail: Value
    ) -> Note {
        var detail = detail
        detail["what"] = .string(what)
        detail["launch"] = .int(app.launch)
        return Note(.answered, person: app.account, app: app.app, channel: channel, tokens: tokens, detail: detail)
    }
    private static func of(_ error: Value) -> Value {
        var detail = Value.empty
        detail["code"] = error["code"]
        detail["domain"] = error["domain"]
        // These codes say too little of themselves.
        if let code = error["code"]?.int, [1, 4, 12, 15].contains(code) { detail["reason"] = error["message"] }
        return detail
    }

    // MARK: Records

    /// `ck.modify`: one note for each record that was refused by itself, one for an operation that was refused as a whole.
    static func records(_ answer: Value, to message: Message, of app: AppIdentity) -> [Note] {
        guard message.name == "ck.modify" else { return [] }
        if let error = answer["error"] { return whole(of(error), message, app) }
        guard let errors = answer["errors"]?.object, errors.count > 0 else { return [] }
        let saves = message["save"]?.array ?? []
        return errors.pairs.map { pair in
            let (name, error) = (pair.key, pair.value)
            let record = saves.first { $0["recordName"]?.string == name }
            var detail = of(error)
            detail["where"] = .string("\(zone(message))/\(name)")
            detail["policy"] = message["policy"]
            detail["tag"] = record?["recordChangeTag"]
            detail["serverTag"] = error["serverRecord"]?["recordChangeTag"]
            let tokens = record.map { EditPayload.scan($0).tokens } ?? []
            if let server = error["serverRecord"] {
                let others = EditPayload.scan(server).tokens.filter { !tokens.contains($0) }
                if !others.isEmpty { detail["by"] = .strings(others) }
            }
            return note(message.name, app, .record, tokens, detail)
        }
    }
    /// What was saved while a later version of it waits: an app that takes this for an answer to the later one forgets that. One note for each
    /// such record.
    /// - Parameter isNewer: whether the app may have something newer than a record of that name.
    static func older(_ answer: Value, to message: Message, of app: AppIdentity, _ isNewer: (String) -> Bool) -> [Note]
    {
        guard message.name == "ck.modify" else { return [] }
        let names = Set((answer["saved"]?.array ?? []).compactMap { $0["recordName"]?.string }.filter(isNewer))
        guard !names.isEmpty else { return [] }
        return (message["save"]?.array ?? []).compactMap { record in
            guard let name = record["recordName"]?.string, names.contains(name) else { return nil }
            let tokens = EditPayload.scan(record).tokens
            guard !tokens.isEmpty else { return nil }
            return note(
                message.name, app, .record, tokens, ["success": true, "where": .string("\(zone(message))/\(name)")])
        }
    }
    /// The app ended before anybody could hear the answer.
    static func cutOff(_ message: Message, of app: AppIdentity) -> [Note] {
        message.name == "ck.modify" ? whole(["cutOff": true], message, app) : []
    }
    private static func whole(_ detail: Value, _ message: Message, _ app: AppIdentity) -> [Note] {
        let names =
            (message["save"]?.array ?? []).compactMap { $0["recordName"]?.string }
            + (message["delete"]?.strings ?? [])
        let tokens = EditPayload.scan(message["save"] ?? .null).tokens
        // Flags and deletions leave no token: of one record its name says which.
        guard !tokens.isEmpty || names.count == 1 else { return [] }
        var detail = detail
        detail["where"] = .string(names.count == 1 ? "\(zone(message))/\(names[0])" : zone(message))
        detail["policy"] = message["policy"]
        return [note(message.name, app, .record, tokens, detail)]
    }
    private static func zone(_ message: Message) -> String {
        RecordZone.plain(message["zone"]?.string ?? RecordZone.defaultName)
    }

    // MARK: Own backends

    /// An upload or a foreground request. A transfer that ends with a status is finished, whatever the status says; whether its body is what
    /// the backend says, or a page of somebody in between, the app has to look at.
    static func web(
        _ answer: Value, what: String, to target: String, tokens: [Token], of app: AppIdentity
    ) -> Note? {
        guard !tokens.isEmpty else { return nil }
        var detail: Value
        if let error = answer["error"] {
            detail = of(error)
        } else {
            let (status, body) = (answer["status"]?.int ?? 0, kind(of: answer["data"]?.data ?? []))
            guard !(200..<300).contains(status) || body == "html" else { return nil }
            detail = ["status": .int(status), "body": .string(body)]
        }
        detail["where"] = .string(target)
        return note(what, app, .upload, tokens, detail)
    }
    static func cutOff(_ what: String, to target: String, tokens: [Token], of app: AppIdentity) -> Note? {
        guard !tokens.isEmpty else { return nil }
        return note(what, app, .upload, tokens, ["cutOff": true, "where": .string(target)])
    }
    /// By the first byte that is no space.
    static func kind(of body: [UInt8]) -> String {
        guard let first = body.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) else { return "empty" }
        switch first {
        case UInt8(ascii: "<"): return "html"
        case UInt8(ascii: "{"), UInt8(ascii: "["): return "json"
        default: return "other"
        }
    }

    // MARK: The other services

    /// A call or post that a service refused: the tokens are those in what it was given.
    static func refusal(
        _ detail: Value, of message: Message, _ channel: Channel?, at place: String, tokens: [Token],
        of app: AppIdentity
    ) -> Note? {
        guard !tokens.isEmpty else { return nil }
        var detail = detail["code"] == nil ? detail : of(detail)
        detail["where"] = .string(place)
        return note(message.name, app, channel, tokens, detail)
    }
    /// A document that stays here because the Cloud does not take it, or that somebody else was faster with.
    static func document(_ detail: Value, at place: String, tokens: [Token], of person: Person) -> Note? {
        guard !tokens.isEmpty else { return nil }
        var detail = detail
        detail["what"] = "docs.put"
        detail["where"] = .string(place)
        return Note(.answered, person: person, channel: .document, tokens: tokens, detail: detail)
    }
}

extension PadServices {
    /// Tells the history what an app is about to be told of its records.
    /// - Parameter later: what the app has handed over since.
    func noteAnswer(_ answer: Value, to message: Message, of app: AppIdentity, later: [Message] = []) {
        noteAll(AnswerNotes.records(answer, to: message, of: app))
        let isCaring = isCaring(app)
        guard isCaring || !later.isEmpty else { return }
        let newer = later.filter { $0["zone"] == message["zone"] }
        noteAll(
            AnswerNotes.older(
                answer, to: message, of: app,
                { name in
                    isCaring
                        || newer.contains { $0["save"]?.array?.contains { $0["recordName"]?.string == name } ?? false }
                }))
    }
    func note(_ answer: Note?) {
        guard let answer else { return }
        note(answer as Note)
    }
}
