import CloudKit
import FleetModel
import PadApp
import Testing

/// The account, several engines, the end of a sync, batches.
extension SyncEngineTests {
    @Test(
        "Without an account nothing is fetched; another person is reported before anything of theirs, and what waited is gone"
    )
    func account() {
        final class Signed: @unchecked Sendable { var user: String? = "_maya" }
        let signed = Signed()
        let pad = ScriptedPad { message in
            guard message.name == "ck.userRecordID" else { return Self.answer(message) }
            return signed.user.map { ["recordName": .string($0)] } ?? ["error": failure(9)]
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            try await engine.fetchChanges()
            app.write("mine", as: "n2")
            signed.user = nil
            do {
                try await engine.sendChanges()
                Issue.record("sent without an account")
            } catch let error as CKError { #expect(error.code == .notAuthenticated) }
            #expect(app.texts.isEmpty && engine.state.pendingRecordZoneChanges.isEmpty)
            signed.user = "_omar"
            try await engine.fetchChanges()
            signed.user = "_ann"
            try await engine.fetchChanges()
            let changes = app.events.filter { $0.hasPrefix("accountChange") }.map { $0.split(separator: "(")[0] }
            #expect(
                changes == [
                    "accountChange signIn", "accountChange signOut", "accountChange signIn",
                    "accountChange switchAccounts",
                ])
        }
        #expect(pad.asked.filter { $0.name == "ck.modify" }.isEmpty)
    }

    @Test("Two engines in one process know nothing of each other")
    func two() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let (first, second) = (SyncedTexts(), SyncedTexts())
            let other = CKContainer(identifier: "iCloud.com.example.other").privateCloudDatabase
            let engines = (first.begin(database), second.begin(other))
            first.write("one", as: "n1")
            #expect(engines.1.state.pendingRecordZoneChanges.isEmpty)
            async let fetched: Void = engines.1.fetchChanges()
            try await engines.0.sendChanges()
            try await fetched
            #expect(second.texts == ["n1": "theirs"] && first.texts == ["n1": "one"])
        }
        #expect(
            pad.asked.filter { $0.name == "ck.modify" }.allSatisfy { $0["container"] == "iCloud.com.example.notebook" })
        #expect(
            pad.asked.filter { $0.name == "ck.zoneChanges" }.allSatisfy {
                $0["container"] == "iCloud.com.example.other"
            })
    }

    @Test("Cancelled while it is being sent: what is on its way ends, its changes stay pending")
    func cancel() {
        let pad = ScriptedPad { message in
            message.name == "ck.modify" ? ["error": failure(20)] : Self.answer(message)
        }
        pad.run {
            let app = SyncedTexts()
            let engine = app.begin(database)
            app.write("mine", as: "n1")
            app.whenSent { await engine.cancelOperations() }
            do {
                try await engine.sendChanges()
                Issue.record("nothing was thrown")
            } catch let error as CKError { #expect(error.code == .operationCancelled) }
            #expect(engine.state.pendingRecordZoneChanges.count == 1)
        }
        #expect(pad.asked.contains { $0.name == "ck.cancel" })
    }

    @Test("A batch takes what fits into one request, and leaves out a record that the app no longer has")
    func batch() {
        ScriptedPad().run {
            let changes = (0..<4).map { CKSyncEngine.PendingRecordZoneChange.saveRecord(record("n\($0)").recordID) }
            let large = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
                guard id.recordName != "n1" else { return nil }
                let record = CKRecord(recordType: "Note", recordID: id)
                record["data"] = Data(count: 600_000)
                return record
            }
            #expect(large?.recordsToSave.map(\.recordID.recordName) == ["n0"] && large?.atomicByZone == false)
            let none = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { _ in nil }
            let empty = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: []) { _ in nil }
            #expect(none == nil && empty == nil)
            let own = CKSyncEngine.RecordZoneChangeBatch(recordIDsToDelete: [record().recordID], atomicByZone: true)
            #expect(own.atomicByZone && own.recordsToSave.isEmpty)
        }
    }
}
