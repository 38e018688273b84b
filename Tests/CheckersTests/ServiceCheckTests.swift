import FleetModel
import Testing

@testable import Checkers

/// What a Cloud was asked and answered, as it would note it.
private struct Answers {
    private(set) var events: [HistoryEvent] = []
    private var number = 0

    private mutating func serve(
        _ operation: String, _ asked: Value, _ answer: Value, person: Person = "maya", database: String = "private",
        isRepeated: Bool = false
    ) {
        var detail: Value = [
            "path": .string("iCloud.notes/production/\(database)/\(operation)"), "device": "ipad-1", "asked": asked,
            "answer": answer,
        ]
        if isRepeated { detail["repeated"] = true }
        number += 1
        events.append(
            HistoryEvent(
                at: .zero + .seconds(Int64(number)), from: .cloud,
                Note(.served, person: person, channel: .record, detail: detail)))
    }
    private static func zone(_ name: String) -> Value { ["zoneName": .string(name)] }

    /// One operation that is done; `tag` nil for a deletion.
    mutating func change(
        _ kind: String, _ name: String, from sent: String? = nil, to tag: String?, fields: Value = .empty,
        zone: String = "Notes", type: String = "Note", isRepeated: Bool = false
    ) {
        var record: Value = ["recordName": .string(name), "recordType": .string(type), "fields": fields]
        record["recordChangeTag"] = sent.map { .string($0) }
        var result: Value = ["recordName": .string(name), "recordType": .string(type), "fields": fields]
        if let tag {
            result["recordChangeTag"] = .string(tag)
        } else {
            result = ["recordName": .string(name), "deleted": true]
        }
        serve(
            "records/modify",
            ["zoneID": Self.zone(zone), "operations": [["operationType": .string(kind), "record": record]]],
            ["records": [result]], isRepeated: isRepeated)
    }
    mutating func refuse(_ kind: String, _ name: String, from sent: String, code: String = "CONFLICT") {
        serve(
            "records/modify",
            [
                "zoneID": Self.zone("Notes"),
                "operations": [
                    [
                        "operationType": .string(kind),
                        "record": ["recordName": .string(name), "recordChangeTag": .string(sent)],
                    ]
                ],
            ], ["records": [["recordName": .string(name), "serverErrorCode": .string(code)]]])
    }
    /// A page of changes: names with their tags, nil for a deletion.
    mutating func fetch(
        from token: String?, to next: String, _ records: [(String, String?)], more: Bool = false, zone: String = "Notes"
    ) {
        var entry: Value = ["zoneID": Self.zone(zone)]
        entry["syncToken"] = token.map { .string($0) }
        let shown = records.map { name, tag -> Value in
            tag.map { ["recordName": .string(name), "recordChangeTag": .string($0)] }
                ?? ["recordName": .string(name), "deleted": true]
        }
        serve(
            "changes/zone", ["zones": [entry]],
            [
                "zones": [
                    [
                        "zoneID": Self.zone(zone), "records": .array(shown), "syncToken": .string(next),
                        "moreComing": .bool(more),
                    ]
                ]
            ])
    }
    mutating func lookUp(_ record: Value, zone: String = "Notes") {
        serve("records/lookup", ["zoneID": Self.zone(zone)], ["records": [record]])
    }
    mutating func deleteZone(_ name: String) {
        serve("zones/modify", ["operations": []], ["zones": [["zoneID": Self.zone(name), "deleted": true]]])
    }
    mutating func deleteZoneInSettings(_ name: String) {
        events.append(
            HistoryEvent(
                at: .zero, from: .cloud,
                Note(.zoneDeleted, person: "maya", detail: ["where": .string("iCloud.notes/\(name)")])))
    }

    var broken: [String] { ServiceCheckRegistry.broken(events) }
    /// The checks that found something.
    var names: [String] { broken.map { String($0.prefix { $0 != ":" }) } }

    /// Three records that one reader has read.
    static var read: Answers {
        var all = Answers()
        for name in ["a", "b", "c"] { all.change("create", name, to: "\(name)1") }
        all.fetch(from: nil, to: "t3", [("a", "a1"), ("b", "b1"), ("c", "c1")])
        return all
    }
}

@Suite("Service checks", .timeLimit(.minutes(20))) struct ServiceCheckTests {
    @Test(
        "A day without a fault: saves, conflicts, pages, deletions, retries and a zone that comes again break nothing")
    func clean() {
        var day = Answers.read
        day.change("update", "a", from: "a1", to: "a2")
        day.refuse("update", "a", from: "a1")
        day.change("forceUpdate", "b", to: "b2")
        day.change("forceUpdate", "b", to: "b2", isRepeated: true)
        day.change("delete", "c", from: "c1", to: nil)
        day.fetch(from: "t3", to: "p1", [("a", "a2")], more: true)
        // Changed between two pages: it comes once more, as it stands.
        day.change("update", "a", from: "a2", to: "a3")
        day.fetch(from: "p1", to: "t7", [("b", "b2"), ("c", nil), ("a", "a3")])
        // Another reader begins from nothing and hears of no deletion.
        day.fetch(from: nil, to: "t7", [("b", "b2"), ("a", "a3")])
        day.fetch(from: "t7", to: "t7", [])
        day.deleteZone("Notes")
        day.change("create", "a", to: "a9")
        day.fetch(from: nil, to: "t9", [("a", "a9")])
        day.deleteZoneInSettings("Notes")
        day.change("create", "a", to: "a10")
        #expect(day.broken == [])
        #expect(ServiceCheckRegistry.broken([]) == [])
    }

    @Test(
        "Registers: an update from another tag, a record that is created twice, a refusal of the right tag, a tag that comes again"
    )
    func register() {
        func broken(_ more: (inout Answers) -> Void) -> [String] {
            var all = Answers.read
            more(&all)
            return all.broken
        }
        for (wrong, words) in [
            (broken { $0.change("update", "a", from: "a0", to: "a2") }, "from the tag 'a0', and 'a1' stood"),
            (broken { $0.change("update", "z", from: "z1", to: "z2") }, "and 'none' stood"),
            (broken { $0.change("create", "a", to: "a2") }, "was created though it was there with the tag 'a1'"),
            (broken { $0.refuse("update", "a", from: "a1") }, "was refused with the tag 'a1', which stands"),
            (broken { $0.change("update", "a", from: "a1", to: "b1") }, "which another record has"),
            (
                broken {
                    $0.change("update", "a", from: "a1", to: "a2")
                    $0.change("update", "a", from: "a2", to: "a1")
                }, "which it had before"
            ),
        ] {
            #expect(wrong.count == 1 && wrong[0].hasPrefix("register: ") && wrong[0].contains(words), "\(wrong)")
        }
        #expect(broken { $0.refuse("update", "a", from: "a1", code: "QUOTA_EXCEEDED") } == [])
    }

    @Test("Feeds: a change that does not come, one that comes again, an old state, a page that repeats the one before")
    func feed() {
        var day = Answers.read
        day.change("update", "a", from: "a1", to: "a2")
        day.change("delete", "b", from: "b1", to: nil)
        for (records, words) in [
            ([("a", "a2")], "Notes/b changed after the token and did not come"),
            ([("b", nil)], "Notes/a changed after the token and did not come"),
            ([("a", "a1"), ("b", nil)], "came with the tag 'a1', and 'a2' stands"),
            ([("a", "a2"), ("b", nil), ("c", "c1")], "Notes/c came again though it had not changed"),
            ([("a", "a2"), ("b", nil), ("a", "a2")], "Notes/a came twice with the same change"),
        ] as [([(String, String?)], String)] {
            var wrong = day
            wrong.fetch(from: "t3", to: "t5", records)
            #expect(wrong.names == ["feed"] && wrong.broken.first?.contains(words) == true, "\(wrong.broken)")
        }
        var paged = day
        paged.fetch(from: "t3", to: "p1", [("a", "a2")], more: true)
        paged.fetch(from: "p1", to: "t5", [])
        #expect(paged.broken.map { $0.contains("Notes/b changed after the token and did not come") } == [true])
    }

    @Test(
        "References: what leaned on a deleted record is shown; a chain of them goes; of the default zone nothing is said"
    )
    func reference() {
        let leans: Value = ["owner": ["type": "REFERENCE", "value": ["recordName": "list", "action": "DELETE_SELF"]]]
        let further: Value = [
            "owner": ["type": "REFERENCE", "value": ["recordName": "item", "action": "DELETE_SELF"]]
        ]
        func day(_ zone: String) -> Answers {
            var all = Answers()
            all.change("create", "list", to: "l1", zone: zone)
            all.change("create", "item", to: "i1", fields: leans, zone: zone)
            all.change("create", "part", to: "p1", fields: further, zone: zone)
            all.change("delete", "list", from: "l1", to: nil, zone: zone)
            return all
        }
        for (name, tag) in [("item", "i1"), ("part", "p1")] {
            var wrong = day("Notes")
            wrong.lookUp(["recordName": .string(name), "recordChangeTag": .string(tag)])
            #expect(
                wrong.names == ["reference"] && wrong.broken[0].contains("Notes/\(name) is shown"), "\(wrong.broken)")
        }
        var feed = day("Notes")
        feed.fetch(from: nil, to: "t", [("item", "i1")])
        #expect(Set(feed.names) == ["reference", "feed"])
        var later = day(ServedCall.defaultZone)
        later.lookUp(["recordName": "item", "recordChangeTag": "i1"], zone: ServedCall.defaultZone)
        #expect(later.broken == [])
    }

    @Test("Assets: a field that shows another file than was saved in it; a field that a reader left out says nothing")
    func asset() {
        func file(_ checksum: String) -> Value {
            ["photo": ["type": "ASSETID", "value": ["fileChecksum": .string(checksum), "size": 3]]]
        }
        func shown(_ fields: Value) -> [String] {
            var all = Answers()
            all.change("create", "a", to: "a1", fields: file("x"))
            all.lookUp(["recordName": "a", "recordChangeTag": "a1", "fields": fields])
            return all.broken
        }
        #expect(shown(file("x")) == [] && shown(.empty) == [])
        #expect(shown(file("y")).map { $0.hasPrefix("asset: the field 'photo' of Notes/a") } == [true])
    }

    @Test("A zone with a share, and one in which others write, are not judged")
    func untracked() {
        var day = Answers.read
        day.change("create", "share-1", to: "s1", type: "cloudkit.share")
        day.change("update", "a", from: "a0", to: "a2")
        #expect(day.broken == [])
    }

    @Test("Verdict: an answer that breaks something makes a run invalid, with no edit harmed")
    func verdict() {
        var chronicle = Chronicle()
        chronicle.write("maya.1")
        var wrong = Answers.read
        wrong.change("update", "a", from: "a0", to: "a2")
        let judgement = judge(chronicle.events + wrong.events)
        #expect(judgement.verdict == .invalid && judgement.broken.count == 1)
        #expect(judge(chronicle.events + Answers.read.events).broken == [])
    }
}
