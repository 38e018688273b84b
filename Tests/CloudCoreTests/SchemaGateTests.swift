import FleetModel
import Testing

@testable import CloudCore

/// Production as somebody deployed it, with one mistake or another.
@Suite("Gate of production's schema", .timeLimit(.minutes(20))) struct SchemaGateTests {
    private static let whole = """
        DEFINE SCHEMA
            RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP SORTABLE, "___createdBy" REFERENCE QUERYABLE,
                title STRING QUERYABLE SORTABLE SEARCHABLE, lines LIST<STRING>, rank INT64 QUERYABLE, place LOCATION QUERYABLE,
                secret ENCRYPTED STRING, due TIMESTAMP SORTABLE, parent REFERENCE QUERYABLE
            );
        """
    private func device(without old: String = "", with new: String = "") throws -> Device {
        var text = Self.whole
        if !old.isEmpty {
            try #require(text.contains(old))
            text.replace(old, with: new)
        }
        let fleet = try Fleet(more: ["schemas": ["iCloud.com.example.notebook": .string(text)]])
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        return maya
    }
    private func save(_ maya: Device, _ fields: Value, type: String = "Note") -> Value {
        maya.modify([
            ["operationType": "create", "record": ["recordName": "a", "recordType": .string(type), "fields": fields]]
        ])
        .json ?? .null
    }
    private func query(_ maya: Device, _ filters: [Value] = [], sort: [Value] = [], type: String = "Note")
        -> HTTPResponse
    {
        maya.ck(
            "records/query",
            [
                "zoneID": Device.zoneID("Notes"),
                "query": ["recordType": .string(type), "filterBy": .array(filters), "sortBy": .array(sort)],
            ])
    }
    private static func filter(_ field: String, _ comparator: String = "EQUALS", _ value: Value = "x") -> Value {
        ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value]]
    }
    private static let fields: Value = [
        "title": ["value": "a", "type": "STRING"], "lines": ["value": ["x"], "type": "STRING_LIST"],
        "rank": ["value": 1, "type": "INT64"], "secret": ["value": "s", "type": "STRING", "isEncrypted": true],
    ]

    @Test("Everything deployed: saves and queries go through, and what they need is told once")
    func whole() throws {
        let maya = try device()
        #expect(save(maya, Self.fields)["records"]?.array?.first?["serverErrorCode"] == nil)
        #expect(maya.fleet.notes.count { $0.kind == .schemaUsed } == 5)
        #expect(query(maya).status == 200 && query(maya, [Self.filter("title")]).status == 200)
        #expect(query(maya, sort: [["fieldName": "___createTime"]]).status == 200)
        #expect(!maya.fleet.notes.contains { $0.kind == .undeployed })
        _ = query(maya)
        #expect(maya.fleet.notes.isEmpty)
    }

    /// What was left out of the deployment, what the app does, and the line that it needs.
    struct Mistake: Sendable {
        var old: String
        var new = ""
        var act: @Sendable (SchemaGateTests, Device) -> Void
        var words: String
        var line: String
    }
    static let mistakes = [
        Mistake(
            old: "RECORD TYPE Note", new: "RECORD TYPE Page", act: { _ = $0.save($1, fields) },
            words: "Cannot create new type Note in production schema",
            line: "RECORD TYPE Note ( lines LIST<STRING> ); RECORD TYPE Note ( rank INT64 )"),
        Mistake(
            old: "lines LIST<STRING>, ", act: { _ = $0.save($1, fields) },
            words: "Cannot create or modify field 'lines' in record 'Note' in production schema",
            line: "RECORD TYPE Note ( lines LIST<STRING> )"),
        Mistake(
            old: "rank INT64", new: "rank STRING", act: { _ = $0.save($1, fields) },
            words: "Invalid value, expected type STRING",
            line: "no line helps: Note.rank is STRING in production and saved as INT64"),
        Mistake(
            old: "ENCRYPTED STRING", new: "STRING", act: { _ = $0.save($1, fields) },
            words: "Invalid value, expected type STRING", line: "saved as ENCRYPTED STRING"),
        Mistake(
            old: "LIST<STRING>", new: "STRING", act: { _ = $0.save($1, fields) },
            words: "Invalid value, expected type STRING for field 'lines'", line: "saved as LIST<STRING>"),
        Mistake(
            old: "\"___recordID\" REFERENCE QUERYABLE, ", act: { _ = $0.query($1) },
            words: "Field 'recordName' is not marked queryable",
            line: "RECORD TYPE Note ( \"___recordID\" REFERENCE QUERYABLE )"),
        Mistake(
            old: "title STRING QUERYABLE", new: "title STRING", act: { _ = $0.query($1, [filter("title")]) },
            words: "Field 'title' is not marked queryable",
            line: "RECORD TYPE Note ( title STRING QUERYABLE SORTABLE SEARCHABLE )"),
        Mistake(
            old: "due TIMESTAMP SORTABLE", new: "due TIMESTAMP",
            act: { _ = $0.query($1, [filter("title")], sort: [["fieldName": "due"]]) },
            words: "Field 'due' is not marked sortable", line: "RECORD TYPE Note ( due TIMESTAMP SORTABLE )"),
        Mistake(
            old: " SEARCHABLE", act: { _ = $0.query($1, [filter("title", "CONTAINS_ALL_TOKENS")]) },
            words: "Field 'title' is not marked searchable",
            line: "RECORD TYPE Note ( title STRING QUERYABLE SORTABLE SEARCHABLE )"),
        Mistake(
            old: "\"___createTime\" TIMESTAMP SORTABLE, ",
            act: { _ = $0.query($1, [filter("title")], sort: [["systemFieldName": "createdTimestamp"]]) },
            words: "Field 'createdTimestamp' is not marked sortable",
            line: "RECORD TYPE Note ( \"___createTime\" TIMESTAMP SORTABLE )"),
        Mistake(
            old: "parent REFERENCE QUERYABLE", new: "parent REFERENCE",
            act: {
                _ = $0.query($1, [filter("parent", "EQUALS", ["recordName": "a", "zoneID": ["zoneName": "Notes"]])])
            },
            words: "Field 'parent' is not marked queryable", line: "RECORD TYPE Note ( parent REFERENCE QUERYABLE )"),
        Mistake(
            old: "RECORD TYPE Note", new: "RECORD TYPE Page", act: { _ = $0.query($1) },
            words: "Did not find record type: Note", line: "RECORD TYPE Note ( \"___recordID\" REFERENCE QUERYABLE )"),
        Mistake(
            old: "RECORD TYPE Note", new: "RECORD TYPE Page",
            act: { test, maya in
                maya.ck(
                    "subscriptions/modify",
                    [
                        "operations": [
                            [
                                "operationType": "create",
                                "subscription": [
                                    "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"],
                                    "query": ["recordType": "Note", "filterBy": [filter("title")]],
                                ],
                            ]
                        ]
                    ])
            }, words: "Did not find record type: Note", line: "RECORD TYPE Note ( title STRING QUERYABLE )"),
    ]

    @Test("Mistake: refused in Apple's words, and told with the line to deploy", arguments: mistakes.indices)
    func mistake(_ number: Int) throws {
        let mistake = Self.mistakes[number]
        let maya = try device(without: mistake.old, with: mistake.new)
        mistake.act(self, maya)
        let told = maya.fleet.notes.filter { $0.kind == .undeployed }
        #expect(told.count == 1)
        let lines = told.first?.detail["lines"]?.strings.joined(separator: "; ") ?? ""
        #expect(lines.contains(mistake.line), "\(lines)")
        #expect(told.first?.person == "maya" && told.first?.detail["device"] == "ipad-1")
        #expect(maya.fleet.notes.contains { $0.kind == .schemaUsed })
    }
    @Test("Mistake: the answer begins with Apple's sentence and ends with the line", arguments: mistakes.indices)
    func words(_ number: Int) throws {
        let mistake = Self.mistakes[number]
        let maya = try device(without: mistake.old, with: mistake.new)
        let answers = Answers()
        maya.fleet.answered = { answers.text += String(decoding: $0.body, as: UTF8.self) }
        mistake.act(self, maya)
        #expect(
            answers.text.contains(mistake.words) && answers.text.contains("deploy to production: "), "\(answers.text)")
    }

    @Test("Saved edits: the note names them; another container stays open")
    func tokens() throws {
        let maya = try device(without: "lines LIST<STRING>, ")
        let text = EditPayload.text(token: "maya.1", "words")
        _ = save(maya, ["lines": ["value": [.string(text)], "type": "STRING_LIST"]])
        #expect(maya.fleet.notes.first { $0.kind == .undeployed }?.tokens == ["maya.1"])
        let other = "/database/1/iCloud.com.example.other/production/private/records/modify"
        let record: Value = ["recordName": "a", "recordType": "Any", "fields": ["x": ["value": 1]]]
        #expect(maya.post(other, ["operations": [["operationType": "create", "record": record]]]).status == 200)
        #expect(!maya.fleet.notes.contains { $0.kind == .undeployed })
    }

    @Test("Unwatched: without a schema nothing is noted")
    func unwatched() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        _ = save(maya, Self.fields)
        #expect(!maya.fleet.notes.contains { $0.kind == .schemaUsed || $0.kind == .undeployed })
        #expect(throws: CloudSpecError.self) { try Fleet(more: ["schemas": ["iCloud.x": "DEFINE"]]) }
    }
}

private final class Answers { var text = "" }
