import FleetModel
import Testing

@testable import Workload

@Suite("Fault files", .timeLimit(.minutes(20))) struct FaultFileTests {
    private func read(_ text: String) -> Result<FaultFile, ScenarioErrors> {
        ScenarioReader.readFaults(text: text, file: "f.yaml", knownFaults: ["latency", "partition"])
    }

    @Test("Faults alone: as in a scenario, with the healthy link and addresses")
    func alone() throws {
        let file = try read(
            """
            faults:
              - {fault: latency, from: 5s, until: 8h, ipads: [2, 7-9], with: {extra: 20ms}}
              - {fault: partition, id: cut, from: 1s, until: 2s}
            network: {latency: [5ms, 30ms], bytesPerSecond: 1000}
            sources: {10.0.0.7: 3, "fd00::8": 4}
            """
        ).get()
        #expect(file.faults.map(\.id) == ["latency-1", "cut"] && file.faults[0].pads == [2, 7, 8, 9])
        #expect(file.faults[0].until == .zero + .hours(8) && file.faults[0].parameters["extra"] == "20ms")
        #expect(file.network == LinkModel(least: .milliseconds(5), most: .milliseconds(30), bytesPerSecond: 1000))
        #expect(file.sources == ["10.0.0.7": 3, "fd00::8": 4])
    }

    @Test("For ever: said by a word in the place of the end, and by no other")
    func stays() throws {
        func until(_ word: String) throws -> Instant? {
            try self.read("faults:\n  - {fault: latency, from: 5s, until: \(word)}\n").get().faults.first?.until
        }
        #expect(try until("forever") == FaultSpec.forever)
        #expect(throws: (any Error).self) { try until("never") }
        let body = FaultSpec(id: "a", kind: "latency", from: .zero, until: FaultSpec.forever).body
        let read = try Value(json: body.jsonBytes)
        #expect(FaultSpec(body)?.stays == true && FaultSpec(read)?.stays == true)
    }

    @Test("A whole scenario: what else it says is passed over")
    func scenario() throws {
        let text = "name: x\nipads: 2\npeople: 4\nfaults:\n  - {fault: partition, from: 1s, until: 2s, ipads: 2}\n"
        let file = try read(text).get()
        #expect(file.scenario == "x" && file.faults.count == 1 && file.network == nil && file.sources.isEmpty)
    }

    @Test(
        "Wrong: told with line and column",
        arguments: [
            ("faults:\n  - {fault: latency, from: 5s}\n", "2:5"), ("falts: []\n", "1:1"), ("", "1:1"),
            ("ipads: 2\nfaults:\n  - {fault: latency, from: 1s, until: 2s, ipads: 3}\n", "3:50"),
            ("sources: {10.0.0.7: 0}\n", "1:21"), ("sources: {10.0.0.7: 3, 10.0.0.300: 4}\n", "1:24"),
            ("sources: {foo: 3}\n", "1:11"), ("faults:\n  - {fault: latency, from: 2s, until: 1s}\n", "2:39"),
            ("- 1\n", "1:1"),
        ])
    func wrong(text: String, place: String) {
        guard case .failure(let errors) = read(text) else { Issue.record("accepted: \(text)"); return }
        #expect(errors.errors[0].place.description == place, "\(errors)")
    }
}
