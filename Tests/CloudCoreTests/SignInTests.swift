import FleetModel
import Testing

@testable import CloudCore

@Suite("Signing in without --dev", .timeLimit(.minutes(20)))
struct SignInTests {
    private static let container = "iCloud.com.example.web"
    private static let place: Value = ["container": .string(container), "environment": "production"]
    private let fleet: Fleet
    private let password: String

    init() throws {
        fleet = try Fleet(["maya", "omar"], more: ["closedSignIn": true, "closedProduction": true, "secret": "s"])
        password = fleet.command("cloud.password", ["account": "maya"])?["password"]?.string ?? ""
    }
    private func device(_ account: String, _ password: String?, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
        var body: Value = ["account": .string(account), "device": "ipad-1"]
        body["password"] = password.map(Value.string)
        return fleet.send(
            HTTPRequest("POST", "/accounts/v1/signin", headers: headers, body: body.jsonBytes), from: 1)
    }
    private func apiToken(_ more: Value = .empty) -> String {
        var body = Self.place
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        return fleet.command("cloud.apiToken", body)?["token"]?.string ?? ""
    }
    /// What the app is told when it needs a person: the target of the page.
    private func page(_ api: String) -> String {
        let path = "/database/1/\(Self.container)/production/private/zones/list?ckAPIToken=\(api)"
        return Web.target(fleet.send(HTTPRequest("GET", path), from: 9).text("redirectURL"))
    }
    private func submit(_ page: String, _ form: String) -> HTTPResponse {
        let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        return fleet.send(HTTPRequest("POST", page, headers: headers, body: Array(form.utf8)), from: 9)
    }
    private func status(_ api: String, _ token: String) -> Int {
        let path = "/database/1/\(Self.container)/production/private/zones/list?ckAPIToken=\(api)"
        return fleet.send(HTTPRequest("GET", "\(path)&ckWebAuthToken=\(Target.encoded(token))"), from: 9).status
    }
    private func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test("Devices: account and password give a session; every other pair the same refusal")
    func devices() throws {
        #expect(password.count == 23)
        let answer = device("maya", password)
        #expect(answer.status == 200)
        let maya = Device(fleet: fleet, pad: 1, token: answer.text("token"))
        #expect(maya.makeZone().status == 200)
        for (account, password) in [
            ("maya", nil), ("maya", ""), ("maya", password + "0"), ("omar", password), ("nobody", password),
            ("omar", ""), ("", ""),
        ] {
            let refused = device(account, password)
            #expect(refused.status == 401)
            #expect(refused.text("reason") == device("maya", "guess").text("reason"))
        }
        let next = fleet.command("cloud.password", ["account": "maya"])?["password"]?.string
        #expect(device("maya", password).status == 401)
        #expect(device("maya", next).status == 200)
        #expect(maya.makeZone("Other").status == 200, "sessions go on")
        // As curl sends what it is not told the type of.
        #expect(device("maya", next, ["Content-Type": "application/x-www-form-urlencoded"]).status == 200)
        var lines = ""
        try fleet.cloud.export { lines += String(decoding: $0, as: UTF8.self) }
        #expect(!lines.contains(next ?? "?"))
    }

    // web 2
    @Test("Page: redirectURL leads to it, and it ends with a token for the opener")
    func opener() throws {
        let api = apiToken(["origin": "https://app.example.com"])
        let page = page(api)
        let form = fleet.send(HTTPRequest("GET", page), from: 9)
        #expect(form.status == 200)
        #expect(form.headers["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(form.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
        #expect(text(form).contains("name=\"password\""))
        let wrong = submit(page, "account=%3Cb%3E&password=x")
        #expect(wrong.status == 200)
        #expect(text(wrong).contains("&lt;b&gt;") && !text(wrong).contains("<b>\""))
        #expect(!text(wrong).contains("ckWebAuthToken"))
        for guess in ["account=maya", "account=maya&password=guess", "account=omar&password=\(password)"] {
            #expect(!text(submit(page, guess)).contains("ckWebAuthToken"), "\(guess)")
        }
        let done = text(submit(page, "account=maya&password=\(password)"))
        #expect(done.contains("\"https://app.example.com\""))
        let token = try #require(
            done.split(separator: "<output id=\"ckWebAuthToken\">").last?.split(separator: "<").first)
        #expect(status(api, String(token)) == 200)
    }

    // web 2
    @Test("Page: what is typed stays text, also where a mark makes a quote another character")
    func markup() throws {
        let page = page(apiToken(["origin": "https://app.example.com"]))
        for mark in ["", "%CC%81", "%E2%83%9D", "%EF%B8%8F"] {
            let typed = "x%22\(mark)%20autofocus%20onfocus=%22\(mark)%3Cb%3E\(mark)%3C\(mark)i%26\(mark)%27\(mark)"
            let shown = text(submit(page, "account=\(typed)&password=x"))
            let value =
                shown.unicodeScalars.split(separator: "value=\"".unicodeScalars).dropFirst().first
                .map { String(String.UnicodeScalarView($0.prefix { $0 != ">" })) } ?? ""
            #expect(value.unicodeScalars.filter { $0 == "\"" }.count == 1, "\(mark): \(value)")
            #expect(!value.unicodeScalars.contains("<") && !value.unicodeScalars.contains("'"), "\(mark): \(value)")
        }
    }

    // web 2
    @Test("Page: its form leads to itself and to the app's callback alone")
    func formAction() throws {
        for (way, source): (Value, String) in [
            (["origin": "https://app.example.com"], "form-action 'self';"),
            (["callback": "https://app.example.com:8443/done?x=1"], "form-action 'self' https://app.example.com:8443;"),
            (["callback": "myapp://done"], "form-action 'self' myapp:;"),
            (["callback": "https://a;script-src/x"], "form-action 'self' https:;"),
        ] {
            let answer = fleet.send(HTTPRequest("GET", page(apiToken(way))), from: 9)
            #expect(answer.headers["Content-Security-Policy"]?.contains(source) == true, "\(way.json)")
        }
    }

    // web 2
    @Test("An API token without callback and origin leads to no page: every window could ask for the token")
    func anyWindow() throws {
        let page = page(apiToken())
        #expect(fleet.send(HTTPRequest("GET", page), from: 9).code == "BAD_REQUEST")
        #expect(submit(page, "account=maya&password=\(password)").code == "BAD_REQUEST")
    }

    // web 2
    @Test("Callback: the token is appended to it")
    func callback() throws {
        for (callback, start) in [
            ("https://app.example.com/done", "https://app.example.com/done?ckWebAuthToken="),
            ("myapp://done?x=1", "myapp://done?x=1&ckWebAuthToken="),
        ] {
            let api = apiToken(["callback": .string(callback)])
            let done = submit(page(api), "account=maya&password=\(password)&stays=1")
            #expect(done.status == 303)
            let location = try #require(done.headers["Location"])
            #expect(location.hasPrefix(start))
            let token = try Target("/?" + (location.split(separator: "?").last ?? ""))["ckWebAuthToken"] ?? ""
            #expect(status(api, token) == 200)
        }
        let refused = fleet.command(
            "cloud.apiToken", ["container": .string(Self.container), "environment": "production", "callback": "no url"])
        #expect(refused?["refused"] != nil)
    }

    // web 2
    @Test("Stay signed in: the token is good for two weeks, else for half an hour", arguments: [true, false])
    func stays(_ stays: Bool) throws {
        let api = apiToken(["callback": "myapp://done"])
        let done = submit(page(api), "account=maya&password=\(password)" + (stays ? "&stays=1" : ""))
        let token = try Target("/?" + (done.headers["Location"]?.split(separator: "?").last ?? ""))["ckWebAuthToken"]
        fleet.wait(.minutes(31))
        #expect(status(api, token ?? "") == (stays ? 200 : 401))
    }

    @Test("Refusals: a foreign API token, no container, broken forms are JSON error objects")
    func refusals() throws {
        let path = "/accounts/v1/signin"
        for target in [
            path, "\(path)?container=x", page("guess"), "\(path)?container=\(Self.container)&environment=moon",
        ] {
            let answer = fleet.send(HTTPRequest("GET", target.isEmpty ? path : target), from: 9)
            #expect((400..<500).contains(answer.status))
            #expect(answer.code != nil)
        }
        let page = page(apiToken(["origin": "https://app.example.com"]))
        #expect(submit(page, "account=%zz").code == "BAD_REQUEST")
        #expect(fleet.send(HTTPRequest("PUT", page), from: 9).status == 404)
    }

    @Test("For development: a name is enough")
    func development() throws {
        let fleet = try Web.fleet()
        let answer = Web(fleet: fleet).get("private/zones/list")
        let page = Web.target(answer.text("redirectURL"))
        #expect(!text(fleet.send(HTTPRequest("GET", page), from: 9)).contains("password"))
        let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        let done = fleet.send(HTTPRequest("POST", page, headers: headers, body: Array("account=new+one".utf8)), from: 9)
        #expect(text(done).contains("ckWebAuthToken"))
        #expect(fleet.command("cloud.accounts")?["accounts"]?.strings.contains("new one") == true)
    }
}
