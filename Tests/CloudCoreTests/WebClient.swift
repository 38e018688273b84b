import FleetModel
import Storage

@testable import CloudCore

/// A client of the web services: a person by his web-auth token, or an app by its API token alone.
struct Web {
    let fleet: Fleet
    /// Nil: the API token alone.
    var person: Person?
    var container = "iCloud.com.example.web"
    var environment = "development"
    var client: String?

    /// A Cloud for web clients, in which any name is a person.
    /// - Parameters:
    ///   - quota: bytes of the public database.
    ///   - answer: bytes of an answer's records.
    static func fleet(closed: Bool = true, quota: Int64? = nil, answer: Int? = nil) throws -> Fleet {
        var more: Value = ["dev": true, "closedProduction": .bool(closed)]
        more["publicQuotaBytes"] = quota.map(Value.int)
        more["answerBytesMax"] = answer.map { .int($0) }
        return try Fleet([], more: more)
    }

    func http(_ method: String, _ path: String, _ body: [UInt8] = []) -> HTTPRequest {
        var query = "?ckAPIToken=dev"
        if let person { query += "&ckWebAuthToken=person%3A\(person)" }
        if let client { query += "&clientId=\(client)" }
        return HTTPRequest(method, "/database/1/\(container)/\(environment)/\(path)\(query)", body: body)
    }
    @discardableResult
    func call(_ path: String, _ body: Value = .empty) -> HTTPResponse {
        fleet.send(http("POST", path, body.jsonBytes), from: 99)
    }
    func get(_ path: String) -> HTTPResponse { fleet.send(http("GET", path), from: 99) }

    // MARK: Records

    @discardableResult
    func makeZone(_ name: String = "Z") -> HTTPResponse {
        call(
            "private/zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": Device.zoneID(name)]]]])
    }
    /// `record` gets name and type; `extra` is laid over it.
    static func operation(
        _ kind: String, _ name: String, _ fields: Value = .empty, type: String = "Note", extra: Value = .empty
    ) -> Value {
        var record: Value = ["recordName": .string(name), "recordType": .string(type), "fields": fields]
        for pair in extra.object?.pairs ?? [] { record[pair.key] = pair.value }
        return ["operationType": .string(kind), "record": record]
    }
    @discardableResult
    func modify(
        _ operations: [Value], zone: Value? = Device.zoneID("Z"), scope: String = "private", atomic: Bool? = nil
    ) -> HTTPResponse {
        var body: Value = ["operations": .array(operations)]
        body["zoneID"] = zone
        body["atomic"] = atomic.map(Value.bool)
        return call("\(scope)/records/modify", body)
    }
    /// Saves one record; its entry.
    @discardableResult
    func save(
        _ name: String, _ fields: Value = .empty, kind: String = "forceUpdate", type: String = "Note",
        zone: Value? = Device.zoneID("Z"), scope: String = "private", extra: Value = .empty
    ) -> Value {
        let operation = Self.operation(kind, name, fields, type: type, extra: extra)
        let answer = modify([operation], zone: zone, scope: scope)
        return answer.records.first ?? answer.json ?? .null
    }
    @discardableResult
    func delete(_ name: String, zone: Value? = Device.zoneID("Z"), scope: String = "private") -> Value {
        save(name, kind: "forceDelete", zone: zone, scope: scope)
    }
    func lookup(_ name: String, zone: Value? = Device.zoneID("Z"), scope: String = "private") -> Value {
        var body: Value = ["records": [["recordName": .string(name)]]]
        body["zoneID"] = zone
        let answer = call("\(scope)/records/lookup", body)
        return answer.records.first ?? answer.json ?? .null
    }
    func has(_ name: String, zone: Value? = Device.zoneID("Z"), scope: String = "private") -> Bool {
        lookup(name, zone: zone, scope: scope).code == nil
    }
    /// Names that a query finds, joined.
    func query(
        _ filters: [Value] = [], sort: [Value] = [], type: String = "Note", zone: Value? = Device.zoneID("Z"),
        scope: String = "private"
    ) -> String {
        var body: Value = [
            "query": ["recordType": .string(type), "filterBy": .array(filters), "sortBy": .array(sort)]
        ]
        body["zoneID"] = zone
        let answer = call("\(scope)/records/query", body).json ?? .null
        return answer.code ?? answer.names.joined()
    }
    static func filter(_ comparator: String, _ field: String, _ value: Value, distance: Double? = nil) -> Value {
        var filter: Value = [
            "comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value],
        ]
        filter["distance"] = distance.map(Value.double)
        return filter
    }
    static func reference(_ target: String, _ action: String = "NONE") -> Value {
        ["value": ["recordName": .string(target), "action": .string(action)], "type": "REFERENCE"]
    }
    /// The person's name in this container.
    var userRecordName: String {
        self.get("public/users/caller").json?["users"]?.array?.first?["userRecordName"]?.string ?? ""
    }

    /// Uploads bytes for a field; the asset dictionary.
    func upload(_ text: String, record: String = "a", scope: String = "private", zone: Value? = Device.zoneID("Z"))
        -> Value
    {
        var body: Value = ["tokens": [["recordName": .string(record), "recordType": "Note", "fieldName": "file"]]]
        body["zoneID"] = zone
        let url = call("\(scope)/assets/upload", body).json?["tokens"]?.array?.first?["url"]?.string ?? ""
        return post(url, text).json?["singleFile"] ?? .null
    }
    func post(_ url: String, _ text: String) -> HTTPResponse {
        fleet.send(HTTPRequest("POST", Self.target(url), body: Array(text.utf8)), from: 99)
    }
    func fetch(_ url: String) -> HTTPResponse { fleet.send(HTTPRequest("GET", Self.target(url)), from: 99) }
    static func target(_ url: String) -> String {
        let path = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).last ?? ""
        return "/" + path.replacing("${f}", with: "name.txt")
    }
}

extension Value {
    func value(_ field: String) -> Value? { self["fields"]?[field]?["value"] }
}
