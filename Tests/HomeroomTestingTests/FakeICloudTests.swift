import CloudKit
import HomeroomTesting
import Testing

@Suite("A fake iCloud", .timeLimit(.minutes(20))) struct FakeICloudTests {
    @Test("CKContainer, FileManager and sleep work as in an app, in virtual time", .fakeICloud)
    func works() async throws {
        let database = CKContainer.default().privateCloudDatabase
        #expect(try await CKContainer.default().accountStatus() == .available)
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
        record["text"] = "hello"
        try await database.save(record)
        let began = Date()
        try await Task.sleep(for: .seconds(86_400))
        #expect(Date().timeIntervalSince(began) >= 86_400)
        #expect(try await database.record(for: record.recordID)["text"] == "hello")
        await #expect(throws: CKError.self) { try await database.record(for: CKRecord.ID(recordName: "b")) }
        let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        #expect(FileManager.default.createFile(atPath: folder.appending(path: "x").path, contents: Data([1])))
    }

    @Test("A container that is named can be used, and another one cannot", .fakeICloud(containers: ["iCloud.shared"]))
    func containers() async throws {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
        try await CKContainer(identifier: "iCloud.shared").privateCloudDatabase.save(record)
        try await CKContainer.default().privateCloudDatabase.save(CKRecord(recordType: "Note"))
        await #expect(throws: CKError.self) {
            try await CKContainer(identifier: "iCloud.other").privateCloudDatabase.save(CKRecord(recordType: "Note"))
        }
    }

    @Test("Several at a time have each an iCloud of their own", arguments: 1...8)
    func apart(number: Int) async throws {
        let texts = try await withFakeICloud {
            let database = CKContainer.default().privateCloudDatabase
            let id = CKRecord.ID(recordName: "a")
            for turn in 1...5 {
                let record = (try? await database.record(for: id)) ?? CKRecord(recordType: "Note", recordID: id)
                record["text"] = ((record["text"] as? String) ?? "") + "\(number).\(turn) "
                try await database.save(record)
                try await Task.sleep(for: .milliseconds(100 * number))
            }
            return try await database.record(for: id)["text"] as? String
        }
        #expect(texts == (1...5).map { "\(number).\($0) " }.joined())
    }

    @Test("What the code throws is thrown on, and what it waits for in vain is an error")
    func throwing() async {
        struct Own: Error {}
        await #expect(throws: Own.self) { try await withFakeICloud { throw Own() } }
        await #expect(throws: FleetProblem.self) {
            try await withFakeICloud { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
    }

    @Test("A failed expectation inside is the test's", .fakeICloud)
    func failing() { withKnownIssue { #expect(Int("1") == 2) } }
}
