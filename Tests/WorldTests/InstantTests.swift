import FleetModel
import Nemesis
import Testing

@testable import Run
@testable import World

private let pad = ParticipantID.pad(1)
private let app = ParticipantID.app(pad: 1, launch: 1)

/// What Docs/architecture.md says of one instant: its order, its limits, and when it ends.
@Suite("One instant", .timeLimit(.minutes(20))) struct InstantTests {
    @Test("Heap: what is due at the same time happens in the order in which it was added (100 events)")
    func order() {
        var queue = EventQueue()
        let early = Instant.zero + .seconds(1)
        let late = early + Span(nanoseconds: 1)
        for number in 0..<50 {
            queue.add(.faultBegins(100 + number), at: late)
            queue.add(.faultBegins(number), at: early)
        }
        var popped: [Int] = []
        while let (_, happening) = queue.pop() {
            if case .faultBegins(let number) = happening { popped.append(number) }
        }
        #expect(popped == Array(0..<50) + Array(100..<150))
    }

    /// An iPad and its app that send one message to and fro until it has been delivered `hops` times.
    private func tennis(_ hops: Int, on number: Int, in small: SmallWorld) throws {
        let pad = ParticipantID.pad(number)
        let app = ParticipantID.app(pad: number, launch: 1)
        var left = hops
        let play: (ParticipantID) -> Scripted.Body = { other in
            replying { _ in
                left -= 1
                return left > 0 ? [Output(to: other, .post(Message("ball")))] : []
            }
        }
        try small.add(pad, play(app))
        try small.add(app, play(pad))
    }

    @Test("Messages of one iPad in one instant: 10,000 pass, one more is a harness error that names both ends")
    func hopsMax() throws {
        for hops in [10_000, 10_001] {
            let small = try SmallWorld()
            try tennis(hops, on: 1, in: small)
            small.poke(pad)
            guard hops > 10_000 else {
                try small.run()
                continue
            }
            let problem = #expect(throws: RunEnd.self) { try small.run() }
            let message = problem?.message ?? ""
            #expect(message.hasPrefix("more than 10000 messages at "))
            #expect(message.contains("ipad-1/app-1") && message.hasSuffix("answer each other for ever with ball"))
        }
    }

    @Test("Messages of one instant: each iPad has its own count, and the next instant begins with none")
    func hopsOfEach() throws {
        let small = try SmallWorld()
        try tennis(9_000, on: 1, in: small)
        try tennis(9_000, on: 2, in: small)
        small.poke(pad)
        small.poke(.pad(2))
        try small.run(.seconds(1))
        try tennis(9_000, on: 1, in: small)
        small.poke(pad)
        try small.run(.seconds(1))
        #expect(small.received[pad]?.count == 9_000)
    }

    @Test("Calls of one instant: as many as the plan allows; one more says nothing about the app (limit 5)")
    func callsMax() throws {
        for calls in [5, 6] {
            let small = try SmallWorld(maxCallsPerInstant: 5)
            try small.add(pad) { _, inputs, _ in
                StepResult(outputs: inputs.map { Output(to: $0.from, .answer(Message("yes")), exchange: $0.exchange) })
            }
            try small.add(app) { _, inputs, link in
                for _ in 0..<(inputs.isEmpty ? 0 : calls) { _ = link.call(Message("ask"), after: []) }
                return StepResult()
            }
            // A second instant has calls of its own.
            for _ in 1...2 {
                small.poke(app)
                guard calls > 5 else {
                    try small.run(.seconds(1))
                    continue
                }
                let obstacle = #expect(throws: RunEnd.self) { try small.run(.seconds(1)) }
                #expect(
                    obstacle?.kind == .inconclusive
                        && obstacle?.message.contains("more than 5 calls in one instant, the last ask") == true)
            }
        }
    }

    @Test("Posts: first in, first out, and before anything else that is due at the same time")
    func postsFirst() throws {
        let small = try SmallWorld()
        let due = Instant.zero + .seconds(5)
        var seen: [String] = []
        try small.add(pad) { now, inputs, _ in
            seen += inputs.map { "ipad \($0.payload.subject)" }
            guard inputs.isEmpty else { return StepResult(nextTimer: now < due ? due : nil) }
            seen.append("ipad timer")
            return StepResult(outputs: ["a", "b"].map { Output(to: app, .post(Message($0))) })
        }
        try small.add(app) { now, inputs, _ in
            #expect(now == due)
            seen += inputs.map { "app \($0.payload.subject)" }
            return StepResult(outputs: inputs.map { Output(to: pad, .post(Message("re \($0.payload.subject)"))) })
        }
        try small.add(.pad(2)) { _, inputs, _ in
            seen += inputs.isEmpty ? ["other timer"] : []
            return StepResult(nextTimer: inputs.isEmpty ? nil : due)
        }
        small.poke(pad)
        small.poke(.pad(2))
        try small.run()
        #expect(seen == ["ipad poke", "ipad timer", "app a", "app b", "ipad re a", "ipad re b", "other timer"])
    }

    @Test("Call: answered in the same instant and inside the step, and traced in the order post, call, answer")
    func callInside() throws {
        let sink = Lines()
        let small = try SmallWorld(sink: sink)
        var times: [Instant] = []
        try small.add(pad) { now, inputs, _ in
            times.append(now)
            return StepResult(
                outputs: inputs.compactMap { input in
                    guard case .call = input.payload else { return nil }
                    return Output(to: input.from, .answer(Message("yes")), exchange: input.exchange)
                }, nextTimer: nil)
        }
        try small.add(app) { now, inputs, link in
            times.append(now)
            let answer = link.call(Message("ask"), after: [Output(to: pad, .post(Message("before")))])
            #expect(answer == Message("yes"))
            return StepResult()
        }
        try small.run(.seconds(3))
        small.poke(app)
        try small.run()
        #expect(times == [.zero + .seconds(3), .zero + .seconds(3)])
        let kinds = sink.values.compactMap { line in line["k"]?.string.map { "\($0) to \(line["to"]?.string ?? "")" } }
        #expect(kinds == ["post to ipad-1", "call to ipad-1", "answer to ipad-1/app-1", "command to ipad-1/app-1"])
    }

    @Test("Call: an iPad that does not answer is a harness error, and the app gets nothing")
    func unanswered() throws {
        let small = try SmallWorld()
        try small.add(pad) { _, _, _ in StepResult() }
        try small.add(app) { _, _, link in
            #expect(link.call(Message("ask"), after: []) == nil)
            return StepResult()
        }
        small.poke(app)
        let problem = #expect(throws: RunEnd.self) { try small.run() }
        #expect(
            problem?.kind == .harness
                && problem?.message == "ipad-1 did not answer the call ask: every call needs an answer")
    }

    @Test("Timer in the past: it fires now, and time never goes back")
    func pastTimer() throws {
        let small = try SmallWorld()
        var wakes: [Instant] = []
        try small.add(pad) { now, inputs, _ in
            if inputs.isEmpty { wakes.append(now) }
            return StepResult(nextTimer: inputs.isEmpty ? nil : .zero + .seconds(1))
        }
        try small.run(.seconds(9))
        small.poke(pad)
        try small.run()
        #expect(wakes == [.zero + .seconds(9)])
    }
}
