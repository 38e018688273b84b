import BackgroundTasks
import CloudKit
import CryptoKit
import UniformTypeIdentifiers

/// Pictures of contacts, as assets.
struct Attachments: Sendable {
    let database: CKDatabase
    let cache: URL

    func upload(_ data: Data, for id: CKRecord.ID) async throws -> CKRecord {
        let digest = SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
        let file = cache.appending(path: digest).appendingPathExtension(UTType.jpeg.preferredFilenameExtension ?? "jpg")
        try data.write(to: file)
        let record = try await database.record(for: id)
        record["picture"] = CKAsset(fileURL: file)
        let (saved, _) = try await database.modifyRecords(
            saving: [record], deleting: [], savePolicy: .changedKeys, atomically: false)
        guard case .success(let result)? = saved[id] else { throw CKError(.internalError) }
        return result
    }

    func picture(of id: CKRecord.ID) async throws -> Data? {
        let results = try await database.records(for: [id], desiredKeys: ["picture"])
        guard let record = try results[id]?.get(), let asset = record["picture"] as? CKAsset, let url = asset.fileURL
        else { return nil }
        return try Data(contentsOf: url, options: .mappedIfSafe)
    }

    func all(in zone: CKRecordZone.ID) async throws -> [CKRecord.ID] {
        let query = CKQuery(recordType: "Contact", predicate: NSPredicate(value: true))
        var (matches, cursor) = try await database.records(
            matching: query, inZoneWith: zone, desiredKeys: [], resultsLimit: 100)
        var ids = matches.map { $0.0 }
        while let next = cursor {
            (matches, cursor) = try await database.records(continuingMatchFrom: next)
            ids += matches.map { $0.0 }
        }
        return ids
    }

    func schedule() throws {
        let request = BGProcessingTaskRequest(identifier: "com.example.contacts.pictures")
        request.requiresNetworkConnectivity = true
        try BGTaskScheduler.shared.submit(request)
    }

    func remaining() -> String {
        let formatter = ByteCountFormatter()
        let measured = Measurement(value: 3, unit: UnitDuration.minutes)
        return formatter.string(fromByteCount: 1_000) + " " + String(describing: measured)
    }
}
