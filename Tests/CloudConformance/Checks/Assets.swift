import FleetModel

extension Check {
    /// assets/..., uploads and downloads.
    static let assets: [Check] = [
        Check("7.3", "asset: URL, bytes, receipt, record, download under a name of one's choice") { talk in
            talk.maya.makeZone()
            let asset = talk.maya.upload("hello")
            talk.expect(
                asset.object?.keys, ["fileChecksum", "receipt", "referenceChecksum", "size", "wrappingKey"], "keys")
            talk.expect(asset["size"]?.int, 5, "size")
            talk.expect(talk.maya.save("a", ["file": ["value": asset]]).type("file"), "ASSETID")
            let read = talk.maya.lookup("a").value("file")
            talk.expect(read?["receipt"], nil, "receipt in a read")
            let url = read?["downloadURL"]?.string ?? ""
            talk.expect(url.hasPrefix("http") && url.hasSuffix("/${f}"), "\(url) is a template")
            talk.expect(talk.maya.fetch(url).bytes, Array("hello".utf8), "bytes")
            talk.expect(
                talk.maya.upload("x", scope: "public", zone: nil).object?.keys, ["fileChecksum", "receipt", "size"])
        },
        Check("7.3", "a file in a form (RFC 7578): the bytes of the part come back, whole and in parts (RFC 9110 14)") {
            talk in
            talk.maya.makeZone()
            let body: Value = ["tokens": [["recordType": "Note", "fieldName": "file"]], "zoneID": Visitor.zone]
            let url = talk.maya.call("private/assets/upload", body).list("tokens").first?["url"]?.string ?? ""
            let form =
                "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n0123456789\r\n--x--\r\n"
            let type: HTTPHeaders = ["Content-Type": "multipart/form-data; boundary=x"]
            let asset = talk.maya.fetch(url, "POST", form, headers: type).body["singleFile"] ?? .null
            talk.expect(asset["size"]?.int, 10, "size")
            talk.maya.save("a", ["file": ["value": asset]])
            let read = talk.maya.lookup("a").value("file")?["downloadURL"]?.string ?? ""
            talk.expect(talk.maya.fetch(read).bytes, Array("0123456789".utf8), "bytes")
            let part = talk.maya.fetch(read, headers: ["Range": "bytes=2-4"])
            talk.expect(part.status, 206, "a part")
            talk.expect(part.bytes, Array("234".utf8), "the part's bytes")
            talk.expect(talk.maya.fetch(url, "POST", "no form", headers: type).code, "BAD_REQUEST", "no form")
        },
        Check("7.3", "receipt: missing, guessed, of another size or spent is BAD_REQUEST") { talk in
            talk.maya.makeZone()
            func code(_ asset: Value, _ name: String = "a") -> String? {
                talk.maya.save(name, ["file": ["value": asset]]).code
            }
            var bad = talk.maya.upload("one")
            bad["receipt"] = "guess"
            talk.expect(code(bad), "BAD_REQUEST", "guessed")
            bad["receipt"] = .none
            talk.expect(code(bad), "BAD_REQUEST", "missing")
            var wrong = talk.maya.upload("two")
            wrong["size"] = 4
            talk.expect(code(wrong), "BAD_REQUEST", "of another size")
            let good = talk.maya.upload("good")
            talk.expect(code(good), nil)
            talk.expect(code(good, "b"), "BAD_REQUEST", "spent")
            talk.omar.makeZone()
            let mine = talk.maya.upload("mine")
            talk.expect(talk.omar.save("a", ["file": ["value": mine]]).code, "BAD_REQUEST", "somebody else's")
        },
        Check("7.3", "URLs: forged and altered ones are NOT_FOUND; the same bytes again get the same answer") { talk in
            talk.maya.makeZone()
            let body: Value = ["tokens": [["recordType": "Note", "fieldName": "file"]], "zoneID": Visitor.zone]
            let token = talk.maya.call("private/assets/upload", body).list("tokens").first
            talk.expect(token?["recordName"]?.string?.utf8.count, 36, "length of the made-up name")
            let url = token?["url"]?.string ?? ""
            let first = talk.maya.fetch(url, "POST", "hello")
            talk.expect(talk.maya.fetch(url, "POST", "hello").bytes, first.bytes, "again")
            talk.expect(talk.maya.fetch(url + "0", "POST", "hello").code, "NOT_FOUND")
            talk.maya.save("a", ["file": ["value": first.body["singleFile"] ?? .null]])
            let good = talk.maya.lookup("a").value("file")?["downloadURL"]?.string ?? ""
            for (at, what) in [(5, "checksum"), (6, "expiry"), (7, "seal")] {
                var parts = good.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
                guard parts.count > 7 else { return talk.expect(false, "\(good) has eight parts") }
                parts[at + (parts[3] == "assets" ? 1 : 0)] += "0"
                talk.expect(talk.maya.fetch(parts.joined(separator: "/")).code, "NOT_FOUND", what)
            }
        },
        Check("7.3", "rereference: another record holds the same file; the last reference takes it away") { talk in
            talk.maya.makeZone()
            talk.maya.save("a", ["file": ["value": talk.maya.upload("hello")]])
            let answer = talk.maya.call(
                "private/assets/rereference",
                [
                    "zoneID": Visitor.zone,
                    "assets": [["recordName": "a", "fieldName": "file"], ["recordName": "x", "fieldName": "file"]],
                ]
            ).list("assets")
            talk.expect(answer.map(\.code), [nil, "NOT_FOUND"], "codes")
            talk.expect(talk.maya.save("b", ["copy": ["value": answer.first ?? .null]]).code, nil)
            let url = talk.maya.lookup("b").value("copy")?["downloadURL"]?.string ?? ""
            talk.maya.delete("a")
            talk.wire.pass(.seconds(7))
            talk.expect(talk.maya.fetch(url).status, 200, "with one reference left")
            talk.maya.delete("b")
            talk.wire.pass(.seconds(7))
            talk.expect(talk.maya.fetch(url).code, "NOT_FOUND", "with none left")
        },
        Check("10", "assets/upload: 1 to 200 tokens, a field each") { talk in
            talk.maya.makeZone()
            let one: Value = ["recordType": "Note", "fieldName": "file"]
            func code(_ tokens: [Value]) -> String? {
                talk.maya.call("private/assets/upload", ["tokens": .array(tokens), "zoneID": Visitor.zone]).code
            }
            talk.expect(code(Array(repeating: one, count: 200)), nil)
            talk.expect(code(Array(repeating: one, count: 201)), "BAD_REQUEST")
            talk.expect(code([]), "BAD_REQUEST")
            talk.expect(code([["recordType": "Note"]]), "BAD_REQUEST")
        },
    ]

    /// cloudkit-web-services.md 10, and quotas.
    static let limits: [Check] =
        [
            ("private/records/modify", "operations", Visitor.operation("forceDelete", nil)),
            ("private/records/lookup", "records", ["recordName": "x"]), ("private/zones/lookup", "zones", Visitor.zone),
            ("private/changes/zone", "zones", ["zoneID": Visitor.zone]),
            ("private/subscriptions/lookup", "subscriptions", ["subscriptionID": "x"]),
            ("public/records/resolve", "shortGUIDs", ["value": "x"]),
            ("public/users/lookup/email", "users", ["emailAddress": "x"]),
            ("private/assets/rereference", "assets", ["recordName": "x", "fieldName": "f"]),
        ].map { (path: String, key: String, entry: Value) in
            Check("10", "\(path): 200 at once, not 201") { talk in
                talk.maya.makeZone()
                let codes = [200, 201].map { count in
                    let entries = (0..<count).map { index in
                        guard key == "operations" else { return entry }
                        return Visitor.operation("forceDelete", "r\(index)")
                    }
                    return talk.maya.call(path, [key: .array(entries), "zoneID": Visitor.zone]).code
                }
                talk.expect(codes, [nil, "BAD_REQUEST"], "codes")
            }
        } + [
            Check("10", "record: 1 MB without assets") { talk in
                talk.maya.makeZone()
                func code(_ count: Int) -> String? {
                    talk.maya.save("big", ["t": ["value": .string(String(repeating: "x", count: count))]]).code
                }
                talk.expect(code((1 << 20) - 100), nil)
                talk.expect(code((1 << 20) + 1), "BAD_REQUEST")
            },
            Check("9", "quota: what outgrows the app's public space is QUOTA_EXCEEDED, deletion frees it") { talk in
                let quota: Value = ["container": .string(talk.container), "bytes": 4000]
                talk.expect(talk.wire.command("cloud.publicQuota", quota)["ok"]?.bool, true)
                let long: Value = ["t": ["value": .string(String(repeating: "x", count: 2000))]]
                talk.expect(talk.maya.save("a", long, zone: nil, scope: "public").code, nil)
                talk.expect(talk.maya.save("b", long, zone: nil, scope: "public").code, "QUOTA_EXCEEDED")
                talk.expect(talk.maya.save("a", long, zone: nil).code, nil, "private space is another")
                talk.maya.delete("a", zone: nil, scope: "public")
                talk.expect(talk.maya.save("b", long, zone: nil, scope: "public").code, nil)
            },
            Check("9", "bodies that are no JSON object are BAD_REQUEST; a text/plain one is read as JSON") { talk in
                talk.maya.makeZone()
                for text in ["{", "[1]", "7", "\u{0}", "{\"zones\":[}", "nul"] {
                    let request = HTTPRequest("POST", talk.maya.target("private/zones/lookup"), body: Array(text.utf8))
                    talk.expect(talk.send(request).code, "BAD_REQUEST", text)
                }
                var plain = talk.maya
                plain.headers["Content-Type"] = "text/plain"
                talk.expect(plain.call("private/zones/lookup", ["zones": [Visitor.zone]]).code, nil)
            },
            Check("1", "paths: unknown operations, databases, environments, containers and verbs are 4xx error objects")
            { talk in
                let good = talk.maya.target("private/zones/list")
                for (from, to, code) in [
                    ("zones/list", "zones/explode", "NOT_FOUND"), ("/private/", "/secret/", "BAD_REQUEST"),
                    ("/development/", "/staging/", "BAD_REQUEST"), ("/iCloud.", "/cloud.", "BAD_REQUEST"),
                    ("/database/1/", "/database/2/", "NOT_FOUND"), ("zones/list", "zones/list/more", "NOT_FOUND"),
                    ("zones/list", "%zz", "BAD_REQUEST"),
                ] {
                    talk.expect(talk.send(HTTPRequest("GET", good.replacing(from, with: to))).code, code, to)
                }
                for verb in ["PUT", "DELETE", "PATCH"] {
                    talk.expect(talk.send(HTTPRequest(verb, good)).code, "NOT_FOUND", verb)
                }
            },
            Check("1", "verbs: GET and POST mean the same") { talk in
                talk.maya.makeZone()
                talk.expect(talk.maya.call("private/zones/list").list("zones").count, 2, "by POST")
                talk.expect(talk.maya.get("private/changes/database").list("zones").count, 1, "by GET")
            },
        ]
}
