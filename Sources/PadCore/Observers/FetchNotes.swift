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
        var detail: Value = ["what": .string(message.name), "launch": .int(app.launch)]
        if let error = message["error"] {
            guard let code = error["code"]?.int, !passing.contains(code) else { return nil }
            detail["code"] = .int(code)
            detail["domain"] = error["domain"]
        } else if message["moreComing"]?.bool == true || message["cursor"]?.string != nil {
            detail["more"] = true
        }
        let tokens = EditPayload.scan(message["records"] ?? .null).tokens
        return Note(.fetched, person: app.account, app: app.app, channel: .record, tokens: tokens, detail: detail)
    }
    /// The answer to a request that asks an app's own backend.
    static func note(_ answer: Value, of what: String, from target: String, to app: AppIdentity) -> Note? {
        guard let status = answer["status"]?.int else { return nil }
        let data = answer["data"]?.data ?? []
        var detail: Value = ["what": .string(what), "where": .string(target), "launch": .int(app.launch)]
        let isGood = (200..<300).contains(status) && AnswerNotes.kind(of: data) != "html"
        if !isGood {
            detail["status"] = .int(status)
            detail["body"] = .string(AnswerNotes.kind(of: data))
        }
        // JSON may hold texts as bytes, which are base64 there.
        let found = (try? Value(json: data)).map { EditPayload.scan($0) } ?? EditPayload.scan(data)
        let tokens = isGood ? found.tokens : []
        return Note(.fetched, person: app.account, app: app.app, channel: .upload, tokens: tokens, detail: detail)
    }
}
