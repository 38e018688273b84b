import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Key-value daemon", .timeLimit(.minutes(20))) struct KeyValueDaemonTests {
    private func remote(_ bench: PadBench, _ key: String, _ value: Value, _ stamp: Int64) {
        bench.cloud.put(KeyValueWrite(key: key, value: value, stamp: stamp, device: "ipad-2"))
    }
    private func clock(_ bench: PadBench, plus seconds: Int64) -> Int64 {
        Instant.epochNanoseconds + bench.now.nanoseconds + seconds * 1_000_000_000
    }
    private func push(_ bench: PadBench) {
        bench.push(["account": "maya", "service": "kvs", "topic": "com.example.quiz"])
        bench.advance(.seconds(1))
    }

    @Test("Set: seen at once, on disk 2 s after the first set, then at the Cloud (S31, S118)")
    func flushWindow() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", .string(EditPayload.text(token: "maya.1", "x")))
        #expect(bench.pairs?["k"] != nil)
        bench.advance(.milliseconds(1900))
        #expect(bench.notes(.handedOver).isEmpty && bench.notes(.stamped).isEmpty)
        bench.advance(.milliseconds(200))
        #expect(bench.tokens(.handedOver) == ["maya.1"])
        let stamped = try #require(bench.notes(.stamped).first)
        #expect(stamped.detail["key"] == "k" && stamped.detail["device"] == "ipad-1")
        #expect(stamped.channel == .keyValue && stamped.app == "quiz")
        bench.advance(.seconds(1))
        #expect(bench.cloud.value("k") != nil)
        #expect(bench.ask("pad.pending") == ["pending": []])
    }

    @Test("A database that fails: a problem of the run (at a set, a flush, an answer)", arguments: [1, 2, 3])
    func brokenDatabase(occasion: Int) throws {
        let bench = try PadBench.runningQuiz()
        let database = try #require(bench.pad.storage.volume(of: "maya")).database
        switch occasion {
        case 1:
            try database.script("DROP TABLE kvs_entry")
            bench.set("k", "v")
        case 2:
            bench.set("k", "v")
            try database.script("DROP TABLE kvs_queue")
            bench.call(bench.launch("quiz"), "kvs.synchronize")
        default:
            try database.script("DROP TABLE kvs_store")
            remote(bench, "other", "x", clock(bench, plus: 0))
            push(bench)
        }
        #expect(bench.problems.first?.contains("no such table: kvs_") == true)
    }

    @Test("Set: lost with the process before the flush, kept after it", arguments: [true, false])
    func kill(flushed: Bool) throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "v")
        if flushed { bench.call(bench.launch("quiz"), "kvs.synchronize") }
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "kill"])
        bench.advance(.seconds(10))
        #expect((bench.cloud.value("k") != nil) == flushed)
        bench.open("quiz")
        #expect((bench.pairs?["k"] != nil) == flushed)
    }

    @Test("Flush: in the background, and when a change comes in", arguments: ["background", "change"])
    func flushOccasions(occasion: String) throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "v")
        if occasion == "background" {
            bench.ask("app.home")
        } else {
            remote(bench, "other", "x", clock(bench, plus: 0))
            push(bench)
        }
        #expect(bench.notes(.stamped).map { $0.detail["key"] } == ["k"])
    }

    @Test("Removal: null removes, here and at the Cloud")
    func removal() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "v")
        bench.advance(.seconds(4))
        bench.set("k", .null)
        #expect(bench.pairs == .empty)
        bench.advance(.seconds(4))
        #expect(bench.cloud.value("k") == .null)
        #expect(bench.pairs == .empty)
    }

    @Test("Merge: the largest stamp stays; a set of ours that lost is taken back and told", arguments: [true, false])
    func merge(weWin: Bool) throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("device.airplane", ["on": true])
        bench.set("k", "ours")
        bench.advance(.seconds(4))
        remote(bench, "k", "theirs", clock(bench, plus: weWin ? -60 : 60))
        bench.ask("device.airplane", ["on": false])
        bench.advance(.seconds(2))
        #expect(bench.cloud.value("k") == (weWin ? "ours" : "theirs"))
        #expect(bench.pairs?["k"] == (weWin ? "ours" : "theirs"))
        #expect((bench.lastMessage("kvs.changed")?["values"] == ["k": "theirs"]) == !weWin)
    }

    @Test("Merge: a set older than what the Cloud has long had is taken back too (S114)")
    func staleSet() throws {
        let bench = try PadBench.runningQuiz()
        remote(bench, "k", "future", clock(bench, plus: 3600))
        push(bench)
        bench.set("k", "ours")
        #expect(bench.pairs?["k"] == "ours")
        bench.advance(.seconds(4))
        #expect(bench.pairs?["k"] == "future")
        #expect(bench.lastMessage("kvs.changed") == ["reason": 0, "values": ["k": "future"]])
    }

    @Test("Clock: a device that is ahead wins; its own later sets are never older than its own earlier ones")
    func skew() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("clock.set", ["offset": .int(3_600_000_000_000), "drift": 0])
        bench.set("k", "1")
        bench.advance(.seconds(4))
        bench.ask("clock.set", ["offset": 0, "drift": 0])
        bench.set("k", "2")
        bench.advance(.seconds(4))
        #expect(bench.cloud.value("k") == "2")
        let stamps = bench.notes(.stamped).compactMap { $0.detail["stamp"]?.int }
        #expect(stamps.count == 2 && stamps.first.map { $0 > clock(bench, plus: 3000) } == true)
        #expect(stamps == stamps.sorted())
        #expect(bench.marks.contains("clock-skewed"))
    }

    @Test("Initial sync: what the account has comes with reason 1, also when it is nothing (S15)")
    func initialSync() throws {
        let bench = try PadBench()
        remote(bench, "k", "old", clock(bench, plus: -60))
        bench.signIn("maya")
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "kvs.open") == ["values": .empty, "synced": false])
        bench.advance(.seconds(1))
        #expect(bench.lastMessage("kvs.changed") == ["reason": 1, "values": ["k": "old"]])
        bench.open("notes")
        bench.call(bench.launch("notes"), "kvs.open")
        bench.advance(.seconds(1))
        #expect(bench.lastMessage("kvs.changed") == ["reason": 1, "values": .empty])
        #expect(bench.call(bench.launch("notes"), "kvs.open") == ["values": .empty, "synced": true])
    }

    @Test("Suspended app: the notice waits (S175)")
    func suspended() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("app.home")
        bench.advance(.seconds(3))
        _ = bench.takeTold()
        remote(bench, "k", "v", clock(bench, plus: 0))
        push(bench)
        #expect(bench.takeTold().isEmpty)
        bench.open("quiz")
        #expect(bench.takeTold().first == "quiz kvs.changed")
    }

    @Test("Lost push: an app that comes to the screen asks by itself")
    func lostPush() throws {
        let bench = try PadBench.runningQuiz()
        remote(bench, "k", "v", clock(bench, plus: 0))
        bench.ask("app.home")
        bench.open("quiz")
        bench.advance(.seconds(1))
        #expect(bench.pairs?["k"] == "v")
    }

    @Test("Not settable: a long key, no property list: refused without a notice of quota, nothing changed (S100)")
    func notSettable() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "before")
        for (key, value) in [
            (String(repeating: "k", count: 65), "v"), (String(repeating: "é", count: 33), "v"), ("", "v"),
            ("k", [.null]), ("k", .double(.infinity)),
        ] as [(String, Value)] {
            bench.post(
                bench.launch("quiz"), "kvs.set", ["key": .string(key), "value": value], exchange: 5)
            bench.command("pad.people")
            #expect(bench.lastMessage("kvs.set")?["error"]?["code"] == 22)
            #expect(bench.pairs == ["k": "before"])
        }
        #expect(!bench.messages.contains { $0.message.name == "kvs.changed" && $0.message["reason"] == 2 })
    }

    @Test("Quota: too many keys, too many bytes: refused with reason 2, nothing changed (S103)")
    func limits() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "before")
        bench.set("k", .data(Array(repeating: 0, count: 1_048_577)))
        bench.command("pad.people")
        #expect(bench.lastMessage("kvs.changed") == ["reason": 2, "values": ["k": "before"]])
        #expect(bench.pairs == ["k": "before"])
        for number in 1...1023 { bench.set("n\(number)", true) }
        #expect(bench.pairs?.object?.count == 1024)
        bench.set("one more", true)
        #expect(bench.pairs?.object?.count == 1024)
        bench.set(String(repeating: "k", count: 64), .null)
        bench.set("n1", .null)
        bench.set(String(repeating: "k", count: 64), .data(Array(repeating: 0, count: 1_000_000)))
        #expect(bench.pairs?.object?.count == 1024)
    }

    @Test("Limit of bytes: 1 MB in one value or in several, and not a byte more (S103)")
    func bytes() throws {
        let bench = try PadBench.runningQuiz()
        func data(_ count: Int) -> Value { .data(Array(repeating: 7, count: count)) }
        func held(_ key: String) -> Int? { bench.pairs?[key]?.data?.count }
        let most = 1_048_576
        bench.set("k", data(most))
        #expect(held("k") == most)
        bench.set("k", data(most + 1))
        #expect(held("k") == most)
        bench.set("k", data(most - 10))
        bench.set("more", data(10))
        #expect(held("more") == 10)
        bench.set("more", data(11))
        #expect(held("more") == 10)
        bench.command("pad.people")
        #expect(bench.lastMessage("kvs.changed")?["reason"] == 2)
    }

    @Test("Several sets in a row: one write and one request; without a set none (S205)")
    func coalesced() throws {
        let bench = try PadBench.runningQuiz()
        let before = bench.cloud.count("/kvs")
        for number in 1...5 { bench.set("k", .int(number)) }
        bench.advance(.seconds(5))
        #expect(bench.cloud.count("/kvs") == before + 1)
        #expect(bench.notes(.stamped).count == 1)
        #expect(bench.cloud.value("k") == 5)
        bench.advance(.seconds(50))
        #expect(bench.cloud.count("/kvs") == before + 1)
    }

    @Test("Throttled: six uploads a minute; later sets are seen at once, wait, and go together with the next one")
    func throttled() throws {
        let bench = try PadBench.runningQuiz()
        let before = bench.cloud.count("/kvs")
        for number in 1...12 {
            bench.set("k\(number)", .int(number))
            bench.set("last", .int(number))
            bench.call(bench.launch("quiz"), "kvs.synchronize")
            bench.advance(.seconds(1))
            #expect(bench.pairs?["last"] == .int(number))
        }
        #expect(bench.cloud.count("/kvs") == before + 6)
        #expect(bench.cloud.value("last") == 6 && bench.cloud.value("k7") == nil)
        let waiting = bench.ask("pad.pending")?["pending"]?.array?.first
        #expect(waiting?["waitsFor"]?.string?.contains("upload budget") == true)
        // Reading is free.
        remote(bench, "theirs", "x", clock(bench, plus: 0))
        push(bench)
        #expect(bench.pairs?["theirs"] == "x" && bench.cloud.value("k7") == nil)
        bench.advance(.minutes(1))
        #expect(bench.cloud.count("/kvs") == before + 8)
        #expect(bench.cloud.value("last") == 12 && bench.cloud.value("k7") == 7 && bench.cloud.value("k12") == 12)
        #expect(bench.ask("pad.pending") == ["pending": []])
    }

    @Test("Busy service: Retry-After is kept, the writes keep their id")
    func retryAfter() throws {
        let bench = try PadBench.runningQuiz()
        bench.cloud.script = { _ in .response(HTTPResponse(status: 503, headers: ["Retry-After": "100"])) }
        bench.set("k", "v")
        bench.advance(.seconds(4))
        bench.cloud.script = { _ in nil }
        bench.advance(.seconds(90))
        #expect(bench.cloud.value("k") == nil)
        bench.advance(.seconds(20))
        #expect(bench.cloud.value("k") == "v")
        let ids = bench.cloud.requests.map(\.request).filter { $0.target.hasPrefix("/kvs") }
            .compactMap { $0.headers["X-Homeroom-Request"] }
        #expect(ids.count == 2 && ids.first == ids.last)
    }

    @Test("Busy service: a fetch that it put off is among what the iPad waits for, and holds nobody's data back")
    func fetchPutOff() throws {
        let bench = try PadBench.runningQuiz()
        remote(bench, "theirs", "x", clock(bench, plus: 0))
        bench.cloud.script = { _ in .response(HTTPResponse(status: 429, headers: ["Retry-After": "600"])) }
        push(bench)
        bench.advance(.seconds(5))
        bench.cloud.script = { _ in nil }
        let waiting = bench.ask("pad.pending")?["pending"]?.array ?? []
        #expect(waiting.map { $0["what"] } == ["key-value answer for com.example.quiz"])
        #expect(waiting.first?["waitsFor"]?.string?.hasPrefix("retry at ") == true)
        #expect(bench.ask("person.signOut")?["ok"] == true)
        #expect(bench.notes(.signedOut).last?.detail["pending"] == 0)
        bench.ask("person.signIn", ["person": "maya"])
        bench.advance(.minutes(10))
        #expect(bench.ask("pad.pending") == ["pending": []])
    }

    @Test("Sets during an upload: sent afterwards, none forgotten")
    func setsDuringUpload() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "1")
        bench.call(bench.launch("quiz"), "kvs.synchronize")
        bench.set("k", "2")
        bench.call(bench.launch("quiz"), "kvs.synchronize")
        bench.advance(.seconds(2))
        #expect(bench.cloud.value("k") == "2")
        #expect(bench.ask("pad.pending") == ["pending": []])
    }

    @Test("Signed out of iCloud: sets stay on the iPad and go up when the account is back, told with reason 3 (S105)")
    func identity() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("identity.change", ["to": .null])
        bench.set("k", "v")
        bench.advance(.minutes(5))
        #expect(bench.cloud.value("k") == nil)
        #expect(bench.ask("pad.pending")?["pending"]?.array?.count == 1)
        bench.ask("identity.change", ["to": "own"])
        bench.advance(.seconds(2))
        #expect(bench.cloud.value("k") == "v")
        #expect(bench.lastMessage("kvs.changed")?["reason"] == 3)
    }

    @Test("Full disk: the sets are not lost while the app lives; they are flushed when there is room")
    func full() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("storage.fill", ["free": 0])
        bench.set("k", .string(String(repeating: "x", count: 200_000)))
        bench.advance(.seconds(10))
        #expect(bench.notes(.handedOver).isEmpty)
        #expect(bench.call(bench.launch("quiz"), "kvs.synchronize")?["error"]?["code"] == 640)
        bench.ask("storage.fill", ["bytes": 0])
        bench.advance(.seconds(5))
        #expect(bench.notes(.handedOver).count == 1)
        #expect(bench.call(bench.launch("quiz"), "kvs.synchronize") == .empty)
        #expect(bench.cloud.value("k") != nil)
    }

    @Test("A small change in a large store: one request, as small as the change (S206)")
    func compact() throws {
        let bench = try PadBench.runningQuiz()
        for number in 0..<100 { bench.set("k\(number)", .string(String(repeating: "x", count: 1000))) }
        bench.advance(.minutes(1))
        let before = bench.cloud.count("/kvs")
        bench.set("k7", "small")
        bench.advance(.minutes(1))
        #expect(bench.cloud.count("/kvs") == before + 1)
        let request = try #require(bench.cloud.requests.last { $0.request.target.hasPrefix("/kvs") }?.request)
        #expect(request.body.count < 500 && bench.cloud.value("k7") == "small")
    }

    @Test(
        "The same account again: the store is told of no change of account; of another one, or after none, it is",
        arguments: ["withoutDocuments", "unavailable", "restricted"])
    func sameAccount(state: String) throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "kvs.open")
        for to in [.string(state), "own"] as [Value] {
            bench.ask("identity.change", ["to": to])
            bench.advance(.minutes(1))
        }
        #expect(!bench.messages.contains { $0.message.name == "kvs.changed" && $0.message["reason"] == 3 })
        for to in ["other", "own"] as [Value] {
            bench.ask("identity.change", ["to": to])
            let told = bench.lastMessage("app.identityChanged")?["identity"] ?? .null
            bench.call(bench.launch("quiz"), "identity.taken", ["identity": told])
        }
        bench.advance(.minutes(1))
        #expect(bench.messages.contains { $0.message.name == "kvs.changed" && $0.message["reason"] == 3 })
    }
}
