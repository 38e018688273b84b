import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Group commit", .timeLimit(.minutes(20)))
struct BatchTests {
    @Test("A request that the database refuses: the others of its group are saved, in their order, each once")
    func poison() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.save("first")
        // Whatever a review has not found yet: a statement breaks a rule of the tables.
        try fleet.cloud.database.execute(
            "CREATE TRIGGER poison BEFORE INSERT ON record WHEN NEW.name = 'poison' BEGIN SELECT RAISE(ABORT, 'x'); END"
        )
        let requests = ["a", "poison", "b"].enumerated().map { number, name in
            let body: Value = ["operations": [Web.operation("create", name)], "zoneID": Device.zoneID("Z")]
            return CloudRequest(
                from: .people, exchange: UInt64(number),
                http: maya.http("POST", "private/records/modify", body.jsonBytes))
        }
        let replies = fleet.cloud.apply(requests, now: fleet.now)
        #expect(replies.map(\.exchange) == [0, 1, 2])
        #expect(replies.map(\.response.status) == [200, 503, 200])
        #expect(
            maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).json?.names == ["first", "a", "b"])
    }
}
