import CloudKit
import FleetModel
import Testing

/// What CloudKit says to what cannot be shared, accepted or done in somebody else's zone (cloudkit-framework.md 13, 16).
@Suite("Errors of sharing", .timeLimit(.minutes(20))) struct SharingErrorTests {
    @Test("One share a record, a hierarchy and a zone; at most 100 people; only in a zone of one's own")
    func owner() throws {
        let school = try School(["maya"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, publicly: .readOnly)
        school.run {
            let root = try await mine.record(for: record("root").recordID)
            func save(_ share: CKShare, _ root: CKRecord?) async -> CKError.Code? {
                await code { try await Self.save(share, root) }
            }
            #expect(await save(CKShare(rootRecord: root), root) == .alreadyShared)
            let below = try await mine.record(for: record("below").recordID)
            #expect(await save(CKShare(rootRecord: below), below) == .alreadyShared, "it hangs on the root")
            #expect(await save(CKShare(recordZoneID: zone), nil) == .invalidArguments, "the zone holds shared records")
            let crowd = try #require(things.share)
            for number in 1...101 {
                crowd.addParticipant(
                    try await CKContainer.default().shareParticipant(forEmailAddress: "p\(number)@example.com"))
            }
            #expect(await save(crowd, nil) == .tooManyParticipants)
            let loose = record("loose", in: .default)
            #expect(await save(CKShare(rootRecord: loose), loose) == .invalidArguments, "default zones have no shares")

            try await mine.deleteRecord(withID: crowd.recordID)
            #expect(await save(CKShare(recordZoneID: zone), nil) == nil)
            #expect(await save(CKShare(recordZoneID: zone), nil) == .serverRecordChanged, "it is shared already")
            let inside = try await mine.record(for: record("beside").recordID)
            #expect(await save(CKShare(rootRecord: inside), inside) == .serverRejectedRequest)
        }
    }
    @MainActor private static func save(_ share: CKShare, _ root: CKRecord?) async throws {
        let results = try await mine.modifyRecords(saving: [root, share].compactMap { $0 }, deleting: [])
        _ = try results.saveResults[share.recordID]?.get()
        if let root { _ = try results.saveResults[root.recordID]?.get() }
    }

    @Test("Links: of nobody's share, of a share for others, and one whose invitation may be the person's own")
    func links() throws {
        let school = try School(["maya", "omar", "ann"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, inviting: ["ann@example.com"])
        school.run(on: 2) {
            let url = try #require(things.url)
            #expect(await code { _ = try await CKContainer.default().shareMetadata(for: url) } == .permissionFailure)
            let gone = try #require(URL(string: "https://www.icloud.com/share/0nobodys#Notes"))
            #expect(await code { _ = try await CKContainer.default().shareMetadata(for: gone) } == .unknownItem)
        }
        school.run(on: 1) {
            let share = try #require(things.share)
            share.addParticipant(
                try await CKContainer.default().shareParticipant(forEmailAddress: "somebody@example.org"))
            _ = try await mine.save(share)
        }
        school.run(on: 2) {
            let url = try #require(things.url)
            let refusal = await code { _ = try await CKContainer.default().shareMetadata(for: url) }
            #expect(refusal == .participantMayNeedVerification, "the unknown address may be Omar's")
        }
        // What was found before is accepted too late.
        school.run(on: 3) {
            let metadata = try await CKContainer.default().shareMetadata(for: try #require(things.url))
            things.codes = [await code { try await CKContainer.default().accept(metadata) }]
            things.codes.append(await code { try await CKContainer.default().accept(metadata) })
        }
        #expect(things.codes == [nil, nil], "to accept twice is no error")
    }

    @Test(
        "In somebody else's zone: no zones are made, the root and the share are the owner's, and what is read only stays as it is"
    )
    func participant() throws {
        let school = try School(["maya", "omar"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, publicly: .readWrite)
        school.accept(things)
        school.run(on: 2) {
            #expect(await code { try await theirs.save(CKRecordZone(zoneName: "Mine")) } == .badDatabase)
            let root = record("root", in: things.zoneID).recordID
            #expect(await code { try await theirs.deleteRecord(withID: root) } == .permissionFailure)
            let id = CKRecord.ID(recordName: try #require(things.share).recordID.recordName, zoneID: things.zoneID)
            let share = try #require(try await theirs.record(for: id) as? CKShare)
            share.publicPermission = .readOnly
            #expect(await code { try await theirs.save(share) } == .permissionFailure)
            // By its own name the zone is not in the private database.
            #expect(await code { _ = try await mine.record(for: root) } == .zoneNotFound)
        }
    }

    @Test(
        "Offline nothing is found or accepted, and the operations say so item by item and in whole, in both generations of blocks"
    )
    func operations() throws {
        let school = try School(["maya", "omar"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, publicly: .readWrite)
        let story = Story()
        school.run(on: 2) {
            let url = try #require(things.url)
            let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
            fetch.shouldFetchRootRecord = true
            fetch.rootRecordDesiredKeys = []
            var found: CKShare.Metadata?
            fetch.perShareMetadataResultBlock = { _, result in found = try? result.get() }
            fetch.perShareMetadataBlock = { story.add("\($0 == url) \($1 != nil) \($2 == nil)") }
            await withCheckedContinuation { end in
                fetch.fetchShareMetadataResultBlock = { story.add("fetched \((try? $0.get()) != nil)") }
                fetch.fetchShareMetadataCompletionBlock = { _ in end.resume() }
                CKContainer.default().add(fetch)
            }
            let metadata = try #require(found)
            #expect(metadata.rootRecord?.recordID.recordName == "root" && metadata.rootRecord?.allKeys() == [])
            let data = try NSKeyedArchiver.archivedData(withRootObject: metadata, requiringSecureCoding: true)
            let kept = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.Metadata.self, from: data)
            #expect(kept == metadata)

            let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
            accept.perShareResultBlock = { story.add("\($0 == metadata) \((try? $1.get()) != nil)") }
            accept.perShareCompletionBlock = { story.add("\($1 != nil) \($2 == nil)") }
            await withCheckedContinuation { end in
                accept.acceptSharesResultBlock = { story.add("accepted \((try? $0.get()) != nil)") }
                accept.acceptSharesCompletionBlock = { _ in end.resume() }
                CKContainer.default().add(accept)
            }
            let people = CKFetchShareParticipantsOperation(
                userIdentityLookupInfos: [.init(emailAddress: "maya@example.com"), .init(phoneNumber: "1")])
            people.perShareParticipantResultBlock = { story.add("\($0.phoneNumber ?? "-") \((try? $1.get()) != nil)") }
            await withCheckedContinuation { end in
                people.fetchShareParticipantsCompletionBlock = { _ in end.resume() }
                CKContainer.default().add(people)
            }
        }
        school.reach = { _ in .unreachable }
        school.run(on: 2) {
            let url = try #require(things.url)
            #expect(await code { _ = try await CKContainer.default().shareMetadata(for: url) } == .networkUnavailable)
            let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
            await withCheckedContinuation { end in
                fetch.fetchShareMetadataCompletionBlock = {
                    story.add("\(($0 as? CKError)?.code == .networkUnavailable)")
                    end.resume()
                }
                CKContainer.default().add(fetch)
            }
        }
        #expect(
            story.lines == [
                "true true true", "fetched true", "true true", "true true", "accepted true", "- true", "1 true", "true",
            ])
    }
}
