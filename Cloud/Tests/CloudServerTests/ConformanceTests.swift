import CloudConformance
import FleetModel
import Testing

@testable import CloudServer

@Suite("Conformance of the server", .timeLimit(.minutes(20)))
struct ConformanceTests {
    @Test("Each documented behaviour over HTTP, with the answers of the core itself")
    func behaviours() async throws {
        let live = try LiveServer(secret: "conformance")
        let spec = try live.data.spec(isDevelopment: true, origin: LiveServer.origin)
        let results = try await live.run { port in
            let (http, direct) = (HTTPWire(port: port), try DirectWire(spec: spec))
            return Check.all.enumerated().map { number, check in
                (check, check.run(over: http, number: number), check.run(over: direct, number: number))
            }
        }
        for (check, http, direct) in results {
            #expect(http.failures == [], "\(check.section) \(check.name)")
            let differences = zip(http.transcript, direct.transcript).filter(!=).prefix(2).map { "\($0)\n\($1)" }
            #expect(differences == [], "\(check.section) \(check.name)")
            #expect(http.transcript.count == direct.transcript.count, "\(check.section) \(check.name)")
        }
        #expect(results.count > 100)
    }
}
