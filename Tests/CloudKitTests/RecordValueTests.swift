import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("Values of records", .timeLimit(.minutes(20))) struct RecordValueTests {
    @Test("Numbers of every width, and Foundation's objects, go to the server as one of its kinds and come back")
    func kinds() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let sent = record()
            let numbers: [(String, any CKRecordValueProtocol)] = [
                ("int8", Int8(-8)), ("int16", Int16(16)), ("int32", Int32(32)), ("int64", Int64.max),
                ("uint", UInt(7)), ("uint8", UInt8(8)), ("uint16", UInt16(16)), ("uint32", UInt32.max),
                ("uint64", UInt64(64)), ("float", Float(0.5)), ("nsnumber", NSNumber(value: 5)),
                ("nsbool", NSNumber(value: true)),
            ]
            for (key, number) in numbers { sent[key] = number }
            sent["nsstring"] = NSString("text")
            sent["nsdate"] = NSDate(timeIntervalSince1970: 1_788_249_600)
            sent["nsdata"] = NSData(data: Data([1, 2]))
            sent["nsarray"] = NSArray(array: ["a", "b"])
            sent["mixed"] = NSArray(array: ["a", NSObject()])
            let back = try await database.save(sent)
            #expect(back["int8"] == Int8(-8) && back["int16"] == Int16(16) && back["int32"] == Int32(32))
            #expect(back["int64"] == Int64.max && back["uint"] == UInt(7) && back["uint8"] == UInt8(8))
            #expect(back["uint16"] == UInt16(16) && back["uint32"] == UInt32.max && back["uint64"] == UInt64(64))
            #expect(back["float"] == Float(0.5) && back["nsnumber"] == 5 && back["nsbool"] == true)
            #expect(back["nsstring"] == "text" && back["nsdata"] == Data([1, 2]))
            #expect(back["nsstring"] as? NSString == "text" && back["nsnumber"] as? NSNumber == 5)
            #expect(back["nsdate"] == Date(timeIntervalSince1970: 1_788_249_600))
            #expect(back["nsarray"] == ["a", "b"] && back["mixed"] == nil)
        }
        func type(_ key: String) -> Value? { pad.sent()["fields"]?[key]?["type"] }
        let whole = [
            "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "nsnumber", "nsbool",
        ]
        #expect(whole.allSatisfy { type($0) == "INT64" } && type("float") == "DOUBLE" && type("nsstring") == "STRING")
        #expect(type("nsdate") == "TIMESTAMP" && type("nsdata") == "BYTES" && type("nsarray") == "STRING_LIST")
        #expect(type("mixed") == nil)
    }

    @Test("Subscripts: the type that is wanted, or nil; Apple's casts")
    func subscripts() {
        ScriptedPad().run {
            let note = record()
            note["title"] = "hello" as CKRecordValue
            note["count"] = 3 as NSNumber
            note.setObject(true as CKRecordValue, forKey: "done")
            let title: String? = note["title"]
            let count: Int? = note["count"]
            let wrong: Int? = note["title"]
            #expect(title == "hello" && count == 3 && wrong == nil)
            #expect(note["title"] as? String == "hello" && note.object(forKey: "done") as? Bool == true)
            #expect(note.value(for: "count") == 3)
            let absent: String? = nil
            note["title"] = absent
            #expect(note["title"] == nil && note.allKeys() == ["count", "done"])
        }
    }

    @Test("A record is a sequence of its fields, in the order of their names")
    func sequence() {
        ScriptedPad().run {
            let note = record()
            (note["b"], note["a"]) = (2, "x y! Z")
            #expect(note.map(\.0) == ["a", "b"])
            var iterator = note.makeIterator()
            #expect(
                iterator.next()?.1 as? String == "x y! Z" && iterator.next()?.1 as? Int == 2 && iterator.next() == nil)
            #expect(note.allTokens() == ["x", "y", "z"])
        }
    }

    @Test(
        "Encrypted values: nothing of them in the record's own fields; they go out with their own type, marked as encrypted"
    )
    func encrypted() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let note = record()
            note["open"] = "seen"
            note.encryptedValues["secret"] = "kept"
            note.encryptedValues["list"] = [1, 2]
            #expect(note["secret"] == nil && note.allKeys() == ["open"])
            #expect(note.encryptedValues.allKeys() == ["list", "secret"])
            #expect(note.encryptedValues.changedKeys() == ["list", "secret"])
            #expect(note.changedKeys() == ["list", "open", "secret"])
            let back = try await database.save(note)
            #expect(back.encryptedValues["secret"] == "kept" && back["secret"] == nil)
            let list: [Int]? = back.encryptedValues["list"]
            #expect(list == [1, 2] && back.encryptedValues.changedKeys() == [])
            back.encryptedValues["secret"] = nil
            #expect(back.encryptedValues.allKeys() == ["list"] && back.changedKeys() == ["secret"])
            back["list"] = "plain"
            #expect(back.encryptedValues["list"] == nil && back["list"] == "plain")
        }
        #expect(
            pad.sent()["fields"]?["secret"] == ["value": "kept", "type": "STRING", "isEncrypted": true]
                && pad.sent()["fields"]?["open"] == ["value": "seen", "type": "STRING"])
    }

    @Test("Desired keys: of fetches by name, of changes, and none of them for metadata alone")
    func desiredKeys() {
        let wire: Value = [
            "recordName": "n1", "recordType": "Note", "recordChangeTag": "t1",
            "fields": ["a": ["value": 1], "b": ["value": 2]],
        ]
        let pad = ScriptedPad { _ in
            ["records": [wire], "deleted": [], "token": "k", "moreComing": false, "errors": .empty]
        }
        let story = Story()
        pad.run {
            let id = record("n1").recordID
            for keys in [nil, ["a"], []] as [[String]?] {
                story.add("\(try await database.records(for: [id], desiredKeys: keys)[id]?.get().allKeys() ?? [])")
                let fetch = CKFetchRecordsOperation(recordIDs: [id])
                fetch.desiredKeys = keys
                fetch.perRecordResultBlock = { story.add("\((try? $1.get())?.allKeys() ?? [])") }
                let settings = CKFetchRecordZoneChangesOperation.ZoneConfiguration(desiredKeys: keys)
                let changes = CKFetchRecordZoneChangesOperation(
                    recordZoneIDs: [zone], configurationsByRecordZoneID: [zone: settings])
                changes.recordWasChangedBlock = { story.add("\((try? $1.get())?.allKeys() ?? [])") }
                for operation in [fetch, changes] as [CKDatabaseOperation] {
                    await withCheckedContinuation { continuation in
                        operation.completionBlock = { continuation.resume() }
                        database.add(operation)
                    }
                }
                let page = try await database.recordZoneChanges(inZoneWith: zone, since: nil, desiredKeys: keys)
                let result = page.modificationResultsByID[id]
                story.add("\(try result?.get().record.allKeys() ?? [])")
            }
        }
        let (all, one, none) = ("[\"a\", \"b\"]", "[\"a\"]", "[]")
        #expect(story.lines == [all, all, all, all, one, one, one, one, none, none, none, none])
    }

    @Test("Constants are Apple's")
    func constants() {
        #expect(CKCurrentUserDefaultName == "__defaultOwner__" && CKOwnerDefaultName == CKCurrentUserDefaultName)
        #expect(
            CKRecordZoneDefaultName == "_defaultZone"
                && CKRecordZone.default().zoneID.zoneName == CKRecordZoneDefaultName)
        #expect(CKRecordNameZoneWideShare == "cloudkit.zoneshare" && CKRecordTypeShare == "cloudkit.share")
        #expect(CKRecord.SystemType.userRecord == "Users" && CKRecord.SystemType.share == CKRecordTypeShare)
        #expect(CKRecord.SystemFieldKey.parent == "parent" && CKRecord.SystemFieldKey.share == "share")
        #expect(CKShareTitleKey == "cloudkit.title" && CKQueryOperationMaximumResults == 0)
        #expect(CKRecordZone(zoneName: "A").capabilities.contains([.fetchChanges, .atomic]))
        #expect(CKRecordZone.default().capabilities.isEmpty && CKRecordZone.Capabilities.zoneWideSharing.rawValue == 8)
    }

    @Test("Sorting by distance goes along with the query, and out of an archive again")
    func sorting() throws {
        let pad = ScriptedPad { _ in ["records": []] }
        pad.run {
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n > %@", 3))
            query.sortDescriptors = [
                CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2)),
                NSSortDescriptor(key: "creationDate", ascending: false),
            ]
            let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
            let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
            #expect(back.sortDescriptors == query.sortDescriptors)
            for query in [query, back, query.copy() as? CKQuery].compactMap({ $0 }) {
                _ = try await database.records(matching: query)
            }
        }
        let place: Value = [
            "fieldName": "place", "ascending": true, "relativeLocation": ["latitude": 1.0, "longitude": 2.0],
        ]
        #expect(pad.asked.count == 3 && Set(pad.asked.map { $0["query"] }).count == 1)
        #expect(pad.asked.first?["query"]?["sortBy"]?.array?.first == place)
    }
}

extension CKRecord {
    /// A helper as apps have it: generic over the types of fields.
    func value<T: CKRecordValueProtocol>(for key: String) -> T? { self[key] }
}
