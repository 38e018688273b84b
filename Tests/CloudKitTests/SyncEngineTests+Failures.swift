import FleetModel
import PadApp
import Testing

@testable import CloudKit

/// What an engine does when a part of a sync fails or is cancelled.
extension SyncEngineTests {
    @Test(
        "A fetch that the app has to do something about does not hold back what can be sent",
        arguments: [("ck.databaseChanges", 1), ("ck.zoneChanges", 26)])
    func sendsAllTheSame(name: String, code: Int) {
        let pad = ScriptedPad { $0.name == name ? ["error": failure(code)] : Self.answer($0) }
        pad.run {
            let before = SyncedTexts()
            let old = before.begin(database)
            before.write("mine", as: "n1")
            let app = SyncedTexts()
            app.texts["n1"] = "mine"
            _ = app.begin(database, from: old.state.serialization, automatically: true)
        }
        #expect(pad.asked.contains { $0.name == name })
        #expect(pad.sent(pad.asked.firstIndex { $0.name == "ck.modify" } ?? 0)["recordName"] == "n1")
    }

    @Test(
        "Cancelled at any point of a sync: it ends with its error, and nothing else goes out",
        arguments: ["ck.userRecordID", "ck.databaseChanges", "ck.zoneChanges", "ck.modify"], [true, false])
    func cancelled(name: String, isAnswered: Bool) {
        let cancel = Cancel()
        let pad = ScriptedPad { message in
            // The iPad ends the request, or its answer was on its way already.
            message.name == name && cancel.isDone && !isAnswered ? ["error": failure(20)] : Self.answer(message)
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            // The account is known.
            try await engine.sendChanges()
            for number in 0..<450 { app.write("text", as: "n\(number)") }
            app.onEvent = { event, engine in
                switch (event, name) {
                case (.willFetchChanges, "ck.databaseChanges"), (.willFetchRecordZoneChanges, "ck.zoneChanges"),
                    (.willSendChanges, "ck.modify"):
                    cancel.soon(engine)
                default: break
                }
            }
            if name == "ck.userRecordID" { cancel.soon(engine) }
            do {
                try await name == "ck.modify" ? engine.sendChanges() : engine.fetchChanges()
                Issue.record("nothing was thrown")
            } catch let error as CKError { #expect(error.code == .operationCancelled) }
            #expect(engine.state.pendingRecordZoneChanges.count >= 250)
        }
        #expect(pad.asked.contains { $0.name == "ck.cancel" })
        #expect(pad.asked.last { $0.name != "ck.cancel" }?.name == name)
        #expect(pad.asked.count { $0.name == "ck.modify" || $0.name == "ck.zoneChanges" } <= 1)
    }
    private final class Cancel: @unchecked Sendable {
        private(set) var isDone = false
        /// When the request that comes next is on its way: a batch of records is gathered one by one first.
        func soon(_ engine: CKSyncEngine) {
            Task { @MainActor in
                for _ in 0..<3000 { await Task.yield() }
                isDone = true
                await engine.cancelOperations()
            }
        }
    }

    @Test("Cancelled while it subscribes: it fetches nothing; the next sync is a new one")
    func cancelledSubscription() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database, automatically: true)
            _ = try await CKContainer.default().userRecordID()
            for _ in 0..<50 { await Task.yield() }
            await engine.cancelOperations()
            #expect(!app.events.contains("willFetchChanges"))
            try await engine.fetchChanges()
            #expect(app.texts == ["n1": "theirs"])
        }
        #expect(pad.asked.contains { $0.name == "ck.cancel" })
    }

    @Test("A try that fails like the one before it changes no state, so the delegate gets none")
    func sameState() {
        let pad = ScriptedPad { $0.name == "ck.modify" ? ["error": failure(3)] : Self.answer($0) }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            app.write("mine", as: "n1")
            try? await engine.sendChanges()
            let before = app.events.count
            try? await engine.sendChanges()
            #expect(
                app.events.dropFirst(before) == [
                    "willSendChanges", "sentRecordZoneChanges +0 -0 failed 1", "didSendChanges",
                ])
        }
    }
}
