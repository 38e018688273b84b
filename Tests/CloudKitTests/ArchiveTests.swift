import CloudKit
import FleetModel
import PadApp
import Testing

/// `NSSecureCoding`, `NSCopying` and equality of CloudKit's objects.
@Suite("Archives, copies, equality", .timeLimit(.minutes(20))) struct ArchiveTests {
    private static func back<T: NSObject & NSSecureCoding>(_ object: T) throws -> T? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
    }
    /// Archived and read back, and copied: equal both times.
    private static func keeps<T: NSObject & NSSecureCoding & NSCopying>(_ object: T, _ other: T) throws -> Bool {
        let copy = object.copy() as? T
        return try back(object) == object && copy == object && object.hash == copy?.hash && object != other
    }

    @Test("Names, references, zones, tokens, places, subscriptions, what they say of a push: equal by content")
    func values() {
        ScriptedPad().run {
            let other = CKRecordZone.ID(zoneName: "Other", ownerName: "_omar")
            #expect(try Self.keeps(zone, other))
            #expect(try Self.keeps(other, CKRecordZone.ID(zoneName: "Other", ownerName: nil)))
            let id = CKRecord.ID(recordName: "n1", zoneID: zone)
            #expect(try Self.keeps(id, CKRecord.ID(recordName: "n1", zoneID: other)))
            #expect(
                try Self.keeps(
                    CKRecord.Reference(recordID: id, action: .deleteSelf),
                    CKRecord.Reference(recordID: id, action: .none)))
            #expect(try Self.keeps(CKRecordZone(zoneID: zone), CKRecordZone(zoneID: other)))
            #expect(try Self.keeps(CLLocation(latitude: 1, longitude: 2), CLLocation(latitude: 2, longitude: 1)))
            #expect(try Self.keeps(CKUserIdentity.LookupInfo(phoneNumber: "1"), .init(emailAddress: "1")))
            let info = CKSubscription.NotificationInfo(
                alertBody: "new", alertLocalizationArgs: ["text"], titleLocalizationKey: "title",
                subtitleLocalizationArgs: ["a"], desiredKeys: ["text"], shouldBadge: true, collapseIDKey: "c")
            #expect(
                info.subtitleLocalizationArgs == ["a"] && info.alertLocalizationArgs == ["text"] && info.shouldBadge)
            #expect(try Self.keeps(info, CKSubscription.NotificationInfo(alertBody: "new")))
            let subscriptions: [CKSubscription] = [
                CKDatabaseSubscription(subscriptionID: "s"),
                CKRecordZoneSubscription(zoneID: zone, subscriptionID: "s"),
                CKQuerySubscription(
                    recordType: "Note", predicate: NSPredicate(format: "n > 3"), subscriptionID: "s",
                    options: [.firesOnRecordCreation, .firesOnce]),
            ]
            for subscription in subscriptions {
                subscription.notificationInfo = CKSubscription.NotificationInfo(title: "t")
            }
            let kinds = [CKDatabaseSubscription.self, CKRecordZoneSubscription.self, CKQuerySubscription.self]
            for (subscription, kind) in zip(subscriptions, kinds as [CKSubscription.Type]) {
                let data = try NSKeyedArchiver.archivedData(withRootObject: subscription, requiringSecureCoding: true)
                let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: kind, from: data)
                #expect(back == subscription && back?.notificationInfo?.title == "t")
                #expect(subscription.copy() as? CKSubscription == subscription)
            }
            #expect(subscriptions[0] != subscriptions[1])
        }
    }

    @Test(
        "A record: its fields and what changed in them; a copy changes alone; two records are equal only if they are one"
    )
    func records() {
        let pad = ScriptedPad { savesAll($0, tag: "t3") }
        pad.run {
            let fresh = record()
            (fresh["a"], fresh["b"]) = (1, "two")
            fresh.encryptedValues["c"] = 3
            let known = try await database.save(fresh)
            known["b"] = "changed"
            let back = try #require(try Self.back(known))
            #expect(back["a"] == 1 && back["b"] == "changed" && back.encryptedValues["c"] == 3)
            #expect(back.changedKeys() == ["b"] && back.recordChangeTag == "t3" && back.recordID == known.recordID)
            #expect(back != known && known == known)
            let copy = try #require(known.copy() as? CKRecord)
            copy["a"] = 9
            #expect(known["a"] == 1 && copy.changedKeys() == ["a", "b"])
            try await database.save(back)
        }
        #expect(pad.sent(1)["fields"]?.object?.keys == ["b"] && pad.sent(1)["recordChangeTag"] == "t3")
    }

    @Test("A record of somebody else's zone keeps the zone's owner, in its system fields too")
    func owner() {
        ScriptedPad().run {
            let note = record(in: CKRecordZone.ID(zoneName: "Notes", ownerName: "_omar"))
            #expect(try Self.back(note)?.recordID == note.recordID)
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            note.encodeSystemFields(with: archiver)
            archiver.finishEncoding()
            let back = CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
            #expect(back?.recordID.zoneID.ownerName == "_omar")
        }
    }

    @Test("Foreign and damaged archives are no record, and never a trap")
    func damaged() {
        ScriptedPad().run {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.encode("{}" as NSString, forKey: "CKRecordSystemFields")
            archiver.finishEncoding()
            #expect(CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)) == nil)
            let empty = NSKeyedArchiver(requiringSecureCoding: true)
            empty.finishEncoding()
            let reader = try NSKeyedUnarchiver(forReadingFrom: empty.encodedData)
            #expect(
                CKRecord.ID(coder: reader) == nil && CKQuery(coder: reader) == nil && CKRecordZone(coder: reader) == nil
            )
            #expect(CKDatabaseSubscription(coder: reader) == nil && CKUserIdentity.LookupInfo(coder: reader) == nil)
        }
    }

    @Test("A cursor goes on after a relaunch")
    func cursor() {
        let pad = ScriptedPad { _ in ["records": [], "cursor": "c1"] }
        pad.run {
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
            let cursor = try #require(try await database.records(matching: query, inZoneWith: zone).queryCursor)
            _ = try await database.records(continuingMatchFrom: try #require(try Self.back(cursor)))
        }
        #expect(pad.asked.last?["cursor"] == "c1" && pad.asked.last?["zone"] == "Notes")
        #expect(pad.asked.last?["query"] == pad.asked.first?["query"])
    }
}

extension ArchiveTests {
    @Test("No text of an object holds an address: a log says the same in each run")
    func descriptions() {
        ScriptedPad { _ in ["records": [], "cursor": "c1"] }.run {
            let id = record("n1").recordID
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
            let objects: [NSObject?] = [
                record("n1"), id, zone, CKRecordZone(zoneID: zone), CKRecord.Reference(recordID: id, action: .none),
                CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a")), CLLocation(latitude: 1, longitude: 2), query,
                try await database.records(matching: query).queryCursor, NSSortDescriptor(key: "a", ascending: true),
                CKFetchRecordZoneChangesOperation.ZoneConfiguration(), CKOperation.Configuration(), CKOperationGroup(),
                CKModifyRecordsOperation(), CKDatabaseSubscription(subscriptionID: "s"),
                CKSubscription.NotificationInfo(), database, CKContainer.default(),
                CKUserIdentity.LookupInfo(phoneNumber: "1"),
                CKNotification(fromRemoteNotificationDictionary: ["ck": ["met": ["sid": "s"]]] as Value),
            ]
            for object in objects.compactMap({ $0 }) {
                #expect(!"\(object)".contains("0x"), "\(object)")
                #expect(object.hash != ObjectIdentifier(object).hashValue, "\(object)")
            }
            #expect(objects.allSatisfy { $0 != nil })
        }
    }
}
