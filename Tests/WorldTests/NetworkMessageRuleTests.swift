import FleetModel
import Nemesis
import Testing

@testable import Run
@testable import World

private let pad = ParticipantID.pad(1)

/// What Docs/architecture.md says of the schedule tape and of a Cloud that is not there.
@Suite("NetworkMessages", .timeLimit(.minutes(20))) struct NetworkMessageRuleTests {
    /// An iPad that asks once and a Cloud that answers and pushes; when each message came.
    private func arrivals(outcomes: [String: Value]?, sink: Lines? = nil, isCloudThere: Bool = true) throws
        -> [(what: String, at: Span)]
    {
        let small = try SmallWorld(outcomes: outcomes, sink: sink)
        var came: [(String, Span)] = []
        try small.add(pad) { now, inputs, _ in
            came += inputs.map { ("ipad \($0.payload.subject)", now - .zero) }
            guard inputs.first?.payload.subject == "poke" else { return StepResult() }
            let request = Payload.request(HTTPRequest("GET", "/"))
            return StepResult(outputs: [Output(to: .cloud, request, exchange: 1, cause: "c")])
        }
        try small.add(.cloud) { now, inputs, _ in
            came += inputs.map { ("cloud \($0.payload.subject)", now - .zero) }
            return StepResult(
                outputs: inputs.flatMap { input in
                    [
                        Output(to: input.from, .response(HTTPResponse(status: 200)), exchange: input.exchange),
                        Output(to: pad, .push(Message("push", ["service": "kvs"])), cause: "p"),
                    ]
                })
        }
        if !isCloudThere { small.world.end(.cloud) }
        small.poke(pad)
        try small.run()
        return came
    }

    @Test("Replay: a message that the tape does not know gets the least latency and no fault (each direction)")
    func least() throws {
        let least = LinkModel().least
        let came = try arrivals(outcomes: [:])
        #expect(came.map(\.what) == ["ipad poke", "cloud GET /", "ipad 200", "ipad push"])
        #expect(came.map(\.at) == [.zero, least, least + least, least + least])
    }

    @Test("Replay: the latency on the tape is taken as it is (each direction)")
    func taken() throws {
        let outcomes = [
            "request ipad-1 c 0": DeliveryOutcome(latency: .seconds(2)).body,
            "response ipad-1 c 0": DeliveryOutcome(latency: .seconds(3)).body,
            "push ipad-1 p 0": DeliveryOutcome(latency: .seconds(1)).body,
        ]
        let came = try arrivals(outcomes: outcomes)
        #expect(came.map(\.what) == ["ipad poke", "cloud GET /", "ipad push", "ipad 200"])
        #expect(came.map(\.at) == [.zero, .seconds(2), .seconds(3), .seconds(5)])
    }

    @Test("Schedule tape: each network message is written when it starts, by direction, iPad, cause and attempt")
    func written() throws {
        let sink = Lines()
        let came = try arrivals(outcomes: nil, sink: sink)
        let keys = sink.values.compactMap { $0["pass"]?.string }
        #expect(keys == ["request ipad-1 c 0", "response ipad-1 c 0", "push ipad-1 p 0"])
        // Played again from what was written, everything comes when it came.
        var tape: [String: Value] = [:]
        for line in sink.values { if let key = line["pass"]?.string { tape[key] = line["fate"] } }
        let again = try arrivals(outcomes: tape)
        #expect(again.map(\.at) == came.map(\.at) && again.map(\.what) == came.map(\.what))
        #expect(came.map(\.at) != (try arrivals(outcomes: [:])).map(\.at))
    }

    @Test("Cloud that is down: the connection is refused, at once after the least latency of both ways")
    func down() throws {
        let least = LinkModel().least
        let came = try arrivals(outcomes: [:], isCloudThere: false)
        #expect(came.map(\.what) == ["ipad poke", "ipad unreachable"])
        #expect(came.map(\.at) == [.zero, least + least])
    }

    @Test("Doubled request: the Cloud hears it twice, the second time as much later as the tape says")
    func doubled() throws {
        let outcomes = ["request ipad-1 c 0": DeliveryOutcome(latency: .seconds(1), duplicate: .seconds(4)).body]
        let heard = try arrivals(outcomes: outcomes).filter { $0.what.hasPrefix("cloud") }
        #expect(heard.map(\.at) == [.seconds(1), .seconds(5)])
    }

    @Test(
        "Held message: it comes when the fault's window ends, or later when its way is longer",
        arguments: ["request", "response"])
    func held(direction: String) throws {
        // The other direction takes the least latency, 20 ms.
        for (latency, at) in [(Span.seconds(1), Span.seconds(30)), (.seconds(40), .seconds(40))] {
            let outcome = DeliveryOutcome(latency: latency, ending: .held(until: .zero + .seconds(30)))
            let came = try arrivals(outcomes: ["\(direction) ipad-1 c 0": outcome.body])
            let held = try #require(came.first { $0.what == (direction == "request" ? "cloud GET /" : "ipad 200") })
            let rest = latency > .seconds(30) && direction == "response" ? LinkModel().least : .zero
            #expect(held.at == at + rest)
        }
    }

    @Test("Trace: the line of a message holds the receiver's entropy after its step, and each attempt has its number")
    func lines() throws {
        let sink = Lines()
        let small = try SmallWorld(sink: sink)
        var drawn: UInt64 = 0
        try small.add(pad) { _, _, _ in
            drawn += 10
            let request = Payload.request(HTTPRequest("GET", "/"))
            return StepResult(outputs: [Output(to: .cloud, request, exchange: drawn, cause: "c")], entropy: drawn)
        }
        for _ in 1...2 {
            small.poke(pad)
            try small.run(.seconds(1))
        }
        let entropies = sink.values.filter { $0["to"] == "ipad-1" }.compactMap { $0["n"]?.string }
        #expect(entropies.prefix(2) == ["a", "14"])
        let keys = sink.values.compactMap { $0["pass"]?.string }
        #expect(keys.prefix(2) == ["request ipad-1 c 0", "request ipad-1 c 1"])
    }
}
