import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("CKSyncEngine by hand", .timeLimit(.minutes(20))) struct SyncEngineTests {
    /// A server with one record `n1` in the zone Notes, which takes everything.
    static func answer(_ message: Message) -> Value {
        switch message.name {
        case "ck.userRecordID": return ["recordName": "_maya"]
        case "ck.databaseChanges":
            return message["token"] == .null
                ? [
                    "zones": ["Notes"], "deleted": ["Old"], "reasons": ["Old": "purged"], "token": "d1",
                    "moreComing": false,
                ]
                : ["zones": [], "deleted": [], "token": "d2", "moreComing": false]
        case "ck.zoneChanges":
            return message["token"] == .null
                ? [
                    "records": [
                        [
                            "recordName": "n1", "recordType": "Note", "recordChangeTag": "t1",
                            "fields": ["text": ["value": "theirs"]],
                        ]
                    ], "deleted": [], "token": "z1", "moreComing": true,
                ]
                : [
                    "records": [], "deleted": [["recordName": "n9", "recordType": "Note"]], "token": "z2",
                    "moreComing": false,
                ]
        case "ck.zones":
            return ["saved": message["save"] ?? [], "deleted": message["delete"] ?? [], "errors": .empty]
        case "ck.modify": return savesAll(message)
        default: return .empty
        }
    }

    @Test(
        "Events of a fetch, in their order: the account, the database, each page of a zone; the state after what it stands for"
    )
    func fetch() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            try await engine.fetchChanges()
            #expect(app.texts == ["n1": "theirs"] && app.deletions.map(\.purged) == [true])
            #expect(
                app.events == [
                    "accountChange signIn(currentUser: <CKRecordID: _maya:(_defaultZone:__defaultOwner__)>)",
                    "stateUpdate", "willFetchChanges", "fetchedDatabaseChanges +1 -1", "stateUpdate",
                    "willFetchRecordZoneChanges Notes", "fetchedRecordZoneChanges +1 -0", "stateUpdate",
                    "fetchedRecordZoneChanges +0 -1", "stateUpdate", "didFetchRecordZoneChanges Notes",
                    "didFetchChanges",
                ])
            #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
        }
    }

    @Test("Events of a send: zones before records, batch by batch; what is done is no longer pending")
    func send() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
            for number in 0..<450 { app.write("text", as: "n\(number)") }
            app.remove("n0")
            try await engine.sendChanges()
            #expect(engine.state.pendingRecordZoneChanges.isEmpty && engine.state.pendingDatabaseChanges.isEmpty)
            #expect(
                app.events.filter { $0 != "stateUpdate" }.dropFirst() == [
                    "willSendChanges", "sentDatabaseChanges +1 -0 failed 0",
                    "sentRecordZoneChanges +200 -0 failed 0", "sentRecordZoneChanges +200 -0 failed 0",
                    "sentRecordZoneChanges +49 -1 failed 0", "didSendChanges",
                ])
        }
        let modifies = pad.asked.filter { $0.name == "ck.modify" }
        #expect(modifies.map { $0["atomic"] } == [false, false, false] && modifies.last?["delete"] == ["n0"])
    }

    @Test("A conflict goes to the app, which merges and sends again in the same sync; a refusal is dropped")
    func conflict() {
        let pad = ScriptedPad { message in
            guard message.name == "ck.modify", let sent = message["save"]?.array?.first else {
                return Self.answer(message)
            }
            let theirs: Value = [
                "recordName": "n1", "recordType": "Note", "recordChangeTag": "t2",
                "fields": ["text": ["value": "theirs"]],
            ]
            switch (sent["recordName"], sent["recordChangeTag"]) {
            case ("n1", nil):
                return ["saved": [], "deleted": [], "errors": ["n1": failure(14, ["serverRecord": theirs])]]
            case ("n2", _): return ["saved": [], "deleted": [], "errors": ["n2": failure(12)]]
            default: return savesAll(message)
            }
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            app.write("mine", as: "n1")
            try await engine.sendChanges()
            #expect(app.texts["n1"] == "theirs+mine" && app.failures == ["n1 14"])
            app.write("wrong", as: "n2")
            try await engine.sendChanges()
            #expect(app.failures == ["n1 14", "n2 12"] && engine.state.pendingRecordZoneChanges.isEmpty)
        }
        #expect(
            pad.asked.filter { $0.name == "ck.modify" }.map { $0["save"]?.array?.first?["recordChangeTag"] } == [
                nil, "t2", nil,
            ])
    }

    @Test("A failure that passes keeps its change, ends the send and is thrown", arguments: [4, 23])
    func kept(code: Int) {
        let pad = ScriptedPad { message in
            guard message.name == "ck.modify" else { return Self.answer(message) }
            return code == 4
                ? ["error": failure(4)]
                : ["saved": [], "deleted": [], "errors": ["n1": failure(23, ["retryAfter": 3])]]
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            app.write("mine", as: "n1")
            do {
                try await engine.sendChanges()
                Issue.record("nothing was thrown")
            } catch let error as CKError { #expect(error.code.rawValue == code) }
            #expect(engine.state.pendingRecordZoneChanges.count == 1 && app.failures == ["n1 \(code)"])
            #expect(app.events.last == "didSendChanges")
        }
        #expect(pad.asked.filter { $0.name == "ck.modify" }.count == 1)
    }

    @Test("Changed while it is being sent: it stays pending, and goes again")
    func changedAgain() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            app.write("one", as: "n1")
            app.whenSent { app.write("two", as: "n1") }
            try await engine.sendChanges()
            #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        }
        let texts = pad.asked.filter { $0.name == "ck.modify" }.map {
            $0["save"]?.array?.first?["fields"]?["text"]?["value"]
        }
        #expect(texts == ["one", "two"])
    }

    @Test("The next launch goes on: where it had fetched, and with what it had to send")
    func relaunch() {
        let pad = ScriptedPad { message in
            message.name == "ck.modify" ? ["error": failure(3)] : Self.answer(message)
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            try await engine.fetchChanges()
            engine.state.hasPendingUntrackedChanges = true
            app.write("mine", as: "n2")
            try? await engine.sendChanges()
            let stored = try JSONEncoder().encode(try #require(app.serialization))
            let state = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: stored)
            let next = SyncedTexts()
            let again = next.begin(database, from: state)
            #expect(again.state.pendingRecordZoneChanges == [.saveRecord(record("n2").recordID)])
            #expect(again.state.hasPendingUntrackedChanges)
            try await again.fetchChanges()
            #expect(next.events == ["willFetchChanges", "stateUpdate", "didFetchChanges"])
        }
        #expect(pad.asked.last { $0.name == "ck.databaseChanges" }?["token"] == "d1")
    }

    @Test("Scopes: some zones, all but some, some records")
    func scopes() {
        let pad = ScriptedPad { Self.answer($0) }
        let other = CKRecordZone.ID(zoneName: "Other")
        pad.run {
            let (mine, theirs) = (record("n1").recordID, record("n2", in: other).recordID)
            #expect(CKSyncEngine.SendChangesOptions.Scope.zoneIDs([zone]).contains(mine))
            #expect(!CKSyncEngine.SendChangesOptions.Scope.zoneIDs([zone]).contains(.saveRecord(theirs)))
            #expect(!CKSyncEngine.SendChangesOptions.Scope.allExcluding([zone]).contains(mine))
            #expect(CKSyncEngine.SendChangesOptions.Scope.recordIDs([mine]).contains(.deleteRecord(mine)))
            #expect(CKSyncEngine.FetchChangesOptions.Scope.allExcluding([zone]).contains(other))
            let app = SyncedTexts()
            let engine = app.begin(database)
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone)), .deleteZone(other)])
            app.write("one", as: "n1")
            app.write("two", as: "n2")
            try await engine.sendChanges(.init(scope: .recordIDs([record("n2").recordID])))
            #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(mine)])
            #expect(engine.state.pendingDatabaseChanges.count == 2)
            try await engine.sendChanges(.init(scope: .zoneIDs([other])))
            #expect(engine.state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneID: zone))])
            try await engine.fetchChanges(.init(scope: .allExcluding([zone])))
            #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [zone])
            var options = CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zone]))
            options.prioritizedZoneIDs = [zone]
            try await engine.fetchChanges(options)
            #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty && app.texts["n1"] == "theirs")
        }
    }

    @Test("In the delegate a sync cannot be waited for; a task that the delegate begins comes after it")
    func reentry() {
        let pad = ScriptedPad { Self.answer($0) }
        let story = Story()
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            app.onEvent = { event, engine in
                guard case .didFetchChanges = event else { return }
                do { try await engine.sendChanges() } catch let error as CKError {
                    story.add("refused \(error.code.rawValue)")
                } catch {}
                Task { @MainActor in
                    try await engine.sendChanges()
                    story.add("sent")
                }
            }
            try await engine.fetchChanges()
            story.add("fetched")
        }
        #expect(story.lines == ["refused 12", "fetched", "sent"])
    }

    @Test("An expired position is dropped, and all is fetched again; a zone that is gone is reported and forgotten")
    func expired() {
        let pad = ScriptedPad { message in
            if message.name == "ck.zoneChanges", message["zone"] == "Gone" { return ["error": failure(26)] }
            if message.name == "ck.databaseChanges", message["token"] == "d1" { return ["error": failure(21)] }
            if message.name == "ck.databaseChanges" {
                return ["zones": ["Notes", "Gone"], "deleted": [], "token": "d1", "moreComing": false]
            }
            return Self.answer(message)
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            for _ in 0..<2 {
                do {
                    try await engine.fetchChanges()
                    Issue.record("the missing zone was not reported")
                } catch let error as CKError { #expect(error.code == .zoneNotFound) }
                #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
            }
            #expect(app.events.filter { $0.hasPrefix("didFetchRecordZoneChanges Gone: CKError 26") }.count == 2)
        }
        #expect(pad.asked.filter { $0.name == "ck.databaseChanges" }.map { $0["token"] } == [.null, "d1", .null])
    }
}
