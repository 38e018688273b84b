import FleetModel

@testable import PadCore

/// A CloudKit daemon on a fake Pad, with one app in the foreground: what the tests of this folder begin with.
struct RecordsBench {
    let pad: FakePad
    var daemon = RecordDaemon()
    var app: AppIdentity

    static let container = "iCloud.com.example.notebook"

    init() throws {
        pad = try FakePad()
        pad.manifests["notebook"] = AppManifest(
            name: "notebook", bundleID: "com.example.notebook",
            infoPlist: ["UIBackgroundModes": ["remote-notification"]],
            actions: [], promises: [:], channel: .record)
        app = pad.launch("notebook")
        daemon.boot(pad)
    }

    /// Posts a `ck.` message with the common members.
    func post(
        _ name: String, _ members: Value, op: String = "a", longLived: Bool = false, exchange: UInt64 = 7,
        from app: AppIdentity? = nil
    ) {
        var body = members
        let common: Value = [
            "container": .string(Self.container), "database": "private", "op": .string(op),
            "longLived": .bool(longLived),
        ]
        for pair in common.object?.pairs ?? [] where body[pair.key] == nil { body[pair.key] = pair.value }
        daemon.post(Message(name, body), exchange: exchange, from: app ?? self.app, pad)
    }
    /// Posts a modify of the zone Notes.
    func modify(
        _ save: [Value], delete: [String] = [], policy: Int = 0, atomic: Bool = true, op: String = "a",
        longLived: Bool = false
    ) {
        post(
            "ck.modify",
            [
                "zone": "Notes", "save": .array(save), "delete": .strings(delete), "policy": .int(policy),
                "atomic": .bool(atomic),
            ], op: op, longLived: longLived)
    }

    /// The iPad starts again after a power cut: a new daemon, no app.
    mutating func restart(seed: UInt64 = 1) throws {
        try pad.powerCut(seed: seed)
        daemon = RecordDaemon()
        daemon.boot(pad)
    }
    mutating func relaunch(_ launch: Int = 2) { app = pad.launch("notebook", launch: launch, daemon: daemon) }

    /// What `ck.longLived` lists for the app.
    var longLived: Value { daemon.call(Message("ck.longLived"), from: app, pad)["ops"] ?? .null }

    /// The newest answer to a message.
    func answer(_ name: String = "ck.modify") -> Value { pad.lastPost(name) ?? .null }
    func code(_ name: String = "ck.modify") -> Int64? { answer(name)["error"]?["code"]?.int }
    func code(of record: String) -> Int64? { answer()["errors"]?[record]?["code"]?.int }
    var savedNames: [String] { (answer()["saved"]?.array ?? []).compactMap { $0["recordName"]?.string } }
    var pending: [PendingItem] { daemon.pending(of: "maya") }
}

/// A note as an app writes it; its text carries the edit `token`.
func note(_ name: String, _ token: Token = "maya.1", tag: String? = nil) -> Value {
    var record: Value = [
        "recordName": .string(name), "recordType": "Note",
        "fields": ["text": ["value": .string(EditPayload.text(token: token, "hello")), "type": "STRING"]],
    ]
    record["recordChangeTag"] = tag.map(Value.string)
    return record
}
/// The same record as the service gives it back.
func stored(_ record: Value, tag: String, by device: String = "ipad-1") -> Value {
    var record = record
    record["recordChangeTag"] = .string(tag)
    record["modified"] = ["timestamp": 1, "userRecordName": "_1", "deviceID": .string(device)]
    return record
}
/// An error object of the service for one record.
func refusal(_ name: String, _ word: String, retryAfter: Double? = nil) -> Value {
    var refusal: Value = ["recordName": .string(name), "serverErrorCode": .string(word), "reason": "test"]
    refusal["retryAfter"] = retryAfter.map(Value.double)
    return refusal
}

/// Zone Notes of one account, as far as the daemon's retries need a service: creates, tagged updates, lookups, atomic batches.
final class TinyCloud {
    private(set) var records: [String: Value] = [:]
    private var serial = 0
    /// How often a save of each record was carried out.
    private(set) var saves: [String: Int] = [:]

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let body = request.json
        if request.target.hasSuffix("records/lookup") {
            let names = (body["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
            return HTTPResponse(
                status: 200, json: ["records": .array(names.map { records[$0] ?? refusal($0, "NOT_FOUND") })])
        }
        let operations = body["operations"]?.array ?? []
        var answers = operations.map(check)
        let isRefused = answers.contains { $0["serverErrorCode"] != nil }
        if isRefused, body["atomic"]?.bool == true {
            answers = zip(operations, answers).map { operation, answer in
                answer["serverErrorCode"] != nil ? answer : refusal(name(operation), "ATOMIC_ERROR")
            }
            return HTTPResponse(status: 400, json: ["records": .array(answers)])
        }
        answers = zip(operations, answers).map { $1["serverErrorCode"] != nil ? $1 : write($0) }
        return HTTPResponse(status: 200, json: ["records": .array(answers)])
    }

    private func name(_ operation: Value) -> String { operation["record"]?["recordName"]?.string ?? "" }
    private func check(_ operation: Value) -> Value {
        let name = name(operation)
        switch operation["operationType"]?.string {
        case "create": return records[name] == nil ? .empty : refusal(name, "EXISTS")
        case "update":
            guard let present = records[name] else { return refusal(name, "NOT_FOUND") }
            return present["recordChangeTag"] == operation["record"]?["recordChangeTag"]
                ? .empty : refusal(name, "CONFLICT")
        default: return .empty
        }
    }
    private func write(_ operation: Value) -> Value {
        let name = name(operation)
        guard operation["operationType"] != "forceDelete" else {
            records[name] = nil
            return ["recordName": .string(name), "deleted": true]
        }
        serial += 1
        saves[name, default: 0] += 1
        let record = stored(operation["record"] ?? .null, tag: "t\(serial)")
        records[name] = record
        return record
    }
}

extension HTTPRequest {
    var json: Value { (try? Value(json: body)) ?? .null }
}
