import CloudKit
import FleetModel
import PadApp
import Testing

/// App code against the Pad and the Cloud.
@Suite("CloudKit on the iPad", .timeLimit(.minutes(20))) struct OnTheIPadTests {
    @MainActor private static func code(_ body: () async throws -> Void) async -> CKError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? CKError)?.code }
    }

    // MARK: Zones

    @Test("Zones: made, fetched and deleted by operations; one that is not there has its own error")
    func zones() throws {
        let school = try School(["maya"])
        let story = Story()
        school.run {
            let make = CKModifyRecordZonesOperation(
                recordZonesToSave: [CKRecordZone(zoneName: "A"), CKRecordZone(zoneName: "B")])
            make.perRecordZoneSaveBlock = { id, result in story.add("\(id.zoneName) \((try? result.get()) != nil)") }
            await withCheckedContinuation { continuation in
                make.modifyRecordZonesResultBlock = { result in
                    story.add("made \((try? result.get()) != nil)")
                    continuation.resume()
                }
                database.add(make)
            }
            let fetch = CKFetchRecordZonesOperation(recordZoneIDs: [.init(zoneName: "A"), .init(zoneName: "C")])
            fetch.perRecordZoneResultBlock = { id, result in story.add("\(id.zoneName) \((try? result.get()) != nil)") }
            await withCheckedContinuation { continuation in
                fetch.fetchRecordZonesResultBlock = { result in
                    if case .failure(let error) = result {
                        story.add("\((error as? CKError)?.code == .partialFailure)")
                    }
                    continuation.resume()
                }
                database.add(fetch)
            }
            #expect(try await database.allRecordZones().map(\.zoneID.zoneName) == ["A", "B", "_defaultZone"])
            try await database.deleteRecordZone(withID: .init(zoneName: "A"))
            #expect(try await database.allRecordZones().map(\.zoneID.zoneName) == ["B", "_defaultZone"])
        }
        #expect(story.lines == ["A true", "B true", "made true", "A true", "C false", "true"])
    }

    @Test(
        "Zone that is gone: erased by the person 28, by an app 26, after a reset of keys 26 with its key; changes tell why",
        arguments: [
            ("purged", .userDeletedZone, .purged),
            ("deleted", .zoneNotFound, .deleted), ("encryptedDataReset", .zoneNotFound, .encryptedDataReset),
        ] as [(String, CKError.Code, CKDatabase.DatabaseChange.Deletion.Reason)])
    func goneZone(_ word: String, _ code: CKError.Code, _ reason: CKDatabase.DatabaseChange.Deletion.Reason) throws {
        let school = try School(["maya"])
        final class Kept: @unchecked Sendable { var token: CKServerChangeToken? }
        let kept = Kept()
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            kept.token = try await database.databaseChanges(since: nil).changeToken
        }
        #expect(school.tellCloud("cloud.deleteZones", ["account": "maya", "reason": .string(word)])?["ok"] == true)
        school.run {
            let changes = try await database.databaseChanges(since: kept.token)
            #expect(changes.deletions.map(\.zoneID) == [zone] && changes.deletions.map(\.reason) == [reason])
            for call in 0..<3 {
                do {
                    switch call {
                    case 0: try await database.save(record())
                    case 1: _ = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
                    default: _ = try await database.recordZone(for: zone)
                    }
                    Issue.record("call \(call) found the zone")
                } catch let error as CKError {
                    #expect(error.code == code, "call \(call): \(error)")
                    let isReset = error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true
                    #expect(isReset == (reason == .encryptedDataReset), "call \(call)")
                }
            }
            try await database.save(CKRecordZone(zoneID: zone))
            try await database.save(record())
        }
    }

    @Test("Atomic batch: 300 records of one zone in one commit, as on an iPad; one that conflicts sinks them all")
    func largeBatch() throws {
        let school = try School(["maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            let first = (0..<300).map { record("n\($0)") }
            let results = try await database.modifyRecords(saving: first, deleting: [])
            #expect(results.saveResults.values.filter { (try? $0.get()) != nil }.count == 300)
            let again = [record("n299")] + (300..<599).map { record("n\($0)") }
            let refused = try await database.modifyRecords(saving: again, deleting: [])
            let codes = refused.saveResults.mapValues { result in
                if case .failure(let error) = result { (error as? CKError)?.code } else { nil as CKError.Code? }
            }
            #expect(codes[record("n299").recordID] == .serverRecordChanged)
            #expect(codes.values.filter { $0 == .batchRequestFailed }.count == 299)
        }
        #expect(school.requests.filter { $0.hasSuffix("records/modify") }.count == 2)
    }

    // MARK: Long-lived

    @Test(
        "Long-lived operations: each kind is taken up in its own database, with its results",
        arguments: [CKDatabase.Scope.public, .private])
    func longLived(scope: CKDatabase.Scope) throws {
        let school = try School(["maya"])
        school.run {
            let container = CKContainer.default()
            let database = container.database(with: scope)
            let save = CKModifyRecordsOperation(recordsToSave: [record("n1", in: .default)])
            let fetch = CKFetchRecordsOperation(recordIDs: [record("n1", in: .default).recordID])
            let query = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
            query.zoneID = .default
            for operation in [save, fetch, query] as [CKDatabaseOperation] {
                operation.isLongLived = true
                await withCheckedContinuation { continuation in
                    operation.completionBlock = { continuation.resume() }
                    database.add(operation)
                }
            }
            let ids = try await container.allLongLivedOperationIDs()
            #expect(ids == [save.operationID, fetch.operationID, query.operationID])
            let story = Story()
            for id in ids {
                let operation = try #require(
                    try await container.longLivedOperation(for: id) as? CKDatabaseOperation)
                #expect(operation.database?.databaseScope == scope)
                (operation as? CKModifyRecordsOperation)?.perRecordSaveBlock = { id, _ in
                    story.add("saved \(id.recordName)")
                }
                (operation as? CKFetchRecordsOperation)?.perRecordResultBlock = { id, _ in
                    story.add("fetched \(id.recordName)")
                }
                (operation as? CKQueryOperation)?.recordMatchedBlock = { id, _ in story.add("found \(id.recordName)") }
                await withCheckedContinuation { continuation in
                    operation.completionBlock = { continuation.resume() }
                    container.add(operation)
                }
            }
            #expect(story.lines == ["saved n1", "fetched n1", "found n1"])
        }
        #expect(school.requests.filter { $0.contains("/records/") }.count == 3, "nothing is asked again")
    }

    @Test("Low quality of service: the network breaks twice, the app sees nothing but the answer")
    func quality() throws {
        let school = try School(["maya"])
        school.run { try await database.save(CKRecordZone(zoneID: zone)) }
        final class Luck: @unchecked Sendable { var bad = 2 }
        let luck = Luck()
        school.reach = { request in
            guard request.target.contains("records/modify"), luck.bad > 0 else { return nil }
            luck.bad -= 1
            return .connectionLost
        }
        school.run {
            let save = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            save.qualityOfService = .utility
            let result = await withCheckedContinuation { continuation in
                save.modifyRecordsResultBlock = { continuation.resume(returning: $0) }
                database.add(save)
            }
            #expect(throws: Never.self) { try result.get() }
            luck.bad = 1
            #expect(await Self.code { try await database.save(record("n2")) } == .serverResponseLost)
        }
    }

    // MARK: Predicates

    @Test("Query: records within 100 m of a place, by their distance on the globe (S265)")
    func distance() throws {
        let school = try School(["maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            for (name, latitude) in [("here", 52.5200), ("near", 52.5208), ("far", 52.5300)] {
                let place = record(name)
                place["place"] = CLLocation(latitude: latitude, longitude: 13.405)
                try await database.save(place)
            }
            let school = CLLocation(latitude: 52.52, longitude: 13.405)
            let query = CKQuery(
                recordType: "Note",
                predicate: NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < 100", school))
            let found = try await database.records(matching: query, inZoneWith: zone).matchResults
            #expect(found.map(\.0.recordName) == ["here", "near"])
            let back = try found.first?.1.get()["place"] as? CLLocation
            #expect(back == school)
        }
    }

    @Test("Query: records that hold all the words, without case and marks, in any of their texts (S266)")
    func words() throws {
        let school = try School(["maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            for (name, title, text) in [("a", "Crème", "twice baked"), ("b", "Cake", "baked"), ("c", "Creme", "raw")] {
                let note = record(name)
                note["title"] = title
                note["text"] = text
                try await database.save(note)
            }
            func found(_ format: String) async throws -> [String] {
                let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: format))
                return try await database.records(matching: query, inZoneWith: zone).matchResults.map(\.0.recordName)
            }
            #expect(try await found("self CONTAINS 'creme'") == ["a", "c"])
            #expect(try await found("self CONTAINS 'creme' AND self CONTAINS 'BAKED'") == ["a"])
            #expect(try await found("ALL tokenize('baked creme', 'Cdl') IN allTokens") == ["a"])
            #expect(try await found("ANY tokenize('cake raw', 'Cdl') IN allTokens") == ["b", "c"])
            #expect(await Self.code { _ = try await found("text LIKE 'b*'") } == .invalidArguments)
        }
    }

    // MARK: People

    @Test("User record: 9 while Documents & Data are off, though the account is available")
    func documentsOff() throws {
        let school = try School(["maya"])
        school.tell(1, "identity.change", ["to": "withoutDocuments"])
        school.run {
            let status = try await CKContainer.default().accountStatus()
            #expect(status == .available)
            #expect(await Self.code { _ = try await CKContainer.default().userRecordID() } == .notAuthenticated)
        }
        school.tell(1, "identity.change", ["to": "own"])
        school.run {
            let name = try await CKContainer.default().userRecordID().recordName
            #expect(name.hasPrefix("_"))
        }
    }

    @Test("Restricted account: 32, but 9 for the user record")
    func restricted() throws {
        let school = try School(["maya"])
        school.tell(1, "identity.change", ["to": "restricted"])
        school.run {
            #expect(await Self.code { try await database.save(record()) } == .managedAccountRestricted)
            #expect(await Self.code { _ = try await CKContainer.default().userRecordID() } == .notAuthenticated)
        }
    }

    /// Omar has opted in, Ann has not; both are in Maya's address book, with somebody who has no account.
    private func people() throws -> School {
        let school = try School(["maya", "omar"])
        school.tellCloud(
            "cloud.account",
            [
                "account": "omar", "firstName": "Omar", "lastName": "Said", "discoverable": true,
                "emailAddress": "omar@school.org", "phoneNumber": "+491",
            ])
        school.tellCloud("cloud.account", ["account": "ann", "firstName": "Ann", "emailAddress": "ann@school.org"])
        school.tellCloud(
            "cloud.account",
            ["account": "maya", "contacts": ["ann@school.org", "nobody@school.org", "omar@school.org"]])
        return school
    }

    @Test("Discovery: by record name, address and number, and the whole address book (S281)")
    func discovery() throws {
        let school = try people()
        final class Kept: @unchecked Sendable { var id: CKRecord.ID? }
        let kept = Kept()
        school.run(on: 2) { kept.id = try await CKContainer.default().userRecordID() }
        school.run {
            let container = CKContainer.default()
            let id = try #require(kept.id)
            let found = [
                try await container.userIdentity(forUserRecordID: id),
                try await container.userIdentity(forEmailAddress: "omar@school.org"),
                try await container.userIdentity(forPhoneNumber: "+491"),
                try await container.allUserIdentitiesFromContacts().first,
            ]
            #expect(found.map { $0?.userRecordID } == [id, id, id, id])
            #expect(found[1]?.lookupInfo?.emailAddress == "omar@school.org")
        }
    }

    @Test("Discovery: name and record ID of whoever opted in, nothing of others; the permission says which (S282)")
    func optedIn() throws {
        let school = try people()
        school.run {
            let container = CKContainer.default()
            let omar = try #require(try await container.userIdentity(forEmailAddress: "omar@school.org"))
            #expect(omar.nameComponents?.givenName == "Omar" && omar.nameComponents?.familyName == "Said")
            #expect(omar.hasiCloudAccount)
            #expect(try await container.userIdentity(forEmailAddress: "ann@school.org") == nil)
            #expect(try await container.applicationPermissionStatus(for: .userDiscoverability) == .denied)
        }
        school.run(on: 2) {
            let status = try await CKContainer.default().requestApplicationPermission(.userDiscoverability)
            #expect(status == .granted)
        }
        school.reach = { _ in .unreachable }
        school.run {
            let code = await Self.code {
                _ = try await CKContainer.default().applicationPermissionStatus(for: .userDiscoverability)
            }
            #expect(code == .networkUnavailable)
        }
    }

    @Test("Discovery: the app sees no address that does not match, and asks for no permission (S283)")
    func addressBook() throws {
        let school = try people()
        school.run {
            let found = try await CKContainer.default().allUserIdentitiesFromContacts()
            #expect(found.map { $0.lookupInfo?.emailAddress } == ["omar@school.org"])
        }
        school.run(on: 2) {
            let found = try await CKContainer.default().allUserIdentitiesFromContacts()
            #expect(found.isEmpty)
        }
    }
}
