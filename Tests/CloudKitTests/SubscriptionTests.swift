import CloudKit
import FleetModel
import PadApp
import Testing

/// App code against the Pad and the Cloud.
@Suite("Subscriptions on the iPad", .timeLimit(.minutes(20))) struct SubscriptionTests {
    private static func note(_ name: String, _ text: String, in zone: CKRecordZone.ID = zone) -> CKRecord {
        let note = record(name, in: zone)
        note["text"] = text
        return note
    }
    private static func subscription(
        _ options: CKQuerySubscription.Options, id: String = "s1", _ format: String = "text BEGINSWITH 'math'"
    ) -> CKQuerySubscription {
        let made = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: format), subscriptionID: id, options: options)
        made.notificationInfo = CKSubscription.NotificationInfo()
        made.notificationInfo?.shouldSendContentAvailable = true
        return made
    }
    private func read(_ push: Value) throws -> CKQueryNotification {
        try #require(CKNotification(fromRemoteNotificationDictionary: push) as? CKQueryNotification)
    }

    @Test("Query subscription: a record of its type that matches is pushed to the other iPad, whoever saved it (S270)")
    func matches() throws {
        let school = try School(["maya", "maya", "maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            try await database.save(Self.subscription([.firesOnRecordCreation]))
        }
        for (pad, names) in [(2, ["n1", "n2"]), (3, ["n3"])] {
            school.run(on: pad) {
                for name in names { try await database.save(Self.note(name, name == "n2" ? "art" : "math \(name)")) }
                let other = CKRecord(
                    recordType: "Draft", recordID: CKRecord.ID(recordName: "d-\(pad)", zoneID: zone))
                other["text"] = "math"
                try await database.save(other)
            }
        }
        let found = try school.pushes(1).map(read)
        #expect(found.map { $0.recordID?.recordName } == ["n1", "n3"])
        #expect(found.allSatisfy { $0.recordID?.zoneID == zone && $0.databaseScope == .private && !$0.isPruned })
        // The one who saves hears of the others alone.
        #expect(try school.pushes(3).map(read).map { $0.recordID?.recordName } == ["n1"])
    }

    @Test(
        "Query subscription: made, stored, then another person's iPad saves, the server matches and pushes (S271)")
    func steps() throws {
        let school = try School(["maya", "omar"])
        let all = CKDatabase.Scope.public
        school.run {
            let database = CKContainer.default().database(with: all)
            let made = Self.subscription([.firesOnRecordCreation])
            let operation = CKModifySubscriptionsOperation(subscriptionsToSave: [made])
            let story = Story()
            await withCheckedContinuation { continuation in
                operation.perSubscriptionSaveBlock = { id, result in story.add("\(id) \((try? result.get()) != nil)") }
                operation.modifySubscriptionsResultBlock = { result in
                    story.add("\((try? result.get()) != nil)")
                    continuation.resume()
                }
                database.add(operation)
            }
            #expect(story.lines == ["s1 true", "true"])
            let stored = try #require(try await database.subscription(for: "s1") as? CKQuerySubscription)
            #expect(stored.recordType == "Note" && stored.querySubscriptionOptions == [.firesOnRecordCreation])
            #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["s1"])
        }
        #expect(school.pushes(1).isEmpty)
        school.run(on: 2) {
            try await CKContainer.default().publicCloudDatabase.save(Self.note("n1", "math", in: .default))
        }
        let push = try read(try #require(school.pushes(1).first))
        #expect(push.subscriptionID == "s1" && push.containerIdentifier == "iCloud.com.example.notebook")
        #expect(push.databaseScope == .public && push.recordID?.recordName == "n1")
        #expect(school.pushes(2).isEmpty)
        school.run {
            let database = CKContainer.default().publicCloudDatabase
            try await database.deleteSubscription(withID: "s1")
            await #expect(throws: CKError.self) { try await database.subscription(for: "s1") }
        }
        school.run(on: 2) {
            try await CKContainer.default().publicCloudDatabase.save(Self.note("n2", "math", in: .default))
        }
        #expect(school.pushes(1).count == 1)
    }

    @Test(
        "Query subscription: fires on creation, update or deletion as its options say, or once (S273)",
        arguments: [
            (.firesOnRecordCreation, [.recordCreated]),
            (.firesOnRecordUpdate, [.recordUpdated]), (.firesOnRecordDeletion, [.recordDeleted]),
            ([.firesOnRecordCreation, .firesOnRecordDeletion], [.recordCreated, .recordDeleted]),
            ([.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnce], [.recordCreated]),
        ] as [(CKQuerySubscription.Options, [CKQueryNotification.Reason])])
    func options(_ options: CKQuerySubscription.Options, _ reasons: [CKQueryNotification.Reason]) throws {
        let school = try School(["maya", "maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            try await database.save(Self.subscription(options))
        }
        school.run(on: 2) {
            let saved = try await database.save(Self.note("n1", "math"))
            saved["text"] = "maths"
            try await database.save(saved)
            try await database.deleteRecord(withID: saved.recordID)
        }
        #expect(try school.pushes(1).map(read).map(\.queryNotificationReason) == reasons)
        school.run {
            let left = try await database.allSubscriptions()
            #expect(left.isEmpty == options.contains(.firesOnce))
        }
    }

    @Test("Notification info: alert, its key, sound, badge, category and wanted fields come with the push (S274)")
    func info() throws {
        let school = try School(["maya", "maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            let subscription = Self.subscription([.firesOnRecordCreation])
            let info = CKSubscription.NotificationInfo()
            info.alertBody = "A note came"
            info.alertLocalizationKey = "NOTE_%@"
            info.alertLocalizationArgs = ["text"]
            info.title = "Notes"
            info.soundName = "ping.caf"
            info.shouldBadge = true
            info.category = "note"
            info.desiredKeys = ["text", "pages"]
            subscription.notificationInfo = info
            try await database.save(subscription)
            let stored = try await database.subscription(for: "s1").notificationInfo
            #expect(stored?.soundName == "ping.caf" && stored?.shouldBadge == true)
            #expect(stored?.desiredKeys == ["text", "pages"] && stored?.alertLocalizationArgs == ["text"])
        }
        school.run(on: 2) {
            let note = Self.note("n1", "math")
            note["pages"] = 3
            try await database.save(note)
        }
        let push = try read(try #require(school.pushes(1).first))
        #expect(push.alertBody == "A note came" && push.alertLocalizationKey == "NOTE_%@" && push.title == "Notes")
        #expect(push.alertLocalizationArgs == ["text"] && push.soundName == "ping.caf" && push.badge == 1)
        #expect(push.category == "note")
        #expect(push.recordFields?["text"] as? String == "math" && push.recordFields?["pages"] as? NSNumber == 3)
    }

    @Test("Zone and database subscriptions: the push is of their kind; what never holds is refused")
    func kinds() throws {
        let school = try School(["maya", "maya"])
        school.run {
            try await database.save(CKRecordZone(zoneID: zone))
            try await database.save(CKRecordZoneSubscription(zoneID: zone, subscriptionID: "z"))
            try await database.save(CKDatabaseSubscription(subscriptionID: "d"))
            #expect(try await database.allSubscriptions().map(\.subscriptionType) == [.database, .recordZone])
            await #expect(throws: CKError.self) {
                try await database.save(Self.subscription([.firesOnRecordCreation], id: "never", "FALSEPREDICATE"))
            }
        }
        school.run(on: 2) { try await database.save(Self.note("n1", "math")) }
        let found = school.pushes(1).compactMap(CKNotification.init(fromRemoteNotificationDictionary:))
        #expect(found.compactMap { ($0 as? CKRecordZoneNotification)?.recordZoneID } == [zone])
        #expect(found.compactMap { ($0 as? CKDatabaseNotification)?.databaseScope } == [.private])
        #expect(school.pushes(1).allSatisfy { CKQueryNotification(fromRemoteNotificationDictionary: $0) == nil })
    }
}
