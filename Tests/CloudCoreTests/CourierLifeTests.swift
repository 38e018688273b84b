import FleetModel
import Testing

@testable import CloudCore

@Suite("Couriers and push tokens", .timeLimit(.minutes(20)))
struct CourierLifeTests {
    private func courier(_ maya: Web) -> String {
        Web.target(maya.call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL"))
    }
    private func poll(_ fleet: Fleet, _ target: String) -> HTTPResponse {
        fleet.send(HTTPRequest("GET", target), from: 9)
    }
    private func rows(_ fleet: Fleet, _ table: String) throws -> Int {
        try Int(fleet.cloud.database.query("SELECT count(*) FROM \(table)").first?.int(0) ?? -1)
    }
    /// Stepped when it wants to be.
    private func pass(_ fleet: Fleet, _ hours: Int) {
        for _ in 0..<(4 * hours) { fleet.wait(.minutes(15)) }
    }

    @Test("A courier that nobody polls for a day is removed with what waits for it; one that is polled stays")
    func unpolled() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.call(
            "private/subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": ["subscriptionID": "d", "subscriptionType": "database"],
                    ]
                ]
            ])
        let (left, polled) = (courier(maya), courier(maya))
        for day in 0..<3 {
            maya.save("a\(day)")
            #expect(poll(fleet, polled).status == 200)
            #expect(try rows(fleet, "courier") == (day < 2 ? 2 : 1))
            pass(fleet, 20)
        }
        #expect(poll(fleet, left).code == "NOT_FOUND")
        #expect(poll(fleet, polled).status == 200)
        #expect(try rows(fleet, "courierpush") == 0)
        pass(fleet, 50)
        #expect(try rows(fleet, "courier") == 0)
        #expect(try rows(fleet, "chore") == 0)
    }

    // 7.4
    @Test("Couriers: a hundred of one person, the oldest go first")
    func couriers() throws {
        let fleet = try Web.fleet()
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        let (first, other) = (courier(maya), courier(omar))
        for _ in 0..<99 { _ = courier(maya) }
        #expect(poll(fleet, first).status == 200)
        let last = courier(maya)
        #expect(poll(fleet, first).code == "NOT_FOUND")
        #expect(poll(fleet, last).status == 200 && poll(fleet, other).status == 200)
        #expect(try rows(fleet, "courier") == 101)
    }

    // 7.5, 8.11
    @Test("Pushes: 4 KB at most, without the additional fields and said to be pruned; what is shown is checked before")
    func pruned() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        func subscribe(_ info: Value, _ id: String = "q") -> Value {
            let subscription: Value = [
                "subscriptionID": .string(id), "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": "Note"], "notificationInfo": info,
            ]
            return maya.call(
                "private/subscriptions/modify",
                ["operations": [["operationType": "create", "subscription": subscription]]]
            ).json?["subscriptions"]?.array?.first ?? .null
        }
        for wrong: Value in [
            ["alertBody": 5], ["soundName": []], ["shouldBadge": "yes"], ["additionalFields": "t"],
            ["additionalFields": [5]],
            ["alertLocalizationArgs": .empty], "text", ["alertBody": .string(String(repeating: "x", count: 2100))],
        ] { #expect(subscribe(wrong).code == "BAD_REQUEST", "\(wrong.json.prefix(60))") }
        #expect(subscribe(["additionalFields": ["t"], "alertBody": "new"]).code == nil)
        let url = courier(maya)
        maya.save("small", ["t": ["value": "x"]])
        maya.save("large", ["t": ["value": .string(String(repeating: "x", count: 9000))]])
        let pushes = (0..<2).map { _ in poll(fleet, url) }
        #expect(pushes[0].json?["ck"]?["qry"]?["af"] == ["t": "x"])
        #expect(pushes[0].json?["ck"]?["p"] == nil)
        #expect(pushes[1].body.count <= 4096)
        #expect(pushes[1].json?["ck"]?["qry"]?["rid"]?.string == "large")
        #expect(pushes[1].json?["ck"]?["p"]?.int == 1)
        for number in 0..<199 { #expect(subscribe(.empty, "s\(number)").code == nil) }
        #expect(subscribe(.empty, "one more").code == "BAD_REQUEST")
        #expect(subscribe(.empty, "s7").code == nil, "it is there")
    }

    // 7.4
    @Test("tokens/register: taken, listed for an administrator, of who registered last; never a way to poll")
    func register() throws {
        let fleet = try Web.fleet()
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        func list(_ name: String) -> [Value] {
            fleet.command("cloud.pushTokens", ["account": .string(name)])?["pushTokens"]?.array ?? []
        }
        let token: Value = ["apnsEnvironment": "production", "apnsToken": "AB12"]
        #expect(maya.call("tokens/register", token).json == .empty)
        #expect(maya.call("tokens/register", token).json == .empty)
        #expect(list("maya").map { $0["apnsEnvironment"]?.string } == ["production"])
        #expect(list("maya").map { $0["container"]?.string } == [maya.container])
        #expect(list("maya").first?["digest"]?.string == Secret.hidden("AB12"))
        #expect(poll(fleet, "/webcourier/v1/AB12").code == "NOT_FOUND", "whoever guesses it would read maya's pushes")
        #expect(omar.call("tokens/register", token).status == 200)
        #expect(list("maya") == [])
        #expect(list("omar").count == 1)
        for number in 0..<120 {
            maya.call("tokens/register", ["apnsEnvironment": "production", "apnsToken": .string("t\(number)")])
        }
        #expect(list("maya").count == 100)
    }
}
