import FleetModel
import Nemesis
import Testing
import Trace

@testable import Run
@testable import World

/// What the World says of its final readings, and how it keeps iPads awake for them.
@Suite("Rules of the final reading", .timeLimit(.minutes(20))) struct ReadingRuleTests {
    /// A whole run of one person on two iPads that do as they are told.
    /// - Parameter read: the answer of an iPad that is asked what an app shows.
    private func played(
        timeout: Int? = nil, read: Value = ["items": [], "complete": true],
        opened: @escaping (Instant) -> Void = { _ in }
    ) throws -> [HistoryEvent] {
        let manifest = AppManifest(
            name: "notebook", bundleID: "com.example.notebook", infoPlist: .empty, actions: [], promises: [:],
            channel: .record)
        let settings: Value = timeout.map { ["configuration": ["UserSessionTimeout": .int($0)]] } ?? .empty
        let plan = RunPlan(
            seed: 7, pads: 2, core: [1, 2], people: ["maya"], apps: [manifest], plan: [], faults: [],
            network: LinkModel(), storm: .minutes(1), calmBudget: .minutes(10), padSettings: settings)
        let nemesis = try Nemesis(specs: [], link: plan.network, pads: [1, 2], stormEnd: .zero + plan.storm)
        let host = InProcessHost { id, _ in
            Scripted { now, inputs, _ in
                let outputs = inputs.compactMap { input -> Output? in
                    guard case .command(let message) = input.payload else { return nil }
                    if message.name == "app.open", id == .pad(1) { opened(now) }
                    let body: Value = ["ok": true, "people": ["maya"], "pending": [], "accounts": ["maya"]]
                    let answer = Message(message.name, message.name == "app.read" ? read : body)
                    return Output(to: input.from, .post(answer), exchange: input.exchange)
                }
                return StepResult(outputs: outputs)
            }
        }
        let recorder = Recorder(sink: nil)
        try World(plan: plan, nemesis: nemesis, host: host, recorder: recorder).run()
        return recorder.history
    }

    @Test("Plan of a round: said before its first reading; everybody planned is read, and nobody else (3 rounds)")
    func planned() throws {
        var (planned, read): (Set<String>, [String]) = ([], [])
        for event in try played() {
            let detail = event.note.detail
            let reader = detail["reader"]?.string ?? ""
            if event.note.kind == .readingPlanned {
                #expect(detail["apps"] == ["notebook"])
                for place in detail["places"]?.array ?? [] {
                    #expect(place["people"] == ["maya"])
                    planned.insert("\(reader) ipad-\(place["pad"]?.int ?? 0)")
                }
            } else if event.note.kind == .read {
                read.append("\(reader) \(event.from)")
                #expect(planned.contains(read.last ?? ""), "not planned before it was read")
            }
        }
        #expect(read == ["core ipad-1", "core ipad-2", "new ipad-3", "again ipad-1", "again ipad-2"])
        #expect(planned.count == read.count)
    }

    @Test("Sessions that end when nobody touches the iPad: touched twice as often (timeout none, 120 s, 30 s)")
    func touched() throws {
        for (timeout, longest) in [(nil, 90), (120, 60), (30, 15)] as [(Int?, Int64)] {
            var times: [Instant] = []
            _ = try played(timeout: timeout) { times.append($0) }
            let pauses = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 <= .seconds(90) }
            #expect(pauses.max().map { $0 <= .seconds(longest) } ?? (timeout == nil), "\(times)")
            #expect(times.count > 2)
        }
    }

    @Test("An iPad that refuses to be read: its reason is the reading's")
    func refused() throws {
        let history = try played(read: ["refused": "nobody is signed in"])
        let reasons = history.filter { $0.note.kind == .read }.map { $0.note.detail["reason"]?.string }
        #expect(reasons.count == 5 && reasons.allSatisfy { $0 == "nobody is signed in" })
    }

    @Test("The same content saved for ever: the run ends, and says by whom (600 saves, 601)")
    func restless() throws {
        let small = try SmallWorld()
        let detail: Value = ["where": "Notebook/note-1", "device": "ipad-1"]
        let save = Note(.committed, person: "maya", channel: .record, tokens: ["maya.1"], detail: detail)
        for _ in 0..<SaveWatch.savesMax { try small.world.note(save, from: .cloud) }
        #expect {
            try small.world.note(save, from: .cloud)
        } throws: { error in
            let end = error as? RunEnd
            return end?.kind == .inconclusive
                && end?.message.contains("on ipad-1 never comes to rest: it saved Notebook/note-1") == true
        }
    }
}
