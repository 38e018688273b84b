import FleetModel
import Testing

@testable import PadCore

@Suite(.timeLimit(.minutes(20))) struct Keychain {
    let pad: FakePad
    let daemon = KeychainDaemon()
    let app: AppIdentity

    init() throws {
        pad = try FakePad()
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        app = pad.launch("homework", daemon: daemon)
        settle()
    }

    static let secret = Array(EditPayload.text(token: "maya.1", "secret").utf8)

    /// Answers everything under way with "nothing new".
    func settle(seq: Int64 = 1) {
        var rounds = 0
        while pad.answer(200, ["seq": .int(seq), "changes": []], daemon) != nil, rounds < 20 { rounds += 1 }
    }
    @discardableResult func ask(
        _ name: String, _ account: String = "maya", _ more: Value = .empty, as other: AppIdentity? = nil
    ) -> Value {
        var body: Value = ["service": "homework", "account": .string(account)]
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        return daemon.call(Message("keychain.\(name)", body), from: other ?? app, pad).body
    }
    func add(_ data: [UInt8] = secret, accessible: String = "AfterFirstUnlock") -> Int64? {
        ask("add", "maya", ["data": .data(data), "accessible": .string(accessible)])["status"]?
            .int
    }

    @Test("a database that fails while an answer is taken in: a problem of the run")
    func brokenDatabase() throws {
        #expect(add() == 0)
        try pad.volume(of: "maya")?.database.script("DROP TABLE keychain_state")
        _ = pad.answer(200, ["seq": 2, "changes": []], daemon)
        #expect(pad.problems.first?.contains("no such table: keychain_state") == true)
    }

    @Test("an item: added, read, doubled, changed, removed")
    func life() {
        #expect(ask("copy")["status"]?.int == -25300)
        #expect(ask("update", "maya", ["data": .data([1])])["status"]?.int == -25300)
        #expect(add() == 0)
        #expect(ask("copy")["data"]?.data == Self.secret)
        #expect(add() == -25299)
        #expect(ask("update", "maya", ["data": .data([2])])["status"]?.int == 0)
        #expect(ask("copy")["data"]?.data == [2])
        #expect(ask("delete")["status"]?.int == 0)
        #expect(ask("copy")["status"]?.int == -25300)
        #expect(ask("delete")["status"]?.int == -25300)
        #expect(add() == 0)
    }

    @Test("items: listed by service, by account or all, the app's own and only those that are there")
    func list() throws {
        func found(_ query: Value, _ other: AppIdentity? = nil) -> [String] {
            let items = daemon.call(Message("keychain.list", query), from: other ?? app, pad)["items"]?.array ?? []
            return items.map {
                "\($0["service"]?.string ?? "?")/\($0["account"]?.string ?? "?") \($0["data"]?.data ?? [])"
            }
        }
        #expect(found(.empty) == [])
        for (number, account) in ["b", "a", "gone"].enumerated() {
            ask("add", account, ["data": .data([UInt8(number)])])
        }
        ask("add", "a", ["service": "other", "data": .data([7])])
        ask("delete", "gone")
        #expect(found(["service": "homework"]) == ["homework/a [1]", "homework/b [0]"])
        #expect(found(["account": "a", "service": .null]) == ["homework/a [1]", "other/a [7]"])
        #expect(found(.empty).count == 3)
        #expect(found(["service": "none"]) == [])
        #expect(found(.empty, pad.launch("quiz", launch: 2)) == [])
    }

    @Test("an item: handed over with the answer and pending until the Cloud has it")
    func ladder() throws {
        pad.online = false
        #expect(add() == 0)
        #expect(pad.notes(.handedOver).map(\.channel) == [.keychain])
        #expect(pad.tokens(.handedOver) == ["maya.1"])
        #expect(daemon.queuedTokens(of: "maya") == ["maya.1"])
        pad.online = true
        daemon.observe(.networkReturned, pad)
        let sent = try #require(pad.answer(200, ["seq": 2, "changes": []], daemon))
        #expect(sent.cause == "maya.1")
        #expect(sent.json["writes"]?.array?.count == 1)
        settle()
        #expect(daemon.pending(of: "maya").isEmpty)
    }

    @Test("an item: other apps and other people do not see it")
    func isolation() throws {
        #expect(add() == 0)
        let other = pad.launch("quiz", launch: 2)
        #expect(ask("copy", as: other)["status"]?.int == -25300)
        try pad.add("leo")
        let leo = pad.launch("homework", of: "leo", launch: 3)
        #expect(ask("copy", as: leo)["status"]?.int == -25300)
        let stranger = AppIdentity(person: "nobody", app: "homework", bundle: "com.example.homework", launch: 9)
        #expect(ask("copy", as: stranger)["status"]?.int == -25308)
    }

    @Test("an item: kept and sent after a power cut right after the answer", arguments: [1, 2, 3] as [UInt64])
    func powerCut(seed: UInt64) throws {
        pad.online = false
        #expect(add() == 0)
        try pad.powerCut(seed: seed)
        daemon.boot(pad)
        #expect(daemon.queuedTokens(of: "maya") == ["maya.1"])
        pad.online = true
        daemon.observe(.networkReturned, pad)
        #expect(pad.takeRequest()?.json["writes"]?.array?.count == 1)
        let again = pad.launch("homework", launch: 2)
        #expect(ask("copy", as: again)["data"]?.data == Self.secret)
    }

    @Test("a sync: the same request again after a lost response, another one after another change")
    func lostResponse() throws {
        #expect(add() == 0)
        let first = try #require(pad.fail(.connectionLost, daemon))
        pad.advance(.seconds(10), daemon)
        let second = try #require(pad.takeRequest())
        #expect(second.request == first.request)
        #expect(first.request.headers["X-Homeroom-Request"] != nil)
        #expect(second.task.attempt == 1)
        #expect(second.cause == first.cause)
        daemon.reply(.failure(.connectionLost), to: second.task, pad)
        ask("update", "maya", ["data": .data([7])])
        pad.advance(.seconds(60), daemon)
        let third = try #require(pad.takeRequest())
        #expect(third.request.headers["X-Homeroom-Request"] != first.request.headers["X-Homeroom-Request"])
    }

    @Test("a sync: a change made while it was under way is sent after it")
    func changedMeanwhile() throws {
        #expect(add() == 0)
        let first = try #require(pad.takeRequest())
        ask("update", "maya", ["data": .data([9])])
        daemon.reply(.response(HTTPResponse(status: 200, json: ["seq": 2, "changes": []])), to: first.task, pad)
        let second = try #require(pad.takeRequest())
        #expect(second.json["writes"]?.array?.first?["value"]?["data"]?.data == [9])
    }

    @Test("a sync: the newest modification stays, whichever side made it", arguments: [true, false])
    func newest(theirsIsNewer: Bool) throws {
        #expect(add() == 0)
        let sent = try #require(pad.takeRequest())
        var theirs = try #require(sent.json["writes"]?.array?.first)
        let stamp = try #require(theirs["stamp"]?.int)
        theirs["stamp"] = .int(theirsIsNewer ? stamp + 1 : stamp - 1)
        theirs["device"] = "ipad-2"
        theirs["value"] = ["data": .data([5]), "accessible": "AfterFirstUnlock"]
        daemon.reply(.response(HTTPResponse(status: 200, json: ["seq": 9, "changes": [theirs]])), to: sent.task, pad)
        #expect(ask("copy")["data"]?.data == (theirsIsNewer ? [5] : Self.secret))
        settle(seq: 9)
        #expect(daemon.pending(of: "maya").isEmpty)
    }

    @Test(
        "a sync: a page instead of an answer, or an error, changes nothing and is tried again",
        arguments: [
            HTTPResponse(status: 200, body: Array("<html>sign in</html>".utf8)),
            HTTPResponse(status: 200, json: ["seq": 4]),
            HTTPResponse(status: 503, headers: ["Retry-After": "30"]),
            HTTPResponse(status: 401, json: ["reason": "token"]),
        ])
    func noAnswer(response: HTTPResponse) throws {
        #expect(add() == 0)
        let sent = try #require(pad.takeRequest())
        daemon.reply(.response(response), to: sent.task, pad)
        #expect(daemon.queuedTokens(of: "maya") == ["maya.1"])
        let retryAt = try #require(daemon.nextWake)
        #expect(retryAt >= pad.now + (response.status == 503 ? .seconds(30) : .seconds(1)))
        pad.advance(.minutes(1), daemon)
        #expect(pad.takeRequest()?.request == sent.request)
    }

    @Test("an item for this iPad only is not sent")
    func thisDeviceOnly() {
        #expect(add(accessible: "WhenUnlockedThisDeviceOnly") == 0)
        #expect(pad.takeRequest() == nil)
        #expect(ask("delete")["status"]?.int == 0)
        #expect(pad.takeRequest() == nil)
    }

    @Test("a push makes the iPad ask; an item from another iPad is there (S29)")
    func push() throws {
        daemon.pushed(Message("push", ["service": "keychain", "topic": ""]), person: "maya", pad)
        let key = KeychainItem.Name(app.bundle, "homework", "maya").key
        let change: Value = ["key": .string(key), "value": ["data": .data([3])], "stamp": 5, "device": "ipad-2"]
        let sent = try #require(pad.answer(200, ["seq": 6, "changes": [change]], daemon))
        #expect(sent.request.headers["X-Homeroom-Request"] == nil)
        #expect(ask("copy")["data"]?.data == [3])
        pad.clockSkew = -1_000_000_000
        #expect(ask("update", "maya", ["data": .data([4])])["status"]?.int == 0)
        let stamp = try #require(pad.takeRequest()?.json["writes"]?.array?.first?["stamp"]?.int)
        #expect(stamp > 5)
    }

    @Test(
        "class: what can be read, added and changed in each state of the lock; anything can be removed",
        arguments: [
            ("WhenUnlocked", false, false), ("AfterFirstUnlock", true, false), ("Always", true, true),
            ("WhenUnlockedThisDeviceOnly", false, false), ("WhenPasscodeSetThisDeviceOnly", false, false),
            ("AfterFirstUnlockThisDeviceOnly", true, false), ("AlwaysThisDeviceOnly", true, true),
        ])
    func classes(accessible: String, whileLocked: Bool, beforeFirstUnlock: Bool) {
        #expect(add(accessible: accessible) == 0)
        func check(_ isOpen: Bool) {
            let sealed: Int64 = -25308
            #expect(ask("copy")["status"]?.int == (isOpen ? 0 : sealed))
            #expect(ask("update", "maya", ["data": .data([2])])["status"]?.int == (isOpen ? 0 : sealed))
            let list = daemon.call(Message("keychain.list", ["service": "homework"]), from: app, pad)
            #expect(list["status"]?.int == (isOpen ? 0 : sealed))
            let other: Value = ["data": .data([1]), "accessible": .string(accessible)]
            #expect(ask("add", "other", other)["status"]?.int == (isOpen ? 0 : sealed))
            ask("delete", "other")
        }
        check(true)
        pad.isProtectedDataAvailable = false
        check(whileLocked)
        pad.unlocked = []
        check(beforeFirstUnlock)
        #expect(ask("delete")["status"]?.int == 0)
        (pad.isProtectedDataAvailable, pad.unlocked) = (true, nil)
        #expect(ask("copy")["status"]?.int == -25300)
    }

    @Test("class: one that needs a passcode is not for guests; an unknown one is refused")
    func passcode() {
        pad.withoutPasscode = ["maya"]
        #expect(add(accessible: "WhenPasscodeSetThisDeviceOnly") == -25293)
        #expect(add(accessible: "Sometimes") == -50)
        #expect(add(accessible: "WhenUnlocked") == 0)
        #expect(ask("update", "maya", ["accessible": "WhenPasscodeSetThisDeviceOnly"])["status"]?.int == -25293)
        #expect(ask("copy")["accessible"] == "WhenUnlocked")
    }

    @Test("synchronizable: an item of its own; queries find it by the flag or by any; never for this device only")
    func synchronizable() {
        func found(_ flag: Value?) -> [UInt8]? {
            var query = Value.empty
            if let flag { query["synchronizable"] = flag }
            return ask("copy", "maya", query)["data"]?.data
        }
        #expect(ask("add", "maya", ["data": .data([1]), "synchronizable": true])["status"]?.int == 0)
        #expect([found(nil), found(false), found(true), found("any")] == [nil, nil, [1], [1]])
        #expect(ask("update", "maya", ["data": .data([3])])["status"]?.int == -25300)
        #expect(ask("add", "maya", ["data": .data([2])])["status"]?.int == 0)
        #expect([found(nil), found(true), found("any")] == [[2], [1], [2]])
        let both = daemon.call(Message("keychain.list", ["synchronizable": "any"]), from: app, pad)
        #expect(both["items"]?.array?.count == 2)
        #expect(ask("update", "maya", ["becomesSynchronizable": true])["status"]?.int == -25299)
        #expect(ask("delete", "maya", ["synchronizable": "any"])["status"]?.int == 0)
        #expect(found("any") == nil)
        let here: Value = ["data": .data([1]), "synchronizable": true, "accessible": "AfterFirstUnlockThisDeviceOnly"]
        #expect(ask("add", "maya", here)["status"]?.int == -50)
        #expect(add(accessible: "WhenUnlockedThisDeviceOnly") == 0)
        #expect(ask("update", "maya", ["becomesSynchronizable": true])["status"]?.int == -50)
        #expect(ask("update", "maya", ["accessible": "WhenUnlocked", "becomesSynchronizable": true])["status"] == 0)
        #expect(found(nil) == nil && found(true) == Self.secret)
    }

    @Test("access group: shared by apps whose entitlements name it; the first takes what is added; others are refused")
    func groups() {
        for app in ["homework", "reader"] {
            pad.manifests[app] = AppManifest(
                name: app, bundleID: "com.example.\(app)", infoPlist: .empty,
                entitlements: [
                    "com.apple.developer.team-identifier": "TEAM",
                    "keychain-access-groups": ["$(AppIdentifierPrefix)shared"],
                ], actions: [], promises: [:], channel: .keyValue)
        }
        let reader = pad.launch("reader", launch: 2)
        let stranger = pad.launch("quiz", launch: 3)
        #expect(add() == 0)
        #expect(ask("copy")["group"] == "TEAM.shared")
        #expect(ask("copy", as: reader)["data"]?.data == Self.secret)
        #expect(ask("copy", as: stranger)["status"]?.int == -25300)
        #expect(ask("copy", "maya", ["group": "TEAM.shared"], as: stranger)["status"]?.int == -34018)
        let own: Value = ["data": .data([7]), "group": "TEAM.com.example.homework"]
        #expect(ask("add", "maya", own)["status"]?.int == 0)
        #expect(ask("copy", "maya", ["group": "TEAM.com.example.homework"])["data"]?.data == [7])
        #expect(ask("copy", "maya", ["group": "TEAM.com.example.homework"], as: reader)["status"]?.int == -34018)
        // Without a group the call is about all of the app's.
        #expect(ask("delete")["status"]?.int == 0)
        #expect(ask("copy")["status"]?.int == -25300 && ask("copy", as: reader)["status"]?.int == -25300)
    }

    @Test(
        "hostile messages are refused and change nothing",
        arguments: [
            Message("keychain.add"), Message("keychain.add", ["service": 1, "account": "a", "data": .data([1])]),
            Message("keychain.add", ["service": "s", "account": "a", "data": "text"]),
            Message("keychain.add", ["service": "s", "account": "a", "data": .data([1]), "accessible": 7]),
            Message("keychain.copy", ["service": "s"]), Message("keychain.nothing", ["service": "s", "account": "a"]),
            Message("keychain.copy", ["service": "s", "account": "a", "synchronizable": "maybe"]),
            Message("keychain.copy", ["service": "s", "account": "a", "group": 7]),
            Message("keychain.add", .array([])), Message("keychain.list", ["service": 1]),
        ])
    func hostile(message: Message) {
        #expect(daemon.call(message, from: app, pad)["error"]?["code"]?.int == 22)
        #expect(daemon.pending(of: "maya").isEmpty)
    }
}
