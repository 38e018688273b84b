import FleetModel
import Testing

@testable import PadCore

@Suite("CloudKit reads, zones and subscriptions", .timeLimit(.minutes(20)))
struct RecordsReadTests {
    @Test("Lookup: records and missing ones are told apart; 250 names go in two requests")
    func lookup() throws {
        let bench = try RecordsBench()
        let names = (0..<250).map { "n\($0)" }
        bench.post("ck.lookup", ["zone": "Notes", "names": .strings(names)])
        var found = names.prefix(200).map { stored(note($0), tag: "t") }
        found[3] = refusal("n3", "NOT_FOUND")
        let first = bench.pad.answer(["records": .array(found)], bench.daemon)
        #expect(first?.cause == "ck/notebook/lookup")
        bench.pad.answer(["records": .array(names.dropFirst(200).map { stored(note($0), tag: "t") })], bench.daemon)
        #expect(bench.answer("ck.lookup")["records"]?.array?.count == 249)
        #expect(bench.answer("ck.lookup")["errors"]?["n3"]?["code"] == 11)
    }

    @Test("Lookup: nothing is kept on the iPad, the same again without a network fails (S221)")
    func noStore() throws {
        let bench = try RecordsBench()
        bench.post("ck.lookup", ["zone": "Notes", "names": ["n1"]])
        bench.pad.answer(["records": [stored(note("n1"), tag: "t")]], bench.daemon)
        #expect(bench.answer("ck.lookup")["records"]?.array?.count == 1)
        bench.pad.online = false
        bench.post("ck.lookup", ["zone": "Notes", "names": ["n1"]], op: "b")
        #expect(bench.code("ck.lookup") == 3)
        #expect(bench.answer("ck.lookup")["records"] == nil)
    }

    @Test(
        "No account, or a restricted one: the public database is read in nobody's name, nothing is written and nothing private read (S223)"
    )
    func withoutAccount() throws {
        let bench = try RecordsBench()
        bench.pad.withoutIdentity = ["maya"]
        let reads: [(String, Value)] = [
            ("ck.lookup", ["names": ["n1"]]), ("ck.query", ["query": ["recordType": "Note"]]),
        ]
        for (name, members) in reads {
            var members = members
            members["database"] = "public"
            bench.post(name, members, op: name)
            let sent = bench.pad.answer(["records": [stored(note("n1"), tag: "t")]], bench.daemon)
            #expect(sent?.request.headers["X-Homeroom-Account"] == "none")
            #expect(sent?.request.target.contains("/public/") == true)
            #expect(bench.answer(name)["records"]?.array?.count == 1)
            bench.post(name, members.merging("database", "private"), op: name + " private")
            #expect(bench.code(name) == 9)
        }
        let others: [(String, Value)] = [
            ("ck.modify", ["zone": "_defaultZone", "save": [note("n1")], "delete": [], "policy": 0, "atomic": false]),
            ("ck.subscribe", ["subscription": ["subscriptionID": "s"]]), ("ck.userRecordID", .empty),
        ]
        for (name, members) in others {
            bench.post(name, members.merging("database", "public"), op: name)
            #expect(bench.code(name) == 9, "\(name)")
        }
        #expect(bench.pad.takeRequest() == nil)
        bench.pad.withoutIdentity = []
        bench.post("ck.lookup", ["names": ["n1"], "database": "public"], op: "own")
        #expect(bench.pad.takeRequest()?.request.headers["X-Homeroom-Account"] == nil)
    }

    @Test("Environment: the one that the app is entitled to, for every operation; production without a word (S290)")
    func environment() throws {
        for (word, place) in [("Development", "development"), ("Production", "production"), (nil, "production")]
            as [(String?, String)]
        {
            var bench = try RecordsBench()
            var entitlements: Value = [
                "com.apple.developer.icloud-services": ["CloudKit"],
                "com.apple.developer.icloud-container-identifiers": [.string(RecordsBench.container)],
            ]
            entitlements["com.apple.developer.icloud-container-environment"] = word.map(Value.string)
            bench.pad.manifests["notebook"]?.entitlements = entitlements
            bench.post("ck.lookup", ["zone": "Notes", "names": ["n1"]])
            bench.modify([note("n1")], op: "kept", longLived: true)
            func places() -> [Substring] { bench.pad.sent.map { $0.request.target.split(separator: "/")[3] } }
            #expect(places().map(String.init) == [place, place])
            try bench.restart()
            #expect(places().last.map(String.init) == place)
        }
    }

    @Test("Container: two apps may name the same one, one app several (S229)")
    func containers() throws {
        let bench = try RecordsBench()
        let other = bench.pad.launch("paint", launch: 2)
        let shared = "iCloud.com.example.shared"
        for app in ["notebook", "paint"] {
            bench.pad.manifests[app] = AppManifest(
                name: app, bundleID: "com.example.\(app)", infoPlist: .empty,
                entitlements: [
                    "com.apple.developer.icloud-services": ["CloudKit"],
                    "com.apple.developer.icloud-container-identifiers": [
                        "iCloud.$(CFBundleIdentifier)", .string(shared),
                    ],
                ], actions: [], promises: [:], channel: .record)
        }
        for (op, app, container) in [
            ("a", bench.app, RecordsBench.container), ("b", bench.app, shared), ("c", other, shared),
        ] {
            bench.post(
                "ck.lookup", ["zone": "Notes", "names": ["n1"], "container": .string(container)], op: op, from: app)
        }
        #expect(
            bench.pad.sent.map { $0.request.target.split(separator: "/")[2] } == [
                "iCloud.com.example.notebook", "iCloud.com.example.shared", "iCloud.com.example.shared",
            ])
    }

    @Test("Query: a page and its cursor (zone given or not) (S268)", arguments: ["Notes", nil])
    func query(zone: String?) throws {
        let bench = try RecordsBench()
        var members: Value = ["query": ["recordType": "Note"], "limit": 5, "cursor": "c1"]
        members["zone"] = zone.map(Value.string)
        bench.post("ck.query", members)
        let request = bench.pad.answer(
            ["records": [stored(note("n1"), tag: "t")], "continuationMarker": "c2"], bench.daemon)
        #expect(request?.json["resultsLimit"] == 5)
        #expect(request?.json["continuationMarker"] == "c1")
        #expect(request?.json["zoneWide"]?.bool == (zone == nil ? true : nil))
        #expect(bench.answer("ck.query")["cursor"] == "c2")
        #expect(bench.answer("ck.query")["records"]?.array?.count == 1)
    }

    @Test("Zones: saved, deleted and refused; a zone that is there counts as saved")
    func zones() throws {
        let bench = try RecordsBench()
        bench.post("ck.zones", ["save": ["A", "B"], "delete": ["C"]])
        func zone(_ name: String, _ word: String? = nil) -> Value {
            var zone: Value = ["zoneID": ["zoneName": .string(name)]]
            zone["serverErrorCode"] = word.map(Value.string)
            return zone
        }
        let answer: Value = ["zones": [zone("A"), zone("B", "EXISTS"), zone("C", "ZONE_NOT_FOUND")]]
        let request = bench.pad.answer(answer, bench.daemon)
        #expect(request?.request.target.hasSuffix("/zones/modify") == true)
        #expect(bench.answer("ck.zones")["saved"] == ["A", "B"])
        #expect(bench.answer("ck.zones")["deleted"] == [])
        #expect(bench.answer("ck.zones")["errors"]?["C"]?["code"] == 26)
    }

    @Test("Zone changes: records, deletions and the new token")
    func zoneChanges() throws {
        let bench = try RecordsBench()
        bench.post("ck.zoneChanges", ["zone": "Notes", "token": "k1"])
        let gone: Value = ["recordName": "n2", "recordType": "Note", "deleted": true]
        let page: Value = [
            "zoneID": ["zoneName": "Notes"], "records": [stored(note("n1"), tag: "t"), gone], "syncToken": "k2",
            "moreComing": true,
        ]
        let request = bench.pad.answer(["zones": [page]], bench.daemon)
        #expect(request?.json["zones"]?.array?.first?["syncToken"] == "k1")
        #expect(request?.cause == "ck/notebook/zoneChanges")
        let expected: Value = [
            "records": [stored(note("n1"), tag: "t")], "deleted": [["recordName": "n2", "recordType": "Note"]],
            "token": "k2",
            "moreComing": true,
        ]
        #expect(bench.answer("ck.zoneChanges") == expected)
    }

    @Test("Zone changes: token expired or zone gone, for the zone or the whole request", arguments: [true, false])
    func expired(isWhole: Bool) throws {
        let bench = try RecordsBench()
        for (word, code) in [("CHANGE_TOKEN_EXPIRED", 21), ("ZONE_NOT_FOUND", 26), ("NOT_FOUND", 26)]
            as [(String, Int64)]
        {
            bench.post("ck.zoneChanges", ["zone": "Notes", "token": "old"], op: word)
            let error: Value = ["serverErrorCode": .string(word), "reason": "test"]
            bench.pad.answer(isWhole ? 400 : 200, isWhole ? error : ["zones": [error]], bench.daemon)
            #expect(bench.code("ck.zoneChanges") == code)
        }
    }

    @Test("Zone changes: the answer lacks its token, an error and no trap")
    func broken() throws {
        let bench = try RecordsBench()
        bench.post("ck.zoneChanges", ["zone": "Notes"])
        bench.pad.answer(["zones": [["records": []]]], bench.daemon)
        #expect(bench.code("ck.zoneChanges") == 1)
    }

    @Test("Database changes: changed and deleted zones")
    func databaseChanges() throws {
        let bench = try RecordsBench()
        bench.post("ck.databaseChanges", ["token": .null])
        let zones: Value = [["zoneID": ["zoneName": "A"]], ["zoneID": ["zoneName": "B"], "deleted": true]]
        bench.pad.answer(["zones": zones, "syncToken": "d1", "moreComing": false], bench.daemon)
        #expect(
            bench.answer("ck.databaseChanges") == [
                "zones": ["A"], "deleted": ["B"], "token": "d1", "moreComing": false,
            ])
    }

    @Test("Subscription: saved again, becomes an update")
    func subscribe() throws {
        let bench = try RecordsBench()
        let subscription: Value = ["subscriptionID": "s1", "subscriptionType": "zone", "zoneID": ["zoneName": "Notes"]]
        bench.post("ck.subscribe", ["subscription": subscription])
        bench.pad.answer(["subscriptions": [["subscriptionID": "s1", "serverErrorCode": "EXISTS"]]], bench.daemon)
        let update = bench.pad.answer(["subscriptions": [subscription]], bench.daemon)
        #expect(update?.json["operations"]?.array?.first?["operationType"] == "update")
        #expect(bench.answer("ck.subscribe") == .empty)
    }

    @Test("User record: asked of the public database")
    func userRecord() throws {
        let bench = try RecordsBench()
        bench.post("ck.userRecordID", .empty)
        let request = bench.pad.answer(["users": [["userRecordName": "_ab12"]]], bench.daemon)
        #expect(request?.request.method == "GET")
        #expect(request?.request.target == "/database/1/iCloud.com.example.notebook/production/public/users/caller")
        #expect(bench.answer("ck.userRecordID") == ["recordName": "_ab12"])
    }

    @Test("User record: without a network an error (S278)")
    func userRecordOffline() throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        bench.post("ck.userRecordID", .empty)
        #expect(bench.code("ck.userRecordID") == 3)
        #expect(bench.answer("ck.userRecordID")["recordName"] == nil)
    }

    @Test("Account status: with and without an identity", arguments: [true, false])
    func accountStatus(signedIn: Bool) throws {
        let bench = try RecordsBench()
        if !signedIn { bench.pad.withoutIdentity = ["maya"] }
        bench.post("ck.accountStatus", .empty)
        #expect(bench.answer("ck.accountStatus")["accountStatus"] == .int(signedIn ? 1 : 3))
    }
}

extension Value {
    fileprivate func merging(_ key: String, _ value: Value) -> Value {
        var copy = self
        copy[key] = value
        return copy
    }
}
