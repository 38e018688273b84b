import FleetModel

extension Check {
    /// records/modify and records/lookup.
    static let records: [Check] = [
        Check("8.8", "parent: not deleted before its children, and with them it is") { talk in
            talk.maya.makeZone()
            talk.maya.save("root")
            talk.maya.save("leaf", extra: ["parent": ["recordName": "root"]])
            talk.expect(talk.maya.delete("root").code, "VALIDATING_REFERENCE_ERROR", "alone")
            talk.expect(talk.maya.save("leaf", ["t": ["value": "x"]]).code, nil, "the child")
            let both = ["root", "leaf"].map { Visitor.operation("forceDelete", $0) }
            talk.expect(talk.maya.modify(both).status, 200, "together")
        },
        Check("8.4", "names: of types a letter, then letters, digits and low lines; of records no low line before it") {
            talk in
            talk.maya.makeZone()
            for type in ["blah blah", "1x", "_x", "a-b", "cloudkit.foo"] {
                talk.expect(talk.maya.save("a", type: type).code, "BAD_REQUEST", type)
            }
            talk.expect(talk.maya.save("_a").code, "BAD_REQUEST", "_a")
            talk.expect(talk.maya.save("a_", type: "A_1").code, nil, "a_")
        },
        Check("5.2", "create: the record comes back whole, with tag, dates and types") { talk in
            talk.maya.makeZone()
            let saved = talk.maya.save("a", ["n": ["value": 1]], kind: "create")
            talk.expect(saved["recordName"]?.string, "a", "name")
            talk.expect(saved["recordType"]?.string, "Note", "type")
            talk.expect(saved.type("n"), "INT64", "inferred type")
            talk.expect(!saved.tag.isEmpty, "a change tag")
            talk.expect(saved["created"]?["userRecordName"]?.string, talk.maya.userRecordName, "maker")
            talk.expect((saved["modified"]?["timestamp"]?.int ?? 0) > 1_700_000_000_000, "milliseconds since 1970")
        },
        Check("5.2", "create: one that is there is EXISTS") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", kind: "create")
            talk.expect(talk.maya.save("a", kind: "create").code, "EXISTS")
        },
        Check("8.4", "create: without a name it gets a UUID; without a type it is BAD_REQUEST") { talk in
            talk.maya.makeZone()
            talk.expect(talk.maya.save(nil, kind: "create")["recordName"]?.string?.utf8.count, 36, "length of the name")
            talk.expect(talk.maya.save("a", kind: "create", type: nil).code, "BAD_REQUEST")
        },
        Check("5.2", "update: merges fields, null clears, the tag is compared and changes") { talk in
            talk.maya.makeZone()
            let first = talk.maya.save("a", ["n": ["value": 1], "t": ["value": "x"]], kind: "create")
            let tag: Value = ["recordChangeTag": .string(first.tag)]
            let second = talk.maya.save("a", ["t": ["value": .null], "u": ["value": 2]], kind: "update", extra: tag)
            talk.expect(second["fields"]?.object?.keys, ["n", "u"], "fields")
            talk.expect(second.tag != first.tag, "another tag")
            talk.expect(talk.maya.save("a", kind: "update", extra: tag).code, "CONFLICT")
            talk.expect(talk.maya.save("a", kind: "update").code, "BAD_REQUEST", "update without a tag")
            talk.expect(talk.maya.save("b", kind: "update", extra: tag).code, "NOT_FOUND")
        },
        Check("5.2", "replace: drops what it does not name; compares the tag") { talk in
            talk.maya.makeZone()
            let first = talk.maya.save("a", ["n": ["value": 1], "t": ["value": "x"]], kind: "create")
            let tag: Value = ["recordChangeTag": .string(first.tag)]
            let second = talk.maya.save("a", ["u": ["value": 2]], kind: "replace", extra: tag)
            talk.expect(second["fields"]?.object?.keys, ["u"], "fields")
            talk.expect(talk.maya.save("a", kind: "replace", extra: tag).code, "CONFLICT")
        },
        Check("5.2", "forceUpdate and forceReplace: make or change without a tag") { talk in
            talk.maya.makeZone()
            talk.expect(talk.maya.save("a", ["n": ["value": 1]], kind: "forceUpdate").code, nil)
            talk.expect(
                talk.maya.save("a", ["m": ["value": 1]], kind: "forceUpdate")["fields"]?.object?.keys, ["m", "n"])
            talk.expect(talk.maya.save("a", ["o": ["value": 1]], kind: "forceReplace")["fields"]?.object?.keys, ["o"])
            talk.expect(talk.maya.save("b", ["o": ["value": 1]], kind: "forceReplace").code, nil)
        },
        Check("5.2", "delete: compares the tag; forceDelete does not, also of what is not there") { talk in
            talk.maya.makeZone()
            let tag = talk.maya.save("a").tag
            talk.maya.save("a")
            let stale = talk.maya.save("a", kind: "delete", extra: ["recordChangeTag": .string(tag)])
            talk.expect(stale.code, "CONFLICT")
            talk.expect(talk.maya.delete("a")["deleted"]?.bool, true, "deleted")
            talk.expect(talk.maya.delete("a").code, nil)
            talk.expect(talk.maya.delete("a", kind: "delete").code, "NOT_FOUND")
            talk.expect(talk.maya.has("a"), false, "still there")
        },
        Check("5.2", "operationType: unknown, missing, and a list that is none are BAD_REQUEST") { talk in
            talk.maya.makeZone()
            talk.expect(talk.maya.modify([Visitor.operation("upsert", "a")]).code, "BAD_REQUEST")
            talk.expect(talk.maya.modify([.empty]).code, "BAD_REQUEST")
            talk.expect(talk.maya.call("private/records/modify", ["operations": 5]).code, "BAD_REQUEST")
        },
        Check("5.2", "batch: a record named twice is BAD_REQUEST") { talk in
            talk.maya.makeZone()
            let one = Visitor.operation("forceUpdate", "a")
            talk.expect(talk.maya.modify([one, one]).code, "BAD_REQUEST")
        },
        Check("5.2", "atomic: default in a custom zone; one failure fails all with ATOMIC_ERROR and 'records'") {
            talk in
            talk.maya.makeZone()
            talk.maya.save("b")
            let batch = [Visitor.operation("create", "a"), Visitor.operation("create", "b")]
            let answer = talk.maya.modify(batch)
            talk.expect(answer.status, 400, "status")
            talk.expect(answer.code, "ATOMIC_ERROR")
            talk.expect(answer.records.map(\.code), ["ATOMIC_ERROR", "EXISTS"], "codes")
            talk.expect(talk.maya.has("a"), false, "half a batch")
            talk.expect(talk.maya.modify(batch, atomic: false).records.map(\.code), [nil, "EXISTS"], "codes")
            talk.expect(talk.maya.has("a"), true, "the independent one")
        },
        Check("5.2", "atomic: never in the default zone and the public database") { talk in
            for scope in ["private", "public"] {
                talk.maya.save("b", zone: nil, scope: scope)
                let batch = [Visitor.operation("create", "a"), Visitor.operation("create", "b")]
                let answer = talk.maya.modify(batch, zone: nil, scope: scope, atomic: true)
                talk.expect(answer.records.map(\.code), [nil, "EXISTS"], "codes in \(scope)")
            }
        },
        Check("5.2", "desiredKeys and numbersAsStrings: applied to what is echoed") { talk in
            talk.maya.makeZone()
            let operation = Visitor.operation("create", "a", ["n": ["value": 7], "t": ["value": "x"]])
            let answer = talk.maya.modify([operation], more: ["desiredKeys": ["n"], "numbersAsStrings": true])
            talk.expect(answer.records.first?["fields"]?.object?.keys, ["n"], "fields")
            talk.expect(answer.records.first?.value("n"), "7", "number")
        },
        Check("5.3", "lookup: in the order asked, an absent one is NOT_FOUND in its place") { talk in
            talk.maya.makeZone()
            for name in ["a", "b"] { talk.maya.save(name) }
            let answer = talk.maya.call(
                "private/records/lookup",
                [
                    "zoneID": Visitor.zone,
                    "records": [["recordName": "b"], ["recordName": "x"], ["recordName": "a"]],
                ])
            talk.expect(answer.records.map(\.code), [nil, "NOT_FOUND", nil], "codes")
            talk.expect(answer.names, "bxa", "order")
        },
        Check("5.3", "lookup: desiredKeys of the request and of one record; empty means metadata only") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["n": ["value": 7], "t": ["value": "x"]])
            talk.expect(talk.maya.lookup("a", more: ["desiredKeys": ["t"]])["fields"]?.object?.keys, ["t"], "fields")
            talk.expect(talk.maya.lookup("a", more: ["desiredKeys": []])["fields"]?.object?.keys, [], "fields")
            let own = talk.maya.call(
                "private/records/lookup",
                [
                    "zoneID": Visitor.zone, "desiredKeys": ["t"],
                    "records": [["recordName": "a", "desiredKeys": ["n"]]],
                ])
            talk.expect(own.records.first?["fields"]?.object?.keys, ["n"], "fields")
        },
        Check("5.3", "lookup: the default zone when no zone is named; an unknown zone is ZONE_NOT_FOUND") { talk in
            talk.maya.save("a", zone: nil)
            talk.expect(talk.maya.has("a", zone: nil), true, "in the default zone")
            talk.expect(talk.maya.has("a", zone: ["zoneName": "_defaultZone"]), true, "by its name")
            talk.expect(talk.maya.lookup("a", zone: ["zoneName": "nowhere"]).code, "ZONE_NOT_FOUND")
        },
        Check("8.4", "names: 255 ASCII characters at most") { talk in
            talk.maya.makeZone()
            talk.expect(talk.maya.save(String(repeating: "n", count: 255)).code, nil)
            for name in [String(repeating: "n", count: 256), "é", "", "a\n"] {
                talk.expect(talk.maya.save(name).code, "BAD_REQUEST", "name of \(name.utf8.count) bytes")
            }
        },
        Check("8.4", "createShortGUID: the record has one from then on") { talk in
            talk.maya.makeZone()
            let guid = talk.maya.save("a", extra: ["createShortGUID": true])["shortGUID"]?.string
            talk.expect(guid?.isEmpty, false, "empty")
            talk.expect(talk.maya.lookup("a")["shortGUID"]?.string, guid, "GUID")
        },
        Check("8.4", "type of a record: never changes") { talk in
            talk.maya.makeZone()
            talk.maya.save("a")
            talk.expect(talk.maya.save("a", type: "Other").code, "BAD_REQUEST")
        },
        Check("1", "databases: private is the caller's own, public everybody's, a record of another is not there") {
            talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["t": ["value": "mine"]])
            talk.maya.save("p", zone: nil, scope: "public")
            talk.expect(talk.omar.lookup("a").code, "ZONE_NOT_FOUND")
            talk.omar.makeZone()
            talk.expect(talk.omar.lookup("a").code, "NOT_FOUND")
            talk.expect(talk.omar.has("p", zone: nil, scope: "public"), true, "public record")
        },
        Check("framework 1", "public: what somebody else made may be read and not changed") { talk in
            talk.maya.save("p", zone: nil, scope: "public")
            talk.expect(talk.omar.save("p", zone: nil, scope: "public").code, "ACCESS_DENIED")
            talk.expect(talk.omar.delete("p", zone: nil, scope: "public").code, "ACCESS_DENIED")
            talk.expect(talk.omar.save("p", kind: "create", zone: nil, scope: "public").code, "EXISTS")
        },
        Check("11", "retry: a create sent twice makes one record, and the second answer says so") { talk in
            talk.maya.makeZone()
            let twice = (0..<2).map { _ in talk.maya.save("a", kind: "create").code }
            talk.expect(twice, [nil, "EXISTS"], "codes")
            talk.expect(talk.maya.query().names, "a", "records")
        },
        Check("11", "retry: a nameless create with the same X-Homeroom-Request makes one record") { talk in
            var maya = talk.maya
            maya.makeZone()
            maya.headers["X-Homeroom-Request"] = "r1"
            let names = (0..<2).map { _ in maya.save(nil, kind: "create")["recordName"]?.string }
            talk.expect(names[0], names[1], "name")
            talk.expect(talk.maya.query().records.count, 1, "records")
        },
    ]

    /// Compare and swap, references, cascades.
    static let conflicts: [Check] = [
        Check("11", "tags: of two updates with one tag the second is CONFLICT") { talk in
            talk.maya.makeZone()
            let tag: Value = ["recordChangeTag": .string(talk.maya.save("a").tag)]
            talk.expect(talk.maya.save("a", ["n": ["value": 1]], kind: "update", extra: tag).code, nil)
            talk.expect(talk.maya.save("a", ["n": ["value": 2]], kind: "update", extra: tag).code, "CONFLICT")
            talk.expect(talk.maya.lookup("a").value("n"), 1, "value")
        },
        Check("8.8", "NONE: the target need not exist and may go") { talk in
            talk.maya.makeZone()
            talk.expect(talk.maya.save("s", ["r": Visitor.reference("t")]).code, nil)
            talk.maya.save("t")
            talk.maya.delete("t")
            talk.expect(talk.maya.has("s"), true, "source")
        },
        Check("8.8", "DELETE_SELF: the source goes with its target, at once in a custom zone, and in chains") { talk in
            talk.maya.makeZone()
            talk.maya.save("t")
            talk.maya.save("s", ["r": Visitor.reference("t", "DELETE_SELF")])
            talk.maya.save("u", ["r": Visitor.reference("s", "DELETE_SELF")])
            talk.maya.delete("t")
            talk.expect([talk.maya.has("s"), talk.maya.has("u")], [false, false], "left over")
        },
        Check("8.8", "DELETE_SELF: in the default zone a while later") { talk in
            talk.maya.save("t", zone: nil)
            talk.maya.save("s", ["r": Visitor.reference("t", "DELETE_SELF")], zone: nil)
            talk.maya.delete("t", zone: nil)
            talk.wire.pass(.seconds(3))
            talk.expect(talk.maya.has("s", zone: nil), false, "left over")
        },
        Check("8.8", "VALIDATE: the target must exist and cannot go before its source") { talk in
            talk.maya.makeZone()
            let reference = Visitor.reference("t", "VALIDATE")
            talk.expect(talk.maya.save("s", ["r": reference]).code, "VALIDATING_REFERENCE_ERROR")
            talk.maya.save("t")
            talk.expect(talk.maya.save("s", ["r": reference]).code, nil)
            talk.expect(talk.maya.delete("t").code, "VALIDATING_REFERENCE_ERROR")
            talk.maya.delete("s")
            talk.expect(talk.maya.delete("t").code, nil)
        },
        Check("8.8", "references: never leave their zone, need a name and a known action") { talk in
            talk.maya.makeZone()
            let away: Value = ["value": ["recordName": "t", "zoneID": ["zoneName": "Y"]], "type": "REFERENCE"]
            talk.expect(talk.maya.save("s", ["r": away]).code, "BAD_REQUEST")
            talk.expect(talk.maya.save("s", ["r": Visitor.reference("t", "CASCADE")]).code, "BAD_REQUEST")
            talk.expect(talk.maya.save("s", ["r": ["value": .empty, "type": "REFERENCE"]]).code, "BAD_REQUEST")
        },
        Check("8.4", "parent: kept, must exist, its action is NONE") { talk in
            talk.maya.makeZone()
            talk.maya.save("p")
            let saved = talk.maya.save("c", extra: ["parent": ["recordName": "p"]])
            talk.expect(saved["parent"]?["recordName"]?.string, "p", "parent")
            talk.expect(
                talk.maya.save("d", extra: ["parent": ["recordName": "p", "action": "DELETE_SELF"]]).code, "BAD_REQUEST"
            )
            talk.expect(talk.maya.save("e", extra: ["parent": ["recordName": "e"]]).code, "BAD_REQUEST")
        },
    ]
}
