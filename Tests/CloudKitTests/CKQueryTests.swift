import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("CKQuery", .timeLimit(.minutes(20))) struct CKQueryTests {
    private let noteWire: Value = [
        "recordName": "n1", "recordType": "Note", "recordChangeTag": "t1", "zoneID": ["zoneName": "Other"],
        "fields": ["text": ["value": "hello", "type": "STRING"]],
    ]
    /// The filters that a predicate becomes, or the message of its refusal.
    private func filters(_ format: String, _ args: Any...) -> Value {
        // `Any...` cannot be handed on.
        let predicate =
            switch args.count {
            case 0: NSPredicate(format: format)
            case 1: NSPredicate(format: format, args[0])
            default: NSPredicate(format: format, args[0], args[1])
            }
        let pad = ScriptedPad { _ in ["records": []] }
        let told = Told()
        pad.run {
            do { _ = try await database.records(matching: CKQuery(recordType: "Note", predicate: predicate)) } catch {
                told.message = (error as? CKError)?.message ?? "\(error)"
                #expect((error as? CKError)?.code == .invalidArguments)
            }
        }
        return pad.asked.first?["query"]?["filterBy"] ?? .string(told.message)
    }
    private final class Told: @unchecked Sendable {
        var message = ""
    }

    @Test("Records are found by a query and its operation; the other operations want names (S110)")
    func found() {
        let pad = ScriptedPad { message in
            switch message.name {
            case "ck.query" where message["cursor"] == nil: ["records": [noteWire], "cursor": "c1"]
            case "ck.query": ["records": []]
            default: ["records": [noteWire], "errors": ["n2": failure(11)]]
            }
        }
        let told = Told()
        pad.run {
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "text = 'hello'"))
            query.sortDescriptors = [
                NSSortDescriptor(key: "modificationDate", ascending: false),
                NSSortDescriptor(key: "text", ascending: true),
            ]
            let operation = CKQueryOperation(query: query)
            operation.resultsLimit = 5
            operation.desiredKeys = ["text"]
            operation.recordMatchedBlock = { id, result in
                told.message += "\(id.recordName) in \(id.zoneID.zoneName), "
                #expect((try? result.get())?["text"] as? String == "hello")
            }
            operation.queryResultBlock = { result in
                guard case .success(let cursor?) = result else { Issue.record("no cursor"); return }
                let next = CKQueryOperation(cursor: cursor)
                next.queryResultBlock = { if case .success(nil) = $0 { told.message += "end, " } }
                database.add(next)
            }
            database.add(operation)
            let fetch = CKFetchRecordsOperation(recordIDs: [record("n1").recordID, record("n2").recordID])
            fetch.perRecordResultBlock = { id, result in
                told.message += "\(id.recordName) \((try? result.get()) == nil ? "missing" : "there"), "
            }
            fetch.fetchRecordsResultBlock = { result in
                guard case .failure(let error) = result else { return }
                told.message += "\((error as? CKError)?.code == .partialFailure), "
            }
            database.add(fetch)
        }
        #expect(told.message == "n1 in Other, n1 there, n2 missing, true, end, ")
        #expect(pad.asked.map(\.name) == ["ck.query", "ck.lookup", "ck.query"])
        let sort: Value = [
            ["ascending": false, "systemFieldName": "modifiedTimestamp"], ["ascending": true, "fieldName": "text"],
        ]
        #expect(pad.asked[0]["query"]?["sortBy"] == sort)
        #expect(pad.asked[0]["limit"] == 5 && pad.asked[0]["desiredKeys"] == ["text"])
        #expect(pad.asked[2]["cursor"] == "c1" && pad.asked[2]["query"] == pad.asked[0]["query"])
        #expect(pad.asked[1]["names"] == ["n1", "n2"])
    }

    @Test("Predicates: comparisons joined by AND, NOT, lists, arguments, metadata")
    func predicates() {
        func one(_ comparator: String, _ value: Value, _ type: String, field: String = "n") -> Value {
            [
                "comparator": .string(comparator), "fieldName": .string(field),
                "fieldValue": ["value": value, "type": .string(type)],
            ]
        }
        #expect(filters("TRUEPREDICATE") == [])
        #expect(
            filters("n >= 3 AND name BEGINSWITH \"a b\"") == [
                one("GREATER_THAN_OR_EQUALS", 3, "INT64"), one("BEGINS_WITH", "a b", "STRING", field: "name"),
            ])
        #expect(filters("%K == %@", "n", 2.5) == [one("EQUALS", 2.5, "DOUBLE")])
        #expect(filters("NOT (n = 1)") == [one("NOT_EQUALS", 1, "INT64")])
        #expect(filters("n IN %@", [1, 2]) == [one("IN", [1, 2], "INT64_LIST")])
        #expect(filters("n IN {1, 2}") == [one("IN", [1, 2], "INT64_LIST")])
        #expect(
            filters("n BETWEEN {1, 9}") == [
                one("GREATER_THAN_OR_EQUALS", 1, "INT64"), one("LESS_THAN_OR_EQUALS", 9, "INT64"),
            ])
        #expect(filters("tags CONTAINS 'x' && done = TRUE").array?.count == 2)
        #expect(filters("ANY tags CONTAINS 'x'") == [one("LIST_CONTAINS", "x", "STRING", field: "tags")])
        #expect(
            filters("SOME tags IN {'x', 'y'}") == [one("LIST_CONTAINS_ANY", ["x", "y"], "STRING_LIST", field: "tags")])
        // Whether a list has a member, in four ways; and that it has not.
        let member = one("LIST_CONTAINS", "x", "STRING", field: "tags")
        for text in ["tags CONTAINS 'x'", "ANY tags = 'x'", "SOME tags == 'x'", "'x' IN tags", "'x' in tags"] {
            #expect(filters(text) == [member], "\(text)")
        }
        #expect(filters("%@ IN %K", "x", "tags") == [member])
        #expect(filters("3 IN n AND m = 1").array?.first == one("LIST_CONTAINS", 3, "INT64"))
        for text in ["NOT ANY tags = 'x'", "NOT 'x' IN tags", "NOT ('x' IN tags)"] {
            #expect(filters(text).array?.first?["comparator"] == "NOT_LIST_CONTAINS", "\(text)")
        }
        #expect(filters("NOT ANY tags IN %@", ["x"]).array?.first?["comparator"] == "NOT_LIST_CONTAINS_ANY")
        #expect(filters("(n = 1 AND (m = 2 AND TRUEPREDICATE))").array?.count == 2)
        #expect(filters("creationDate > 5").array?.first?["systemFieldName"] == "createdTimestamp")
    }

    @Test("Predicate: within a radius of a place (S265)")
    func distance() {
        let school = CLLocation(latitude: 52.52, longitude: 13.405)
        let near: Value = [
            "comparator": "NEAR", "distance": 100, "fieldName": "place",
            "fieldValue": ["value": ["latitude": 52.52, "longitude": 13.405], "type": "LOCATION"],
        ]
        for format in [
            "distanceToLocation:fromLocation:(place, %@) < 100", "distanceToLocation:fromLocation: ( place,%@ ) <= 100",
        ] {
            #expect(filters(format, school).array?.first?["distance"]?.double == 100, "\(format)")
            #expect(filters(format, school).array?.first?["fieldValue"] == near["fieldValue"])
            #expect(filters(format, school).array?.first?["comparator"] == "NEAR")
        }
        #expect(filters("distanceToLocation:fromLocation:(%K, %@) < 100 AND n = 1", "place", school).array?.count == 2)
        for format in [
            "distanceToLocation:fromLocation:(place, %@) > 100",
            "NOT distanceToLocation:fromLocation:(place, %@) < 100",
            "distanceToLocation:fromLocation:(place, %@) < 'far'", "distanceToLocation:fromLocation:(place) < %@",
            "distanceToLocation:fromLocation:(place, %@ < 5",
        ] { #expect(filters(format, school).string?.contains("'\(format)'") == true, "\(format)") }
        #expect(filters("distanceToLocation:fromLocation:(place, 'here') < 5").string != nil)
    }

    @Test("Predicate: searches for words of the whole record, all of them or any (S266)")
    func words() {
        func search(_ comparator: String, _ words: String) -> Value {
            [
                [
                    "comparator": .string(comparator), "systemFieldName": "allTokens",
                    "fieldValue": ["value": .string(words), "type": "STRING"],
                ]
            ]
        }
        #expect(filters("self CONTAINS 'maths'") == search("CONTAINS_ALL_TOKENS", "maths"))
        #expect(filters("self CONTAINS 'maths' AND self CONTAINS 'today'").array?.count == 2)
        #expect(
            filters("ALL tokenize(%@, 'Cdl') IN allTokens", "two words") == search("CONTAINS_ALL_TOKENS", "two words"))
        #expect(filters("ANY tokenize('two words', 'Cdl') IN allTokens") == search("CONTAINS_ANY_TOKENS", "two words"))
        for format in [
            "NOT self CONTAINS 'maths'", "self = 'maths'", "tokenize('a', 'Cdl') IN allTokens", "self CONTAINS 3",
            "ALL tokenize('a', 'Cdl') IN text", "ALL tokenize('a') IN allTokens",
        ] { #expect(filters(format).string?.contains("'\(format)'") == true, "\(format)") }
    }

    @Test("FALSEPREDICATE: nothing matches, alone and joined by AND, and the service is not asked")
    func nothing() {
        let pad = ScriptedPad { _ in ["records": [noteWire]] }
        let told = Told()
        pad.run {
            for predicate in [
                NSPredicate(value: false), NSPredicate(format: "FALSEPREDICATE"),
                NSPredicate(format: "n = 1 AND FALSEPREDICATE"),
            ] {
                let found = try await database.records(matching: CKQuery(recordType: "Note", predicate: predicate))
                told.message += "\(found.matchResults.count) \(found.queryCursor == nil), "
            }
            let all = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
            told.message += "\(try await database.records(matching: all).matchResults.count)"
        }
        #expect(told.message == "0 true, 0 true, 0 true, 1" && pad.asked.count == 1)
    }

    @Test(
        "Predicates: what CloudKit does not take is refused with its text, nothing is sent",
        arguments: [
            "n = 1 OR n = 2", "n = 1 AND (m = 2 || k = 3)", "NOT (n = 1 AND m = 2)", "ANY n != 1", "ANY n > 1",
            "ALL n = 1", "NONE n = 1", "ALL n IN {1, 2}", "1 = n", "ANY 1 IN n", "1 IN", "1 IN 2", "1 IN[c] n",
            "'a' CONTAINS n",
            "NONE n IN {1, 2}", "n ENDSWITH 'a'", "n BEGINSWITH[c] 'a'", "n =[x] 'a'", "n =[c 'a'", "n IN {}",
            "FALSEPREDICATE AND n LIKE 'a'",
            String(repeating: "(", count: 65) + "n = 1" + String(repeating: ")", count: 65),
            String(repeating: "NOT ", count: 1000) + "n = 1", "n LIKE 'a'", "n =", "'a", "n = %@", "(n = 1",
            "NOT TRUEPREDICATE",
            "NOT n BETWEEN {1, 9}", "n BETWEEN {1}", "?", "",
        ])
    func refused(_ format: String) {
        let answer = filters(format)
        #expect(answer.string?.contains("'\(format)'") == true, "\(answer)")
    }
}
