import FleetModel
import Testing

@testable import CloudCore

/// What a batch of records is judged by as a whole, and what a request id stands for.
@Suite("Rules of a batch", .timeLimit(.minutes(20))) struct BatchRuleTests {
    @Test("Quota: the records of a batch are counted together (each fits, both do not) (S102)")
    func quota() throws {
        let text = String(repeating: "x", count: 2000)
        func codes(_ names: [String]) throws -> [String] {
            let fleet = try Fleet()
            let maya = try fleet.device("maya", on: 1)
            maya.makeZone()
            fleet.command("cloud.quota", ["account": "maya", "bytes": 3500])
            return maya.modify(names.map { Device.operation("create", $0, text: text) }, atomic: false).records.map(
                \.code
            )
            .map { $0 ?? "ok" }
        }
        #expect(try codes(["a"]) == ["ok"])
        #expect(try codes(["a", "b"]) == ["ok", "QUOTA_EXCEEDED"])
    }

    @Test("References: who leans on a record of the batch that is refused for its own reference is refused, too")
    func chain() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        // Looked at in this order: `s` is good until `t` has fallen.
        let batch = [
            Web.operation("create", "s", ["up": Web.reference("t", "VALIDATE")]),
            Web.operation("create", "t", ["up": Web.reference("nowhere", "VALIDATE")]),
            Web.operation("create", "u"),
        ]
        let codes = maya.modify(batch, atomic: false).records.map { $0.code ?? "ok" }
        #expect(codes == ["VALIDATING_REFERENCE_ERROR", "VALIDATING_REFERENCE_ERROR", "ok"])
        #expect(!maya.has("s") && !maya.has("t") && maya.has("u"))
    }

    @Test("Request id: a refusal is not remembered; the same request is judged again")
    func refusal() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        maya.save("create", "a", "in the way")
        let force = [Device.operation("forceUpdate", "a", text: "x", type: "Page")]
        #expect(maya.modify(force, id: "r").code == "ATOMIC_ERROR")
        maya.modify([Device.operation("forceDelete", "a")])
        #expect(maya.modify(force, id: "r").status == 200)
        #expect(maya.lookup(["a"]).first?.field == "x")
    }

    @Test("Request id: the same request is answered from memory, another one under the same id is a request of its own")
    func content() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        func force(_ name: String) -> HTTPResponse {
            maya.modify([Device.operation("forceUpdate", name, text: "x")], id: "r")
        }
        let first = force("a")
        let again = force("a")
        #expect(first.status == 200 && again.body == first.body)
        #expect(force("b").status == 200)
        #expect(maya.lookup(["a", "b"]).map(\.field) == ["x", "x"])
    }
}
