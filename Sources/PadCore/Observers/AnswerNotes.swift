import FleetModel

/// The notes `answered`: what an app was told about its edits when it was no plain success. Who judges a loss has to know after which answer
/// the app did nothing more.
///
/// A plain success makes no note, but of a record while its app has something newer: nothing is looked into on the way of what goes well. What another process stands in for (a captive portal)
/// is told as the app gets it.
enum AnswerNotes {
    /// What is known of an answer, and whom it is about.
    private static func note(
        _ what: String, _ app: AppIdentity, _ channel: Channel?, _ tokens: [Token], _ detail: NoteDetail.Answered
    ) -> Note {
        var detail = detail
        (detail.what, detail.launch) = (what, app.launch)
        return Note(.answered, person: app.account, app: app.app, channel: channel, tokens: tokens, detail: detail.body)
    }
    /// Code and domain of an error.
    static func of(_ error: Value) -> NoteDetail.Answered {
        let error = AnsweredError(lenient: error)
        return NoteDetail.Answered {
            ($0.code, $0.domain) = (error.code.map { .int($0) }, error.domain)
            // These codes say too little of themselves.
            if let code = error.code, [1, 4, 12, 15].contains(code) { $0.reason = error.message }
        }
    }

    // MARK: Records

    /// `ck.modify`: one note for each record that was refused by itself, one for an operation that was refused as a whole.
    static func records(_ answer: Value, to message: Message, of app: AppIdentity) -> [Note] {
        guard message.is(RecordMessages.Modify.self) else { return [] }
        if let error = answer.linkError { return whole(of(error), message, app) }
        let errors = RecordMessages.Modify.Answer(lenient: answer).errors
        guard !errors.isEmpty else { return [] }
        let asked = RecordMessages.Modify(lenient: message.body)
        return errors.pairs.map { pair in
            let (name, error) = (pair.key, pair.value)
            let record = asked.save.first { $0.recordName == name }
            let server = AnsweredError(lenient: error).serverRecord
            var detail = of(error)
            detail.place = "\(zone(asked))/\(name)"
            detail.policy = asked.policy
            (detail.tag, detail.serverTag) = (record?.recordChangeTag, server?.recordChangeTag)
            let tokens = record.map { EditPayload.scan($0).tokens } ?? []
            if let server {
                let others = EditPayload.scan(server).tokens.filter { !tokens.contains($0) }
                if !others.isEmpty { detail.by = others }
            }
            return note(message.name, app, .record, tokens, detail)
        }
    }
    /// What was saved while a later version of it waits: an app that takes this for an answer to the later one forgets that. One note for each
    /// such record.
    /// - Parameter isNewer: whether the app may have something newer than a record of that name.
    static func older(_ answer: Value, to message: Message, of app: AppIdentity, _ isNewer: (String) -> Bool) -> [Note]
    {
        guard message.is(RecordMessages.Modify.self) else { return [] }
        let saved = RecordMessages.Modify.Answer(lenient: answer).saved
        let names = Set(saved.compactMap(\.recordName).filter(isNewer))
        guard !names.isEmpty else { return [] }
        let asked = RecordMessages.Modify(lenient: message.body)
        return asked.save.compactMap { record in
            guard let name = record.recordName, names.contains(name) else { return nil }
            let tokens = EditPayload.scan(record).tokens
            guard !tokens.isEmpty else { return nil }
            let detail = NoteDetail.Answered { ($0.success, $0.place) = (true, "\(zone(asked))/\(name)") }
            return note(message.name, app, .record, tokens, detail)
        }
    }
    /// The app ended before anybody could hear the answer.
    static func cutOff(_ message: Message, of app: AppIdentity) -> [Note] {
        message.is(RecordMessages.Modify.self) ? whole(NoteDetail.Answered { $0.cutOff = true }, message, app) : []
    }
    private static func whole(_ detail: NoteDetail.Answered, _ message: Message, _ app: AppIdentity) -> [Note] {
        let asked = RecordMessages.Modify(lenient: message.body)
        let names = asked.save.compactMap(\.recordName) + asked.delete
        let tokens = EditPayload.scan(.array(asked.save)).tokens
        // Flags and deletions leave no token: of one record its name says which.
        guard !tokens.isEmpty || names.count == 1 else { return [] }
        var detail = detail
        detail.place = names.count == 1 ? "\(zone(asked))/\(names[0])" : zone(asked)
        detail.policy = asked.policy
        return [note(message.name, app, .record, tokens, detail)]
    }
    private static func zone(_ asked: RecordMessages.Modify) -> String {
        RecordZone.plain(asked.zone ?? RecordZone.defaultName)
    }

    // MARK: Own backends

    /// An upload or a foreground request. A transfer that ends with a status is finished, whatever the status says; whether its body is what
    /// the backend says, or a page of somebody in between, the app has to look at.
    static func web(
        _ answer: Value, what: String, to target: String, tokens: [Token], of app: AppIdentity
    ) -> Note? {
        guard !tokens.isEmpty else { return nil }
        var detail: NoteDetail.Answered
        if let error = answer.linkError {
            detail = of(error)
        } else {
            let answer = TransferMessages.Send.Answer(lenient: answer)
            let body = kind(of: answer.data)
            guard !(200..<300).contains(answer.status) || body == "html" else { return nil }
            detail = NoteDetail.Answered { ($0.status, $0.body) = (Int64(answer.status), body) }
        }
        detail.place = target
        return note(what, app, .upload, tokens, detail)
    }
    static func cutOff(_ what: String, to target: String, tokens: [Token], of app: AppIdentity) -> Note? {
        guard !tokens.isEmpty else { return nil }
        return note(what, app, .upload, tokens, NoteDetail.Answered { ($0.cutOff, $0.place) = (true, target) })
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
        _ detail: NoteDetail.Answered, of message: Message, _ channel: Channel?, at place: String, tokens: [Token],
        of app: AppIdentity
    ) -> Note? {
        guard !tokens.isEmpty else { return nil }
        var detail = detail
        detail.place = place
        return note(message.name, app, channel, tokens, detail)
    }
    /// A document that stays here because the Cloud does not take it, or that somebody else was faster with.
    static func document(_ detail: NoteDetail.Answered, at place: String, tokens: [Token], of person: Person) -> Note? {
        guard !tokens.isEmpty else { return nil }
        var detail = detail
        (detail.what, detail.place) = (DocumentMessages.put, place)
        return Note(.answered, person: person, channel: .document, tokens: tokens, detail: detail.body)
    }
}

extension PadServices {
    /// Tells the history what an app is about to be told of its records.
    /// - Parameter later: what the app has handed over since.
    func noteAnswer(_ answer: Value, to message: Message, of app: AppIdentity, later: [Message] = []) {
        noteAll(AnswerNotes.records(answer, to: message, of: app))
        let isCaring = isCaring(app)
        guard isCaring || !later.isEmpty else { return }
        let zone = RecordMessages.Modify(lenient: message.body).zone
        let newer = later.map { RecordMessages.Modify(lenient: $0.body) }.filter { $0.zone == zone }
        noteAll(
            AnswerNotes.older(
                answer, to: message, of: app,
                { name in
                    isCaring
                        || newer.contains { $0.save.contains { $0.recordName == name } }
                }))
    }
    func note(_ answer: Note?) {
        guard let answer else { return }
        note(answer as Note)
    }
}
