import FleetModel
import Storage
import Testing

@testable import CloudCore

/// A Cloud with devices around it, as the World would drive them.
final class Fleet {
    let disk: Disk
    private(set) var cloud: Cloud
    private let spec: Value
    private var exchange: UInt64 = 0
    var now = Instant.zero
    /// Everything of the last step but the response.
    private(set) var pushes: [(pad: Int, message: Message)] = []
    private(set) var notes: [Note] = []

    /// - Parameters:
    ///   - more: further keys of the spec: `dev`, `closedProduction`.
    ///   - disk: on which something may lie already.
    init(_ people: [Person] = ["maya", "omar"], seed: Int64 = 7, more: Value = .empty, disk: Disk = .memory()) throws {
        self.disk = disk
        var spec: Value = ["accounts": .strings(people), "seed": .int(seed)]
        for pair in more.object?.pairs ?? [] { spec[pair.key] = pair.value }
        self.spec = spec
        cloud = try Cloud(spec: spec, disk: disk)
    }
    /// Hears each answer as well.
    var answered: (HTTPResponse) -> Void = { _ in }
    /// When the Cloud wants to be stepped again.
    private(set) var nextTimer: Instant?

    /// Lets time pass without requests.
    func wait(_ span: Span) {
        now = now + span
        step([])
    }

    /// Routes one step as the World would.
    @discardableResult
    func step(_ inputs: [Input]) -> [Output] {
        now = now + .milliseconds(1)
        let result = cloud.step(now: now, inputs: inputs, link: NoLink())
        nextTimer = result.nextTimer
        let outputs = result.outputs
        (pushes, notes) = ([], [])
        for output in outputs {
            switch output.payload {
            case .push(let message): pushes.append((output.to.pad ?? 0, message))
            case .note(let note): notes.append(note)
            default: break
            }
        }
        return outputs
    }
    func send(_ request: HTTPRequest, from pad: Int) -> HTTPResponse {
        exchange += 1
        let outputs = step([Input(from: .pad(pad), .request(request), exchange: exchange)])
        for output in outputs {
            if case .response(let response) = output.payload, output.exchange == exchange {
                answered(response)
                return response
            }
        }
        return HTTPResponse(status: 0)
    }
    @discardableResult
    func command(_ name: String, _ body: Value = .empty) -> Message? {
        exchange += 1
        for output in step([Input(from: .people, .command(Message(name, body)), exchange: exchange)]) {
            if case .post(let answer) = output.payload { return answer }
        }
        return nil
    }

    /// What happened to the disk stays; the process is new.
    func crash(seed: UInt64 = 1) throws {
        command("cloud.crash", ["seed": .int(Int64(seed))])
        cloud = try Cloud(spec: spec, disk: disk)
    }

    func device(_ person: Person, on pad: Int) throws -> Device {
        let response = send(
            HTTPRequest(
                post: "/accounts/v1/signin", json: ["account": .string(person), "device": .string("ipad-\(pad)")]),
            from: pad)
        return Device(fleet: self, pad: pad, token: try #require(response.json?["token"]?.string))
    }
    var committed: [Token] { notes.filter { $0.kind == .committed }.flatMap(\.tokens) }
    var replaced: [Token] { notes.filter { $0.kind == .replaced }.flatMap(\.tokens) }
    /// Notes of `cloud.observe`: place and tokens, by person.
    func observed(_ person: Person) -> [String: [Token]] {
        command("cloud.observe")
        var places: [String: [Token]] = [:]
        for note in notes where note.kind == .observed && note.person == person {
            places[note.detail["where"]?.string ?? "", default: []] += note.tokens
        }
        return places
    }
}

final class NoLink: CallLink {
    func call(_ message: Message, after posts: [Output]) -> Message? { nil }
}

/// One person on one iPad.
struct Device {
    let fleet: Fleet
    let pad: Int
    let token: String
    static let database = "/database/1/iCloud.com.example.notebook/production"

    func request(
        _ method: String, _ target: String, id: String? = nil, headers: HTTPHeaders = [:], body: [UInt8] = []
    ) -> HTTPResponse {
        fleet.send(http(method, target, id: id, headers: headers, body: body), from: pad)
    }
    func http(
        _ method: String, _ target: String, id: String? = nil, headers: HTTPHeaders = [:], body: [UInt8] = []
    ) -> HTTPRequest {
        var headers = headers
        headers["Authorization"] = "Bearer \(token)"
        headers["X-Homeroom-Device"] = "ipad-\(pad)"
        headers["X-Homeroom-Request"] = id
        return HTTPRequest(method, target, headers: headers, body: body)
    }
    @discardableResult
    func post(_ target: String, _ body: Value, id: String? = nil) -> HTTPResponse {
        request("POST", target, id: id, body: body.jsonBytes)
    }
    /// A call of the private database, or with `scope` of another.
    @discardableResult
    func ck(_ operation: String, _ body: Value, scope: String = "private", id: String? = nil) -> HTTPResponse {
        post("\(Device.database)/\(scope)/\(operation)", body, id: id)
    }

    // MARK: Records

    static func zoneID(_ name: String) -> Value { ["zoneName": .string(name)] }
    static func operation(
        _ kind: String, _ name: String, text: String? = nil, tag: String? = nil, type: String = "Note"
    ) -> Value {
        var record: Value = ["recordName": .string(name), "recordType": .string(type)]
        if let text { record["fields"] = ["text": ["value": .string(text)]] }
        record["recordChangeTag"] = tag.map(Value.string)
        return ["operationType": .string(kind), "record": record]
    }
    @discardableResult
    func makeZone(_ name: String = "Notes") -> HTTPResponse {
        ck("zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": Device.zoneID(name)]]]])
    }
    @discardableResult
    func deleteZone(_ name: String = "Notes") -> HTTPResponse {
        ck("zones/modify", ["operations": [["operationType": "delete", "zone": ["zoneID": Device.zoneID(name)]]]])
    }
    @discardableResult
    func modify(
        _ operations: [Value], zone: String = "Notes", atomic: Bool = true, scope: String = "private", id: String? = nil
    )
        -> HTTPResponse
    {
        ck(
            "records/modify",
            ["operations": .array(operations), "zoneID": Device.zoneID(zone), "atomic": .bool(atomic)], scope: scope,
            id: id)
    }
    /// Saves one record and returns the answer's entry.
    @discardableResult
    func save(_ kind: String, _ name: String, _ text: String, tag: String? = nil, zone: String = "Notes") -> Value {
        modify([Device.operation(kind, name, text: text, tag: tag)], zone: zone).json?["records"]?.array?.first ?? .null
    }
    func lookup(_ names: [String], zone: String = "Notes", scope: String = "private") -> [Value] {
        ck(
            "records/lookup",
            ["zoneID": Device.zoneID(zone), "records": .array(names.map { ["recordName": .string($0)] })], scope: scope
        ).json?["records"]?.array ?? []
    }
    func changes(_ zone: String = "Notes", since token: String? = nil, limit: Int? = nil) -> Value {
        var entry: Value = ["zoneID": Device.zoneID(zone)]
        entry["syncToken"] = token.map(Value.string)
        entry["resultsLimit"] = limit.map { .int($0) }
        return ck("changes/zone", ["zones": [entry]]).json?["zones"]?.array?.first ?? .null
    }
    func databaseChanges(since token: String? = nil) -> Value {
        var body = Value.empty
        body["syncToken"] = token.map(Value.string)
        return ck("changes/database", body).json ?? .null
    }
    @discardableResult
    func subscribe(_ subscription: Value, scope: String = "private") -> Value {
        ck(
            "subscriptions/modify", ["operations": [["operationType": "create", "subscription": subscription]]],
            scope: scope
        )
        .json?["subscriptions"]?.array?.first ?? .null
    }

    // MARK: Documents

    static let documents = "/documents/v1/iCloud.com.example.scrapbook"
    @discardableResult
    func put(
        _ id: String, base: String = "", path: String = "Documents/page.txt", modified: Int, _ text: String,
        request: String? = nil
    ) -> HTTPResponse {
        let path = path.split(separator: " ").joined(separator: "%20")
        return self.request(
            "PUT", "\(Device.documents)/items/\(id)?base=\(base)&path=\(path)&modified=\(modified)", id: request,
            body: Array(text.utf8))
    }
    func items(since: Int64 = 0) -> [Value] {
        post("\(Device.documents)/changes", ["since": .int(since)]).json?["items"]?.array ?? []
    }
    func content(_ id: String, version: String? = nil) -> String {
        let query = version.map { "?version=\($0)" } ?? ""
        return String(decoding: request("GET", "\(Device.documents)/items/\(id)\(query)").body, as: UTF8.self)
    }

    // MARK: Stamped stores

    static func write(_ key: String, _ value: Value, stamp: Int, device: String) -> Value {
        ["key": .string(key), "value": value, "stamp": .int(stamp), "device": .string(device)]
    }
    @discardableResult
    func sync(_ writes: [Value] = [], since: Int64 = 0, at target: String = "/kvs/v1/com.example.quiz/sync") -> Value {
        post(target, ["since": .int(since), "writes": .array(writes)]).json ?? .null
    }
}

extension Cloud {
    func restore(_ lines: [[UInt8]]) throws {
        var rest = lines.makeIterator()
        try restore { rest.next() }
    }
}
extension HTTPResponse {
    var code: String? { json?["serverErrorCode"]?.string }
    func text(_ key: String) -> String { json?[key]?.string ?? "" }
    var records: [Value] { json?["records"]?.array ?? [] }
}
extension Value {
    var names: [String] { (self["records"]?.array ?? []).compactMap { $0["recordName"]?.string } }
    var tag: String { self["recordChangeTag"]?.string ?? "" }
    var code: String? { self["serverErrorCode"]?.string }
    var field: String? { self["fields"]?["text"]?["value"]?.string }
    var syncToken: String? { self["syncToken"]?.string }
}
func payload(_ token: Token) -> String { EditPayload.text(token: token, "hello \(token)") }
