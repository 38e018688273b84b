import FleetModel

/// What one check says and hears.
public final class Conversation {
    let wire: any Wire
    let number: Int
    private(set) var failures: [String] = []
    private(set) var transcript: [String] = []
    private(set) var served: Set<String> = []
    var environment = "development"

    init(_ wire: any Wire, _ number: Int) {
        self.wire = wire
        self.number = number
    }

    var container: String { "iCloud.com.example.check\(number)" }
    func person(_ name: String) -> Visitor {
        Visitor(talk: self, query: "ckAPIToken=dev&ckWebAuthToken=person%3A\(account(name))")
    }
    func account(_ name: String) -> String { "\(name)-\(number)" }
    var maya: Visitor { person("maya") }
    var omar: Visitor { person("omar") }
    var eve: Visitor { person("eve") }
    /// An app without a person.
    var app: Visitor { Visitor(talk: self, query: "ckAPIToken=dev") }
    func visitor(_ query: String, _ headers: HTTPHeaders = [:]) -> Visitor {
        Visitor(talk: self, query: query, headers: headers)
    }

    /// Notes a difference.
    func expect<T: Equatable>(_ seen: T, _ wanted: T, _ what: String = "", line: Int = #line) {
        if seen != wanted { failures.append("line \(line): \(what) is \(seen), not \(wanted)") }
    }
    func expect(_ holds: Bool, _ what: String, line: Int = #line) {
        if !holds { failures.append("line \(line): \(what)") }
    }

    func send(_ request: HTTPRequest) -> Answer {
        let response = wire.send(request)
        let answer = Answer(response)
        let path = request.target.split(separator: "?").first.map(String.init) ?? ""
        // The clock is in download URLs.
        let shown = path.hasPrefix("/assets/v1/download/") ? "/assets/v1/download/*" : path
        transcript.append(
            "\(request.method) \(shown) \(String(decoding: request.body.prefix(2000), as: UTF8.self)) -> "
                + "\(response.status) \(Self.steady(answer.body).json)")
        if response.status == 200 { served.insert(Self.operation(path)) }
        if response.status >= 400 { checkShape(answer, path) }
        return answer
    }
    /// cloudkit-web-services.md 9: every refusal is an error object with the status of its code.
    private func checkShape(_ answer: Answer, _ path: String) {
        let hasShape =
            answer.code.map { Self.statuses[$0] == answer.status } == true && answer.text("uuid").utf8.count == 36
            && !answer.text("reason").isEmpty
        if !hasShape {
            failures.append(
                "\(path): \(answer.status) \(answer.body.json) is no error object (cloudkit-web-services.md 9)")
        }
    }
    static let statuses = [
        "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401, "AUTHENTICATION_REQUIRED": 421,
        "BAD_REQUEST": 400, "CONFLICT": 409, "EXISTS": 409, "INTERNAL_ERROR": 500, "NOT_FOUND": 404,
        "QUOTA_EXCEEDED": 413, "THROTTLED": 429, "TRY_AGAIN_LATER": 503, "VALIDATING_REFERENCE_ERROR": 412,
        "ZONE_NOT_FOUND": 404, "UNIQUE_FIELD_ERROR": 409, "CHANGE_TOKEN_EXPIRED": 400,
    ]

    /// `records/query` of a path.
    private static func operation(_ path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.first == "database", parts.count > 4 else { return parts.prefix(3).joined(separator: "/") }
        return parts.dropFirst(["private", "shared", "public"].contains(parts[4]) ? 5 : 4).joined(separator: "/")
    }
    /// Without what the clock or the moment makes.
    private static func steady(_ value: Value) -> Value {
        switch value {
        case .array(let list): return .array(list.map(steady))
        case .object(let object):
            return .object(
                Value.Object(
                    object.pairs.map { pair in
                        // The refusal of a signature names its date and the service's time.
                        let isDated = pair.value.string?.hasPrefix("the request was signed at") == true
                        let isMomentary = ["uuid", "timestamp", "downloadURL"].contains(pair.key) || isDated
                        return (pair.key, isMomentary ? "*" : steady(pair.value))
                    }))
        default: return value
        }
    }
}

/// What was answered.
struct Answer {
    var status: Int
    var body: Value
    var bytes: [UInt8]
    var headers: HTTPHeaders

    init(_ response: HTTPResponse) {
        status = response.status
        body = response.json ?? .null
        bytes = response.body
        headers = response.headers
    }
    var code: String? { body["serverErrorCode"]?.string }
    func text(_ key: String) -> String { body[key]?.string ?? "" }
    func list(_ key: String) -> [Value] { body[key]?.array ?? [] }
    var records: [Value] { list("records") }
    /// Names of the records, joined; a deleted one with a minus.
    var names: String {
        records.map { ($0["recordName"]?.string ?? "?") + ($0["deleted"]?.bool == true ? "-" : "") }.joined()
    }
    /// The code of the answer or, in one that succeeded, of its first entry.
    var anyCode: String? {
        code
            ?? ["records", "zones", "subscriptions", "results", "assets"].lazy.compactMap { list($0).first?.code }.first
    }
}

extension Value {
    var code: String? { self["serverErrorCode"]?.string }
    var tag: String { self["recordChangeTag"]?.string ?? "" }
    func value(_ field: String) -> Value? { self["fields"]?[field]?["value"] }
    func type(_ field: String) -> String? { self["fields"]?[field]?["type"]?.string }
}
