import CloudKit
import FleetModel
import PadApp
import Testing

/// The blocks of Apple's older interface next to the newer ones, on one operation: they must tell one story.
@Suite("Older blocks", .timeLimit(.minutes(20))) struct OlderBlocksTests {
    static func name(_ error: (any Error)?) -> String {
        guard let error = error as? CKError else { return error.map { "\($0)" } ?? "ok" }
        let items = (error.partialErrorsByItemID ?? [:]).map { key, error in
            "\((key.base as? CKRecord.ID)?.recordName ?? (key.base as? CKRecordZone.ID)?.zoneName ?? "\(key)")="
                + "\((error as? CKError)?.code.rawValue ?? 0)"
        }
        return "\(error.code.rawValue)" + (items.isEmpty ? "" : " [\(items.sorted().joined(separator: ","))]")
    }
    static func name<T>(_ result: Result<T, any Error>) -> String {
        if case .failure(let error) = result { name(error) } else { "ok" }
    }
    static let wire: Value = ["recordName": "n1", "recordType": "Note", "recordChangeTag": "t1"]

    /// Runs an operation to its end.
    @MainActor static func run(_ operation: CKDatabaseOperation) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            database.add(operation)
        }
    }

    @Test("Modify records: what was saved and deleted, and of what failed each item's own error")
    func modifyRecords() {
        let pad = ScriptedPad { message in
            var answer = savesAll(message)
            answer["saved"] = .array((answer["saved"]?.array ?? []).filter { $0["recordName"] == "n1" })
            answer["deleted"] = ["d1"]
            answer["errors"] = ["n2": failure(14), "d2": failure(10)]
            return answer
        }
        let story = Story()
        pad.run {
            let operation = CKModifyRecordsOperation(
                recordsToSave: [record("n1"), record("n2")],
                recordIDsToDelete: [record("d1").recordID, record("d2").recordID])
            operation.perRecordSaveBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.perRecordCompletionBlock = { story.add("old \($0.recordID.recordName) \(Self.name($1))") }
            operation.modifyRecordsResultBlock = { story.add("new \(Self.name($0))") }
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                let names = [saved?.map(\.recordID.recordName) ?? ["-"], deleted?.map(\.recordName) ?? ["-"]]
                story.add("old \(names) \(Self.name(error))")
            }
            await Self.run(operation)
        }
        #expect(
            story.lines == [
                "new n1 ok", "old n1 ok", "new n2 14", "old n2 14", "new 2 [d2=10,n2=14]",
                "old [[\"n1\"], [\"d1\"]] 2 [d2=10,n2=14]",
            ])
    }

    @Test(
        "Modify records: an error of the whole, and a cancelled operation, reach both kinds", arguments: [true, false])
    func whole(cancelled: Bool) {
        let pad = ScriptedPad { _ in ["error": failure(26)] }
        let story = Story()
        pad.run {
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            operation.modifyRecordsResultBlock = { story.add("new \(Self.name($0))") }
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                story.add("old \(saved?.count ?? -1) \(deleted?.count ?? -1) \(Self.name(error))")
            }
            if cancelled { operation.cancel() }
            await Self.run(operation)
        }
        #expect(story.lines == (cancelled ? ["new 20", "old 0 0 20"] : ["new 26", "old 0 0 26"]))
    }

    @Test("Fetch records: each with its name, all by their names")
    func fetchRecords() {
        let pad = ScriptedPad { _ in ["records": [Self.wire], "errors": ["n2": failure(11)]] }
        let story = Story()
        pad.run {
            let operation = CKFetchRecordsOperation(recordIDs: [record("n1").recordID, record("n2").recordID])
            operation.perRecordResultBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.perRecordCompletionBlock = { found, id, error in
                story.add("old \(id?.recordName ?? "-") \(found != nil) \(Self.name(error))")
            }
            operation.fetchRecordsResultBlock = { story.add("new \(Self.name($0))") }
            operation.fetchRecordsCompletionBlock = { found, error in
                story.add("old \(found?.keys.map(\.recordName) ?? []) \(Self.name(error))")
            }
            await Self.run(operation)
        }
        #expect(
            story.lines == [
                "new n1 ok", "old n1 true ok", "new n2 11", "old n2 false 11", "new 2 [n2=11]",
                "old [\"n1\"] 2 [n2=11]",
            ])
    }

    @Test("The person's own record is fetched without its name")
    func currentUser() {
        let pad = ScriptedPad { message in
            message.name == "ck.userRecordID"
                ? ["recordName": "_me"]
                : [
                    "records": [["recordName": "_me", "recordType": "Users", "recordChangeTag": "t"]], "errors": .empty,
                ]
        }
        let story = Story()
        pad.run {
            let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            operation.fetchRecordsCompletionBlock = { found, error in
                story.add("\(found?.values.map(\.recordType) ?? []) \(Self.name(error))")
            }
            await Self.run(operation)
        }
        #expect(story.lines == ["[\"Users\"] ok"] && pad.asked.last?["names"] == ["_me"])
    }

    @Test("Query: each record, then the cursor or the error", arguments: [true, false])
    func query(isRight: Bool) {
        let pad = ScriptedPad { _ in
            isRight ? ["records": [Self.wire], "cursor": "c1"] : ["error": failure(12)]
        }
        let story = Story()
        pad.run {
            let operation = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
            operation.recordMatchedBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.recordFetchedBlock = { story.add("old \($0.recordID.recordName)") }
            operation.queryResultBlock = { story.add("new \(Self.name($0))") }
            operation.queryCompletionBlock = { story.add("old \($0 != nil) \(Self.name($1))") }
            await Self.run(operation)
        }
        #expect(
            story.lines == (isRight ? ["new n1 ok", "old n1", "new ok", "old true ok"] : ["new 12", "old false 12"]))
    }
}
