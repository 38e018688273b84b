import CloudKit
import FleetModel
import Testing

@Suite("Parents", .timeLimit(.minutes(20))) struct ParentTests {
    @MainActor private static func code(_ body: () async throws -> Void) async -> CKError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? CKError)?.code }
    }
    @MainActor private static func codes(
        saving records: [CKRecord], deleting ids: [CKRecord.ID] = []
    ) async throws -> [String: CKError.Code] {
        let results = try await database.modifyRecords(saving: records, deleting: ids, atomically: false)
        var codes: [String: CKError.Code] = [:]
        for (id, result) in results.saveResults {
            if case .failure(let error) = result { codes[id.recordName] = (error as? CKError)?.code }
        }
        for (id, result) in results.deleteResults {
            if case .failure(let error) = result { codes[id.recordName] = (error as? CKError)?.code }
        }
        return codes
    }
    @MainActor private static func parent(_ name: String) async throws -> CKRecord.ID? {
        try await database.record(for: record(name).recordID).parent?.recordID
    }

    @Test("Parent: set by a record or its name, always without an action; it is no field, and nil clears it")
    func set() {
        ScriptedPad().run {
            let (root, leaf) = (record("root"), record("leaf"))
            leaf.setParent(root)
            #expect(leaf.parent == CKRecord.Reference(recordID: root.recordID, action: .none))
            leaf.setParent(record("other").recordID)
            #expect(leaf.parent?.recordID == record("other").recordID)
            leaf.setParent(nil as CKRecord?)
            #expect(leaf.parent == nil)
            leaf.parent = CKRecord.Reference(record: root, action: .none)
            #expect(leaf.parent?.recordID == root.recordID && leaf.allKeys() == [] && leaf.changedKeys() == [])
        }
    }

    @Test(
        "Parent: sent with a new record and when it was changed, also when it was cleared; all keys send it again",
        arguments: [0, 1, 2])
    func sent(policy: Int) throws {
        let pad = ScriptedPad { savesAll($0) }
        let savePolicy = try #require(CKModifyRecordsOperation.RecordSavePolicy(rawValue: policy))
        pad.run {
            let leaf = record("leaf")
            leaf.setParent(record("root"))
            let known = try await database.save(leaf)
            #expect(known.parent?.recordID == record("root").recordID)
            known["text"] = "new"
            _ = try await database.modifyRecords(saving: [known], deleting: [], savePolicy: savePolicy)
            known.setParent(nil as CKRecord.ID?)
            _ = try await database.modifyRecords(saving: [known], deleting: [], savePolicy: savePolicy)
            try await database.save(record("free"))
        }
        #expect(pad.sent(0)["parent"] == ["recordName": "root"])
        #expect(pad.sent(1)["parent"] == (policy == 2 ? ["recordName": "root"] : nil))
        #expect(pad.sent(2)["parent"] == .null && pad.sent(3)["parent"] == nil)
    }

    @Test("Parent: saved, fetched by name and as a change, on the other iPad too; other saves leave it")
    func fetched() throws {
        let school = try School(["maya", "maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            let leaf = record("leaf")
            leaf.setParent(record("root"))
            // In any order within one operation.
            #expect(try await Self.codes(saving: [leaf, record("root")]) == [:])
            #expect(try await Self.parent("leaf") == record("root").recordID)
        }
        school.run(on: 2) {
            let changes = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
            let records = changes.modificationResultsByID.values.compactMap { try? $0.get().record }
            #expect(records.first { $0.recordID.recordName == "leaf" }?.parent?.recordID == record("root").recordID)
            let leaf = try await database.record(for: record("leaf").recordID)
            leaf["text"] = "new"
            #expect(try await database.save(leaf).parent?.recordID == record("root").recordID)
            // Without the fields, as an app keeps it.
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            try await database.record(for: leaf.recordID).encodeSystemFields(with: archiver)
            archiver.finishEncoding()
            let kept = try #require(CKRecord(coder: NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)))
            #expect(kept.parent?.recordID == record("root").recordID)
            kept["text"] = "newer"
            try await database.save(kept)
            #expect(try await Self.parent("leaf") == record("root").recordID)
            kept.setParent(nil as CKRecord?)
            _ = try await database.modifyRecords(saving: [kept], deleting: [], savePolicy: .changedKeys)
            #expect(try await Self.parent("leaf") == nil)
        }
    }

    @Test("Parent: must be there, in the same zone and not below; it is not deleted before its children")
    func checked() throws {
        let school = try School(["maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            func leaf(under parent: CKRecord) -> CKRecord {
                let leaf = record("leaf")
                leaf.setParent(parent)
                return leaf
            }
            #expect(try await Self.codes(saving: [leaf(under: record("root"))]) == ["leaf": .referenceViolation])
            let elsewhere = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "root"))
            try await database.save(elsewhere)
            #expect(await Self.code { try await database.save(leaf(under: elsewhere)) } == .invalidArguments)
            #expect(try await Self.codes(saving: [leaf(under: record("root")), record("root")]) == [:])
            #expect(
                try await Self.codes(saving: [], deleting: [record("root").recordID]) == ["root": .referenceViolation])
            let root = try await database.record(for: record("root").recordID)
            root.setParent(record("leaf"))
            #expect(await Self.code { try await database.save(root) } != nil, "a ring")
            let both = [record("root").recordID, record("leaf").recordID]
            #expect(try await Self.codes(saving: [], deleting: both) == [:])
            #expect(await Self.code { _ = try await Self.parent("leaf") } == .unknownItem)
        }
    }
}
