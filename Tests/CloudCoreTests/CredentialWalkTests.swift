import CloudConformance
import Testing

@testable import CloudCore

@Suite("Credentials", .timeLimit(.minutes(20)))
struct CredentialWalkTests {
    @Test("Every endpoint with every kind of wrong credential: refused, nothing told, nothing changed")
    func walk() throws {
        let wire = try DirectWire(spec: ["accounts": [], "seed": 7, "closedSignIn": true, "closedProduction": true])
        var walk = try CredentialWalk(over: wire)
        walk.run()
        #expect(walk.faults == [])
        #expect(walk.count > 1000)
    }

    @Test("Coverage: the walk goes to each operation that is routed")
    func coverage() {
        #expect(Set(Router.records.keys).union(["users/discover"]).subtracting(CredentialWalk.operations) == [])
    }

    @Test("The walk itself: an iCloud where anybody may be Maya does not pass it")
    func isNotBlind() throws {
        let wire = try DirectWire(spec: ["accounts": [], "seed": 7, "dev": true, "closedProduction": true])
        var walk = try CredentialWalk(over: wire)
        walk.run()
        #expect(walk.faults.contains { $0.contains("told Maya's secret") })
    }
}
