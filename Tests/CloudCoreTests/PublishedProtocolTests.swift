import CloudConformance
import FleetModel
import Foundation
import Testing

@testable import CloudCore

/// One operation as Docs/openapi.yaml has it: the file is regular enough to be read line by line.
private struct Published {
    var method: String
    /// `records/query`.
    var operation: String
    var databases: [String] = []
    var required: [String] = []
    var keys: Set<String> = []
    var statuses: Set<String> = []
    var answers: Set<String> = []

    static let prefix = "  /database/1/{container}/{environment}/"

    static func all() throws -> [Published] {
        var (found, path, databases): ([Published], String?, [String]) = ([], nil, [])
        var isAnswer = false
        for line in try text().split(separator: "\n").map(String.init) {
            let words = line.trimmingCharacters(in: .whitespaces)
            let depth = line.count - line.drop { $0 == " " }.count
            if depth == 2 {
                path = line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count).dropLast()) : nil
                databases = []
            }
            guard let path else { continue }
            if words.hasPrefix("- {name: database"), let list = words.split(separator: "enum: ").last {
                databases = names(list)
            }
            if depth == 4, ["get:", "post:", "put:", "delete:"].contains(words) {
                let operation = path.replacing("{database}/", with: "")
                found.append(
                    Published(method: words.dropLast().uppercased(), operation: operation, databases: databases))
                isAnswer = false
            }
            guard var last = found.popLast() else { continue }
            if depth == 6 { isAnswer = words == "responses:" }
            if depth == 8, isAnswer {
                last.statuses.insert(String(words.prefix { $0 != ":" }).replacing("'", with: ""))
            }
            if words.hasPrefix("required: ["), depth > 8 { last.required = names(words[...]) }
            if depth == (isAnswer ? 18 : 16), words.contains(": {") {
                let key = String(words.prefix { $0 != ":" })
                if isAnswer { last.answers.insert(key) } else { last.keys.insert(key) }
            }
            found.append(last)
        }
        return found
    }
    /// `[a, b]` anywhere in a text.
    private static func names(_ text: Substring) -> [String] {
        let inner = text.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
        return inner.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    private static func text() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/openapi.yaml")
        return try String(contentsOf: file, encoding: .utf8)
    }

    var paths: [String] { databases.isEmpty ? [operation] : databases.map { "\($0)/\(operation)" } }
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

@Suite("Published protocol (Docs/openapi.yaml)", .timeLimit(.minutes(5)))
struct PublishedProtocolTests {
    // 4
    @Test("Paths: those of CloudKit that are served")
    func paths() throws {
        let published = Set(try Published.all().map(\.operation))
        #expect(published == Set(Router.records.keys).union(["users/discover"]))
    }

    // 1, 4: the verb carries no meaning, but for users/discover
    @Test("Methods: each that is published is served in its databases, others than GET and POST are not")
    func methods() throws {
        let all = try Published.all()
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
        for published in try Published.all() where published.method == "POST" {
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
        for published in try Published.all() { all["\(published.method) \(published.operation)"] = published }
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
                let unknown = Set(call.answer.object?.keys ?? []).subtracting(known.answers)
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
