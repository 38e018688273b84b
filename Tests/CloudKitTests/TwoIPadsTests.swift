import CloudKit
import FleetModel
import Testing

/// Statements about apps, shown by app code on two iPads of one person.
@Suite("Two iPads", .timeLimit(.minutes(20))) struct TwoIPadsTests {
    private final class Kept: @unchecked Sendable { var note: CKRecord? }
    @MainActor private static func code(_ body: () async throws -> Void) async -> CKError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? CKError)?.code }
    }

    @Test("CloudKit: neither changes in memory nor pushes, time or another app in front send anything (S32)")
    func onlyOperations() throws {
        let school = try School(["maya", "maya"])
        func sent() -> [String] { school.requests.filter { $0.hasPrefix("/database/") } }
        let kept = Kept()
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            try await database.save(CKDatabaseSubscription(subscriptionID: "all"))
            kept.note = try await database.save(record())
        }
        let before = sent()
        school.run {
            kept.note?["text"] = "changed"
            _ = CKModifyRecordsOperation(recordsToSave: [record("n2")])
            _ = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
        }
        school.run(on: 2) { try await database.save(record("n3")) }
        let foreign = sent()
        #expect(foreign.count == before.count + 1 && school.pushes(1).count == 1)
        school.tell(1, "app.home")
        school.tell(1, "app.open", ["app": "notebook"])
        school.run { try await Task.sleep(for: .seconds(3000)) }
        #expect(sent() == foreign)
        school.run {
            let note = try #require(kept.note)
            #expect(try await database.save(note)["text"] as? String == "changed")
        }
        #expect(sent().count == foreign.count + 1)
    }

    @Test("Key-value beside records: keywords in the one, tasks in the other; either service may be down alone (S96)")
    func together() throws {
        for down in ["/records/modify", "/kvs/"] {
            let school = try School(["maya", "maya"])
            school.run { try await database.save(CKRecordZone(zoneID: zone)) }
            school.reach = { $0.target.contains(down) ? .connectionLost : nil }
            school.run {
                NSUbiquitousKeyValueStore.default.set("red", forKey: "keyword")
                let task = record("task-1")
                task["keyword"] = "red"
                let operation = CKModifyRecordsOperation(recordsToSave: [task])
                operation.isLongLived = true
                database.add(operation)
                try await Task.sleep(for: .seconds(60))
            }
            /// What the other iPad has: the keyword, and the task that bears it.
            func arrived() -> [String] {
                let found = Story()
                school.run(on: 2) {
                    NSUbiquitousKeyValueStore.default.synchronize()
                    try await Task.sleep(for: .seconds(60))
                    if NSUbiquitousKeyValueStore.default.string(forKey: "keyword") == "red" { found.add("keyword") }
                    let task = try? await database.record(for: record("task-1").recordID)
                    if task?["keyword"] as? String == "red" { found.add("task") }
                }
                return found.lines
            }
            #expect(arrived() == (down == "/kvs/" ? ["task"] : ["keyword"]))
            school.reach = { _ in nil }
            school.run { try await Task.sleep(for: .seconds(3000)) }
            #expect(arrived() == ["keyword", "task"])
        }
    }

    @Test(
        "Reference without an action: its target may go, or never have been; it stays, and leads to unknownItem (S248)")
    func dangling() throws {
        let school = try School(["maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            func holder(_ name: String, of target: String, _ action: CKRecord.ReferenceAction) -> CKRecord {
                let holder = record(name)
                holder["target"] = CKRecord.Reference(recordID: record(target).recordID, action: action)
                return holder
            }
            let holders = [
                holder("loose", of: "target", .none), holder("tied", of: "target", .deleteSelf),
                holder("early", of: "nobody", .none),
            ]
            let saved = try await database.modifyRecords(saving: [record("target")] + holders, deleting: [])
            #expect(saved.saveResults.values.allSatisfy { (try? $0.get()) != nil })
            try await database.deleteRecord(withID: record("target").recordID)
            for (name, target) in [("loose", "target"), ("early", "nobody")] {
                let found = try await database.record(for: record(name).recordID)
                let reference = try #require(found["target"] as? CKRecord.Reference)
                #expect(reference.recordID == record(target).recordID && reference.action == .none)
                #expect(await Self.code { _ = try await database.record(for: reference.recordID) } == .unknownItem)
                found["text"] = "still mine"
                #expect(await Self.code { try await database.save(found) } == nil, "it can be saved as it is")
            }
            #expect(await Self.code { _ = try await database.record(for: record("tied").recordID) } == .unknownItem)
        }
    }
}
