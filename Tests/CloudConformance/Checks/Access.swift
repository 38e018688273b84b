import FleetModel

extension Check {
    /// cloudkit-web-services.md 2 and 3: who may come in.
    static let access: [Check] = [
        Check(
            "2",
            "API token alone: reads the public database; where a person is needed AUTHENTICATION_REQUIRED and a page"
        ) { talk in
            talk.expect(talk.app.call("public/records/lookup", ["records": [["recordName": "x"]]]).status, 200)
            for path in [
                "private/records/lookup", "shared/zones/list", "public/records/modify", "public/users/caller",
                "public/records/accept", "tokens/create", "public/subscriptions/list", "public/assets/upload",
            ] {
                let answer = talk.app.call(path, ["records": [], "operations": [], "shortGUIDs": [], "tokens": []])
                talk.expect(answer.code, "AUTHENTICATION_REQUIRED", path)
                talk.expect(answer.text("redirectURL").hasPrefix("http"), "\(path): a page to sign in on")
            }
        },
        Check("2", "tokens: wrong, missing, without the other half are AUTHENTICATION_FAILED") { talk in
            for query in [
                "", "ckAPIToken=x", "ckAPIToken=", "ckWebAuthToken=person%3Amaya", "ckAPIToken=dev&ckWebAuthToken=x",
            ] {
                talk.expect(talk.visitor(query).get("private/zones/list").code, "AUTHENTICATION_FAILED", query)
            }
        },
        Check("2", "issued API token: good in its container and environment only") { talk in
            let place: Value = ["container": .string(talk.container), "environment": "development"]
            let token = talk.wire.command("cloud.apiToken", place)["token"]?.string ?? ""
            talk.expect(talk.visitor("ckAPIToken=\(token)").get("public/zones/list").status, 200)
            talk.environment = "production"
            talk.expect(talk.visitor("ckAPIToken=\(token)").get("public/zones/list").status, 401)
        },
        Check(
            "2",
            "web-auth token: dead once its answer was received, refusals too, each answer has the next; percent-encoded"
        ) { talk in
            _ = talk.maya.userRecordName
            let place: Value = [
                "account": .string(talk.account("maya")), "container": .string(talk.container),
                "environment": "development",
            ]
            func visitor(_ token: String) -> Visitor {
                let coded = token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
                return talk.visitor("ckAPIToken=dev&ckWebAuthToken=\(coded)")
            }
            let field = "X-Apple-CloudKit-Web-Auth-Token"
            let first = talk.wire.command("cloud.webToken", place)["token"]?.string ?? ""
            let answer = visitor(first).get("private/zones/list")
            talk.expect(answer.status, 200)
            let second = answer.headers[field] ?? ""
            talk.expect(visitor(first).get("private/zones/list").headers[field], second, "after a lost answer")
            let refused = visitor(second).call("private/records/modify")
            talk.expect(refused.code, "BAD_REQUEST")
            talk.expect(visitor(first).get("private/zones/list").code, "AUTHENTICATION_FAILED", "after its replacement")
            talk.expect(visitor(refused.headers[field] ?? "").get("private/zones/list").status, 200)
            talk.expect(visitor(second).get("private/zones/list").code, "AUTHENTICATION_FAILED")
        },
        Check("3", "signed request: writes the public database; bad key, text, date or signature fail") { talk in
            let developer = Developer(talk)
            let body: Value = ["operations": [Visitor.operation("forceUpdate", "x")]]
            talk.expect(developer.call("public/records/modify", body).status, 200)
            talk.expect(developer.call("public/zones/list", nil).status, 200, "without a body")
            talk.expect(developer.call("public/zones/list", nil, hash: "").status, 200, "without a hash")
            talk.expect(developer.call("public/zones/list", .empty, hash: "").status, 401, "a body without its hash")
            talk.expect(developer.call("public/zones/list", nil, query: "?ckAPIToken=dev").status, 401, "mixed")
            talk.expect(developer.call("public/zones/list", nil, age: 660).status, 401, "too old")
            talk.expect(developer.call("public/zones/list", nil, age: -660).status, 401, "too early")
            talk.expect(developer.call("public/zones/list", nil, subpath: "/x").status, 401, "of another path")
            talk.expect(
                Developer(talk, seed: 2, isKnown: false).call("public/zones/list", nil).status, 401, "unknown key")
        },
        Check("3", "signed request: no private or shared database, no user of its own; changes what others made") {
            talk in
            let developer = Developer(talk)
            for path in ["private/zones/list", "shared/zones/list"] {
                talk.expect(developer.call(path, nil).code, "ACCESS_DENIED", path)
            }
            for path in ["public/users/current", "public/users/caller"] {
                talk.expect(developer.call(path, nil).code, "AUTHENTICATION_FAILED", path)
            }
            talk.maya.save("x", zone: nil, scope: "public")
            let body: Value = ["operations": [Visitor.operation("forceUpdate", "x")]]
            talk.expect(developer.call("public/records/modify", body).anyCode, nil)
        },
        Check("3", "revoked key: AUTHENTICATION_FAILED from then on") { talk in
            let developer = Developer(talk)
            talk.expect(developer.call("public/zones/list", nil).status, 200)
            talk.expect(talk.wire.command("cloud.revokeKey", ["keyID": .string(developer.keyID)])["ok"]?.bool, true)
            talk.expect(developer.call("public/zones/list", nil).code, "AUTHENTICATION_FAILED")
        },
    ]
}

/// A server that signs.
struct Developer {
    let talk: Conversation
    let keyID: String
    private let signer: Signer

    init(_ talk: Conversation, seed: UInt64 = 1, isKnown: Bool = true) {
        self.talk = talk
        signer = Signer(seed: seed)
        guard isKnown else {
            keyID = String(repeating: "0", count: 64)
            return
        }
        let key: Value = ["container": .string(talk.container), "publicKey": .string(Base64.encode(signer.publicKey))]
        keyID = talk.wire.command("cloud.key", key)["keyID"]?.string ?? ""
    }

    /// - Parameters:
    ///   - hash: what is signed instead of the body's own.
    ///   - age: seconds.
    ///   - subpath: signed instead of the path.
    func call(
        _ path: String, _ body: Value?, hash: String? = nil, age: Int64 = 0, subpath: String? = nil, query: String = ""
    ) -> Answer {
        let bytes = body?.jsonBytes ?? []
        let target = talk.visitor("").target(path)
        let date = Signer.date(talk.wire.seconds - age)
        let text = "\(date):\(hash ?? Signer.hash(bytes)):\(subpath ?? target)"
        let headers: HTTPHeaders = [
            "X-Apple-CloudKit-Request-KeyID": keyID, "X-Apple-CloudKit-Request-ISO8601Date": date,
            "X-Apple-CloudKit-Request-SignatureV1": signer.signature(of: text),
        ]
        return talk.send(HTTPRequest(body == nil ? "GET" : "POST", target + query, headers: headers, body: bytes))
    }
}
