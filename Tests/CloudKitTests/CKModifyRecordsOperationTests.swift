import FleetModel
import PadApp
import Testing

@testable import CloudKit

@Suite("CKModifyRecordsOperation", .timeLimit(.minutes(20)))
struct CKModifyRecordsOperationTests {
    /// Runs an operation and tells what its callbacks said.
    @MainActor private static func story(_ operation: CKModifyRecordsOperation) async -> [String] {
        let story = Story()
        operation.longLivedOperationWasPersistedBlock = { story.add("persisted") }
        operation.perRecordSaveBlock = { id, result in story.add("\(id.recordName) \(word(result))") }
        operation.perRecordDeleteBlock = { id, result in story.add("-\(id.recordName) \(word(result))") }
        await withCheckedContinuation { continuation in
            operation.modifyRecordsResultBlock = { story.add("result \(word($0))") }
            operation.completionBlock = {
                story.add("complete")
                continuation.resume()
            }
            CKContainer.default().add(operation)
        }
        return story.lines
    }
    private static func word<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success: "ok"
        case .failure(let error): "\((error as? CKError)?.code ?? .internalError)"
        }
    }

    @Test("Callbacks: each record, then the result, then completion")
    func callbacks() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let operation = CKModifyRecordsOperation(
                recordsToSave: [record("n1"), record("n2")], recordIDsToDelete: [record("n3").recordID])
            operation.savePolicy = .allKeys
            operation.isAtomic = false
            #expect(await Self.story(operation) == ["n1 ok", "n2 ok", "-n3 ok", "result ok", "complete"])
        }
        #expect(pad.asked[0]["policy"] == 2 && pad.asked[0]["atomic"] == false && pad.asked[0]["longLived"] == nil)
    }

    @Test("Failures: some records or the whole request")
    func failures() {
        let pad = ScriptedPad { _ in
            ["saved": [], "deleted": [], "errors": ["n1": failure(22), "n2": failure(14), "n3": failure(22)]]
        }
        pad.run {
            let operation = CKModifyRecordsOperation(
                recordsToSave: [record("n1"), record("n2")], recordIDsToDelete: [record("n3").recordID])
            let story = await Self.story(operation)
            #expect(
                story == [
                    "n1 batchRequestFailed", "n2 serverRecordChanged", "-n3 batchRequestFailed",
                    "result partialFailure", "complete",
                ])
        }
        ScriptedPad { _ in ["error": failure(3)] }.run {
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            #expect(await Self.story(operation) == ["result networkUnavailable", "complete"])
        }
    }

    @Test("Long-lived: persisted is said only when the Pad has it", arguments: [true, false])
    func longLived(isKept: Bool) {
        let pad = ScriptedPad { isKept ? savesAll($0) : ["error": failure(1)] }
        pad.takesLongLived = isKept
        pad.run {
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            operation.isLongLived = true
            operation.operationID = "maya-op"
            let story = await Self.story(operation)
            #expect(
                story
                    == (isKept
                        ? ["persisted", "n1 ok", "result ok", "complete"] : ["result internalError", "complete"]))
        }
        #expect(pad.asked[0]["longLived"] == true && pad.asked[0]["op"] == "maya-op")
    }

    @Test("Long-lived: taken up in a later launch, the stored results are replayed and nothing is sent again")
    func attach() {
        let pad = ScriptedPad { message in
            let record: Value = ["recordName": "n1", "recordType": "Note", "recordChangeTag": "t"]
            return message.name == "ck.attach"
                ? ["zone": "Notes", "saved": [record], "deleted": [], "errors": .empty] : .null
        }
        pad.longLived = [
            ["op": "old", "name": "ck.modify", "done": true], ["op": "read", "name": "ck.zoneChanges", "done": true],
        ]
        pad.run {
            let ids = try await CKContainer.default().allLongLivedOperationIDs()
            #expect(ids == ["old", "read"])
            let read = try await CKContainer.default().longLivedOperation(for: "read")
            let none = try await CKContainer.default().longLivedOperation(for: "none")
            #expect(read == nil && none == nil)
            let found = try await CKContainer.default().longLivedOperation(for: "old")
            let operation = try #require(found as? CKModifyRecordsOperation)
            #expect(await Self.story(operation) == ["n1 ok", "result ok", "complete"])
        }
        #expect(pad.asked.map(\.name) == ["ck.attach"])
    }

    @Test("Long-lived: two zones, refused before sending")
    func twoZones() {
        let pad = ScriptedPad()
        pad.run {
            let other = CKRecordZone.ID(zoneName: "Other")
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1"), record("n2", in: other)])
            operation.isLongLived = true
            #expect(await Self.story(operation) == ["result invalidArguments", "complete"])
        }
        #expect(pad.asked.isEmpty)
    }

    @Test("Cancel: before it starts and while it runs", arguments: [true, false])
    func cancel(before: Bool) {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            if before { operation.cancel() } else { Task { operation.cancel() } }
            #expect(await Self.story(operation) == ["result operationCancelled", "complete"])
        }
        #expect(pad.asked.map(\.name) == (before ? [] : ["ck.modify", "ck.cancel"]))
        #expect(before || pad.asked[1]["op"] == pad.asked[0]["op"])
    }

    @Test(
        "Cancel: one of an earlier launch, before it is added and while it waits for its results",
        arguments: [true, false])
    func cancelKept(before: Bool) {
        let pad = ScriptedPad()
        pad.longLived = [["op": "old", "name": "ck.modify", "done": false]]
        pad.run {
            let found = try await CKContainer.default().longLivedOperation(for: "old")
            let operation = try #require(found as? CKModifyRecordsOperation)
            if before { operation.cancel() } else { Task { operation.cancel() } }
            #expect(await Self.story(operation) == ["result operationCancelled", "complete"])
        }
        #expect(pad.asked.map(\.name) == (before ? ["ck.cancel"] : ["ck.attach", "ck.cancel"]))
        #expect(pad.asked.last?["op"] == "old")
    }

    @Test("Cancel: the zones that were not sent yet are not sent after it")
    func cancelBetweenZones() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let other = CKRecordZone.ID(zoneName: "Other")
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1"), record("n2", in: other)])
            Task { operation.cancel() }
            #expect(await Self.story(operation) == ["result operationCancelled", "complete"])
        }
        #expect(pad.asked.map(\.name) == ["ck.modify", "ck.cancel"])
    }
}
