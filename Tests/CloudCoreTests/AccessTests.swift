import CloudConformance
import FleetModel
import Testing

@testable import CloudCore

@Suite("Access", .timeLimit(.minutes(20)))
struct AccessTests {
    private static let container = "iCloud.com.example.web"
    private static func target(_ path: String, _ query: String, environment: String = "production") -> String {
        "/database/1/\(container)/\(environment)/\(path)?\(query)"
    }
    private func encoded(_ token: String) -> String {
        token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    // 2
    @Test("API token alone: reads the public database; what needs a person is AUTHENTICATION_REQUIRED with a page")
    func anonymous() throws {
        let app = Web(fleet: try Web.fleet())
        #expect(app.call("public/records/lookup", ["records": [["recordName": "x"]]]).status == 200)
        for path in [
            "private/records/lookup", "shared/zones/list", "public/records/modify", "public/users/caller",
            "public/records/accept", "tokens/create", "public/subscriptions/list", "public/assets/upload",
        ] {
            let answer = app.call(path, ["records": [], "operations": [], "shortGUIDs": [], "tokens": []])
            #expect(answer.status == 421, "\(path)")
            #expect(answer.code == "AUTHENTICATION_REQUIRED")
            #expect(answer.text("redirectURL").hasPrefix("http"))
        }
    }

    @Test("Unknown path: its refusal repeats no query: tokens are there, and refusals are logged")
    func unknownPath() throws {
        let answer = Web(fleet: try Web.fleet()).call("public/records/nope", .empty)
        #expect(answer.code == "NOT_FOUND")
        #expect(answer.text("reason").contains("public/records/nope"))
        #expect(!answer.text("reason").contains("ckAPIToken"))
    }

    // framework 1
    @Test(
        "Databases: the public one is read by anybody, without a person too, a private one by its person (S106, S232)")
    func readers() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.save("open", ["t": ["value": "x"]], zone: .none, scope: "public")
        maya.save("mine", ["t": ["value": "y"]], zone: .none)
        for reader in [Web(fleet: fleet), Web(fleet: fleet, person: "omar")] {
            #expect(reader.lookup("open", zone: .none, scope: "public").value("t")?.string == "x")
            #expect(reader.lookup("mine", zone: .none).value("t") == nil)
            #expect(reader.lookup("mine", zone: .none, scope: "public").code == "NOT_FOUND")
        }
        #expect(maya.lookup("mine", zone: .none).value("t")?.string == "y")
    }

    @Test("A guest's iPad, without a session: reads the public database of production, and nothing else (S106, S223)")
    func guest() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.modify(
            [Device.operation("create", "open", text: "x")], zone: "_defaultZone", atomic: false, scope: "public")
        func ask(_ path: String, isNobody: Bool = true, at place: String = Device.database) -> HTTPResponse {
            var headers: HTTPHeaders = [:]
            if isNobody { headers["X-Homeroom-Account"] = "none" }
            let body: Value = ["records": [["recordName": "open"]]]
            return fleet.send(HTTPRequest("POST", "\(place)/\(path)", headers: headers, body: body.jsonBytes), from: 2)
        }
        #expect(ask("public/records/lookup").records.first?.field == "x")
        #expect(ask("private/records/lookup").status >= 400 && ask("public/records/modify").status >= 400)
        #expect(ask("public/records/lookup", isNobody: false).status == 401)
        let development = Device.database.replacing("production", with: "development")
        #expect(ask("public/records/lookup", at: development).status == 401)
    }

    // framework 1
    @Test(
        "An iPad without an account: reads the public database as nobody, writes and private data want a person (S223)")
    func withoutAccount() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.modify(
            [Device.operation("create", "open", text: "x")], zone: "_defaultZone", atomic: false, scope: "public")
        func ask(_ path: String, _ body: Value) -> HTTPResponse {
            let headers: HTTPHeaders = ["X-Homeroom-Account": "none"]
            return maya.request("POST", "\(Device.database)/\(path)", headers: headers, body: body.jsonBytes)
        }
        let names: Value = ["records": [["recordName": "open"]]]
        #expect(ask("public/records/lookup", names).records.first?.field == "x")
        #expect(ask("public/records/query", ["query": ["recordType": "Note"]]).records.count == 1)
        let save: Value = ["operations": [Device.operation("forceUpdate", "open", text: "y")]]
        for (path, body) in [
            ("public/records/modify", save), ("private/records/lookup", names), ("public/users/caller", .empty),
        ] {
            #expect(ask(path, body).code == "AUTHENTICATION_REQUIRED", "\(path)")
        }
        #expect(maya.lookup(["open"], zone: "_defaultZone", scope: "public").first?.field == "x")
        // The app's own server here knows people by their accounts: a guest has none to log in with.
        for headers in [["X-Homeroom-Account": "none"], [:]] as [HTTPHeaders] {
            let login = HTTPRequest("POST", "/upload/v1/homework/login", headers: headers, body: Value.empty.jsonBytes)
            #expect(fleet.send(login, from: 1).status == 401)
        }
    }

    // 2
    @Test("Tokens: issued ones are good in their container and environment only; dev ones in dev only")
    func apiTokens() throws {
        let fleet = try Fleet(["maya"])
        func status(_ query: String, environment: String = "production") -> Int {
            fleet.send(HTTPRequest("GET", Self.target("public/zones/list", query, environment: environment)), from: 9)
                .status
        }
        let answer = fleet.command(
            "cloud.apiToken", ["container": .string(Self.container), "environment": "production"])
        let token = try #require(answer?["token"]?.string)
        #expect(status("ckAPIToken=\(token)") == 200)
        #expect(status("ckAPIToken=\(token)", environment: "development") == 401)
        #expect(status("ckAPIToken=dev") == 401)
        #expect(status("") == 401)
        #expect(status("ckAPIToken=\(token)&ckWebAuthToken=person%3Amaya") == 401)
        #expect(status("ckWebAuthToken=person%3Amaya") == 401)
    }

    // 2
    @Test(
        "Web-auth token: one round trip each (a lost answer aside), the replacement goes on, refusals carry one too; it expires"
    )
    func webTokens() throws {
        let fleet = try Fleet(["maya"], more: ["dev": true])
        let maya = try fleet.device("maya", on: 1)
        let asked = maya.post(
            "/accounts/v1/webtoken", ["container": .string(Self.container), "environment": "production"])
        var token = asked.text("ckWebAuthToken")
        func call(_ token: String, _ path: String = "private/zones/list", environment: String = "production")
            -> HTTPResponse
        {
            let query = "ckAPIToken=dev&ckWebAuthToken=\(encoded(token))"
            return fleet.send(HTTPRequest("GET", Self.target(path, query, environment: environment)), from: 9)
        }
        #expect(call(token, environment: "development").status == 401)
        let first = call(token)
        #expect(first.status == 200)
        let spent = token
        token = try #require(first.headers["X-Apple-CloudKit-Web-Auth-Token"])
        let refused = call(token, "private/records/modify")
        #expect(refused.code == "BAD_REQUEST")
        #expect(call(spent).status == 401)
        token = try #require(refused.headers["X-Apple-CloudKit-Web-Auth-Token"])
        fleet.wait(.minutes(31))
        #expect(call(token).status == 401)
        let stays = fleet.command(
            "cloud.webToken",
            ["account": "maya", "container": .string(Self.container), "environment": "production", "stays": true])
        fleet.wait(.hours(24 * 13))
        #expect(call(stays?["token"]?.string ?? "").status == 200)
        let bytes = try fleet.cloud.database.query("SELECT hash FROM webtoken")
        #expect(bytes.allSatisfy { $0.text(0).count == 64 }, "only digests lie in the table")
    }

    // 2
    @Test("person: is made at first use, may be percent-encoded, is used again and again")
    func people() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        #expect(maya.makeZone().status == 200)
        #expect(maya.makeZone().status == 200)
        #expect(Web(fleet: fleet, person: "").get("private/zones/list").status == 401)
        #expect(Web(fleet: fleet, person: "maya%0a").get("private/zones/list").status == 401)
    }

    private struct Developer {
        let fleet: Fleet
        var key: String
        var signer = Signer(seed: 1)
        var date = "2026-09-01T08:00:00Z"
        /// What is signed; nil: what should be.
        var signed: String?

        func call(_ path: String, _ body: Value?, more: String = "") -> HTTPResponse {
            let bytes = body?.jsonBytes ?? []
            let subpath = "/database/1/\(AccessTests.container)/development/\(path)"
            let text = signed ?? "\(date):\(Base64.encode(Secret.digest(bytes))):\(subpath)"
            let headers: HTTPHeaders = [
                "X-Apple-CloudKit-Request-KeyID": key, "X-Apple-CloudKit-Request-ISO8601Date": date,
                "X-Apple-CloudKit-Request-SignatureV1": signer.signature(of: text),
            ]
            return fleet.send(HTTPRequest("POST", subpath + more, headers: headers, body: bytes), from: 9)
        }
    }

    // 3
    @Test("Signed request: writes the public database; bad key, text, date, mixing are AUTHENTICATION_FAILED")
    func signed() throws {
        let fleet = try Fleet(["maya"], more: ["dev": true])
        let answer = fleet.command(
            "cloud.key",
            ["container": .string(Self.container), "publicKey": .string(Base64.encode(Signer(seed: 1).publicKey))])
        let signer = Developer(fleet: fleet, key: try #require(answer?["keyID"]?.string))
        let body: Value = ["operations": [Web.operation("create", "x")]]
        #expect(signer.call("public/records/modify", body).status == 200)
        #expect(signer.call("public/zones/list", nil).status == 200)
        let empty = "\(signer.date)::/database/1/\(Self.container)/development/public/zones/list"
        var other = signer
        other.signed = empty
        #expect(other.call("public/zones/list", nil).status == 200)
        #expect(other.call("public/zones/list", .empty).code == "AUTHENTICATION_FAILED")
        #expect(signer.call("public/zones/list", nil, more: "?ckAPIToken=dev").code == "AUTHENTICATION_FAILED")
        for date in ["2026-09-01T07:49:00Z", "2026-09-01T08:11:00Z", "2026-09-01 08:00:00", "2026-13-01T08:00:00Z", ""]
        {
            other = signer
            other.date = date
            #expect(other.call("public/zones/list", nil).status == 401, "\(date)")
        }
        other = signer
        other.key = "0"
        #expect(other.call("public/zones/list", nil).status == 401)
        other = signer
        other.signer = Signer(seed: 2)
        #expect(other.call("public/zones/list", nil).status == 401)
    }

    // 3
    @Test("Signed request: the key reaches the public database only, and changes what others made there")
    func power() throws {
        let fleet = try Fleet(["maya"], more: ["dev": true])
        let key = fleet.command(
            "cloud.key",
            ["container": .string(Self.container), "publicKey": .string(Base64.encode(Signer(seed: 1).publicKey))])
        let signer = Developer(fleet: fleet, key: key?["keyID"]?.string ?? "")
        for path in ["private/zones/list", "shared/zones/list", "public/subscriptions/list"] {
            #expect(signer.call(path, nil).code == "ACCESS_DENIED", "\(path)")
        }
        for path in ["public/users/current", "public/users/caller", "public/users/discover"] {
            let answer = signer.call(path, nil)
            #expect(answer.code == "AUTHENTICATION_FAILED" && answer.status == 401, "\(path)")
        }
        Web(fleet: fleet, person: "maya").save("x", zone: .none, scope: "public")
        let body: Value = ["operations": [Web.operation("forceUpdate", "x", ["n": ["value": 1]])]]
        #expect(signer.call("public/records/modify", body).records.first?.code == nil)
    }

    @Test("Signed request: judged by the machine's clock where the core's own is still ahead of it")
    func clock() throws {
        let cloud = try Cloud(spec: ["accounts": [], "seed": 7, "dev": true], disk: .memory())
        let (signer, hours) = (Signer(seed: 1), Instant.zero + .hours(2))
        let container = "iCloud.com.example.web"
        let key: Value = ["container": .string(container), "publicKey": .string(Base64.encode(signer.publicKey))]
        let id = cloud.command(Message("cloud.key", key), now: .zero).answer["keyID"]?.string ?? ""
        let path = "/database/1/\(container)/development/public/zones/list"
        let date = Signer.date(Instant.epochNanoseconds / 1_000_000_000 + 5)
        let headers: HTTPHeaders = [
            SignedRequest.keyField: id, SignedRequest.dateField: date,
            SignedRequest.signatureField: signer.signature(of: "\(date):\(Signer.hash([])):\(path)"),
        ]
        let http = HTTPRequest("GET", path, headers: headers)
        func status(clock: Instant?) -> Int? {
            let request = CloudRequest(from: .people, exchange: 1, http: http)
            return cloud.apply([request], now: hours, clock: clock).first?.response.status
        }
        #expect(status(clock: .zero + .seconds(6)) == 200)
        #expect(cloud.knows(http, now: hours, clock: .zero + .seconds(6)) && !cloud.knows(http, now: hours))
        #expect(status(clock: nil) == 401)
    }

    @Test("SHA-256 and HMAC: the examples of FIPS 180-4 and RFC 4231; signed dates")
    func digests() {
        #expect(Secret.hidden("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Secret.hidden("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            Secret.hidden("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        #expect(
            Hex.text(Secret.seal("what do ya want for nothing?", key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(SignedRequest.seconds("2026-09-01T08:00:00Z") == 1_788_249_600)
        #expect(SignedRequest.seconds("2000-02-29T00:00:00Z") == 951_782_400)
        #expect(SignedRequest.seconds("2026-09-01T08:00:00.000Z") == nil)
    }

    // 9
    @Test("Every endpoint refuses every wrong credential with a 4xx error object (S40)")
    func wrongCredentials() throws {
        let fleet = try Fleet(["maya"])
        let paths = [
            "records/query", "records/modify", "records/lookup", "records/changes", "changes/database", "changes/zone",
            "zones/list", "zones/lookup", "zones/modify", "zones/changes", "subscriptions/list", "subscriptions/lookup",
            "subscriptions/modify", "assets/upload", "assets/rereference",
        ]
        for path in paths {
            for query in [
                "", "ckAPIToken=dev", "ckAPIToken=", "ckAPIToken=dev&ckWebAuthToken=person:maya", "ckWebAuthToken=x",
            ] {
                let answer = fleet.send(
                    HTTPRequest("POST", Self.target("private/\(path)", query), body: Array("{}".utf8)), from: 9)
                #expect(answer.status == 401, "\(path) \(query)")
                #expect(answer.code == "AUTHENTICATION_FAILED")
                #expect(answer.text("uuid").count == 36)
            }
        }
    }
}
