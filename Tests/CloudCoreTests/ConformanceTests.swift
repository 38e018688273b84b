import CloudConformance
import FleetModel
import Testing

@testable import CloudCore

@Suite("Conformance of the core", .timeLimit(.minutes(20)))
struct ConformanceTests {
    private static let spec: Value = ["accounts": [], "seed": 7, "dev": true, "closedProduction": true]

    @Test("Each documented behaviour", arguments: Array(Check.all.enumerated()))
    func behaviour(_ number: Int, _ check: Check) throws {
        let outcome = check.run(over: try DirectWire(spec: Self.spec), number: number)
        #expect(outcome.failures == [], "\(check.section) \(check.name)\n\(outcome.transcript.joined(separator: "\n"))")
    }

    /// Answers everything in one way.
    private final class Monotone: Wire {
        let answer: HTTPResponse
        init(_ answer: HTTPResponse) { self.answer = answer }
        func send(_ request: HTTPRequest) -> HTTPResponse { answer }
        func command(_ name: String, _ body: Value) -> Value { ["ok": true] }
        var seconds: Int64 { 0 }
        func pass(_ span: Span) {}
    }

    @Test(
        "The checks themselves: of a service that says yes to everything and one that says no each refuses one",
        arguments: Check.all)
    func isNotBlind(_ check: Check) {
        let refusal = CloudError.badRequest("no").body(uuid: String(repeating: "0", count: 36))
        let (yes, no) = (
            Monotone(HTTPResponse(status: 200, json: .empty)), Monotone(HTTPResponse(status: 400, json: refusal))
        )
        let failures = [yes, no].map { check.run(over: $0, number: 1).failures.count }
        #expect(failures.contains { $0 > 0 })
    }

    @Test("Coverage: each operation that is routed is served in at least one check")
    func coverage() throws {
        var served: Set<String> = []
        for (number, check) in Check.all.enumerated() {
            served.formUnion(check.run(over: try DirectWire(spec: Self.spec), number: number).served)
        }
        #expect(Set(Router.records.keys).union(["users/discover"]).subtracting(served) == [])
    }
}
