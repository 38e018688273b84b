import PadDouble
import Ubiquity

/// Texts and names that people type and that files, addresses and records are not made for.
enum Odd {
    static let texts = [
        "a\nb", "\n\n", "\r\n", "a\n\u{1E}\nb", "\u{1E}", "50% off a%20b %", "../etc/passwd", "nul\u{0}esc\u{1B}[31m",
        "",
        "grüße 日本語 العربية עברית हिन्दी ไทย", "👩‍👩‍👧‍👦🏳️‍🌈🇨🇭", "e\u{301}\u{302}\u{303}", "\u{202E}drawkcab", "\\n \"quoted\" {json}",
        String(repeating: "four kilobytes. ", count: 256),
    ]
    /// Most have a part that makes them the name of a place in every app.
    static let names = [
        "nöte", "日本語", "العربية", "👩‍👩‍👧‍👦", "e\u{301}\u{302}", "\u{301}alone", "50% off", "a%20b", "%2F", "=2E", "a/b", "..",
        ".",
        ".hidden", "_own", "a\nb", "\u{1B}[31m", "nul\u{0}", " ", "a b ", "a.txt", "a\\b", "a?b#c&d=e", "a\u{0600}",
        "~", "-1",
        "Note", "note", String(repeating: "n", count: 255), String(repeating: "ö", count: 300),
    ]
}

/// A record service of one person that keeps what it is sent, as far as notes need it.
final class RecordsDouble {
    private(set) var records: [String: Value] = [:]
    private(set) var saves = 0
    private var version = 0
    /// Answers every save with this error.
    var refusal: Int64?

    func answer(_ message: Message) -> Value? {
        switch message.name {
        case "ck.modify": modify(message["save"]?.array ?? [])
        case "ck.zoneChanges":
            [
                "records": .array(records.keys.sorted().compactMap { records[$0] }), "deleted": [], "token": "1",
                "moreComing": false,
            ]
        default: nil
        }
    }
    private func modify(_ records: [Value]) -> Value {
        saves += 1
        let names = records.compactMap { $0["recordName"]?.string }
        let isPlain = names.allSatisfy {
            (1...255).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
        }
        if let code = refusal ?? (isPlain ? nil : 12) { return linkError("CKErrorDomain", code) }
        return ["zone": "Notebook", "saved": .array(zip(names, records).map(save)), "deleted": [], "errors": .empty]
    }
    private func save(_ name: String, _ record: Value) -> Value {
        version += 1
        var record = record
        record["recordChangeTag"] = .string("t\(version)")
        record["modified"] = ["timestamp": .int(version)]
        records[name] = record
        return record
    }
}

/// A backend as the reference one answers: a file is written once, and a long list comes in parts.
final class OnceBackend {
    private(set) var essays: [String: [UInt8]] = [:]
    var listMax = 100

    func answer(_ request: Value) -> Value? {
        let url = request["url"]?.string ?? ""
        if url.hasSuffix("/login") { return json(200, ["credential": "secret"]) }
        guard let query = url.split(separator: "?", maxSplits: 1).last, query.hasPrefix("list") else {
            return json(404, .empty)
        }
        let after = query.split(separator: "&").first { $0.hasPrefix("after=") }?.dropFirst("after=".count)
        let rest = essays.keys.sorted().filter { $0 > String(after ?? "").removingPercentEncoding ?? "" }
        var body: Value = [
            "items": .array(rest.prefix(listMax).map { ["path": .string($0), "data": .data(essays[$0] ?? [])] })
        ]
        if rest.count > listMax { body["next"] = .string(rest[listMax - 1]) }
        return json(200, body)
    }
    private func json(_ status: Int64, _ body: Value) -> Value {
        ["status": .int(status), "data": .data(body.jsonBytes)]
    }

    /// Takes the oldest upload of an iPad.
    func take(_ pad: PadDouble) {
        guard let task = pad.transfers.first else { return }
        let host = "https://backend.homework/"
        guard task.url.hasPrefix(host), let path = String(task.url.dropFirst(host.count)).removingPercentEncoding,
            path.split(separator: "/").count == 2, !path.hasSuffix("/..")
        else { return pad.finishTransfer(status: 400) }
        if let present = essays[path], present != task.body {
            return pad.finishTransfer(status: 409, json: ["serverErrorCode": "CONFLICT"])
        }
        essays[path] = task.body
        pad.finishTransfer(status: 201, json: ["path": .string(path), "size": .int(task.body.count)])
    }
}
