import FleetModel
import Testing

@testable import HomeroomTesting
@testable import Workload

@Suite("A scenario that is written down", .timeLimit(.minutes(20))) struct WrittenScenarioTests {
    @Test(
        "Times are exact to the nanosecond",
        arguments: [0, 1, 999, 1_000, 25_000_001_000, 604_800_000_000_000 - 1, 85_000_001_001])
    func times(nanoseconds: Int64) {
        #expect(Span(parsing: WrittenScenario.time(Span(nanoseconds: nanoseconds)))?.nanoseconds == nanoseconds)
    }

    @Test(
        "Steps are read as they were done, whatever people type",
        arguments: ["milk", "a & b", "*x", "- {a: [1]}", "\"q\" \\ \n\t#", "ü 你好 🎒", " ", "&a *b", "null", "1.5"])
    func texts(text: String) throws {
        let action = AppManifest.Action("write", kind: "item", verb: .put, pool: 8, prefix: "item")
        let app = AppManifest(
            name: "notes", bundleID: "n", infoPlist: .empty, actions: [action], promises: ["item": .keepsAll],
            channel: .record)
        let edit = Edit(
            token: "maya.1", person: "maya", app: "notes", action: "write", item: "i " + text, verb: .put,
            value: EditPayload.text(token: "maya.1", text))
        var written = WrittenScenario(name: "t", purpose: text + ".", app: "notes", ipads: 2, people: ["maya"])
        written.storm = .seconds(60)
        written.steps = [
            PlanStep(at: .zero + .seconds(1), person: "maya", pad: 2, .signIn),
            PlanStep(at: .zero + .seconds(2), person: "maya", pad: 2, .open("notes")),
            PlanStep(at: .zero + .seconds(3), person: "maya", pad: 2, .perform(edit)),
            PlanStep(
                at: .zero + .seconds(4), person: "maya", pad: 2, .command(Message("app.read", ["app": "notes"]))),
            PlanStep(at: .zero + .seconds(5), person: "maya", pad: 2, .home),
            PlanStep(at: .zero + .seconds(6), person: "maya", pad: 2, .signOut),
        ]
        let partition = FaultSpec(
            id: "partition-1", kind: "partition", from: .zero + .seconds(2),
            until: .zero + Span(nanoseconds: 9_000_000_001),
            pads: [1, 2], parameters: ["answer": "refused"])
        let cut = FaultSpec(
            id: "power-cut-1", kind: "power-cut", from: .zero + .seconds(7), until: .zero + .seconds(7), pads: [1],
            parameters: ["outage": "20s", "nth": 1, "share": 0.5])
        written.faults = [partition, cut]
        let read = ScenarioReader.read(
            text: written.text, file: "t", knownApps: [app], knownFaults: ["partition", "power-cut"])
        let scenario = try read.mapError { $0 }.get()
        #expect(Planner.plan(scenario, manifests: [app], seed: 1) == written.steps)
        #expect(scenario.faults == written.faults && scenario.storm == .seconds(60))
    }

    @Test("What people typed is found again in what an app shows")
    func plain() {
        let one = EditPayload.text(token: "maya.1", "milk 1 2"), two = EditPayload.text(token: "ben.12", "")
        #expect(EditPayload.plain(one) == "milk 1 2" && EditPayload.plain("a \(one)\n\(two)b") == "a milk 1 2\nb")
        #expect(EditPayload.plain("<#maya.1 9 x") == "<#maya.1 9 x" && EditPayload.plain("") == "")
    }

    @Test("A test's name becomes that of a scenario")
    func names() {
        let names = ["twoIPads()", "a_b(c:)", "_", "1x()", String(repeating: "Ab", count: 40)].map(
            TestPlace.scenarioName)
        #expect(names.dropLast() == ["two-i-pads", "a-b", "test", "test-1x"] && names.last?.utf8.count ?? 0 <= 32)
    }
}
