import CloudConformance
import FleetModel
import Foundation
import Testing
import Yams

@testable import CloudCore

/// Docs/openapi.yaml, with its references followed.
private struct Published {
    /// `POST`.
    var method: String
    /// As in the file.
    var path: String
    private var node: Node
    private var root: Node

    static func all() throws -> [Published] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/openapi.yaml")
        let root = try #require(try Yams.compose(yaml: String(contentsOf: file, encoding: .utf8)))
        return (root["paths"]?.mapping.map(Array.init) ?? []).flatMap { path, item in
            (item.mapping.map(Array.init) ?? []).compactMap { verb, node in
                guard let verb = verb.string, ["get", "post", "put", "delete"].contains(verb) else { return nil }
                return Published(method: verb.uppercased(), path: path.string ?? "", node: node, root: root)
            }
        }
    }
    /// Those of CloudKit.
    static func cloudKit() throws -> [Published] { try all().filter { !$0.operation.isEmpty } }
    private static let prefix = "/database/1/{container}/{environment}/"

    /// `records/query`; empty for what is not of CloudKit.
    var operation: String {
        path.hasPrefix(Self.prefix) ? String(path.dropFirst(Self.prefix.count)).replacing("{database}/", with: "") : ""
    }
    var databases: [String] {
        let parameters = root["paths"]?[path]?["parameters"]?.sequence.map(Array.init) ?? []
        return names(parameters.first { $0["name"]?.string == "database" }?["schema"]?["enum"])
    }
    var paths: [String] { databases.isEmpty ? [operation] : databases.map { "\($0)/\(operation)" } }
    private func names(_ list: Node?) -> [String] { (list?.sequence.map(Array.init) ?? []).compactMap(\.string) }

    /// Schemas of the bodies that a request may have, by media type.
    var requests: [String: Node] { contents(node["requestBody"]) }
    var statuses: Set<String> { Set(node["responses"]?.mapping?.keys.compactMap(\.string) ?? []) }
    /// Schemas of the bodies of one answer.
    func answers(_ status: String) -> [String: Node] {
        // '200' is a text here; a subscript would look for a number.
        let answer = node["responses"]?.mapping?.first { $0.key.string == status }?.value
        return contents(answer.map(followed))
    }
    private func contents(_ node: Node?) -> [String: Node] {
        (node?["content"]?.mapping.map(Array.init) ?? []).reduce(into: [:]) { found, pair in
            found[pair.0.string ?? ""] = pair.1["schema"]
        }
    }
    var required: [String] { names(json?["required"]) }
    var keys: Set<String> { Set(json?["properties"]?.mapping?.keys.compactMap(\.string) ?? []) }
    var answerKeys: Set<String> {
        Set(answers("200")["application/json"].map(followed)?["properties"]?.mapping?.keys.compactMap(\.string) ?? [])
    }
    private var json: Node? { requests["application/json"].map(followed) }

    /// What a reference leads to.
    func followed(_ node: Node) -> Node {
        guard let reference = node["$ref"]?.string else { return node }
        var found: Node? = root
        for part in reference.split(separator: "/").dropFirst() { found = found?[String(part)] }
        return found ?? Node("nothing")
    }
    /// What a schema leaves open: an object without properties, a list without members, a reference that leads nowhere.
    func gaps(_ schema: Node, _ place: String, _ seen: Set<String> = []) -> [String] {
        if let reference = schema["$ref"]?.string {
            guard !seen.contains(reference) else { return [] }
            let found = followed(schema)
            return found.mapping == nil ? ["\(place): \(reference)"] : gaps(found, place, seen.union([reference]))
        }
        let choices = ["oneOf", "anyOf", "allOf"].compactMap { schema[$0]?.sequence }.flatMap(Array.init)
        if !choices.isEmpty { return choices.flatMap { gaps($0, place, seen) } }
        switch schema["type"]?.string {
        case "object":
            let more = schema["additionalProperties"].map { $0.mapping == nil ? [] : gaps($0, place + ".*", seen) }
            guard let members = schema["properties"]?.mapping else { return more ?? ["\(place): an object of what?"] }
            return members.flatMap { gaps($1, "\(place).\($0.string ?? "")", seen) } + (more ?? [])
        case "array": return schema["items"].map { gaps($0, place + "[]", seen) } ?? ["\(place): a list of what?"]
        case nil: return schema["nullable"] == nil ? ["\(place): what?"] : []
        default: return []
        }
    }
}

/// Notes what is asked and answered.
private final class Recorder: Wire {
    struct Call {
        var method: String
        var operation: String
        var request: Value?
        var status: Int
        var answer: Value
    }
    private let wire: DirectWire
    private(set) var calls: [Call] = []

    init() throws { wire = try DirectWire(spec: ["accounts": [], "seed": 7, "dev": true, "closedProduction": true]) }

    func send(_ request: HTTPRequest) -> HTTPResponse {
        let response = wire.send(request)
        let path = request.target.prefix { $0 != "?" }.split(separator: "/").dropFirst(4).map(String.init)
        guard request.target.hasPrefix("/database/1/") else { return response }
        let isScoped = ["private", "shared", "public"].contains(path.first ?? "")
        calls.append(
            Call(
                method: request.method, operation: path.dropFirst(isScoped ? 1 : 0).joined(separator: "/"),
                request: request.body.isEmpty ? .empty : try? Value(json: request.body), status: response.status,
                answer: response.json ?? .null))
        return response
    }
    func command(_ name: String, _ body: Value) -> Value { wire.command(name, body) }
    var seconds: Int64 { wire.seconds }
    func pass(_ span: Span) { wire.pass(span) }
}

@Suite("Published protocol (Docs/openapi.yaml)", .timeLimit(.minutes(20)))
struct PublishedProtocolTests {
    // 4
    @Test("Paths: those of CloudKit that are served, and every other route with its method")
    func paths() throws {
        let published = Set(try Published.cloudKit().map(\.operation))
        #expect(published == Set(Router.records.keys).union(["users/discover"]))
        let others = Set(try Published.all().filter { $0.operation.isEmpty }.map { "\($0.method) \($0.path)" })
        let routed = Set(Router.routes.map { "\($0.method) \($0.path)" })
        // The list of all is the list under an empty path.
        #expect(routed.subtracting(others) == ["GET /upload/v1/{app}"])
        // The sign-in is found before the router, the rest is the server's own.
        #expect(
            others.subtracting(routed) == [
                "GET /accounts/v1/signin", "POST /accounts/v1/signin", "POST /push/v1/poll", "POST /admin/v1/command",
                "POST /admin/v1/export", "POST /admin/v1/import", "GET /health", "GET /metrics",
            ])
    }

    @Test("Bodies: every request that has one and every answer has a schema, down to its last member")
    func bodies() throws {
        for published in try Published.all() {
            let name = "\(published.method) \(published.path)"
            // Clients poll by POST too, with nothing in it.
            let hasNone = ["GET", "DELETE"].contains(published.method) || published.path.hasPrefix("/webcourier/")
            #expect(published.requests.isEmpty == hasNone, "\(name): body of the request")
            for (media, schema) in published.requests {
                #expect(published.gaps(schema, "\(media)") == [], "\(name)")
            }
            #expect(!published.answers("200").isEmpty, "\(name): body of the answer")
            for status in published.statuses {
                for schema in published.answers(status).values {
                    #expect(published.gaps(schema, status) == [], "\(name)")
                }
            }
            let isProbe = ["/health", "/metrics"].contains(published.path)
            #expect(isProbe || !published.answers("default").isEmpty, "\(name): what a refusal looks like")
        }
    }

    @Test("Descriptions: nothing points to a section of a document that nobody has")
    func descriptions() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/openapi.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("Section ") && !text.contains("fact sheet"))
    }

    // 1, 4: the verb carries no meaning, but for users/discover
    @Test("Methods: each that is published is served in its databases, others than GET and POST are not")
    func methods() throws {
        let all = try Published.cloudKit()
        #expect(all.count == Router.records.count + 2)
        let discover = all.filter { $0.operation == "users/discover" }.map(\.method)
        #expect(discover.sorted() == ["GET", "POST"])
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        for published in all {
            #expect(!published.paths.isEmpty)
            for path in published.paths {
                let answer = fleet.send(maya.http(published.method, path), from: 9)
                #expect(answer.code != "NOT_FOUND", "\(published.method) \(path)")
                for method in ["PUT", "DELETE", "PATCH", "HEAD"] {
                    #expect(fleet.send(maya.http(method, path), from: 9).code == "NOT_FOUND", "\(method) \(path)")
                }
            }
        }
    }

    // 5 to 7
    @Test("Required keys: a request without one is BAD_REQUEST, and no key that is not published is required")
    func required() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        // A request that is good.
        let values: [String: Value] = [
            "query": ["recordType": "Note"], "operations": [], "records": [], "shortGUIDs": [], "zones": [],
            "subscriptions": [], "lookupInfos": [], "users": [], "assets": [], "zoneID": ["zoneName": "Z"],
            "tokens": [["fieldName": "f", "recordType": "Note"]], "apnsEnvironment": "development", "apnsToken": "AB",
        ]
        maya.save("a")
        for published in try Published.cloudKit() where published.method == "POST" {
            guard let path = published.paths.first else { continue }
            #expect(Set(published.required).subtracting(published.keys) == [], "\(path): keys without a type")
            var whole = Value.Object(try published.required.map { ($0, try #require(values[$0], "\($0)")) })
            // One zone at least.
            if path == "private/changes/zone" { whole["zones"] = [["zoneID": ["zoneName": "Z"]]] }
            #expect(maya.call(path, .object(whole)).status == 200, "\(path) \(Value.object(whole).json)")
            for key in published.required {
                var part = whole
                part[key] = nil
                #expect(maya.call(path, .object(part)).code == "BAD_REQUEST", "\(path) without \(key)")
            }
        }
    }

    @Test("Statuses and keys: what the conformance suite asks and hears is published")
    func heard() throws {
        let recorder = try Recorder()
        for (number, check) in Check.all.enumerated() { _ = check.run(over: recorder, number: number) }
        var all: [String: Published] = [:]
        for published in try Published.cloudKit() { all["\(published.method) \(published.operation)"] = published }
        var heard: Set<String> = []
        for call in recorder.calls {
            // Either verb is good for either.
            let known =
                all["\(call.method) \(call.operation)"] ?? all["POST \(call.operation)"] ?? all["GET \(call.operation)"]
            guard let known else {
                #expect(call.status >= 400, "\(call.operation)")
                continue
            }
            if call.status == 200 {
                heard.insert("\(known.method) \(known.operation)")
                #expect(known.statuses.contains("200"))
                let unknown = Set(call.answer.object?.keys ?? []).subtracting(known.answerKeys)
                #expect(unknown == [], "\(call.operation) answers")
                let missing = Set(known.required).subtracting(call.request?.object?.keys ?? [])
                #expect(missing == [], "\(call.operation) was served without")
            } else {
                #expect(known.statuses.contains("default") || known.statuses.contains("\(call.status)"))
                #expect(Conformant.codes[call.answer["serverErrorCode"]?.string ?? ""] == call.status)
            }
        }
        #expect(heard == Set(all.keys))
    }
    private enum Conformant {
        static let codes = [
            "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401, "AUTHENTICATION_REQUIRED": 421,
            "BAD_REQUEST": 400, "CONFLICT": 409, "EXISTS": 409, "NOT_FOUND": 404, "QUOTA_EXCEEDED": 413,
            "VALIDATING_REFERENCE_ERROR": 412, "ZONE_NOT_FOUND": 404, "CHANGE_TOKEN_EXPIRED": 400,
            "USER_DELETED_ZONE": 404,
        ]
    }
}
