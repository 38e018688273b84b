import FleetModel
import Testing

@testable import CloudCore

@Suite("Malformed requests", .timeLimit(.minutes(20)))
struct FuzzTests {
    /// One request of each endpoint that would be good.
    private static let good: [(path: String, body: String)] = [
        (
            "private/records/query",
            #"{"zoneID":{"zoneName":"Z"},"query":{"recordType":"Note","filterBy":[{"comparator":"NEAR","fieldName":"p","fieldValue":{"value":{"latitude":1,"longitude":2}},"distance":5}],"sortBy":[{"fieldName":"n","ascending":false}]},"resultsLimit":3,"desiredKeys":["n"],"numbersAsStrings":true}"#
        ),
        (
            "private/records/modify",
            #"{"zoneID":{"zoneName":"Z"},"atomic":true,"operations":[{"operationType":"forceUpdate","record":{"recordName":"a","recordType":"Note","recordChangeTag":"x","parent":{"recordName":"b"},"createShortGUID":true,"fields":{"n":{"value":1},"l":{"value":["x"],"type":"STRING_LIST"},"p":{"value":{"latitude":1,"longitude":2}},"r":{"value":{"recordName":"b","action":"VALIDATE"}},"f":{"value":{"fileChecksum":"x","size":1,"receipt":"y"}}}}}]}"#
        ),
        (
            "private/records/modify",
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"s","recordType":"cloudkit.share","forRecord":{"recordName":"b","recordChangeTag":"t"},"publicPermission":"READ_ONLY","participants":[{"type":"USER","permission":"READ_WRITE","userIdentity":{"lookupInfo":{"emailAddress":"o@x"}}}]}}]}"#
        ),
        (
            "private/records/lookup",
            #"{"zoneID":{"zoneName":"Z","ownerRecordName":"__defaultOwner__"},"records":[{"recordName":"a","desiredKeys":["n"]}]}"#
        ),
        ("private/records/changes", #"{"zoneID":{"zoneName":"Z"},"syncToken":"AA==","resultsLimit":1,"reverse":true}"#),
        (
            "private/changes/zone",
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"desiredRecordTypes":["Note"],"reverse":true}]}"#
        ),
        ("private/changes/database", #"{"syncToken":"AA==","resultsLimit":2}"#),
        ("shared/changes/database", #"{"resultsLimit":2}"#),
        ("private/zones/lookup", #"{"zones":[{"zoneName":"Z"}]}"#),
        ("private/zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Y"}}}]}"#),
        ("private/zones/changes", #"{"metaSyncToken":"AA=="}"#),
        (
            "private/subscriptions/modify",
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"q","subscriptionType":"query","firesOn":["create"],"query":{"recordType":"Note"},"zoneWide":false,"notificationInfo":{"alertBody":"x"}}}]}"#
        ),
        ("private/subscriptions/lookup", #"{"subscriptions":[{"subscriptionID":"q"}]}"#),
        (
            "private/assets/upload",
            #"{"zoneID":{"zoneName":"Z"},"tokens":[{"recordName":"a","recordType":"Note","fieldName":"f"}]}"#
        ),
        ("private/assets/rereference", #"{"zoneID":{"zoneName":"Z"},"assets":[{"recordName":"a","fieldName":"f"}]}"#),
        (
            "public/records/resolve",
            #"{"shortGUIDs":[{"value":"x","shouldFetchRootRecord":true,"rootRecordDesiredKeys":["n"]}]}"#
        ),
        ("public/records/accept", #"{"shortGUIDs":[{"value":"x"}]}"#),
        ("public/users/discover", #"{"lookupInfos":[{"emailAddress":"o@x"},{"userRecordName":"_x"}]}"#),
        ("public/users/lookup/email", #"{"users":[{"emailAddress":"o@x"}]}"#),
        ("tokens/create", #"{"apnsEnvironment":"development","clientId":"c"}"#),
        ("tokens/register", #"{"apnsEnvironment":"development","apnsToken":"t"}"#),
    ]
    private static let junk: [Value] = [
        .null, true, -1, 0, 9_223_372_036_854_775_807, -9_223_372_036_854_775_808, 1.5, .double(1e300), "", "x",
        .string(String(repeating: "y", count: 300)),
        "\u{0}", "é😀", [], .empty, [.null], ["x": .null], .string("_defaultZone"), .data([1]),
    ]

    /// A copy with one node replaced.
    private func mutated(_ value: Value, _ draw: inout Draw) -> Value {
        switch value {
        case .object(let object) where !object.isEmpty && draw.chance(0.8):
            var copy = object
            let key = object.keys[draw.below(object.count)]
            if draw.chance(0.1) { copy[key] = nil } else { copy[key] = mutated(object[key] ?? .null, &draw) }
            return .object(copy)
        case .array(let list) where !list.isEmpty && draw.chance(0.8):
            var copy = list
            let index = draw.below(list.count)
            copy[index] = mutated(list[index], &draw)
            return .array(copy)
        default: return draw.pick(Self.junk) ?? .null
        }
    }

    // 9
    @Test(
        "Mutated bodies, bytes, paths and queries: answered with an error object or served, never a 5xx (3000 requests)"
    )
    func mutations() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.save("b", ["n": ["value": 1], "p": ["value": ["latitude": 1, "longitude": 2]]])
        var draw = Draw(seed: 42)
        let bodies = try Self.good.map { ($0.path, try Value(json: $0.body)) }
        for round in 0..<3000 {
            let (path, body) = bodies[round % bodies.count]
            var bytes = mutated(body, &draw).jsonBytes
            if draw.chance(0.15) { for _ in 0..<3 { bytes[draw.below(bytes.count)] = UInt8(draw.below(256)) } }
            var request = maya.http("POST", path, bytes)
            if draw.chance(0.1) {
                var target = Array(request.target.utf8)
                target[draw.below(target.count)] = UInt8(33 + draw.below(94))
                request.target = String(decoding: target, as: UTF8.self)
            }
            if draw.chance(0.05) { request.method = ["GET", "PUT", "DELETE", "PATCH", "HEAD", ""][draw.below(6)] }
            let answer = fleet.send(request, from: 9)
            #expect(
                (200..<500).contains(answer.status),
                "\(request.method) \(request.target) \(String(decoding: bytes, as: UTF8.self)): \(answer.text("reason"))"
            )
            if answer.status >= 400 {
                #expect(answer.code != nil && answer.text("uuid").count == 36 && !answer.text("reason").isEmpty)
            }
        }
        #expect(maya.lookup("b").code == nil || maya.lookup("b").code == "NOT_FOUND")
    }

    // 2
    @Test(
        "Mutated forms and verbs of the sign-in page: a page, a redirection or an error object, never a 5xx (1000 requests)"
    )
    func forms() throws {
        let fleet = try Web.fleet()
        let page = "/accounts/v1/signin?container=iCloud.com.example.web&environment=development&ckAPIToken=dev"
        let form = "account=maya+said&password=%C3%A9%22&stays=1"
        var draw = Draw(seed: 7)
        for round in 0..<1000 {
            var (target, bytes) = (Array(page.utf8), Array(form.utf8))
            for _ in 0..<draw.below(4) { bytes[draw.below(bytes.count)] = UInt8(draw.below(256)) }
            if draw.chance(0.2) { target[draw.below(target.count)] = UInt8(33 + draw.below(94)) }
            let method = draw.chance(0.8) ? "POST" : ["GET", "HEAD", "PUT", "OPTIONS"][draw.below(4)]
            let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
            let text = String(decoding: target, as: UTF8.self)
            let answer = fleet.send(HTTPRequest(method, text, headers: headers, body: bytes), from: 9)
            #expect((200..<500).contains(answer.status), "\(round) \(method) \(text)")
            if answer.status >= 400 { #expect(answer.code != nil && answer.text("uuid").count == 36) }
        }
    }

    // 10
    @Test("Limits: 200 of everything a request, 1 MB a record")
    func limits() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        func status(_ path: String, _ key: String, _ entry: Value) -> [Int] {
            [200, 201].map {
                maya.call(path, [key: .array(Array(repeating: entry, count: $0)), "zoneID": Device.zoneID("Z")]).status
            }
        }
        #expect(status("private/records/lookup", "records", ["recordName": "x"]) == [200, 400])
        #expect(status("private/zones/lookup", "zones", ["zoneName": "Z"]) == [200, 400])
        #expect(status("private/changes/zone", "zones", ["zoneID": Device.zoneID("Z")]) == [200, 400])
        #expect(status("private/subscriptions/lookup", "subscriptions", ["subscriptionID": "x"]) == [200, 400])
        #expect(status("public/records/resolve", "shortGUIDs", ["value": "x"]) == [200, 400])
        #expect(status("public/users/lookup/email", "users", ["emailAddress": "x"]) == [200, 400])
        #expect(status("private/assets/rereference", "assets", ["recordName": "x", "fieldName": "f"]) == [200, 400])
        func save(_ count: Int) -> String? {
            maya.save("big", ["t": ["value": .string(String(repeating: "x", count: count))]]).code
        }
        #expect(save((1 << 20) - 100) == nil)
        #expect(save((1 << 20) + 1) == "BAD_REQUEST")
        #expect(maya.save(String(repeating: "n", count: 255)).code == nil)
        #expect(maya.save(String(repeating: "n", count: 256)).code == "BAD_REQUEST")
    }

    // 10, framework 9
    @Test("Compare and swap: of writers with one tag exactly one wins, each round")
    func compareAndSwap() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        var tag = maya.save("n", ["n": ["value": 0]]).tag
        var wins = 0
        for round in 0..<8 {
            for _ in 0..<4 {
                let entry = maya.save(
                    "n", ["n": ["value": .int(round + 1)]], kind: "update", extra: ["recordChangeTag": .string(tag)])
                if entry.code == nil {
                    wins += 1
                } else {
                    #expect(entry.code == "ATOMIC_ERROR" || entry.code == "CONFLICT")
                }
            }
            tag = maya.lookup("n").tag
        }
        #expect(wins == 8)
        #expect(maya.lookup("n").value("n")?.int == 8)
    }
}
