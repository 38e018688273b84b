import FleetModel

/// Walks every endpoint with every kind of wrong credential, and with good ones of the wrong person: nobody reads, lists,
/// learns of or guesses another's private data.
///
/// For an iCloud that is not for development: there everybody may be anybody.
public struct CredentialWalk {
    /// Every endpoint with a body that would reach Maya's things, were it she who asks.
    public struct Endpoint: Sendable {
        public var method: String
        public var path: String
        public var body: Value
        /// Whether it lies under `/database/1/...` and takes the credentials of CloudKit.
        public var isCloudKit = true
    }
    /// What was asked, by whom, and what was wrong about the answer.
    public private(set) var faults: [String] = []
    public private(set) var count = 0

    private let wire: any Wire
    private static let container = "iCloud.com.example.walk"
    private static let other = "iCloud.com.example.elsewhere"
    /// In everything of Maya's: an answer that holds it has told too much.
    private static let mark = "xyzzy"

    /// - Throws: when the iCloud is not set up as the walk needs it.
    public init(over wire: any Wire) throws {
        self.wire = wire
        for person in ["maya", "eve"] { _ = wire.command("cloud.account", ["account": .string(person)]) }
        _ = wire.command("cloud.account", ["account": "maya", "firstName": .string(Self.mark)])
    }

    public mutating func run() {
        let (owner, guid) = plant()
        let credentials = credentials()
        for endpoint in Self.endpoints(owner: owner, guid: guid) {
            for credential in credentials { check(endpoint, credential, owner) }
        }
        checkPage()
        checkNothingChanged()
    }

    // MARK: Endpoints

    /// Each operation of CloudKit to which the walk goes: `records/query`.
    public static var operations: Set<String> {
        Set(
            endpoints(owner: "", guid: "").filter(\.isCloudKit).map { endpoint in
                let parts = endpoint.path.split(separator: "/")
                return parts.dropFirst(["private", "shared", "public"].contains(parts[0]) ? 1 : 0)
                    .joined(separator: "/")
            })
    }
    static func endpoints(owner: String, guid: Value) -> [Endpoint] {
        let zone: Value = ["zoneName": .string(mark), "ownerRecordName": .string(owner)]
        let record: Value = ["recordName": .string(mark), "recordType": "Note", "fields": ["t": ["value": "taken"]]]
        let bodies: [(String, Value)] = [
            ("records/query", ["zoneID": zone, "query": ["recordType": "Note"]]),
            ("records/modify", ["zoneID": zone, "operations": [["operationType": "forceUpdate", "record": record]]]),
            ("records/lookup", ["zoneID": zone, "records": [["recordName": .string(mark)]]]),
            ("records/changes", ["zoneID": zone]), ("changes/zone", ["zones": [["zoneID": zone]]]),
            ("changes/database", .empty), ("zones/list", .empty), ("zones/lookup", ["zones": [zone]]),
            ("zones/modify", ["operations": [["operationType": "delete", "zone": ["zoneID": zone]]]]),
            ("zones/changes", .empty), ("subscriptions/list", .empty),
            ("subscriptions/lookup", ["subscriptions": [["subscriptionID": .string(mark)]]]),
            (
                "subscriptions/modify",
                ["operations": [["operationType": "delete", "subscription": ["subscriptionID": .string(mark)]]]]
            ),
            ("assets/upload", ["zoneID": zone, "tokens": [["recordType": "Note", "fieldName": "f"]]]),
            ("assets/rereference", ["zoneID": zone, "assets": [["recordName": .string(mark), "fieldName": "f"]]]),
        ]
        var endpoints: [Endpoint] = []
        for (path, body) in bodies {
            for scope in ["private", "shared"] where scope == "private" || !path.hasPrefix("zones/modify") {
                endpoints.append(Endpoint(method: "POST", path: "\(scope)/\(path)", body: body))
            }
        }
        let people: [(String, String, Value)] = [
            ("POST", "public/records/resolve", ["shortGUIDs": [["value": .string(mark)]]]),
            ("POST", "public/records/accept", ["shortGUIDs": [["value": .string(mark)]]]),
            ("POST", "public/records/resolve", ["shortGUIDs": [["value": guid, "shouldFetchRootRecord": true]]]),
            ("POST", "public/records/accept", ["shortGUIDs": [["value": guid]]]),
            ("GET", "public/users/current", .empty), ("GET", "public/users/caller", .empty),
            ("GET", "public/users/discover", .empty),
            ("POST", "public/users/discover", ["lookupInfos": [["emailAddress": "maya@example.com"]]]),
            ("POST", "public/users/lookup/email", ["users": [["emailAddress": "maya@example.com"]]]),
            ("POST", "public/users/lookup/id", ["users": [["userRecordName": .string(owner)]]]),
            ("POST", "public/users/lookup/contacts", .empty), ("POST", "private/users/restrict", .empty),
            ("POST", "private/users/unrestrict", .empty), ("POST", "tokens/create", ["apnsEnvironment": "development"]),
            ("POST", "tokens/register", ["apnsEnvironment": "development", "apnsToken": "AB"]),
        ]
        endpoints += people.map { Endpoint(method: $0.0, path: $0.1, body: $0.2) }
        let services: [(String, String, Value)] = [
            ("POST", "/kvs/v1/s/sync", ["since": 0, "writes": []]),
            ("POST", "/keychain/v1/sync", ["since": 0, "writes": []]),
            ("POST", "/documents/v1/c/changes", ["since": 0]),
            ("PUT", "/documents/v1/c/items/d?path=p&modified=1", .empty),
            ("GET", "/documents/v1/c/items/d", .empty), ("DELETE", "/documents/v1/c/items/d?base=x", .empty),
            ("POST", "/documents/v1/c/items/d/move", ["base": "x", "path": "p"]),
            ("POST", "/documents/v1/c/items/d/resolve", ["versions": []]), ("PUT", "/upload/v1/a/f", .empty),
            ("GET", "/upload/v1/a/?list", .empty), ("POST", "/upload/v1/a/login", .empty),
            ("POST", "/accounts/v1/signout", .empty),
            ("POST", "/accounts/v1/signin", ["account": "maya", "device": "ipad-1"]),
            ("POST", "/accounts/v1/webtoken", ["container": .string(container), "environment": "development"]),
            ("POST", "/assets/v1/upload/\(mark)", .empty),
            ("GET", "/assets/v1/download/\(mark)/9999999999/\(mark)/x", .empty),
            ("GET", "/webcourier/v1/\(mark)", .empty),
        ]
        return endpoints + services.map { Endpoint(method: $0.0, path: $0.1, body: $0.2, isCloudKit: false) }
    }

    // MARK: Credentials

    private struct Credential {
        var name: String
        var query = ""
        var headers: HTTPHeaders = [:]
        var signature: Signature?
        /// Statuses with which it may be refused; nil: it is Eve's own and good, only Maya's things are not hers.
        var refusals: [Int]? = [401]

        var isEve: Bool { refusals == nil }
    }
    /// What a signed request needs beside its body; the text is signed when the target is known.
    private struct Signature {
        var keyID: String
        var signer: Signer
        var age: Int64
        var isHalf: Bool
    }
    private func place(_ container: String = Self.container, _ environment: String = "development") -> Value {
        ["container": .string(container), "environment": .string(environment)]
    }
    private func apiToken(_ place: Value) -> String { wire.command("cloud.apiToken", place)["token"]?.string ?? "" }
    private func webToken(_ account: String, _ place: Value) -> String {
        var body = place
        body["account"] = .string(account)
        return Self.coded(wire.command("cloud.webToken", body)["token"]?.string ?? "")
    }
    private static func coded(_ token: String) -> String {
        token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }
    private func credentials() -> [Credential] {
        let api = apiToken(place())
        let spent = webToken("maya", place())
        // Dead once its answer has been received: the use of the replacement shows that.
        var shown = spent
        for _ in 0..<2 {
            let answer = send(
                "GET", "public/users/caller", .empty,
                Credential(name: "", query: "ckAPIToken=\(api)&ckWebAuthToken=\(shown)"))
            shown = Self.coded(answer.headers["X-Apple-CloudKit-Web-Auth-Token"] ?? "")
        }
        let elsewhere = place(Self.other)
        return [
            Credential(name: "none"), Credential(name: "development's own token", query: "ckAPIToken=dev"),
            Credential(name: "development's own person", query: "ckAPIToken=dev&ckWebAuthToken=person%3Amaya"),
            Credential(name: "a person by name", query: "ckAPIToken=\(api)&ckWebAuthToken=person%3Amaya"),
            Credential(name: "a guessed API token", query: "ckAPIToken=\(String(api.reversed()))"),
            Credential(name: "an API token cut short", query: "ckAPIToken=\(api.dropLast())"),
            Credential(name: "an API token of another container", query: "ckAPIToken=\(apiToken(elsewhere))"),
            Credential(
                name: "an API token of production", query: "ckAPIToken=\(apiToken(place(Self.container, "production")))"
            ),
            Credential(name: "an API token alone", query: "ckAPIToken=\(api)", refusals: [421, 401]),
            Credential(name: "a web token alone", query: "ckWebAuthToken=\(webToken("maya", place()))"),
            Credential(name: "a spent web token", query: "ckAPIToken=\(api)&ckWebAuthToken=\(spent)"),
            Credential(
                name: "a guessed web token",
                query: "ckAPIToken=\(api)&ckWebAuthToken=\(String(repeating: "A", count: 43))%3D"),
            Credential(
                name: "a web token of another container",
                query: "ckAPIToken=\(api)&ckWebAuthToken=\(webToken("maya", elsewhere))"),
            Credential(
                name: "a web token of production",
                query: "ckAPIToken=\(api)&ckWebAuthToken=\(webToken("maya", place(Self.container, "production")))"),
            Credential(
                name: "a guessed bearer", headers: ["Authorization": "Bearer \(String(repeating: "0", count: 32))"]),
            Credential(name: "an empty bearer", headers: ["Authorization": "Bearer "]),
            Credential(name: "another scheme", headers: ["Authorization": "Basic bWF5YTptYXlh"]),
            Credential(
                name: "two credentials", query: "ckAPIToken=\(api)&ckWebAuthToken=\(webToken("maya", place()))",
                headers: ["Authorization": "Bearer x"]),
            signed("an unknown key", by: Signer(seed: 9), isKnown: false),
            signed("a key of another container", in: Self.other),
            signed("a signature by another key", by: Signer(seed: 9)), signed("an old signature", age: 700),
            signed("half a signature", isHalf: true),
            signed("the developer's own key", refusals: [403, 401]),
            Credential(name: "another person", refusals: nil),
        ]
    }
    private func signed(
        _ name: String, by signer: Signer? = nil, in container: String = Self.container, isKnown: Bool = true,
        age: Int64 = 0, isHalf: Bool = false, refusals: [Int] = [401]
    ) -> Credential {
        let own = Signer(seed: 5)
        let key: Value = ["container": .string(container), "publicKey": .string(Base64.encode(own.publicKey))]
        let id = isKnown ? wire.command("cloud.key", key)["keyID"]?.string ?? "" : String(repeating: "0", count: 64)
        let signature = Signature(keyID: id, signer: signer ?? own, age: age, isHalf: isHalf)
        return Credential(name: name, signature: signature, refusals: refusals)
    }

    // MARK: Asking

    private func send(_ method: String, _ path: String, _ body: Value, _ credential: Credential) -> HTTPResponse {
        var target = path.hasPrefix("/") ? path : "/database/1/\(Self.container)/development/\(path)"
        let bytes = method == "GET" ? [] : body.jsonBytes
        var headers = credential.headers
        if let signature = credential.signature {
            let date = Signer.date(wire.seconds - signature.age)
            let text = "\(date):\(Signer.hash(bytes)):\(target)"
            headers["X-Apple-CloudKit-Request-KeyID"] = signature.keyID
            headers["X-Apple-CloudKit-Request-ISO8601Date"] = signature.isHalf ? nil : date
            headers["X-Apple-CloudKit-Request-SignatureV1"] = signature.signer.signature(of: text)
        }
        var query = credential.query
        if credential.isEve { query = "ckAPIToken=\(apiToken(place()))&ckWebAuthToken=\(webToken("eve", place()))" }
        if !query.isEmpty { target += (target.contains("?") ? "&" : "?") + query }
        return wire.send(HTTPRequest(method, target, headers: headers, body: bytes))
    }

    private mutating func check(_ endpoint: Endpoint, _ credential: Credential, _ owner: String) {
        count += 1
        let answer = send(endpoint.method, endpoint.path, endpoint.body, credential)
        let text = String(decoding: answer.body, as: UTF8.self)
        func fault(_ what: String) {
            faults.append("\(endpoint.method) \(endpoint.path) with \(credential.name): \(what): \(text)")
        }
        if let refusals = credential.refusals {
            // Behind a URL that is its own secret no credential helps.
            let isSecret = ["/assets", "/webcourier"].contains { endpoint.path.hasPrefix($0) }
            let wanted = isSecret ? [404] : endpoint.isCloudKit ? refusals : [401]
            if !wanted.contains(answer.status) { fault("status \(answer.status)") }
            if answer.json?["uuid"]?.string?.utf8.count != 36 { fault("no error object") }
        }
        // The refusal may repeat what was asked, and no more.
        let asked = endpoint.path + endpoint.body.json
        if text.contains("\(Self.mark)-secret") { fault("told Maya's secret") }
        if answer.status == 200, !credential.isEve { fault("served") }
        if answer.status == 200, !asked.contains(Self.mark), text.contains(Self.mark) { fault("told of Maya's things") }
    }

    // MARK: Maya's things

    private func asMaya(_ path: String, _ body: Value) -> Value {
        let query = "ckAPIToken=\(apiToken(place()))&ckWebAuthToken=\(webToken("maya", place()))"
        return send("POST", path, body, Credential(name: "Maya", query: query)).json ?? .null
    }
    /// - Returns: her name in the container, and the GUID of a share to which nobody is invited.
    private func plant() -> (owner: String, guid: Value) {
        let zone: Value = ["zoneName": .string(Self.mark)]
        _ = asMaya("private/zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]])
        let record: Value = [
            "recordName": .string(Self.mark), "recordType": "Note",
            "fields": ["t": ["value": .string("\(Self.mark)-secret")]],
        ]
        for zone in [zone, ["zoneName": "_defaultZone"]] {
            _ = asMaya(
                "private/records/modify",
                ["zoneID": zone, "operations": [["operationType": "forceUpdate", "record": record]]])
        }
        let subscription: Value = ["subscriptionID": .string(Self.mark), "subscriptionType": "database"]
        _ = asMaya(
            "private/subscriptions/modify",
            ["operations": [["operationType": "create", "subscription": subscription]]])
        let share: Value = [
            "recordName": "share", "recordType": "cloudkit.share", "forRecord": ["recordName": .string(Self.mark)],
        ]
        let shared = asMaya(
            "private/records/modify", ["zoneID": zone, "operations": [["operationType": "create", "record": share]]])
        let users = asMaya("public/users/caller", .empty)["users"]?.array
        return (
            users?.first?["userRecordName"]?.string ?? "", shared["records"]?.array?.first?["shortGUID"] ?? .null
        )
    }
    /// The sign-in page: for who has no API token of the app there is none, and no token without Maya's password.
    private mutating func checkPage() {
        let api = wire.command(
            "cloud.apiToken",
            ["container": .string(Self.container), "environment": "development", "origin": "https://app.example.com"])
        let page = "/accounts/v1/signin?container=\(Self.container)&environment=development&ckAPIToken="
        for token in ["", "dev", String((api["token"]?.string ?? "").dropLast()), apiToken(place(Self.other))] {
            count += 1
            let answer = wire.send(HTTPRequest("GET", page + token))
            if answer.status != 401 { faults.append("the page with '\(token)': status \(answer.status)") }
        }
        let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        for form in ["account=maya", "account=maya&password=", "account=maya&password=maya", "account=&password=", ""] {
            count += 1
            let answer = wire.send(
                HTTPRequest("POST", page + (api["token"]?.string ?? ""), headers: headers, body: Array(form.utf8)))
            let text = String(decoding: answer.body, as: UTF8.self) + (answer.headers["Location"] ?? "")
            if answer.status != 200 || text.contains("ckWebAuthToken") || text.contains(Self.mark) {
                faults.append("the page sent back with '\(form)': \(answer.status) \(text)")
            }
        }
    }
    private mutating func checkNothingChanged() {
        let wanted = "\(Self.mark)-secret"
        for zone in [Self.mark, "_defaultZone"] {
            let found = asMaya(
                "private/records/lookup",
                ["zoneID": ["zoneName": .string(zone)], "records": [["recordName": .string(Self.mark)]]])
            if found["records"]?.array?.first?["fields"]?["t"]?["value"]?.string != wanted {
                faults.append("Maya's record in \(zone) is other than she left it: \(found.json)")
            }
        }
        let left = asMaya("private/subscriptions/list", .empty)["subscriptions"]?.array?.count
        if left != 1 { faults.append("Maya has \(left ?? 0) subscriptions") }
    }
}
