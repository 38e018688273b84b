import FleetModel
import Testing

@testable import PadCore

/// Both sides of what the sources disagree about (`PadSwitches`).
@Suite("Switches", .timeLimit(.minutes(20))) struct SwitchTests {
    private func bench(_ name: String, _ value: String?, slots: Int = 3) throws -> PadBench {
        try PadBench(
            slots: slots,
            entitlements: [
                "quiz": [
                    "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.quiz"],
                    "com.apple.developer.icloud-services": ["CloudKit"],
                    "com.apple.developer.ubiquity-kvstore-identifier": "com.example.quiz",
                ]
            ],
            more: value.map { ["switches": .object(Value.Object([(name, .string($0))]))] } ?? .empty)
    }
    private func running(_ name: String, _ value: String?) throws -> PadBench {
        let bench = try bench(name, value)
        bench.signIn("maya")
        bench.open("quiz")
        bench.advance(.seconds(1))
        return bench
    }

    @Test("Wrong names and values: no iPad, and what there is instead")
    func wrong() throws {
        #expect(throws: PadProblem.self) { try bench("eviction", "nobody") }
        #expect(throws: PadProblem.self) { try bench("luck", "good") }
        var switches = PadSwitches()
        #expect(switches.set("keyLength", to: "utf16") == nil && switches.body == ["keyLength": "utf16"])
        #expect(switches.set("keyLength", to: "utf8") == nil && switches == PadSwitches())
        #expect(switches.set("keyLength", to: "long")?.contains("utf8 or utf16") == true)
    }

    @Test("Keychain: all items follow the person, those flagged, or none (S29)", arguments: ["all", "flagged", "none"])
    func keychain(side: String) throws {
        let bench = try running("keychainSync", side == "all" ? nil : side)
        for (account, flag) in [("plain", false), ("flagged", true)] {
            bench.call(
                bench.launch("quiz"), "keychain.add",
                [
                    "service": "s", "account": .string(account), "data": .data([1]), "synchronizable": .bool(flag),
                    "accessible": "AfterFirstUnlock",
                ])
        }
        bench.advance(.seconds(5))
        let sent = bench.cloud.requests.filter { $0.request.target.hasPrefix("/keychain") }.map {
            String(decoding: $0.request.body, as: UTF8.self)
        }
        #expect(sent.contains { $0.contains("plain") } == (side == "all"))
        #expect(sent.contains { $0.contains("flagged") } == (side != "none"))
        #expect(sent.isEmpty == (side == "none"))
        let waits = bench.ask("pad.pending")?["pending"]?.array ?? []
        #expect(side != "none" || !waits.contains { $0["what"]?.string?.hasPrefix("keychain") == true })
        let copy: Value = ["service": "s", "account": "plain"]
        #expect(bench.call(bench.launch("quiz"), "keychain.copy", copy)?["data"]?.data == [1], "it is here in any case")
    }

    @Test("Key-value: keys of 64 bytes, or of 128 UTF-16 units", arguments: ["utf8", "utf16"])
    func keyLength(side: String) throws {
        let bench = try running("keyLength", side)
        let launch = bench.launch("quiz")
        bench.call(launch, "kvs.open")
        let keys = [64, 65, 128, 129].map { String(repeating: "k", count: $0) } + [String(repeating: "é", count: 40)]
        for key in keys { bench.post(launch, "kvs.set", ["key": .string(key), "value": 1]) }
        let values = bench.call(launch, "kvs.open")?["values"]
        let taken = keys.map { values?[$0] != nil }
        #expect(taken == (side == "utf8" ? [true, false, false, false, false] : [true, true, true, false, true]))
    }

    @Test("Force-quit: no word to the app, or willTerminate to one that runs; its consequences are the same (S133)")
    func forceQuit() throws {
        for side in ["silent", "willTerminate"] {
            let bench = try running("forceQuit", side)
            _ = bench.takeTold()
            bench.ask("app.forceQuit", ["app": "quiz"])
            bench.advance(.seconds(1))
            #expect(bench.takeTold() == (side == "silent" ? [] : ["quiz willTerminate"]))
            #expect(bench.reasons(.appExited) == ["forceQuit"])
            #expect(!bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push"))
            bench.open("quiz")
            bench.ask("app.home")
            bench.advance(.seconds(3))
            _ = bench.takeTold()
            bench.ask("app.forceQuit", ["app": "quiz"])
            bench.advance(.seconds(1))
            #expect(bench.takeTold() == [], "suspended: nothing, on either side")
        }
    }

    @Test("Force-quit: transfers are cancelled also when the app was told")
    func forceQuitTransfers() throws {
        let bench = try running("forceQuit", "willTerminate")
        let file = Pad.home(of: "com.example.quiz") + "/tmp/page"
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(file), "data": .data([1])])
        bench.isOnline = false
        bench.call(
            bench.launch("quiz"), "transfer.upload",
            [
                "session": "s", "path": .string(file), "method": "PUT", "url": "https://backend.quiz/page",
                "headers": .empty,
            ])
        bench.ask("app.forceQuit", ["app": "quiz"])
        bench.advance(.seconds(1))
        #expect(bench.notes(.transfersCancelled).count == 1)
    }

    @Test("Eviction: who left longest ago, or who came first", arguments: ["leastRecentlyLeft", "oldestCached"])
    func eviction(side: String) throws {
        let bench = try bench("eviction", side, slots: 2)
        for person in ["maya", "leo", "maya"] {
            bench.signIn(person)
            bench.advance(.seconds(5))
            bench.ask("person.signOut")
            bench.advance(.seconds(5))
        }
        #expect(bench.signIn("nora")?["ok"] == true)
        #expect(bench.pad.residents.people == [side == "oldestCached" ? "leo" : "maya", "nora"])
    }

    @Test("Query without a zone: all zones of a private database, or the default one", arguments: ["all", "default"])
    func query(side: String) throws {
        let bench = try running("queryWithoutZone", side)
        for database in ["private", "public"] {
            bench.post(
                bench.launch("quiz"), "ck.query",
                [
                    "op": .string(database), "container": "iCloud.com.example.quiz", "database": .string(database),
                    "query": ["recordType": "Note"],
                ], exchange: 5)
        }
        bench.advance(.seconds(1))
        let wide = bench.cloud.requests.filter { $0.request.target.hasSuffix("records/query") }.map {
            (try? Value(json: $0.request.body))?["zoneWide"]
        }
        #expect(wide == [.bool(side == "all"), false])
    }

    @Test("Key-value at sign-out of iCloud: kept on the iPad, or taken away; either way there again with the account")
    func keyValue() throws {
        for side in ["keep", "clear"] {
            let bench = try running("keyValueAtSignOut", side)
            let launch = bench.launch("quiz")
            bench.call(launch, "kvs.open")
            bench.post(launch, "kvs.set", ["key": "level", "value": 3])
            bench.advance(.minutes(5))
            bench.ask("identity.change", ["to": .null])
            bench.advance(.seconds(1))
            let isThere = bench.call(launch, "kvs.open")?["values"]?["level"] != nil
            #expect(isThere == (side == "keep"))
            let told = bench.messages.filter { $0.message.name == "kvs.changed" && $0.message["reason"] == 3 }
            #expect(told.map { $0.message["values"] } == (side == "keep" ? [] : [["level": .null]]))
            bench.ask("identity.change", ["to": "own"])
            bench.advance(.minutes(5))
            #expect(bench.call(launch, "kvs.open")?["values"]?["level"] == 3)
        }
    }
}
