import FleetModel
import Testing

@testable import Nemesis

@Suite("Faults on the network", .timeLimit(.minutes(20)))
struct NetworkFaultTests {
    @Test("Loss: certain, only its own direction is lost (probability 1)")
    func loss() throws {
        #expect(try endings(spec("loss-of-request", ["probability": 1])) == [.lost, .arrives, .arrives])
        #expect(try endings(spec("loss-of-response", ["probability": 1])) == [.arrives, .lost, .arrives])
        #expect(try endings(spec("push-lost")) == [.arrives, .arrives, .lost])
        #expect(try endings(spec("loss-of-request", ["probability": 0])) == [.arrives, .arrives, .arrives])
    }

    @Test("Loss: route prefix, other routes arrive")
    func lossByRoute() throws {
        #expect(try endings(spec("loss-of-request", ["probability": 1, "route": "/database/"])).first == .arrives)
        #expect(try endings(spec("loss-of-request", ["probability": 1, "route": "/kvs/"])).first == .lost)
    }

    @Test("Cuts: one way, both ways, refused")
    func cuts() throws {
        #expect(try endings(spec("one-way-cut", ["direction": "up"])) == [.lost, .arrives, .arrives])
        #expect(try endings(spec("one-way-cut", ["direction": "down"])) == [.arrives, .lost, .lost])
        #expect(try endings(spec("partition")) == [.lost, .lost, .lost])
        #expect(try endings(spec("partition", ["answer": "refused"])) == [.refused, .lost, .lost])
    }

    @Test("Selection: another iPad or another time, nothing happens")
    func selection() throws {
        #expect(try endings(spec("partition"), pad: 2) == [.arrives, .arrives, .arrives])
        #expect(try endings(spec("partition", pads: []), pad: 2) == [.lost, .lost, .lost])
        let endings = try [9, 10, 19, 20].map {
            try Storm([spec("partition")], at: at($0)).outcome(of: message(.request)).ending
        }
        #expect(endings == [.arrives, .lost, .lost, .arrives])
    }

    @Test("Hold: kept to the end of the window and a little more")
    func hold() throws {
        let storm = try Storm([spec("hold", ["direction": "down"])])
        #expect(storm.outcome(of: message(.request)).ending == .arrives)
        guard case .held(let until) = storm.outcome(of: message(.response)).ending else {
            Issue.record("not held"); return
        }
        #expect(until > at(20) && until < at(21))
    }

    @Test("Delay: latency adds its extra, jitter stays within its most")
    func delay() throws {
        let plain = try Storm([]).outcome(of: message(.request)).latency
        let late = try Storm([spec("latency", ["extra": "3s"])]).outcome(of: message(.request)).latency
        #expect(late == plain + .seconds(3))
        let storm = try Storm([spec("jitter", ["most": "5s"])])
        let draws = (0..<50).map { storm.outcome(of: message(.request, attempt: $0)).latency }
        #expect(draws.allSatisfy { $0 < .seconds(6) })
        #expect(Set(draws).count == 50)
        #expect(draws.contains { $0 > .seconds(2) })
    }

    @Test("Duplicate: requests and pushes are doubled, responses never")
    func duplicate() throws {
        let storm = try Storm([spec("duplicate", ["probability": 1, "delay": "4s"])])
        let copies = [NetworkMessage.Direction.request, .response, .push].map {
            storm.outcome(of: message($0)).duplicate
        }
        #expect(copies[1] == nil)
        for copy in [copies[0], copies[2]] { #expect(copy.map { $0 > .zero && $0 <= .seconds(4) } == true) }
    }

    @Test("503: answered with Retry-After and CloudKit's body, by route")
    func unavailable() throws {
        let fault = spec("service-unavailable", ["retryAfter": "1500ms", "route": "/database/"])
        let storm = try Storm([fault])
        #expect(storm.outcome(of: message(.request)).ending == .arrives)
        #expect(storm.outcome(of: message(.response, route: "/database/1/x")).ending == .arrives)
        guard case .answered(let response) = storm.outcome(of: message(.request, route: "/database/1/x")).ending else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == 503 && response.headers["retry-after"] == "2")
        #expect(response.json?["serverErrorCode"] == "TRY_AGAIN_LATER" && response.json?["retryAfter"] == 2)
    }

    @Test("Delay of one direction: latency and jitter leave the other alone")
    func oneDirection() throws {
        for (kind, parameter) in [("latency", "extra"), ("jitter", "most")] {
            for direction in ["up", "down"] {
                let storm = try Storm([spec(kind, [parameter: "9s", "direction": .string(direction)])])
                let late = [NetworkMessage.Direction.request, .response, .push].map {
                    storm.outcome(of: message($0)).latency > (try! Storm([])).outcome(of: message($0)).latency
                }
                #expect(late == (direction == "up" ? [true, false, false] : [false, true, true]))
            }
        }
    }

    @Test("Bandwidth: bytes over the narrow line on top of the way; the narrowest place is told")
    func bandwidth() throws {
        let plain = try Storm([]).outcome(of: message(.response, bytes: 3000))
        let narrow = try Storm([spec("bandwidth", ["bytesPerSecond": 1000, "direction": "down"])])
        let late = narrow.outcome(of: message(.response, bytes: 3000))
        #expect(late.latency == plain.latency + .seconds(3) && late.bytesPerSecond == 1000)
        #expect(narrow.outcome(of: message(.request)).bytesPerSecond == plain.bytesPerSecond)
    }

    @Test("Broken connections: reset and truncation, by direction, probability and route")
    func broken() throws {
        #expect(try endings(spec("reset", ["probability": 1])) == [.reset, .reset, .reset])
        #expect(try endings(spec("reset", ["probability": 1, "direction": "up"])) == [.reset, .arrives, .arrives])
        #expect(try endings(spec("reset", ["probability": 1, "route": "/database/"])).first == .arrives)
        let half = DeliveryOutcome.Ending.truncated(afterBytes: 7)
        #expect(try endings(spec("truncation", ["probability": 1, "bytes": 7])) == [.arrives, half, half])
        #expect(try endings(spec("truncation", ["probability": 0, "bytes": 7])) == [.arrives, .arrives, .arrives])
    }

    @Test("Nobody there: a failed name and a failed handshake stop requests, airplane mode too")
    func nobodyThere() throws {
        #expect(try endings(spec("dns-failure")) == [.refused, .arrives, .arrives])
        #expect(try endings(spec("airplane-mode")) == [.refused, .arrives, .arrives])
        #expect(try endings(spec("tls-failure")) == [.handshakeFailed, .arrives, .arrives])
        #expect(try endings(spec("tls-failure"), pad: 2).first == .arrives)
    }

    @Test("Reorder: some messages are late, the others are not (200 messages)")
    func reorder() throws {
        let storm = try Storm([spec("reorder", ["probability": 0.4, "delay": "9s"])])
        let late = (0..<200).count { attempt in
            storm.outcome(of: message(.request, attempt: attempt)).latency
                > (try! Storm([])).outcome(of: message(.request, attempt: attempt)).latency
        }
        #expect((40...120).contains(late))
    }

    @Test("Nth request: one of each iPad, or each nth; a lost response counts responses")
    func nth() throws {
        func run(_ parameters: Value, _ direction: NetworkMessage.Direction = .request, pads: [Int]) throws
            -> [DeliveryOutcome.Ending]
        {
            var nemesis = try Nemesis(
                specs: [spec("nth-request", pads: [], parameters)], pads: [1, 2], stormEnd: at(100))
            nemesis.begin(0)
            return pads.map { nemesis.outcome(of: message(direction, pad: $0), seed: 7).ending }
        }
        #expect(try run(["nth": 2], pads: [1, 2, 1, 1]) == [.arrives, .arrives, .lost, .arrives])
        #expect(
            try run(["nth": 2, "every": true, "ending": "reset"], pads: [1, 1, 1, 1]) == [
                .arrives, .reset, .arrives, .reset,
            ])
        #expect(try run(["nth": 1, "route": "/database/"], pads: [1]) == [.arrives])
        #expect(try run(["nth": 1, "ending": "refused"], pads: [2]) == [.refused])
        #expect(try run(["nth": 1, "ending": "response-lost"], pads: [1]) == [.arrives])
        #expect(try run(["nth": 2, "ending": "response-lost"], .response, pads: [1, 1]) == [.arrives, .lost])
    }

    @Test("Nth request: a poll for pushes is none, in either direction")
    func nthPoll() throws {
        for (direction, ending) in [(NetworkMessage.Direction.request, "lost"), (.response, "response-lost")] {
            var nemesis = try Nemesis(
                specs: [spec("nth-request", pads: [], ["nth": 1, "ending": .string(ending)])], pads: [1],
                stormEnd: at(100))
            nemesis.begin(0)
            let endings = ["/push/v1/poll", "/database/1"].map {
                nemesis.outcome(of: message(direction, pad: 1, route: $0), seed: 7).ending
            }
            #expect(endings == [.arrives, .lost])
        }
    }

    @Test(
        "Answered in place of the Cloud: status, and what kind of body",
        arguments: [
            ("captive-portal", 200, "<!DOCTYPE html>"), ("content-filter", 403, "<!DOCTYPE html>"),
            ("too-many-requests", 429, "{"),
        ])
    func answered(kind: String, status: Int, body: String) throws {
        let storm = try Storm([spec(kind, ["route": "/database/"])])
        #expect(storm.outcome(of: message(.request)).ending == .arrives)
        guard case .answered(let response) = storm.outcome(of: message(.request, route: "/database/1")).ending else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == status && String(decoding: response.body, as: UTF8.self).hasPrefix(body))
    }

    @Test("Late and doubled pushes: only pushes, late by at least half of the delay")
    func pushes() throws {
        let plain = try Storm([])
        let late = try Storm([spec("push-late", ["delay": "1m"])])
        let double = try Storm([spec("push-duplicated", ["delay": "1m"])])
        for direction in [NetworkMessage.Direction.request, .response, .push] {
            let extra =
                late.outcome(of: message(direction)).latency.nanoseconds
                - plain.outcome(of: message(direction)).latency.nanoseconds
            let isPush = direction == .push
            #expect(isPush ? (30_000_000_000...60_000_000_000).contains(extra) : extra == 0)
            #expect((double.outcome(of: message(direction)).duplicate != nil) == isPush)
        }
    }

    @Test("Busy zone: saves of records are answered 503 with a hint, everything else passes")
    func zoneBusy() throws {
        let storm = try Storm([spec("zone-busy", ["retryAfter": "1500ms"])])
        let database = "/database/1/iCloud.a/production/private/"
        #expect(storm.outcome(of: message(.request)).ending == .arrives)
        #expect(storm.outcome(of: message(.request, route: database + "changes/zone")).ending == .arrives)
        #expect(storm.outcome(of: message(.response, route: database + "records/modify")).ending == .arrives)
        guard
            case .answered(let response) = storm.outcome(of: message(.request, route: database + "records/modify"))
                .ending
        else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == 503 && response.headers["Retry-After"] == "2")
        #expect(response.json?["serverErrorCode"] == "ZONE_BUSY")
    }

    @Test("No free slot: the queues reach nobody, accounts answer")
    func noFreeSlot() throws {
        #expect(try endings(spec("no-free-slot")) == [.lost, .arrives, .arrives])
        let storm = try Storm([spec("no-free-slot")])
        #expect(storm.outcome(of: message(.request, route: "/accounts/v1/signin")).ending == .arrives)
    }

    @Test("Several faults: the first ending stays")
    func order() throws {
        let both = try Storm([spec("partition", ["answer": "refused"]), spec("hold")])
        #expect(both.outcome(of: message(.request)).ending == .refused)
        let other = try Storm([spec("hold"), spec("partition", ["answer": "refused"])])
        #expect(other.outcome(of: message(.request)).ending.isHeld)
    }
}
