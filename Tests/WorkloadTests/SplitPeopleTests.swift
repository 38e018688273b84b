import FleetModel
import Testing

@testable import Workload

/// Two parts of one run: whoever is handed over by one arrives at the other.
private final class TwoParts: CallLink {
    let parts: [People]
    private(set) var sent: [String] = []
    private(set) var handed: [Message] = []
    var loses = false
    /// Seconds that the answer to a sign-out takes.
    var slowness: Int64 = 0
    private var later: [(at: Int64, part: Int, input: Input)] = []

    init(_ plan: [PlanStep], isOpen: Bool = false) {
        parts = ["1/2", "2/2"].compactMap { Shard($0) }.map { People(plan: plan, shard: $0, isOpen: isOpen) }
    }
    func call(_ message: Message, after posts: [Output]) -> Message? { nil }

    /// Each second both do what they can.
    func run(seconds: Int64) {
        var inbox: [[Input]] = [[], []]
        for second in 0...seconds {
            for due in later where due.at == second { inbox[due.part].append(due.input) }
            for _ in 0..<6 {
                for index in parts.indices {
                    let inputs = inbox[index]
                    inbox[index] = []
                    for output in parts[index].step(now: at(second), inputs: inputs, link: self).outputs {
                        take(output, of: index, second, &inbox)
                    }
                }
            }
        }
    }
    private func take(_ output: Output, of index: Int, _ second: Int64, _ inbox: inout [[Input]]) {
        switch output.payload {
        case .command(let message):
            sent.append("\(second) part \(index + 1) \(output.to) \(message.name)")
            let answer = Input(
                from: output.to, .post(Message(message.name, ["ok": true])), exchange: output.exchange)
            let isSlow = slowness > 0 && message.name == "person.signOut"
            if isSlow { later.append((second + slowness, index, answer)) } else { inbox[index].append(answer) }
        case .post(let message):
            handed.append(message)
            if !loses { inbox[1 - index].append(Input(from: .people, .post(message))) }
        default: break
        }
    }
}

private func step(_ seconds: Int64, _ deed: PlanStep.Deed, pad: Int) -> PlanStep {
    PlanStep(at: at(seconds), person: "maya", pad: pad, deed)
}
private let plan: [PlanStep] = [
    step(1, .signIn, pad: 1), step(5, .open("quiz"), pad: 1), step(10, .signOut, pad: 1),
    step(20, .signIn, pad: 2), step(25, .signOut, pad: 2), step(30, .signIn, pad: 3),
]
private let walked = [
    "1 part 1 ipad-1 person.signIn", "5 part 1 ipad-1 app.open", "10 part 1 ipad-1 person.signOut",
    "20 part 2 ipad-2 person.signIn", "25 part 2 ipad-2 person.signOut", "30 part 1 ipad-3 person.signIn",
]

@Suite("People of a split run", .timeLimit(.minutes(20)))
struct SplitPeopleTests {
    @Test("A walk over iPads of two parts: each step is sent once, by the part of its iPad, at its time")
    func walk() {
        let parts = TwoParts(plan)
        parts.run(seconds: 40)
        #expect(parts.sent == walked)
        #expect(parts.handed.compactMap { $0["next"]?.int } == [3, 5])
        #expect(parts.parts.allSatisfy { $0.counts.skipped == 0 })
    }

    @Test("Open load: each part does what is to be done at its iPads, and nobody is handed over")
    func open() {
        let parts = TwoParts(plan, isOpen: true)
        parts.run(seconds: 40)
        #expect(parts.sent == walked && parts.handed.isEmpty)
    }

    @Test("Somebody who comes late does the next step at once, and none twice")
    func late() {
        let parts = TwoParts(plan)
        parts.slowness = 13
        parts.run(seconds: 40)
        #expect(
            Array(parts.sent.dropFirst(2).prefix(2)) == [
                "10 part 1 ipad-1 person.signOut", "23 part 2 ipad-2 person.signIn",
            ])
        #expect(parts.sent.count == 6)
    }

    @Test("Nobody acts elsewhere before they have left here")
    func waits() {
        let parts = TwoParts(plan)
        parts.loses = true
        parts.run(seconds: 40)
        #expect(parts.sent == Array(walked.prefix(3)))
    }

    @Test(
        "A word that is no news, of nobody, or beyond the plan changes nothing (parameters: words)",
        arguments: [
            ["person": "maya", "next": 0], ["person": "maya", "next": 7], ["person": "maya", "next": -1],
            ["person": "ben", "next": 3], ["person": "maya"], [:],
        ] as [Value])
    func nonsense(body: Value) {
        let people = People(plan: plan, shard: Shard("2/2") ?? .whole)
        let input = Input(from: .people, .post(Message(People.handOver, body)))
        #expect(people.step(now: at(50), inputs: [input], link: TwoParts([])).outputs.isEmpty)
    }

    @Test("A run that is not split hands nobody over")
    func whole() {
        let people = People(plan: plan)
        let result = people.step(now: at(1), inputs: [], link: TwoParts([]))
        #expect(result.outputs.count == 1 && people.counts.sent == 1)
    }
}
