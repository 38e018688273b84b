import FleetModel

/// A client with one credential.
struct Visitor {
    let talk: Conversation
    /// Credentials in the query.
    var query: String
    var headers: HTTPHeaders = [:]

    static let zone: Value = ["zoneName": "Z"]

    func target(_ path: String) -> String {
        "/database/1/\(talk.container)/\(talk.environment)/\(path)" + (query.isEmpty ? "" : "?\(query)")
    }
    @discardableResult
    func call(_ path: String, _ body: Value = .empty) -> Answer {
        talk.send(HTTPRequest("POST", target(path), headers: headers, body: body.jsonBytes))
    }
    func get(_ path: String) -> Answer { talk.send(HTTPRequest("GET", target(path), headers: headers)) }
    /// A URL that an answer holds.
    func fetch(_ url: String, _ method: String = "GET", _ body: String = "", headers: HTTPHeaders = [:]) -> Answer {
        let path = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).last ?? ""
        return talk.send(
            HTTPRequest(
                method, "/" + path.replacing("${f}", with: "name.txt"), headers: headers, body: Array(body.utf8)))
    }

    // MARK: Zones and records

    @discardableResult
    func makeZone(_ name: String = "Z") -> Answer { modifyZones("create", name) }
    @discardableResult
    func modifyZones(_ kind: String, _ name: String, scope: String = "private") -> Answer {
        call(
            "\(scope)/zones/modify",
            ["operations": [["operationType": .string(kind), "zone": ["zoneID": ["zoneName": .string(name)]]]]])
    }
    /// `extra` is laid over the record.
    static func operation(
        _ kind: String, _ name: String?, _ fields: Value = .empty, type: String? = "Note", extra: Value = .empty
    ) -> Value {
        var record: Value = ["fields": fields]
        record["recordName"] = name.map(Value.string)
        record["recordType"] = type.map(Value.string)
        for pair in extra.object?.pairs ?? [] { record[pair.key] = pair.value }
        return ["operationType": .string(kind), "record": record]
    }
    @discardableResult
    func modify(
        _ operations: [Value], zone: Value? = Visitor.zone, scope: String = "private", atomic: Bool? = nil,
        more: Value = .empty
    ) -> Answer {
        var body = more
        body["operations"] = .array(operations)
        body["zoneID"] = zone
        body["atomic"] = atomic.map(Value.bool)
        return call("\(scope)/records/modify", body)
    }
    /// One record, independent of others; its entry or the error object.
    @discardableResult
    func save(
        _ name: String?, _ fields: Value = .empty, kind: String = "forceUpdate", type: String? = "Note",
        zone: Value? = Visitor.zone, scope: String = "private", extra: Value = .empty
    ) -> Value {
        let answer = modify(
            [Self.operation(kind, name, fields, type: type, extra: extra)], zone: zone, scope: scope, atomic: false)
        return answer.records.first ?? answer.body
    }
    @discardableResult
    func delete(_ name: String, kind: String = "forceDelete", zone: Value? = Visitor.zone, scope: String = "private")
        -> Value
    { save(name, kind: kind, zone: zone, scope: scope) }
    func lookup(_ name: String, zone: Value? = Visitor.zone, scope: String = "private", more: Value = .empty) -> Value {
        var body = more
        body["records"] = [["recordName": .string(name)]]
        body["zoneID"] = zone
        let answer = call("\(scope)/records/lookup", body)
        return answer.records.first ?? answer.body
    }
    func has(_ name: String, zone: Value? = Visitor.zone, scope: String = "private") -> Bool {
        lookup(name, zone: zone, scope: scope).code == nil
    }

    // MARK: Queries, changes, subscriptions

    @discardableResult
    func query(
        _ filters: [Value] = [], sort: [Value] = [], type: String = "Note", zone: Value? = Visitor.zone,
        scope: String = "private", more: Value = .empty
    ) -> Answer {
        var body = more
        body["query"] = ["recordType": .string(type), "filterBy": .array(filters), "sortBy": .array(sort)]
        body["zoneID"] = zone
        return call("\(scope)/records/query", body)
    }
    static func filter(_ comparator: String, _ field: String, _ value: Value) -> Value {
        ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value]]
    }
    func changes(_ token: String? = nil, zone: Value = Visitor.zone, scope: String = "private", more: Value = .empty)
        -> Answer
    {
        var body = more
        body["zoneID"] = zone
        body["syncToken"] = token.map(Value.string)
        return call("\(scope)/records/changes", body)
    }
    @discardableResult
    func subscribe(_ subscription: Value, kind: String = "create", scope: String = "private") -> Value {
        let answer = call(
            "\(scope)/subscriptions/modify",
            ["operations": [["operationType": .string(kind), "subscription": subscription]]])
        return answer.list("subscriptions").first ?? answer.body
    }
    /// The URL of a new courier.
    func courier() -> String {
        call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL")
    }

    // MARK: People and files

    var userRecordName: String {
        self.get("public/users/caller").list("users").first?["userRecordName"]?.string ?? ""
    }
    /// Uploads a text; the asset dictionary.
    func upload(_ text: String, scope: String = "private", zone: Value? = Visitor.zone) -> Value {
        var body: Value = ["tokens": [["recordType": "Note", "fieldName": "file"]]]
        body["zoneID"] = zone
        let url = call("\(scope)/assets/upload", body).list("tokens").first?["url"]?.string ?? ""
        return fetch(url, "POST", text).body["singleFile"] ?? .null
    }
    static func reference(_ target: String, _ action: String = "NONE") -> Value {
        ["value": ["recordName": .string(target), "action": .string(action)], "type": "REFERENCE"]
    }
}
