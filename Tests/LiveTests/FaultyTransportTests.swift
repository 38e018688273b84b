import FleetModel
import Nemesis
import Testing

@testable import Live
@testable import Run

@Suite("FaultyTransport of a live iPad", .timeLimit(.minutes(20))) struct FaultyTransportTests {
    private let request = HTTPRequest(post: "/kvs/v1/store/sync", json: ["since": 0])
    private let answer = HTTPResponse(status: 200, json: ["ok": true])

    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    /// One fault from 10 s to 20 s on iPad 1 of two, seed 7.
    private func radio(_ kind: String? = nil, _ parameters: Value = .empty, pads: [Int] = [1]) throws -> FaultyTransport
    {
        let faults = kind.map {
            [FaultSpec(id: $0, kind: $0, from: at(10), until: at(20), pads: pads, parameters: parameters)]
        }
        return try FaultyTransport(faults: faults ?? [], pad: 1, pads: 2, stormEnd: at(100), seed: 7)
    }
    private func words(_ acts: [FaultyTransport.Act]) -> [String] {
        acts.map { act in
            switch act {
            case .send(let request, let exchange):
                "send \(exchange < 1 << 56 ? "\(exchange)" : "copy") \(request.target)"
            case .arrive(.response(let response), let exchange): "arrive \(exchange) \(response.status)"
            case .arrive(.failure(let failure), let exchange): "arrive \(exchange) \(failure)"
            case .arrive: "arrive what no network carries"
            case .mark(let name): "mark \(name.rawValue)"
            }
        }
    }

    @Test("Healthy: a request leaves and its answer arrives at once, as they are (parameters: why nothing bends)")
    func healthy() throws {
        let after = try (radio("partition"), at(20))
        let elsewhere = try (radio("partition", pads: [2]), at(15))
        for (made, now) in [(try radio(), at(15)), after, elsewhere] {
            var radio = made
            radio.send(request, exchange: 3, cause: "maya.1", now)
            #expect(words(radio.take(now)) == ["send 3 /kvs/v1/store/sync"])
            radio.ended(.response(answer), exchange: 3, now)
            #expect(words(radio.take(now)) == ["arrive 3 200"])
            #expect(radio.next == nil)
        }
    }

    @Test("Silence: nothing leaves, and the stack gives up after a minute")
    func silence() throws {
        var radio = try radio("partition")
        radio.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(words(radio.take(at(15))) == ["mark request-lost"])
        #expect(radio.next == at(75))
        #expect(words(radio.take(at(75))) == ["arrive 3 connectionLost"])
    }

    @Test("Refused: certainly not sent, and said at once")
    func refused() throws {
        var radio = try radio("partition", ["answer": "refused"])
        radio.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(words(radio.take(at(15))) == ["arrive 3 unreachable"])
    }

    @Test("A response that is lost: sent, and nobody knows")
    func responseLost() throws {
        var radio = try radio("loss-of-response", ["probability": 1])
        radio.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(words(radio.take(at(15))) == ["send 3 /kvs/v1/store/sync"])
        radio.ended(.response(answer), exchange: 3, at(16))
        #expect(words(radio.take(at(16))) == ["mark response-lost"])
        #expect(words(radio.take(at(76))) == ["arrive 3 connectionLost"])
    }

    @Test("Held: leaves when the window ends, not before; latency: each way takes longer")
    func late() throws {
        var held = try radio("hold")
        held.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(words(held.take(at(19))) == [])
        #expect(words(held.take(at(20))) == ["send 3 /kvs/v1/store/sync"])
        var slow = try radio("latency", ["extra": 2_000_000_000])
        slow.send(request, exchange: 3, cause: "maya.1", at(12))
        #expect(slow.next == at(14))
        _ = slow.take(at(14))
        slow.ended(.response(answer), exchange: 3, at(15))
        #expect(slow.next == at(17))
    }

    @Test("Duplicate: a second copy leaves later, and its answer finds nobody")
    func duplicate() throws {
        var radio = try radio("duplicate", ["probability": 1, "delay": 8_000_000_000])
        radio.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(words(radio.take(at(15))) == ["mark request-duplicated", "send 3 /kvs/v1/store/sync"])
        let second = radio.take(at(23))
        #expect(words(second) == ["send copy /kvs/v1/store/sync"])
        guard case .send(_, let copy)? = second.first else { return }
        radio.ended(.response(answer), exchange: copy, at(24))
        #expect(radio.next == nil)
    }

    @Test("Answered on the way: the Cloud hears nothing")
    func answered() throws {
        var radio = try radio("service-unavailable", ["retryAfter": 7_000_000_000, "probability": 1])
        radio.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(words(radio.take(at(15))) == ["mark retry-after", "arrive 3 503"])
    }

    @Test("Pushes in a poll: each has its own outcome")
    func pushes() throws {
        let poll = HTTPRequest(post: "/push/v1/poll", json: ["sessions": ["s"]])
        let messages: [Value] = (0..<40).map { ["service": "kvs", "topic": .string("app-\($0)")] }
        func left(_ made: FaultyTransport) -> [Value] {
            var radio = made
            radio.send(poll, exchange: 3, cause: "push", at(15))
            _ = radio.take(at(15))
            radio.ended(.response(HTTPResponse(status: 200, json: ["messages": .array(messages)])), exchange: 3, at(15))
            for case .arrive(.response(let response), _) in radio.take(at(15)) {
                return response.json?["messages"]?.array ?? []
            }
            return []
        }
        #expect(left(try radio()) == messages)
        #expect(left(try radio("push-lost", ["probability": 1])) == [])
        let doubled = left(try radio("push-duplicated", ["probability": 1]))
        #expect(doubled == messages.flatMap { [$0, $0] })
        #expect((1..<40).contains(left(try radio("push-lost", ["probability": 0.5])).count))
    }

    @Test(
        "Pushes that come late or twice leave their marks, and those that come twice are there twice",
        arguments: ["push-late", "push-duplicated"])
    func pushMarks(kind: String) throws {
        var radio = try radio(kind, ["probability": 1])
        radio.send(HTTPRequest(post: "/push/v1/poll", json: ["sessions": ["s"]]), exchange: 3, cause: "push", at(15))
        _ = radio.take(at(15))
        let messages: Value = ["messages": [["service": "kvs", "topic": "app"]]]
        radio.ended(.response(HTTPResponse(status: 200, json: messages)), exchange: 3, at(15))
        let acts = radio.take(at(3600))
        #expect(words(acts).contains("mark \(kind)"))
        let arrived = acts.compactMap { act -> Value? in
            if case .arrive(.response(let response), _) = act { response.json?["messages"] } else { nil }
        }
        let one: Value = ["service": "kvs", "topic": "app"]
        #expect(arrived == [.array(Array(repeating: one, count: kind == "push-duplicated" ? 2 : 1))])
    }

    @Test("Offline: nothing leaves and nobody is told")
    func offline() throws {
        var radio = try radio()
        radio.isOffline = true
        radio.send(request, exchange: 3, cause: "maya.1", at(15))
        #expect(radio.next == nil)
    }

    @Test("Luck: the same draws as in the World")
    func luck() throws {
        var radio = try radio("loss-of-request", ["probability": 0.5])
        let spec = FaultSpec(
            id: "loss-of-request", kind: "loss-of-request", from: at(10), until: at(20), pads: [1],
            parameters: ["probability": 0.5])
        var nemesis = try Nemesis(specs: [spec], pads: [1, 2], stormEnd: at(100))
        nemesis.begin(0)
        for number in 0..<100 {
            let cause = "maya.\(number / 2)"
            let message = NetworkMessage(
                direction: .request, pad: 1, route: request.target, cause: cause, attempt: number % 2, at: at(15),
                bytes: request.body.count)
            radio.send(request, exchange: UInt64(number), cause: cause, at(15))
            let isSent = words(radio.take(at(15))) == ["send \(number) \(request.target)"]
            #expect(isSent == (nemesis.outcome(of: message, seed: 7).ending == .arrives))
        }
    }
}
