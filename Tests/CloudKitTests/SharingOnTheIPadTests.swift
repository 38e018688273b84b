import CloudKit
import FleetModel
import Testing

/// Shares between people, by app code on their iPads, the Pad and the Cloud.
@Suite("Sharing on the iPad", .timeLimit(.minutes(20))) struct SharingOnTheIPadTests {
    @Test(
        "A shared root brings what hangs on it to who accepts, a shared zone all of it; others of the zone stay unseen")
    func cover() throws {
        for wholeZone in [false, true] {
            let school = try School(["maya", "omar"])
            let things = SharedThings()
            school.makeZone()
            school.share(things, wholeZone: wholeZone, publicly: .readOnly)
            school.run(on: 2) {
                #expect(try await theirs.allRecordZones().isEmpty)
                let metadata = try await CKContainer.default().shareMetadata(for: try #require(things.url))
                #expect(metadata.participantStatus == .pending && metadata.participantPermission == .readOnly)
                #expect(metadata.containerIdentifier == "iCloud.com.example.notebook")
                #expect(metadata.hierarchicalRootRecordID?.recordName == (wholeZone ? nil : "root"))
                #expect(metadata.share.currentUserParticipant == nil)
            }
            school.accept(things)
            school.run(on: 2) {
                let zones = try await theirs.allRecordZones().map(\.zoneID)
                #expect(zones == [things.zoneID] && things.zoneID.zoneName == "Notes")
                #expect(things.zoneID.ownerName != CKCurrentUserDefaultName)
                let changed = try await theirs.databaseChanges(since: nil)
                #expect(changed.modifications.map(\.zoneID) == zones)
                let page = try await theirs.recordZoneChanges(inZoneWith: things.zoneID, since: nil)
                let names = Set(page.modificationResultsByID.keys.map(\.recordName))
                let share = wholeZone ? CKRecordNameZoneWideShare : things.share?.recordID.recordName ?? ""
                #expect(names == Set(["root", "below", share] + (wholeZone ? ["beside"] : [])))
                let found = try await theirs.record(for: record("below", in: things.zoneID).recordID)
                #expect(found["text"] as? String == "hello" && found.parent?.recordID.zoneID == things.zoneID)
                let me =
                    (try await theirs.record(
                        for: CKRecord.ID(recordName: share, zoneID: things.zoneID)) as? CKShare)?.currentUserParticipant
                #expect(me?.role == .publicUser && me?.acceptanceStatus == .accepted && me?.permission == .readOnly)
                let beside = await code {
                    _ = try await theirs.record(for: record("beside", in: things.zoneID).recordID)
                }
                #expect(beside == (wholeZone ? nil : .unknownItem))
            }
        }
    }

    @Test(
        "Each knows of the other: the owner sees who has come, and what was written is read by both; a conflict brings the server's copy"
    )
    func together() throws {
        let school = try School(["maya", "omar"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, publicly: .readWrite)
        school.accept(things)
        school.run(on: 2) {
            let root = try await theirs.record(for: record("root", in: things.zoneID).recordID)
            root["text"] = "omar's"
            _ = try await theirs.save(root)
            let new = record("new", in: things.zoneID)
            new.setParent(root)
            _ = try await theirs.save(new)
            let loose = await code { _ = try await theirs.save(record("loose", in: things.zoneID)) }
            #expect(loose == .permissionFailure, "it hangs on nothing that is shared")
        }
        school.run(on: 1) {
            #expect(try await mine.record(for: record("root").recordID)["text"] as? String == "omar's")
            #expect(try await mine.record(for: record("new").recordID).recordID.zoneID == zone)
            let share = try #require(things.share)
            let stale = await code { _ = try await mine.save(share) }
            #expect(stale == .serverRecordChanged, "somebody has come since")
            let now = try #require(try await mine.record(for: share.recordID) as? CKShare)
            let omar = try #require(now.participants.last)
            #expect(omar.acceptanceStatus == .accepted && omar.userIdentity.userRecordID != nil)
            #expect(now.participants.count == 2 && now.url == things.url && now.publicPermission == .readWrite)
            do { _ = try await mine.save(share) } catch let error as CKError {
                #expect((error.serverRecord as? CKShare)?.participants.count == 2)
            }
        }
    }

    // MARK: Permissions

    @Test(
        "Who may what: by the link, by name, and by name in place of the link", .serialized,
        arguments: [
            (.none, nil, .permissionFailure, nil), (.readOnly, nil, nil, .permissionFailure),
            (.readWrite, nil, nil, nil),
            (.none, .readOnly, nil, .permissionFailure), (.none, .readWrite, nil, nil),
            (.readWrite, .readOnly, nil, .permissionFailure), (.readOnly, .readWrite, nil, nil),
            (.readWrite, CKShare.ParticipantPermission.none, .permissionFailure, nil),
        ] as [(CKShare.ParticipantPermission, CKShare.ParticipantPermission?, CKError.Code?, CKError.Code?)])
    func permissions(
        _ everybody: CKShare.ParticipantPermission, _ named: CKShare.ParticipantPermission?, _ accepting: CKError.Code?,
        _ writing: CKError.Code?
    ) throws {
        let school = try School(["maya", "omar"])
        let things = SharedThings()
        school.makeZone()
        school.share(
            things, publicly: everybody, inviting: named == nil ? [] : ["omar@example.com"], as: named ?? .none)
        if accepting == nil { school.accept(things) }
        school.run(on: 2) {
            let url = try #require(things.url)
            let refusal = await code { _ = try await CKContainer.default().shareMetadata(for: url) }
            #expect(refusal == accepting)
            guard accepting == nil else {
                #expect(try await theirs.allRecordZones().isEmpty)
                return
            }
            let root = try await theirs.record(for: record("root", in: things.zoneID).recordID)
            root["text"] = "changed"
            let saved = await code { _ = try await theirs.save(root) }
            #expect(saved == writing)
            let gone = await code { try await theirs.deleteRecord(withID: record("below", in: things.zoneID).recordID) }
            #expect(gone == writing)
        }
    }

    // MARK: Losing access

    enum Ending: String, CaseIterable, CustomTestStringConvertible {
        case removed, closed, forbidden, shareDeleted, rootDeleted, zoneDeleted, left
        var testDescription: String { rawValue }
    }
    @Test(
        "However access ends, the zone is told as deleted, nothing of it is read or written any more, and the owner has what was written",
        arguments: Ending.allCases)
    func ending(_ ending: Ending) throws {
        let school = try School(["maya", "omar", "ann"])
        let things = SharedThings()
        school.makeZone()
        let byName = ending == .removed || ending == .forbidden
        school.share(
            things, publicly: byName ? .none : .readWrite,
            inviting: byName ? ["omar@example.com", "ann@example.com"] : [])
        school.accept(things, on: 3)
        school.accept(things)
        school.run(on: 2) {
            things.token = try await theirs.databaseChanges(since: nil).changeToken
            let root = try await theirs.record(for: record("root", in: things.zoneID).recordID)
            root["text"] = "omar's"
            _ = try await theirs.save(root)
        }
        school.run(on: ending == .left ? 2 : 1) {
            let id = try #require(things.share).recordID
            let there = CKRecord.ID(recordName: id.recordName, zoneID: things.zoneID)
            @MainActor func change(_ body: @MainActor (CKShare, CKShare.Participant) -> Void) async throws {
                let share = try #require(try await mine.record(for: id) as? CKShare)
                // Who was invited first; of those who came by the link it does not matter.
                let omar = try #require(share.participants.first { $0.role != .owner })
                body(share, omar)
                _ = try await mine.save(share)
            }
            switch ending {
            case .removed: try await change { $0.removeParticipant($1) }
            case .closed: try await change { share, _ in share.publicPermission = .none }
            case .forbidden:
                try await change {
                    $1.permission = .none
                    $0.addParticipant($1)
                }
            case .shareDeleted: try await mine.deleteRecord(withID: id)
            case .rootDeleted:
                _ = try await mine.modifyRecords(
                    saving: [], deleting: [record("root").recordID, record("below").recordID])
            case .zoneDeleted: try await mine.deleteRecordZone(withID: zone)
            case .left: try await theirs.deleteRecord(withID: there)
            }
        }
        school.run(on: 2) {
            let changes = try await theirs.databaseChanges(since: things.token)
            #expect(changes.deletions.map(\.zoneID) == [things.zoneID] && changes.modifications.isEmpty)
            #expect(try await theirs.allRecordZones().isEmpty)
            let root = record("root", in: things.zoneID)
            #expect(await code { _ = try await theirs.record(for: root.recordID) } == .zoneNotFound)
            #expect(await code { _ = try await theirs.save(root) } == .zoneNotFound)
            let page = await code { _ = try await theirs.recordZoneChanges(inZoneWith: things.zoneID, since: nil) }
            #expect(page == .zoneNotFound)
        }
        school.run(on: 3) {
            let isThere = try await theirs.allRecordZones().count == 1
            #expect(
                isThere == [.removed, .forbidden, .left].contains(ending),
                "Ann is concerned only by what ends the share")
        }
        guard ending != .zoneDeleted, ending != .rootDeleted else { return }
        school.run(on: 1) {
            #expect(try await mine.record(for: record("root").recordID)["text"] as? String == "omar's")
            let hasShare = try await mine.record(for: record("root").recordID).share != nil
            #expect(hasShare == (ending != .shareDeleted))
        }
    }

    @Test("Who has left comes back by the link as before; who was taken out does not")
    func comingBack() throws {
        let school = try School(["maya", "omar"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, publicly: .readWrite)
        school.accept(things)
        school.run(on: 2) {
            let id = CKRecord.ID(recordName: try #require(things.share).recordID.recordName, zoneID: things.zoneID)
            try await theirs.deleteRecord(withID: id)
            #expect(try await theirs.allRecordZones().isEmpty)
        }
        school.accept(things)
        school.run(on: 1) {
            let id = try #require(things.share).recordID
            let share = try #require(try await mine.record(for: id) as? CKShare)
            share.publicPermission = .none
            _ = try await mine.save(share)
        }
        school.run(on: 2) {
            let url = try #require(things.url)
            #expect(await code { _ = try await CKContainer.default().shareMetadata(for: url) } == .permissionFailure)
        }
    }

    // MARK: Pushes

    @Test("A subscription to the shared database tells of what others write, and of the end; after it of nothing")
    func pushes() throws {
        let school = try School(["maya", "omar"])
        let things = SharedThings()
        school.makeZone()
        school.share(things, publicly: .readWrite)
        school.run(on: 2) {
            let all = CKDatabaseSubscription(subscriptionID: "all")
            let info = CKSubscription.NotificationInfo()
            info.shouldSendContentAvailable = true
            all.notificationInfo = info
            try await theirs.save(all)
        }
        school.accept(things)
        func write(_ text: String) {
            school.run(on: 1) {
                let root = try await mine.record(for: record("root").recordID)
                root["text"] = text
                _ = try await mine.save(root)
            }
        }
        func told() -> [CKDatabase.Scope?] {
            school.pushes(2).map {
                (CKNotification(fromRemoteNotificationDictionary: $0) as? CKDatabaseNotification)?.databaseScope
            }
        }
        write("one")
        let first = told().count
        #expect(first > 0 && told().allSatisfy { $0 == .shared })
        school.run(on: 1) { try await mine.deleteRecord(withID: try #require(things.share).recordID) }
        let ended = told().count
        #expect(ended > first)
        write("two")
        #expect(told().count == ended)
    }
}
