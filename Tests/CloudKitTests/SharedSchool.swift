import CloudKit
import FleetModel
import Testing

/// What tests of sharing have in common: Maya owns, Omar and Ann come by her link.
final class SharedThings: @unchecked Sendable {
    var share: CKShare?
    var url: URL?
    /// Maya's zone as the others call it.
    var zoneID = CKRecordZone.ID.default
    var token: CKServerChangeToken?
    var codes: [CKError.Code?] = []
}

@MainActor func code(_ body: () async throws -> Void) async -> CKError.Code? {
    do {
        try await body()
        return nil
    } catch {
        let whole = error as? CKError
        return whole?.code == .partialFailure
            ? whole?.partialErrorsByItemID?.values.compactMap { ($0 as? CKError)?.code }.first {
                $0 != .batchRequestFailed
            }
            : whole?.code
    }
}
@MainActor var mine: CKDatabase { CKContainer.default().privateCloudDatabase }
@MainActor var theirs: CKDatabase { CKContainer.default().sharedCloudDatabase }

extension School {
    /// Maya makes her zone with a root, a record below it and one beside it.
    func makeZone() {
        run(on: 1) {
            try await mine.save(CKRecordZone(zoneID: zone))
            let (root, below) = (record("root"), record("below"))
            root["text"] = "root"
            below["text"] = "hello"
            below.setParent(root)
            _ = try await mine.modifyRecords(saving: [root, below, record("beside")], deleting: [])
        }
    }
    /// Maya shares her root, or her zone, and the link is known.
    func share(
        _ things: SharedThings, wholeZone: Bool = false, publicly permission: CKShare.ParticipantPermission = .none,
        inviting emails: [String] = [], as invited: CKShare.ParticipantPermission = .readWrite
    ) {
        run(on: 1) {
            let root = try await mine.record(for: record("root").recordID)
            let share = wholeZone ? CKShare(recordZoneID: zone) : CKShare(rootRecord: root)
            share.publicPermission = permission
            for email in emails {
                let participant = try await CKContainer.default().shareParticipant(forEmailAddress: email)
                participant.permission = invited
                share.addParticipant(participant)
            }
            let saving = wholeZone ? [share] : [root, share]
            let results = try await mine.modifyRecords(saving: saving, deleting: [])
            let saved = try #require(try results.saveResults[share.recordID]?.get() as? CKShare)
            things.share = saved
            #expect(saved.url != nil)
            things.url = saved.url
        }
    }
    /// Somebody opens the link and accepts.
    func accept(_ things: SharedThings, on pad: Int = 2) {
        run(on: pad) {
            let metadata = try await CKContainer.default().shareMetadata(for: try #require(things.url))
            let share = try await CKContainer.default().accept(metadata)
            things.zoneID = share.recordID.zoneID
        }
    }
}
