import FleetModel
import Testing

@testable import CloudCore

@Suite("Quota of documents", .timeLimit(.minutes(20))) struct DocumentQuotaTests {
    @Test("A new version: refused when it is longer than what is free, taken when it is not (S102)")
    func version() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        let first = try #require(maya.put("d", modified: 1, "short").json?["version"]?.string)
        fleet.command("cloud.quota", ["account": "maya", "bytes": 1000])
        let long = String(repeating: "x", count: 2000)
        let refused = maya.put("d", base: first, modified: 2, long)
        #expect(refused.status == 413 && refused.code == "QUOTA_EXCEEDED")
        #expect(maya.content("d") == "short")
        #expect(maya.put("d", base: first, modified: 2, "another").status == 200)
        #expect(maya.content("d") == "another")
    }
}
