import FleetModel

/// Makes requests that nobody can serve: each must be refused with a 4xx and the error object of
/// cloudkit-web-services.md 9. What might by chance be good is not made.
public struct Malformed {
    /// One request as bytes on a connection.
    public struct Probe: Sendable {
        public var kind: String
        public var bytes: [UInt8]
        /// Whether the server may only hear of its end by the connection's.
        public var endsConnection = false
    }
    private var draw: Draw
    private static let base = "/database/1/iCloud.com.example.fuzz/development/"
    private static let key = "ckAPIToken=dev&ckWebAuthToken=person%3Amaya"

    public init(seed: UInt64) { draw = Draw(seed: seed) }

    /// Operations, a good body of each, and the key that it cannot do without.
    private static let good: [(path: String, body: Value, key: String)] = [
        ("private/records/query", ["query": ["recordType": "Note"], "zoneID": ["zoneName": "Z"]], "query"),
        (
            "private/records/modify",
            ["zoneID": ["zoneName": "Z"], "operations": [["operationType": "create", "record": ["recordName": "a"]]]],
            "operations"
        ),
        ("private/records/lookup", ["records": [["recordName": "a"]], "zoneID": ["zoneName": "Z"]], "records"),
        ("private/records/changes", ["zoneID": ["zoneName": "Z"], "resultsLimit": 3], "zoneID"),
        ("private/changes/zone", ["zones": [["zoneID": ["zoneName": "Z"]]]], "zones"),
        ("private/zones/lookup", ["zones": [["zoneName": "Z"]]], "zones"),
        ("private/zones/modify", ["operations": [["operationType": "create"]]], "operations"),
        ("private/subscriptions/modify", ["operations": [["operationType": "create"]]], "operations"),
        ("private/subscriptions/lookup", ["subscriptions": [["subscriptionID": "s"]]], "subscriptions"),
        ("private/assets/upload", ["tokens": [["fieldName": "f"]]], "tokens"),
        ("private/assets/rereference", ["assets": [["recordName": "a", "fieldName": "f"]]], "assets"),
        ("public/records/resolve", ["shortGUIDs": [["value": "x"]]], "shortGUIDs"),
        ("public/records/accept", ["shortGUIDs": [["value": "x"]]], "shortGUIDs"),
        ("public/users/discover", ["lookupInfos": [["emailAddress": "x"]]], "lookupInfos"),
        ("public/users/lookup/email", ["users": [["emailAddress": "x"]]], "users"),
        ("public/users/lookup/id", ["users": [["userRecordName": "x"]]], "users"),
        ("tokens/create", ["apnsEnvironment": "development"], "apnsEnvironment"),
        ("tokens/register", ["apnsEnvironment": "development", "apnsToken": "x"], "apnsToken"),
    ]
    /// What is no list, no object of the right shape and no text that means something.
    private static let junk: [Value] = [
        .null, true, -1, 0, 9_223_372_036_854_775_807, 1.5, .double(1e300), .empty, [.null], [1], [[]], ["x": .null],
        [["value": 1]], .data([1]),
    ]

    private typealias Maker = @Sendable (inout Malformed) -> Probe
    private static let makers: [Maker] = [
        { $0.brokenJSON() }, { $0.wrongType() }, { $0.wrongSize() }, { $0.wrongVerb() }, { $0.wrongPath() },
        { $0.wrongToken() }, { $0.wrongSignature() }, { $0.wrongHTTP() }, { $0.declaredTooLong() },
    ]
    public mutating func next() -> Probe {
        let maker = Self.makers[draw.below(Self.makers.count)]
        return maker(&self)
    }

    // MARK: Kinds

    private mutating func brokenJSON() -> Probe {
        let (path, body, _) = Self.good[draw.below(Self.good.count)]
        var bytes = body.jsonBytes
        switch draw.below(4) {
        case 0: bytes.removeLast(1 + draw.below(bytes.count - 2))
        case 1:
            bytes.insert(UInt8(draw.below(0x20)), at: 1 + draw.below(3))
            bytes = [UInt8(ascii: "}")] + bytes
        case 2: bytes = (0...draw.below(64)).map { _ in UInt8(0x80 + draw.below(0x80)) }
        default: bytes = Array(repeating: UInt8(ascii: "["), count: 1 + draw.below(100_000))
        }
        return probe("JSON", "POST", path, bytes)
    }
    private mutating func wrongType() -> Probe {
        var (path, body, key) = Self.good[draw.below(Self.good.count)]
        body[key] = draw.chance(0.2) ? nil : Self.junk[draw.below(Self.junk.count)]
        return probe("type", "POST", path, body.jsonBytes)
    }
    private mutating func wrongSize() -> Probe {
        let (path, body, key) = Self.good[draw.below(12)]
        guard let entry = body[key]?.array?.first else {
            let limit: [String: Value] = ["limit": ["resultsLimit": .int(-draw.below(1 << 20))]]
            var body = body
            body["resultsLimit"] = limit["limit"]?["resultsLimit"]
            return probe("size", "POST", path, body.jsonBytes)
        }
        var large = body
        large[key] = .array(Array(repeating: entry, count: 201 + draw.below(400)))
        return probe("size", "POST", path, large.jsonBytes)
    }
    private mutating func wrongVerb() -> Probe {
        let (path, body, _) = Self.good[draw.below(Self.good.count)]
        let verbs = ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "HEADER", "get", "X"]
        return probe("verb", verbs[draw.below(verbs.count)], path, body.jsonBytes)
    }
    private mutating func wrongPath() -> Probe {
        let paths = [
            "/", "/database", "/database/1", "/database/1/x/development/private/zones/list?\(Self.key)",
            "/database/1/iCloud.a/moon/private/zones/list?\(Self.key)", Self.base + "secret/zones/list?\(Self.key)",
            Self.base + "private/zones/\(draw.next())?\(Self.key)", Self.base + "private//zones/list?\(Self.key)",
            Self.base + "private/zones/list?\(Self.key)&x=%",
            Self.base + "private/zones/list?\(Self.key)&x=%f\(draw.below(9))%zz",
            Self.base + "private/%ff/list?\(Self.key)", "/assets/v1/upload/\(draw.next())",
            "/assets/v1/download/\(draw.next())/\(draw.below(99))/\(draw.next())/x", "/webcourier/v1/\(draw.next())",
            "/kvs/v1/s/sync", "/keychain/v1/sync", "/documents/v1/c/changes", "/upload/v1/a/login",
            "/accounts/v1/\(draw.next())", "/admin/v1/command", "/" + String(repeating: "a/", count: draw.below(3000)),
            "/\u{7f}", "/%00",
        ]
        return raw("path", draw.chance(0.5) ? "GET" : "POST", paths[draw.below(paths.count)], [])
    }
    private mutating func wrongToken() -> Probe {
        let (path, body, _) = Self.good[draw.below(Self.good.count)]
        let guess = String(draw.next(), radix: 16)
        let queries = [
            "", "?ckAPIToken=\(guess)", "?ckAPIToken=", "?ckAPIToken=dev&ckWebAuthToken=\(guess)",
            "?ckWebAuthToken=person%3Amaya", "?ckAPIToken=dev&ckWebAuthToken=person%3A",
            "?ckAPIToken=dev&ckWebAuthToken=person%3A%00", "?ckAPIToken=dev", "?x=\(guess)",
        ]
        return raw("token", "POST", Self.base + path + queries[draw.below(queries.count)], body.jsonBytes)
    }
    private mutating func wrongSignature() -> Probe {
        let (path, body, _) = Self.good[draw.below(Self.good.count)]
        func text() -> String { String(draw.next(), radix: 36) }
        var headers: HTTPHeaders = [:]
        let dates = ["2026-09-01T08:00:00Z", "2099-01-01T00:00:00Z", "now", "", "2026-13-41T99:99:99Z", text()]
        if draw.chance(0.9) { headers["X-Apple-CloudKit-Request-KeyID"] = text() }
        if draw.chance(0.9) { headers["X-Apple-CloudKit-Request-ISO8601Date"] = dates[draw.below(dates.count)] }
        if draw.chance(0.9) { headers["X-Apple-CloudKit-Request-SignatureV1"] = text() }
        if draw.chance(0.2) { headers["Authorization"] = draw.chance(0.5) ? "Bearer \(text())" : text() }
        return raw("signature", "POST", Self.base + path, body.jsonBytes, headers)
    }
    /// What is no HTTP at all, or breaks off its own promises.
    private mutating func wrongHTTP() -> Probe {
        let target = Self.base + "private/zones/list?" + Self.key
        let lines = "POST \(target) HTTP/1.1\r\nHost: x\r\n"
        let texts = [
            "\(String(draw.next(), radix: 36))\r\n\r\n", "GET\r\n\r\n", "GET \(target)\r\n\r\n",
            "GET \(target) HTTP/9.9\r\n\r\n",
            "GET \(target) HTTP/1.1\r\nno colon\r\n\r\n", "G\u{1}T \(target) HTTP/1.1\r\n\r\n",
            "\(lines)Content-Length: x\r\n\r\n", "\(lines)Content-Length: -5\r\n\r\n",
            "\(lines)Content-Length: 99999999999999999999999\r\n\r\n",
            "\(lines)Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
            "\(lines)Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            "\(lines)Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            "\(lines)Transfer-Encoding: gzip\r\n\r\n", "\(lines)X: \(String(repeating: "y", count: 90_000))\r\n\r\n",
            "GET /\(String(repeating: "z", count: 90_000)) HTTP/1.1\r\n\r\n",
            lines + String(repeating: "A: b\r\n", count: 2000) + "\r\n", "\(lines)\u{0}: x\r\n\r\n",
            "\(lines)X: a\u{0}b\r\n\r\n",
        ]
        return Probe(kind: "HTTP", bytes: Array(texts[draw.below(texts.count)].utf8), endsConnection: true)
    }
    /// A body that is declared too long is refused before it comes.
    private mutating func declaredTooLong() -> Probe {
        let (path, _, _) = Self.good[draw.below(Self.good.count)]
        let count = 60_000_000 + draw.below(1 << 40)
        let text = "POST \(Self.base)\(path)?\(Self.key) HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n{"
        return Probe(kind: "length", bytes: Array(text.utf8), endsConnection: true)
    }

    // MARK: Bytes

    private func probe(_ kind: String, _ method: String, _ path: String, _ body: [UInt8]) -> Probe {
        raw(kind, method, Self.base + path + "?" + Self.key, body)
    }
    private func raw(
        _ kind: String, _ method: String, _ target: String, _ body: [UInt8], _ headers: HTTPHeaders = [:]
    ) -> Probe {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.count)\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        return Probe(kind: kind, bytes: Array((text + "\r\n").utf8) + body)
    }

    // MARK: Judging

    /// Nil when the answer is a refusal as documented.
    public static func fault(_ answer: HTTPResponse) -> String? {
        guard (400..<500).contains(answer.status) else { return "status \(answer.status)" }
        guard let body = answer.json, let code = body["serverErrorCode"]?.string, !code.isEmpty,
            body["reason"]?.string?.isEmpty == false, body["uuid"]?.string?.utf8.count == 36
        else {
            return
                "\(answer.status) without an error object: \(String(decoding: answer.body.prefix(300), as: UTF8.self))"
        }
        return nil
    }
}
