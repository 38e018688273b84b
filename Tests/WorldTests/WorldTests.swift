import FleetModel
import Nemesis
import Testing
import Trace

@testable import Run
@testable import World

private let pad = ParticipantID.pad(1)
private let app = ParticipantID.app(pad: 1, launch: 1)

/// An app that calls its Pad three times in one step, after a post, and tells how far it got.
private func caller(_ progress: @escaping (Int) -> Void) -> Scripted.Body {
    { _, inputs, link in
        guard !inputs.isEmpty else { return StepResult() }
        for number in 1...3 {
            guard
                link.call(Message("ask.\(number)"), after: [Output(to: pad, .post(Message("before.\(number)")))]) != nil
            else {
                return StepResult(outputs: [Output(to: pad, .post(Message("ghost")))])
            }
            progress(number)
        }
        return StepResult(outputs: [Output(to: pad, .post(Message("after")))])
    }
}

@Suite("World", .serialized, .timeLimit(.minutes(20))) struct WorldTests {
    @Test("Call: posts of the same step reach the Pad first, in order")
    func callOrder() throws {
        let small = try SmallWorld()
        var got = 0
        try small.add(pad, answering)
        try small.add(app, caller { got = $0 })
        small.poke(app)
        try small.run()
        #expect(got == 3)
        #expect(small.received[pad] == ["before.1", "ask.1", "before.2", "ask.2", "before.3", "ask.3", "after"])
    }

    @Test("Kill: an app killed at its n-th hop has no further effect (n = 1...9)", arguments: 1...9)
    func killedInCall(hops: Int) throws {
        let small = try SmallWorld()
        try small.add(pad, answering)
        try small.add(app, caller { _ in })
        try small.world.perform(.killApp(pad: 1, afterHops: hops, reason: .kill))
        small.poke(app)
        try small.run()
        let all = ["before.1", "ask.1", "before.2", "ask.2", "before.3", "ask.3", "after"]
        let seen = small.received[pad] ?? []
        #expect(!seen.contains("ghost"))
        let messages = seen.filter { $0 != "app.exited" }
        #expect(messages.elementsEqual(all.prefix(messages.count)))
        #expect(seen.contains("app.exited") == (hops <= 8))
        #expect(small.world.isAlive(app) == (hops > 8))
        // Hop 1 is the poke; each later hop is a post or a question. A killed question takes its posts along.
        if hops == 1 { #expect(messages.isEmpty) }
        if hops == 8 { #expect(messages == all) }
    }

    @Test("Crash: the iPad is told what it was, and the mark is another than that of a kill")
    func crash() throws {
        for (reason, mark) in [(KillReason.crash, "app-crashed"), (.kill, "app-killed")] {
            let small = try SmallWorld()
            var told: [String] = []
            try small.add(pad) { _, inputs, _ in
                told += inputs.compactMap { input in
                    if case .command(let message) = input.payload { message["reason"]?.string } else { nil }
                }
                return StepResult()
            }
            try small.add(app) { _, _, _ in StepResult() }
            try small.world.perform(.killApp(pad: 1, afterHops: 0, reason: reason))
            try small.run()
            #expect(told == [reason.rawValue] && small.world.marks == [mark])
        }
    }

    @Test("Pushes: late and doubled ones have marks of their own, and a doubled one comes twice")
    func pushes() throws {
        for (kind, mark, times) in [("push-late", "push-late", 1), ("push-duplicated", "push-duplicated", 2)] {
            let fault = FaultSpec(id: kind, kind: kind, from: .zero, until: .zero + .minutes(5))
            let small = try SmallWorld(faults: [fault])
            try small.add(pad) { _, _, _ in StepResult() }
            try small.add(
                .cloud, replying { _ in [Output(to: .pad(1), .push(Message("push", ["service": "kvs"])))] })
            small.world.scheduleFaults()
            try small.run(.seconds(1))
            small.poke(.cloud)
            try small.run(.minutes(4))
            #expect(small.world.marks == [mark] && small.received[pad]?.count == times)
        }
    }

    @Test("Same person twice: signed in on a second iPad while on the first; not after leaving it")
    func samePersonTwice() {
        func marks(_ notes: [(Int, Note.Kind)]) -> Set<String> {
            var book = MarkBook()
            for (pad, kind) in notes {
                _ = book.events(for: HistoryEvent(at: .zero, from: .pad(pad), Note(kind, person: "maya")))
            }
            return book.names
        }
        #expect(marks([(1, .signedIn), (2, .signedIn)]) == ["same-person-twice"])
        for end in [Note.Kind.signedOut, .rebooted, .powerCut, .purged] {
            #expect(marks([(1, .signedIn), (1, end), (2, .signedIn)]).isEmpty)
        }
        #expect(marks([(1, .signedIn), (1, .signedIn)]).isEmpty)
        var book = MarkBook()
        _ = book.events(for: HistoryEvent(at: .zero, from: .people, Note(.phase, detail: ["name": "calm"])))
        for pad in 1...2 {
            _ = book.events(for: HistoryEvent(at: .zero, from: .pad(pad), Note(.signedIn, person: "maya")))
        }
        #expect(book.names.isEmpty, "in calm everybody is, for the readings")
    }

    @Test("Second accounts: one that only an iPad has told of is to be read as well")
    func secondAccounts() {
        var book = MarkBook()
        for person in ["maya", "leo@home", "leo@home"] {
            _ = book.events(for: HistoryEvent(at: .zero, from: .pad(1), Note(.handedOver, person: person)))
        }
        #expect(book.secondAccounts == ["leo@home"])
    }

    @Test("Timer: a replaced timer is dropped, the new one fires once")
    func timers() throws {
        let small = try SmallWorld()
        var wakes: [Instant] = []
        try small.add(pad) { now, inputs, _ in
            if inputs.isEmpty { wakes.append(now); return StepResult() }
            let span: Span = inputs[0].payload.subject == "long" ? .seconds(50) : .seconds(5)
            return StepResult(nextTimer: now + span)
        }
        small.poke(pad, "long")
        try small.run(.seconds(1))
        small.poke(pad, "short")
        try small.run(.minutes(2))
        #expect(wakes == [.zero + .seconds(6)])
    }

    @Test("Loop: participants that answer each other for ever are named, not followed")
    func hopLoop() throws {
        let small = try SmallWorld()
        try small.add(
            pad, replying { [Output(to: app, .post(Message("ping")))] + ($0.payload.subject == "x" ? [] : []) })
        try small.add(app, replying { _ in [Output(to: pad, .post(Message("pong")))] })
        small.poke(pad)
        #expect { try small.run() } throws: { "\($0)".contains("without time passing") }
    }

    @Test("App: whatever it claims to send, only posts to its own Pad leave it (S35)")
    func hostileApp() throws {
        let small = try SmallWorld()
        try small.add(pad) { _, _, _ in StepResult() }
        try small.add(.pad(2)) { _, _, _ in StepResult() }
        try small.add(.cloud) { _, _, _ in StepResult() }
        try small.add(
            app,
            replying { _ in
                [
                    Output(to: .pad(2), .post(Message("foreign"))),
                    Output(to: .cloud, .request(HTTPRequest("GET", "/"))),
                    Output(to: pad, .note(Note(.committed, tokens: ["maya.1"]))),
                    Output(to: pad, .command(Message("device.powerCut"))),
                    Output(to: pad, .post(Message("own"))),
                ]
            })
        small.poke(app)
        try small.run()
        #expect(small.received[pad] == ["own"])
        #expect(small.received[.pad(2)] == nil && small.received[.cloud] == nil)
        #expect(small.notes(.committed).isEmpty)
    }

    @Test("Reboot: an answer to a request of the earlier life never reaches the new one")
    func earlierLife() throws {
        let small = try SmallWorld()
        try small.add(pad) { _, inputs, _ in
            guard inputs.first?.payload.subject == "poke" else { return StepResult() }
            return StepResult(outputs: [
                Output(to: .cloud, .request(HTTPRequest("GET", "/slow")), exchange: 1, cause: "c")
            ])
        }
        try small.add(
            .cloud, replying { [Output(to: $0.from, .response(HTTPResponse(status: 200)), exchange: $0.exchange)] })
        small.poke(pad)
        try small.run(.milliseconds(1))
        try small.world.perform(.reboot(pad: 1, outage: .milliseconds(1)))
        try small.run()
        #expect(small.received[.cloud] == ["GET /slow"])
        #expect(small.received[pad] == ["poke", "device.reboot", "device.boot"])
    }

    @Test("Schedule tape: outcomes come from the tape; a message that is not on it arrives at once and whole")
    func outcomes() throws {
        let cloud = replying { [Output(to: $0.from, .response(HTTPResponse(status: 200)), exchange: $0.exchange)] }
        let asks: Scripted.Body = { _, inputs, _ in
            guard inputs.first?.payload.subject == "poke" else { return StepResult() }
            return StepResult(outputs: [Output(to: .cloud, .request(HTTPRequest("GET", "/")), exchange: 1, cause: "c")])
        }
        for (tape, expected) in [
            ([:], ["poke", "200"]),
            (["request ipad-1 c 0": DeliveryOutcome(latency: .zero, ending: .lost).body], ["poke"]),
        ]
            as [([String: Value], [String])]
        {
            let small = try SmallWorld(outcomes: tape)
            try small.add(pad, asks)
            try small.add(.cloud, cloud)
            small.poke(pad)
            try small.run()
            #expect(small.received[pad] == expected)
        }
    }

    @Test(
        "Broken links: what the Pad gets, whether the Cloud hears of it, the mark (each ending, both ways)",
        arguments: [
            ("request", DeliveryOutcome.Ending.refused, "unreachable", false, ""),
            ("request", .handshakeFailed, "unreachable", false, ""),
            ("request", .reset, "connectionLost", false, "connection-broken"),
            ("request", .truncated(afterBytes: 2), "connectionLost", false, "connection-broken"),
            ("request", .truncated(afterBytes: 3), "200", true, ""),
            ("request", .answered(HTTPResponse(status: 403)), "403", false, "foreign-answer"),
            (
                "request", .answered(HTTPResponse(status: 429, headers: ["Retry-After": "9"])), "429", false,
                "retry-after"
            ),
            ("response", .lost, nil, true, "response-lost"),
            ("response", .reset, "connectionLost", true, "connection-broken"),
            ("response", .truncated(afterBytes: 4), "connectionLost", true, "connection-broken"),
            ("response", .truncated(afterBytes: 5), "200", true, ""),
        ] as [(String, DeliveryOutcome.Ending, String?, Bool, String)])
    func brokenLinks(direction: String, ending: DeliveryOutcome.Ending, got: String?, isHeard: Bool, mark: String)
        throws
    {
        let small = try SmallWorld(outcomes: [
            "\(direction) ipad-1 c 0": DeliveryOutcome(latency: .zero, ending: ending).body
        ])
        try small.add(pad) { _, inputs, _ in
            guard inputs.first?.payload.subject == "poke" else { return StepResult() }
            let request = HTTPRequest("PUT", "/a", body: [1, 2, 3])
            return StepResult(outputs: [Output(to: .cloud, .request(request), exchange: 1, cause: "c")])
        }
        let answer = HTTPResponse(status: 200, body: [1, 2, 3, 4, 5])
        try small.add(.cloud, replying { [Output(to: $0.from, .response(answer), exchange: $0.exchange)] })
        small.poke(pad)
        try small.run()
        #expect(small.received[pad] == ["poke"] + [got].compactMap { $0 })
        #expect(small.received[.cloud] == (isHeard ? ["PUT /a"] : nil))
        let marks = small.notes(.mark).compactMap { $0.note.detail["name"]?.string }
        #expect(marks == (mark.isEmpty ? [] : [mark]))
    }

    @Test("Commands of faults: a Cloud that is down gets them after its boot, so that what heals heals there too")
    func downCloud() throws {
        let quota = FaultSpec(
            id: "q", kind: "quota-exceeded", from: .zero + .seconds(5), until: .zero + .seconds(20), pads: [])
        let crash = FaultSpec(
            id: "c", kind: "cloud-crash", from: .zero + .seconds(10), until: .zero + .seconds(10), pads: [],
            parameters: ["outage": "30s"])
        let small = try SmallWorld(faults: [quota, crash])
        try small.add(.cloud) { _, _, _ in StepResult() }
        small.world.scheduleFaults()
        try small.run(.seconds(39))
        #expect(small.received[.cloud] == ["cloud.quota", "cloud.crash"])
        try small.run(.seconds(2))
        #expect(small.received[.cloud] == ["cloud.quota", "cloud.crash", "cloud.quota"])
    }

    @Test("Luck: removing one request shifts no other's latency")
    func luck() throws {
        func latencies(without skipped: String?) throws -> [String: Int64] {
            let small = try SmallWorld()
            var arrivals: [String: Int64] = [:]
            try small.add(pad) { _, inputs, _ in
                guard inputs.first?.payload.subject == "poke" else { return StepResult() }
                let causes = ["a", "b", "c", "d"].filter { $0 != skipped }
                return StepResult(
                    outputs: causes.enumerated().map {
                        Output(to: .cloud, .request(HTTPRequest("GET", "/\($1)")), exchange: UInt64($0 + 1), cause: $1)
                    })
            }
            try small.add(.cloud) { now, inputs, _ in
                arrivals[inputs[0].payload.subject] = now.nanoseconds
                return StepResult()
            }
            small.poke(pad)
            try small.run()
            return arrivals
        }
        let all = try latencies(without: nil)
        var fewer = try latencies(without: "b")
        fewer["GET /b"] = all["GET /b"]
        #expect(all.count == 4 && fewer == all)
    }
}
