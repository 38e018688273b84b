import FleetModel

/// The notes `fetched`: an app looked for what others have changed, and what it was given. Of a lagging iPad they tell what it missed.
///
/// What passes by itself (no network, a busy service) makes no note: whoever looks tries again. Documents and the key-value store are looked
/// after by the system.
enum FetchNotes {
    /// The answers to reads of records.
    private static let reads = [RecordMessages.ZoneChanges.name, RecordMessages.Query.name, RecordMessages.Lookup.name]
    /// CKError codes that pass: network, service busy or throttled, account for the moment.
    private static let passing: [Int64] = [3, 4, 6, 7, 20, 23, 34, 36]

    static func note(_ message: Message, to app: AppIdentity) -> Note? {
        guard reads.contains(message.name) else { return nil }
        var detail = NoteDetail.Fetched { ($0.what, $0.launch) = (message.name, app.launch) }
        let page = Page(lenient: message.body)
        if let error = message.body.linkError.map(AnsweredError.init(lenient:)) {
            guard let code = error.code, !passing.contains(code) else { return nil }
            (detail.code, detail.domain) = (code, error.domain)
        } else if page.moreComing == true || page.cursor != nil {
            detail.more = true
        }
        let tokens = EditPayload.scan(page.records).tokens
        return Note(.fetched, person: app.account, app: app.app, channel: .record, tokens: tokens, detail: detail.body)
    }
    /// What the answers to reads have in common.
    private struct Page: FieldGroup {
        var cursor: String?
        var moreComing: Bool?
        var records = Value.null
        init() {}
        mutating func visit(_ fields: inout Fields) {
            fields.optional("cursor", &cursor)
            fields.optional("moreComing", &moreComing)
            fields.always("records", &records)
        }
    }
    /// The answer to a request that asks an app's own backend.
    static func note(_ answer: Value, of what: String, from target: String, to app: AppIdentity) -> Note? {
        let given = TransferMessages.Completed(lenient: answer)
        guard let status = given.status else { return nil }
        let data = given.data ?? []
        var detail = NoteDetail.Fetched { ($0.what, $0.place, $0.launch) = (what, target, app.launch) }
        let isGood = (200..<300).contains(status) && AnswerNotes.kind(of: data) != "html"
        if !isGood {
            (detail.status, detail.body) = (Int64(status), AnswerNotes.kind(of: data))
        }
        // JSON may hold texts as bytes, which are base64 there.
        let found = (try? Value(json: data)).map { EditPayload.scan($0) } ?? EditPayload.scan(data)
        let tokens = isGood ? found.tokens : []
        return Note(.fetched, person: app.account, app: app.app, channel: .upload, tokens: tokens, detail: detail.body)
    }
}
