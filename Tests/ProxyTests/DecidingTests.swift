import FleetModel
import Nemesis
import Testing

@testable import Proxy

@Suite("Lane", .timeLimit(.minutes(20))) struct LaneTests {
    /// Releases in milliseconds, with the number of bytes of each piece.
    private func releases(
        _ lane: inout Lane, _ count: Int, at now: Int64, latency: Int64 = 0, rate: Int? = nil, notBefore: Int64 = 0
    )
        -> [[Int64]]
    {
        var list: [[Int64]] = []
        lane.release(
            count, now: at(milliseconds: now), latency: .milliseconds(latency), rate: rate,
            notBefore: at(milliseconds: notBefore)
        ) { list.append([Int64($0.count), ($1 - .zero).nanoseconds / 1_000_000]) }
        return list
    }

    @Test("Latency: whole portions, as late as asked")
    func latency() {
        var lane = Lane()
        #expect(releases(&lane, 1000, at: 5, latency: 20) == [[1000, 25]])
        #expect(releases(&lane, 10, at: 7, latency: 20) == [[10, 27]])
    }

    @Test("Order: a shorter latency overtakes nothing, and a release that holds holds what follows too")
    func order() {
        var lane = Lane()
        #expect(releases(&lane, 1, at: 0, latency: 50) == [[1, 50]])
        #expect(releases(&lane, 1, at: 1, latency: 2) == [[1, 50]])
        #expect(releases(&lane, 1, at: 2, notBefore: 90) == [[1, 90]])
        #expect(releases(&lane, 1, at: 3) == [[1, 90]])
        #expect(releases(&lane, 1, at: 100) == [[1, 100]])
    }

    @Test("Bandwidth: bytes trickle one after the other, and the last comes when all had to have passed")
    func bandwidth() {
        var lane = Lane()
        let pieces = releases(&lane, 10_000, at: 0, latency: 30, rate: 10_000)
        #expect(pieces.count == 50 && pieces.allSatisfy { $0[0] == 200 })
        let releasedAt = pieces.map { $0[1] }
        let moments: [Int64] = (1...50).map { Int64($0 * 20 + 30) }
        #expect(releasedAt == moments)
        #expect(releases(&lane, 100, at: 500, latency: 30, rate: 10_000) == [[100, 1040]])
        #expect(releases(&lane, 100, at: 2000, latency: 30, rate: 10_000) == [[100, 2040]])
    }

    @Test("Narrowest line: a portion of 64 KiB is not cut into more than 1,024 pieces")
    func narrow() {
        var lane = Lane()
        #expect(releases(&lane, 64 << 10, at: 0, rate: 100).count == 1024)
    }
}

@Suite("Run clock", .timeLimit(.minutes(20))) struct RunClockTests {
    @Test("Speed: run time passes N times as fast, and a timer is never early", arguments: [0.5, 1, 2.7, 3, 60])
    func speed(_ speed: Double) {
        let clock = RunClock(origin: 1_000, speed: speed)
        #expect(clock.instant(at: 999) == .zero)
        for nanoseconds: Int64 in [0, 1, 59, 61, 1_000_000_007] {
            let instant = Instant(nanoseconds: nanoseconds)
            let real = clock.real(of: instant)
            #expect(clock.instant(at: real) >= instant && (real <= 1_000 || clock.instant(at: real - 1) < instant))
        }
        #expect(clock.instant(at: .max).nanoseconds > 0 && clock.real(of: Instant(nanoseconds: .max)) > 0)
    }

    @Test("A run that has not begun stays at its first instant")
    func standing() {
        #expect(RunClock.standing.instant(at: 1 << 62) == .zero)
        #expect(RunClock.standing.real(of: .zero + .seconds(1)) == .max)
    }
}

@Suite("Timetable", .timeLimit(.minutes(20))) struct TimetableTests {
    @Test("Events: in order of time, healing before what begins; events of no length never come")
    func order() throws {
        let specs = [
            FaultSpec(id: "a", kind: "latency", from: at(milliseconds: 5), until: at(milliseconds: 9)),
            FaultSpec(id: "b", kind: "partition", from: at(milliseconds: 2), until: at(milliseconds: 5)),
            FaultSpec(id: "c", kind: "reboot", from: at(milliseconds: 1), until: at(milliseconds: 1)),
        ]
        var timetable = Timetable(try Faults(specs: specs, link: still, seed: 1).all)
        #expect(timetable.next == at(milliseconds: 2))
        #expect(timetable.due(at(milliseconds: 1)) == nil)
        var events: [String] = []
        while let event = timetable.due(at(milliseconds: 100)) {
            events.append("\(event.index)\(event.begins ? "+" : "-")")
        }
        #expect(events == ["1+", "1-", "0+", "0-"])
        #expect(timetable.next == nil)
    }
}

@Suite("Faults of a proxy", .timeLimit(.minutes(20))) struct ProxyFaultTests {
    @Test("Looking into messages: only where a fault asks for it")
    func needs() throws {
        func needs(_ specs: [FaultSpec], _ sources: [String: Int] = [:], pads: [Int] = []) throws -> Bool {
            try Faults(specs: specs, link: still, seed: 1, sources: sources, pads: pads).needsMessages
        }
        #expect(try !needs([]))
        #expect(
            try !needs([fault("latency"), fault("partition"), fault("hold"), fault("bandwidth"), fault("tls-failure")]))
        #expect(try !needs([FaultSpec(id: "r", kind: "reboot", from: .zero, until: .zero, pads: [1])]))
        #expect(try needs([fault("latency", pads: [2])]))
        #expect(try !needs([fault("latency", pads: [2])], ["10.0.0.2": 2]))
        // Of all iPads of a run, and not of whoever comes: whose a connection is only its messages say.
        #expect(try needs([fault("partition")], pads: [1, 2]))
        #expect(try !needs([fault("partition")], ["10.0.0.1": 1, "10.0.0.2": 2], pads: [1, 2]))
        #expect(try needs([fault("loss-of-request")]))
        #expect(try needs([fault("captive-portal")]))
    }

    @Test("Addresses: as sockets tell them, whatever form they are written in")
    func addresses() throws {
        let written = ["10.0.0.7": 3, "FD00:0::8": 4, "fd00:0:0:0:0:0:0:9": 5]
        let faults = try Faults(specs: [], link: still, seed: 1, sources: written)
        #expect(faults.sources == ["10.0.0.7": 3, "fd00::8": 4, "fd00::9": 5])
    }

    @Test("Fates: those of the World's nemesis, for the same cause and attempt (200 messages)")
    func sameAsWorld() throws {
        let specs = [fault("loss-of-request"), fault("jitter"), fault("duplicate")]
        var faults = try active(specs)
        var nemesis = try Nemesis(specs: specs, link: still, pads: [1, 2, 3], stormEnd: .zero + .hours(2))
        for index in specs.indices { nemesis.begin(index) }
        for number in 0..<200 {
            let cause = "maya.\(number / 2)"
            let message = NetworkMessage(
                direction: .request, pad: 3, route: "/kvs/", cause: cause, attempt: number % 2, at: .zero, bytes: 0)
            let expected = nemesis.outcome(of: message, seed: 7)
            #expect(faults.outcome(.request, pad: 3, route: "/kvs/", cause: cause, run: nil, now: .zero) == expected)
        }
        #expect(faults.counters.summary.contains(" lost="))
    }
}

@Suite("Waking in time", .timeLimit(.minutes(20))) struct WakeLeadTests {
    @Test(
        "Sleeps end late: soon one ends before its instant, and little before it; one that was very late changes little"
    )
    func learns() {
        var lead = WakeLead()
        // Where a sleep for an instant 20 ms away ends, from the instant.
        func end(late: Int64) -> Int64 {
            let sleep = lead.sleep(for: 20_000_000)
            lead.sleptLonger(by: late)
            return sleep + late - 20_000_000
        }
        #expect(end(late: 100_000) == 100_000)
        let ends = (0..<40).map { end(late: 100_000 + Int64($0 % 5) * 5_000) }
        #expect(ends[10...].allSatisfy { (-25_000...10_000).contains($0) }, "\(ends)")
        // One that was very late: the next ones look longer, and ever less.
        _ = end(late: 50_000_000)
        #expect((-100_000 ..< -50_000).contains(end(late: 100_000)))
        let after = (0..<60).map { _ in end(late: 100_000) }
        #expect(
            zip(after, after.dropFirst()).allSatisfy { $0 <= $1 }
                && after.last.map { (-5_000...0).contains($0) } == true)
        for _ in 0..<200 { _ = end(late: 0) }
        #expect(lead.nanoseconds < 16)
    }

    @Test("An instant that is nearer than the lead, or has come: looked for at once")
    func near() {
        var lead = WakeLead()
        lead.sleptLonger(by: 200_000)
        #expect(lead.sleep(for: 100_001) == 1)
        #expect(lead.sleep(for: 100_000) == 0 && lead.sleep(for: -5) == 0)
    }
}
