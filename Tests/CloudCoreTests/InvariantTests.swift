import FleetModel
import Storage
import Testing

@testable import CloudCore

/// Each breaks the tables behind the Cloud's back, and expects that its next step says so.
@Suite("Invariants of the Cloud", .timeLimit(.minutes(20))) struct CloudInvariantTests {
    @Test(
        "What no request can bring about is a problem of the testbed",
        arguments: [
            ("UPDATE record SET seq = 10000", "no reader of the feed hears of it: zone Notes"),
            ("UPDATE zone SET seq = 10000 WHERE deleted = 0", "a zone changed after the last change of its owner"),
            ("UPDATE owner SET used = -1 WHERE name = 'maya'", "somebody uses less than nothing: maya"),
            (
                "INSERT INTO recordfield VALUES('c', 'development', 'Note', 'text', 'STRING', 0, 0)",
                "fields of a record type that it does not have: Note"
            ),
            (
                "INSERT INTO participant(zone, share, account, lookup, type, permission, status) "
                    + "VALUES(9, 'gone', NULL, 'leo', 'USER', 'NONE', 'INVITED')",
                "takes part in a share that is not there: leo"
            ),
        ])
    func tables(_ change: String, _ message: String) throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        _ = maya.save("create", "n1", payload("maya.1"))
        try fleet.cloud.checkInvariants()
        #expect(fleet.cloud.step(now: fleet.now, inputs: [], link: NoLink()).problems.isEmpty)
        try fleet.cloud.database.execute(change)
        let problems = fleet.cloud.step(now: fleet.now, inputs: [], link: NoLink()).problems
        #expect(problems.first?.contains(message) == true, "\(problems)")
    }
}
