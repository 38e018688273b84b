import FleetModel
import Testing

@testable import Nemesis

@Suite("Nemesis", .timeLimit(.minutes(20)))
struct NemesisTests {
    @Test("Activity: a window is active from begin to heal, an event never")
    func activity() throws {
        var nemesis = try Storm([spec("partition"), spec("reboot", until: 10)], at: .zero).nemesis
        #expect(!nemesis.isActive(0))
        nemesis.begin(0)
        nemesis.begin(1)
        #expect(nemesis.isActive(0) && !nemesis.isActive(1))
        nemesis.heal(0)
        #expect(!nemesis.isActive(0))
        nemesis.begin(9)
        nemesis.heal(-1)
        #expect(!nemesis.isActive(9))
    }

    @Test("Overlap: a window inside another ends nothing that the other still wants, and gives it its own back")
    func overlap() throws {
        func pair(_ kind: String, _ inner: Value, in other: String, _ outer: Value) throws -> [FaultAct] {
            var short = spec(kind, from: 20, until: 30, inner)
            short.id = "short"
            var nemesis = try Storm([spec(other, from: 10, until: 40, outer), short], at: at(25)).nemesis
            nemesis.heal(1)
            return nemesis.healing(1)
        }
        func command(_ id: ParticipantID, _ name: String, _ body: Value) -> FaultAct {
            .command(id, Message(name, body))
        }
        #expect(
            try pair("disk-full", ["free": 7], in: "disk-full", ["free": 500])
                == [command(.pad(1), "storage.fill", ["free": 500])])
        #expect(
            try pair("identity-change", ["to": "none"], in: "delayed-notice", ["to": "restricted"])
                == [
                    command(
                        .pad(1), "identity.change",
                        ["to": "restricted", "noticeAfter": .int(Span.seconds(20).nanoseconds)])
                ])
        #expect(try pair("lock", .empty, in: "lock", .empty) == [])
        #expect(
            try pair("clock-drift", .empty, in: "clock-skew", ["offset": 5_000_000_000])
                == [command(.pad(1), "clock.set", ["offset": 5_000_000_000, "drift": 0])])
        #expect(try pair("clock-skew", .empty, in: "clock-jump", .empty) == [])
        // Another's: healed, and what everybody has comes back.
        let quota = try pair("quota-exceeded", ["person": "maya", "bytes": 1], in: "quota-exceeded", ["bytes": 9])
        #expect(
            quota == [
                command(.cloud, "cloud.quota", ["account": "maya", "bytes": .null]),
                command(.cloud, "cloud.quota", ["bytes": 9]),
            ])
    }

    @Test("Overlap: the last window to end heals, as does one beside another iPad's")
    func lastEnds() throws {
        var long = spec("disk-full", from: 10, until: 40)
        long.id = "long"
        let first = spec("disk-full", from: 12, until: 30)
        var both = try Storm([long, first]).nemesis
        both.heal(1)
        both.heal(0)
        let heal = FaultAct.command(.pad(1), Message("storage.fill", ["bytes": 0]))
        #expect(both.healing(0) == [heal])
        long.pads = [2]
        var apart = try Storm([long, first]).nemesis
        apart.heal(1)
        #expect(apart.healing(1) == [heal])
    }

    @Test("Storm's end: a window is shortened to it, a later one is refused")
    func stormEnd() throws {
        let nemesis = try Storm([spec("partition", from: 90, until: 500)]).nemesis
        #expect(nemesis.faults.map(\.spec.until) == [at(100)])
        #expect(throws: Nemesis.Problem.self) { try Storm([spec("partition", from: 100, until: 120)]) }
    }

    @Test(
        "For ever: not shortened, on the storm's iPads alone; only for kinds under which all that is tried again arrives"
    )
    func stays() throws {
        func forever(_ kind: String, _ parameters: Value = .empty) -> FaultSpec {
            var spec = spec(kind, pads: [], parameters)
            spec.until = FaultSpec.forever
            return spec
        }
        let storm = try Storm([forever("push-lost")], at: at(5000))
        var wanted = forever("push-lost")
        wanted.pads = [1, 2]
        #expect(storm.nemesis.faults.map(\.spec) == [wanted])
        let pushes = [1, 2, 3].map { storm.outcome(of: message(.push, pad: $0, at: at(5000))).ending }
        #expect(pushes == [.lost, .lost, .arrives])
        var may: [String] = []
        for kind in FaultRegistry.all.map({ $0.name }) {
            do throws(Nemesis.Problem) {
                _ = try Nemesis(specs: [forever(kind)], pads: [1], stormEnd: at(100))
                may.append(kind)
            } catch { #expect(error.id == kind) }
        }
        #expect(
            may.sorted() == [
                "bandwidth", "duplicate", "jitter", "latency", "push-duplicated", "push-late", "push-lost", "reorder",
            ])
    }

    @Test("iPads: a fault that names none concerns all, and asks each of them")
    func allPads() throws {
        let nemesis = try Storm([spec("airplane-mode", pads: [])]).nemesis
        #expect(nemesis.faults[0].begin().count == 2)
    }

    @Test("Problems: index and id of the specification are told")
    func problems() {
        do throws(Nemesis.Problem) {
            _ = try Nemesis(
                specs: [spec("hold"), spec("jitter", ["most": "x"])], pads: [1], stormEnd: at(100))
            Issue.record("accepted")
        } catch {
            #expect(error.index == 1 && error.id == "jitter" && error.problem.parameter == "most")
        }
        #expect(throws: Nemesis.Problem.self) { try Storm([spec("hold"), spec("hold")]) }
    }

    @Test("Luck: removing a fault or a message shifts nobody else's (200 messages)")
    func stableLuck() throws {
        let loss = spec("loss-of-request", ["probability": 0.5])
        let with = try Storm([spec("jitter"), loss])
        let without = try Storm([loss])
        let messages = (0..<200).map { message(.request, cause: "maya.\($0)") }
        let lost = messages.map { with.outcome(of: $0).ending == .lost }
        #expect(lost == messages.map { without.outcome(of: $0).ending == .lost })
        #expect((60...140).contains(lost.filter { $0 }.count))
        let other = try Storm([loss], seed: 8)
        #expect(lost != messages.map { other.outcome(of: $0).ending == .lost })
    }

    @Test("Luck: two faults of one kind draw apart (400 messages)")
    func separateLuck() throws {
        var other = spec("loss-of-request", ["probability": 0.5])
        other.id = "other"
        let storm = try Storm([spec("loss-of-request", ["probability": 0.5]), other])
        let lost = (0..<400).count { storm.outcome(of: message(.request, attempt: $0)).ending == .lost }
        #expect(
            (260...340).contains(lost),
            "three in four are lost when the draws are independent, one in two when they are one")
    }

    @Test("Luck: differs by attempt, iPad, direction and cause")
    func luckParts() throws {
        let storm = try Storm([])
        let variants = [
            message(.request), message(.request, attempt: 1), message(.request, pad: 2), message(.response),
            message(.request, cause: "maya.2"),
        ]
        #expect(Set(variants.map { storm.outcome(of: $0).latency }).count == variants.count)
        #expect(storm.outcome(of: message(.request)) == storm.outcome(of: message(.request, route: "/x", at: at(70))))
    }

    @Test("Healthy link: within its bounds, and slower for many bytes (2,000 messages)")
    func link() throws {
        let storm = try Storm([])
        let latencies = (0..<2000).map { storm.outcome(of: message(.request, attempt: $0, bytes: 0)).latency }
        #expect(latencies.allSatisfy { $0 >= .milliseconds(20) && $0 <= .milliseconds(260) })
        #expect((1...80).contains(latencies.filter { $0 > .milliseconds(80) }.count))
        #expect(latencies.sorted()[1000] < .milliseconds(45))
        #expect(storm.outcome(of: message(.request, bytes: 4_000_000)).latency > .seconds(2))
    }

    @Test("DeliveryOutcome: its tape value reads back; damage is refused")
    func tape() {
        var response = HTTPResponse(status: 503, json: ["retryAfter": 3])
        response.headers["Retry-After"] = "3"
        let outcomes = [
            DeliveryOutcome(latency: .milliseconds(3)),
            DeliveryOutcome(latency: .zero, ending: .lost, duplicate: .seconds(1)),
            DeliveryOutcome(latency: .zero, ending: .refused),
            DeliveryOutcome(latency: .seconds(1), ending: .held(until: at(5))),
            DeliveryOutcome(latency: .zero, ending: .answered(response)),
            DeliveryOutcome(latency: .zero, ending: .reset),
            DeliveryOutcome(latency: .zero, ending: .handshakeFailed),
            DeliveryOutcome(latency: .zero, ending: .truncated(afterBytes: 7)),
        ]
        for outcome in outcomes { #expect(DeliveryOutcome(outcome.body) == outcome) }
        for body: Value in [
            .null, [:], ["latency": -1], ["latency": 1, "ending": "perhaps"], ["latency": 1, "held": "x"],
            ["latency": 1, "answered": 4], ["latency": 1, "duplicate": "x"],
        ] { #expect(DeliveryOutcome(body) == nil) }
    }
}

@Suite("Swarm", .timeLimit(.minutes(20)))
struct SwarmTests {
    private func draw(_ seed: UInt64, kinds: [String] = []) -> [FaultSpec] {
        Swarm(kinds: kinds, busy: [at(300)], people: ["maya", "leo"], apps: ["quiz"]).specs(
            pads: [1, 2, 3], horizon: at(900), seed: seed)
    }

    /// What no swarm draws unasked: destroyed on purpose.
    private let named = ["zone-deleted", "delete-user", "erase-device", "log-out-user"]

    @Test("Draws: possible faults inside the storm, equal for equal seeds (150 seeds, kinds unasked and named)")
    func possible() throws {
        for seed in 0..<150 as Range<UInt64> {
            let specs = draw(seed) + draw(seed, kinds: named)
            #expect(specs == draw(seed) + draw(seed, kinds: named))
            #expect(specs.allSatisfy { $0.from >= .zero && $0.from < at(900) && $0.until <= at(900) })
            #expect(specs.allSatisfy { $0.pads.allSatisfy([1, 2, 3].contains) })
            _ = try Nemesis(specs: specs, pads: [1, 2, 3], stormEnd: at(900))
        }
    }

    @Test("Draws: runs without a fault and runs with nearly all kinds both occur; each kind occurs (150 seeds)")
    func variety() {
        let counts = (0..<150 as Range<UInt64>).map { Set(draw($0).map(\.kind)).count }
        #expect(counts.contains { (5...15).contains($0) })
        #expect(counts.contains(0) && counts.contains { $0 >= Swarm.ordinary.count - 1 })
        let kinds = Set((0..<150 as Range<UInt64>).flatMap { draw($0).map(\.kind) })
        #expect(kinds == Set(Swarm.ordinary.map { $0.name }))
        #expect(kinds.isSuperset(of: ["lock", "document-evicted", "app-upgrade", "reset", "captive-portal"]))
        for name in named {
            #expect(!kinds.contains(name) && (0..<9 as Range<UInt64>).contains { !draw($0, kinds: [name]).isEmpty })
        }
    }

    @Test("Draws: a fault about somebody names one of the people; without people there is none (150 seeds)")
    func people() {
        let drawn = (0..<150 as Range<UInt64>).flatMap { draw($0, kinds: ["same-person-twice", "account-suspended"]) }
        #expect(Set(drawn.compactMap { $0.parameters["person"]?.string }) == ["maya", "leo"])
        let twice = drawn.filter { $0.kind == "same-person-twice" }
        #expect(Set(twice.map { $0.parameters["app"]?.string }) == ["quiz", nil])
        let nobody = (0..<20 as Range<UInt64>).flatMap {
            Swarm(kinds: ["same-person-twice"]).specs(pads: [1], horizon: at(900), seed: $0)
        }
        #expect(nobody.isEmpty)
    }

    @Test("Draws: local data purged for low space, in some runs and not in most (150 seeds) (S9)")
    func purges() {
        let count = (0..<150 as Range<UInt64>).filter { draw($0).contains { $0.kind == "low-space-purge" } }.count
        #expect(count > 0 && count < 75)
    }

    @Test("Draws: kills and power cuts after a call in some runs, by count or at once in others (150 seeds)")
    func calls() {
        for kind in ["app-kill", "crash", "power-cut"] {
            let drawn = (0..<150 as Range<UInt64>).flatMap { draw($0, kinds: [kind]) }
            let names = drawn.map { $0.parameters["call"]?.string }
            #expect(names.contains(nil) && Set(names.compactMap(\.self)) == Set(LocalCalls.durable))
            #expect(drawn.allSatisfy { $0.parameters["hops"] == nil || $0.parameters["call"] == nil })
        }
    }

    @Test("Draws: leaving a kind out changes no other, by naming the rest or by naming it (50 seeds)")
    func independence() {
        let most = Swarm.ordinary.map { $0.name }.filter { $0 != "partition" }
        for seed in 0..<50 as Range<UInt64> {
            #expect(draw(seed, kinds: most) == draw(seed).filter { $0.kind != "partition" })
            let but = Swarm(but: ["partition"], busy: [at(300)], people: ["maya", "leo"], apps: ["quiz"])
            #expect(but.specs(pads: [1, 2, 3], horizon: at(900), seed: seed) == draw(seed, kinds: most))
        }
    }

    @Test("Busy times: device faults gather near the bell (200 seeds)")
    func bells() {
        let kills = (0..<200 as Range<UInt64>).flatMap { draw($0, kinds: ["app-kill"]) }
        let near = kills.filter { $0.from >= at(270) && $0.from <= at(330) }
        #expect(Double(near.count) > 0.4 * Double(kills.count))
    }

    @Test("Odd settings: no intensity, no iPads or no time draw nothing and never trap")
    func odd() {
        #expect(Swarm(intensity: 0).specs(pads: [1], horizon: at(9), seed: 1).isEmpty)
        #expect(Swarm(intensity: .nan).specs(pads: [1], horizon: at(9), seed: 1).count >= 0)
        #expect(Swarm(intensity: 1e300).specs(pads: [1], horizon: at(9), seed: 1).count > 20)
        #expect(Swarm().specs(pads: [], horizon: at(9), seed: 1).isEmpty)
        #expect(Swarm().specs(pads: [1], horizon: .zero, seed: 1).isEmpty)
    }
}
