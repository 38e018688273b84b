import FleetModel
import Testing

@testable import PadCore

@Suite("Network of a Pad", .timeLimit(.minutes(20))) struct PadNetworkTests {
    private func set(_ bench: PadBench, _ key: String, _ value: Value) {
        bench.post(bench.launch("quiz"), "kvs.set", ["key": .string(key), "value": value])
        bench.call(bench.launch("quiz"), "kvs.synchronize")
    }
    private func running() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "kvs.open")
        bench.advance(.seconds(2))
        return bench
    }

    @Test("Requests carry the token, the device and a cause that no counter reaches (S222)")
    func headers() throws {
        let bench = try running()
        set(bench, "k", .string(EditPayload.text(token: "maya.4", "x")))
        let last = try #require(bench.cloud.requests.last)
        #expect(last.request.headers["Authorization"] == "Bearer maya-1")
        #expect(last.request.headers["X-Homeroom-Device"] == "ipad-1")
        #expect(last.cause == "maya.4")
        #expect(bench.cloud.requests.map(\.cause).contains("maya kvs/sync/com.example.quiz"))
    }

    @Test("Dead token: the iPad signs in again by itself, the queue goes on (S276)")
    func renewal() throws {
        let bench = try running()
        #expect(bench.ask("identity.revoke")?["ok"]?.bool == true)
        bench.advance(.seconds(1))
        set(bench, "k", "v")
        bench.advance(.seconds(5))
        #expect(bench.cloud.value("k") == "v")
        #expect(bench.cloud.count("/accounts/v1/signin") == 2)
        #expect(bench.cloud.requests.last?.request.headers["Authorization"] == "Bearer maya-2")
        bench.command("device.powerCut", ["seed": 1])
        try bench.restart()
        bench.advance(.seconds(5))
        #expect(bench.cloud.count("/accounts/v1/signin") == 2)
    }

    @Test("Dead token: a renewal that is lost is tried again")
    func renewalRetry() throws {
        let bench = try running()
        bench.ask("identity.revoke")
        bench.cloud.script = { $0.target == "/accounts/v1/signin" ? .failure(.unreachable) : nil }
        set(bench, "k", "v")
        bench.advance(.minutes(3))
        #expect(bench.cloud.value("k") == nil)
        let tasks = bench.pad.network.requests.values.compactMap {
            if case .daemon(let task) = $0.purpose { task } else { nil }
        }
        #expect(
            !tasks.isEmpty && !tasks.contains(where: bench.pad.network.isOnItsWay),
            "what waits for a token has not left")
        bench.cloud.script = { _ in nil }
        bench.advance(.minutes(5))
        #expect(bench.cloud.value("k") == "v")
    }

    @Test("No answer: the request fails after 60 s and is sent again")
    func timeout() throws {
        let bench = try running()
        bench.isOnline = false
        set(bench, "k", "v")
        bench.advance(.seconds(50))
        bench.isOnline = true
        #expect(bench.cloud.value("k") == nil)
        bench.advance(.seconds(8))
        #expect(bench.cloud.value("k") == nil)
        bench.advance(.seconds(10))
        #expect(bench.cloud.value("k") == "v")
    }

    @Test("Airplane mode: nothing leaves; afterwards the queue goes on at once")
    func airplane() throws {
        let bench = try running()
        bench.ask("device.airplane", ["on": true])
        let count = bench.cloud.requests.count
        set(bench, "k", "v")
        bench.advance(.minutes(10))
        #expect(bench.cloud.requests.count == count)
        bench.ask("device.airplane", ["on": false])
        bench.advance(.seconds(1))
        #expect(bench.cloud.value("k") == "v")
        #expect(bench.marks.contains("airplane"))
    }

    @Test("Push: only for people of this iPad, to the daemon of its service")
    func push() throws {
        let bench = try running()
        let count = bench.cloud.requests.count
        for body: Value in [
            ["account": "leo", "service": "kvs", "topic": "com.example.quiz"],
            ["account": "maya", "service": "x", "topic": "t"], 7,
        ] { bench.push(body) }
        bench.advance(.seconds(1))
        #expect(bench.cloud.requests.count == count)
        bench.cloud.put(KeyValueWrite(key: "k", value: "new", stamp: Instant.epochNanoseconds, device: "ipad-2"))
        bench.push(["account": "maya", "service": "kvs", "topic": "com.example.quiz"])
        bench.advance(.seconds(1))
        #expect(bench.lastMessage("kvs.changed") == ["reason": 0, "values": ["k": "new"]])
    }

    @Test("Identity: a token while signed in to iCloud, none after, its own again; the status tells why")
    func identity() throws {
        let bench = try running()
        let launch = bench.launch("quiz")
        let own = try #require(bench.call(launch, "identity.get")?["identity"]?.string)
        #expect(bench.launches.first?.spec["identity"]?.string == own)
        let second = bench.pad.accounts.token(of: SecondAccount.name(of: "maya"))
        for (to, token, status) in [
            ("unavailable", own, 4), ("restricted", nil, 2), (nil, nil, 3), ("other", second, 1), ("own", own, 1),
        ] as [(String?, String?, Int64)] {
            bench.ask("identity.change", ["to": .optional(to)])
            #expect(
                bench.call(launch, "identity.get") == ["identity": .optional(token), "accountStatus": .int(status)])
            #expect(
                bench.lastMessage("app.identityChanged") == [
                    "identity": .optional(token), "accountStatus": .int(status),
                ])
        }
        #expect(bench.notes(.identityChanged).count == 5)
    }

    @Test("Identity: its own comes back also to a person who is not signed in any more")
    func identityBack() throws {
        let bench = try running()
        bench.ask("identity.change", ["to": .null])
        set(bench, "k", "v")
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        #expect(bench.cloud.value("k") == nil)
        #expect(bench.ask("identity.change", ["to": .null])?["refused"] != nil)
        bench.ask("identity.change", ["to": "own"])
        bench.advance(.seconds(1))
        #expect(bench.cloud.value("k") == "v")
    }
}
