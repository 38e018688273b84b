import FleetModel
import Nemesis
import Testing
import Trace

@testable import Run
@testable import World

@Suite("iPads that do not answer", .timeLimit(.minutes(20))) struct SilentPadTests {
    /// A run of one iPad that answers every command but those with this name.
    private func run(silentTo name: String) throws {
        let plan = RunPlan(
            seed: 7, pads: 1, core: [1], people: ["maya"], apps: [], plan: [], faults: [], network: LinkModel(),
            storm: .minutes(1), calmBudget: .minutes(1))
        let nemesis = try Nemesis(specs: [], link: plan.network, pads: [1], stormEnd: .zero + plan.storm)
        let answer = replying { input in
            guard case .command(let message) = input.payload, message.name != name else { return [] }
            let body: Value = ["ok": true, "people": ["maya"], "pending": []]
            return [Output(to: input.from, .post(Message(message.name, body)), exchange: input.exchange)]
        }
        let host = InProcessHost { id, _ in Scripted(id.pad == nil ? { _, _, _ in StepResult() } : answer) }
        try World(plan: plan, nemesis: nemesis, host: host, recorder: Recorder(sink: nil)).run()
    }

    @Test(
        "What it holds is not known: the run says nothing about the app, instead of a loss",
        arguments: ["pad.people", "pad.pending", "pad.observe"])
    func silence(name: String) throws {
        let obstacle = #expect(throws: RunEnd.self) { try run(silentTo: name) }
        #expect(
            obstacle?.kind == .inconclusive && obstacle?.message.hasPrefix("ipad-1 does not answer \(name)") == true)
    }

    @Test("An iPad that answers everything: the run goes to its end") func answers() throws { try run(silentTo: "") }
}
