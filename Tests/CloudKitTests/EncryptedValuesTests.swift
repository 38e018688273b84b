import CloudKit
import Testing

/// Through the framework, the Pad and the Cloud, with production's schema as it is deployed.
@Suite("Encrypted values and production's schema", .timeLimit(.minutes(20))) struct EncryptedValuesTests {
    private static let schema = """
        DEFINE SCHEMA
            RECORD TYPE Note (
                text STRING, secret ENCRYPTED STRING, numbers ENCRYPTED LIST<INT64>, data ENCRYPTED BYTES
            );
        """

    @Test("A field that is deployed as ENCRYPTED takes encrypted values and gives them back; a plain value is refused")
    func deployed() throws {
        try School(["maya"], schema: Self.schema).run {
            _ = try await database.save(CKRecordZone(zoneID: zone))
            let note = record()
            note["text"] = "seen"
            note.encryptedValues["secret"] = "kept"
            note.encryptedValues["numbers"] = [1, 2]
            note.encryptedValues["data"] = Data([1, 2, 3])
            try await database.save(note)

            let back = try await database.record(for: note.recordID)
            #expect(back.allKeys() == ["text"] && back.encryptedValues.allKeys() == ["data", "numbers", "secret"])
            #expect(back.encryptedValues["secret"] == "kept" && back.encryptedValues["data"] == Data([1, 2, 3]))
            let numbers: [Int]? = back.encryptedValues["numbers"]
            #expect(numbers == [1, 2])
            back.encryptedValues["numbers"] = [Int]()
            back.encryptedValues["secret"] = nil
            try await database.save(back)
            let emptied = try await database.record(for: note.recordID)
            #expect(emptied.encryptedValues.allKeys() == ["data", "numbers"])

            let plain = record("n2")
            plain["secret"] = "seen"
            await #expect(throws: CKError.self) { try await database.save(plain) }
        }
    }
}
