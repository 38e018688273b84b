import CInterpose
import FleetModel
import Glibc
import Testing

@testable import Proxy

@Suite("Proxy", .timeLimit(.minutes(20))) struct ProxyServerTests {
    @Test(
        "No fault: bytes of any kind pass both ways, and each end's end (TLS, text, nothing)",
        arguments: ["\u{16}\u{3}\u{1}hello", get, "\n"])
    func passes(text: String) throws {
        let wire = try Wire()
        let (client, target) = try wire.pair()
        try wire.say(text, on: client)
        try wire.hear(text, on: target)
        try wire.say("answer", on: target)
        try wire.hear("answer", on: client)
        hr_end_writing(client)
        try wire.hear("(end)", on: target)
        try wire.say("last words", on: target)
        try wire.hear("last words", on: client)
        wire.end(target)
        try wire.hear("(end)", on: client)
        try wire.until("the connection is forgotten") { wire.proxy.live == 0 }
        #expect(wire.proxy.faults.counters.bytesUp == text.utf8.count && wire.proxy.faults.counters.bytesDown == 16)
    }

    @Test(
        "Back-pressure: who reads nothing stops who writes, memory stays bounded, then everything comes (32 MiB; bytes and messages)",
        arguments: [false, true])
    func backPressure(messages: Bool) throws {
        let wire = try Wire(messages ? [fault("loss-of-request", pads: [99])] : [])
        let (client, target) = try wire.pair()
        let size = 32 << 20
        let head = Array("PUT /big HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n".utf8)
        var pattern = (0..<251).map { UInt8($0) }
        while pattern.count < size { pattern += pattern }
        let bytes = head + pattern.prefix(size)
        var sent = 0
        func write() -> Bool {
            let count = bytes[sent...].withUnsafeBytes { hr_send(client, $0.baseAddress, $0.count) }
            sent += max(0, count)
            return count > 0
        }
        // Until neither the client's socket takes more nor the proxy moves any.
        var idle = 0
        while idle < 20, sent < bytes.count {
            idle = write() ? 0 : try wire.proxy.turn(atMost: 1_000_000) > 0 ? 0 : idle + 1
        }
        #expect(sent < bytes.count)
        let waiting = try #require(wire.proxy.connections.compactMap { $0 }.first).target.outbox.count
        #expect(waiting <= Connection.outboxMax + 64 << 10)
        var got: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        try wire.until("all \(bytes.count) bytes, of which \(got.count) came") {
            if sent < bytes.count { _ = write() }
            let count = hr_receive(target, &buffer, buffer.count)
            if count > 0 { got += buffer[..<count] }
            return got.count >= bytes.count
        }
        #expect(got == bytes)
    }

    @Test("Back-pressure: what the proxy itself answers to who never reads stays bounded (captive portal)")
    func answersUnread() throws {
        let wire = try Wire([fault("captive-portal")])
        let (client, _) = try wire.pair()
        let bytes = Array(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 1 << 20).utf8)
        var (sent, idle) = (0, 0)
        while idle < 20, sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { hr_send(client, $0.baseAddress, $0.count) }
            sent += max(0, count)
            idle = count > 0 ? 0 : try wire.proxy.turn(atMost: 1_000_000) > 0 ? 0 : idle + 1
        }
        let connection = try #require(wire.proxy.connections.compactMap { $0 }.first)
        let waiting = try #require(connection.client).outbox.count
        // One more read of requests, each answered by a page.
        #expect(sent < bytes.count && waiting < Connection.outboxMax + 8 << 20, "\(sent) sent, \(waiting) wait")
    }

    @Test("Latency: nothing before its instant, everything after it (20 ms; bytes and messages)", arguments: [[], [3]])
    func latency(pads: [Int]) throws {
        let wire = try Wire([fault("latency", pads: pads, ["extra": "20ms", "direction": "up"])])
        let (client, target) = try wire.pair()
        try wire.say(get, on: client)
        try wire.until("the request is under way") { wire.proxy.timers.count == 1 }
        wire.advance(.microseconds(19_999))
        _ = try wire.proxy.turn(atMost: 0)
        #expect(wire.heard(on: target) == "")
        wire.advance(.microseconds(1))
        try wire.hear(get, on: target)
        try wire.say(ok, on: target)
        try wire.hear(ok, on: client)
    }

    @Test("Bandwidth: 1,000 bytes a second bring 100 bytes in a tenth of one, piece by piece")
    func bandwidth() throws {
        let wire = try Wire([fault("bandwidth", ["bytesPerSecond": 1000, "direction": "down"])])
        let (client, target) = try wire.pair()
        try wire.say(String(repeating: "x", count: 128), on: target)
        try wire.until("the bytes are under way") { wire.proxy.timers.count == 1 }
        #expect(wire.heard(on: client) == "")
        wire.advance(.milliseconds(64))
        try wire.hear(String(repeating: "x", count: 64), on: client)
        wire.advance(.milliseconds(64))
        try wire.hear(String(repeating: "x", count: 64), on: client)
    }

    @Test("Reset and refusal: the client sees a reset, the target nothing of the request")
    func resets() throws {
        for (kind, parameters) in [
            ("reset", ["probability": 1] as Value), ("dns-failure", .empty), ("airplane-mode", .empty),
        ] {
            let wire = try Wire([fault(kind, pads: [3], parameters)])
            let (client, target) = try wire.pair()
            try wire.say(get, on: client)
            try wire.hear("(reset)", on: client)
            var heard = ""
            try wire.until("the target's end") {
                heard = wire.heard(on: target); return heard != ""
            }
            #expect(heard == (kind == "reset" ? "(reset)" : "(end)"))
            try wire.until("the connection is forgotten") { wire.proxy.live == 0 }
        }
    }

    @Test("Broken handshake: a client that speaks TLS gets an alert, and the end")
    func handshake() throws {
        let wire = try Wire([fault("tls-failure")])
        let (client, _) = try wire.pair()
        try wire.say("\u{16}\u{3}\u{1}\u{0}\u{1}x", on: client)
        try wire.hear("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}(", on: client)
        try wire.hear("(end)", on: client)
    }

    @Test("Partition of a stream: bytes wait and come when it heals")
    func partition() throws {
        let wire = try Wire([fault("partition")])
        let (client, target) = try wire.pair()
        try wire.say("hello", on: client)
        try wire.until("the bytes wait") { wire.proxy.connections[0]?.wants(.client) == false }
        wire.advance(.hours(1))
        try wire.hear("hello", on: target)
        #expect(wire.lines.list.map { $0.suffix(6) } == ["begins", " heals"])
    }

    @Test("Duplicate: the request comes again, on a connection of its own, and its answer goes nowhere")
    func duplicate() throws {
        let wire = try Wire([fault("duplicate", ["probability": 1, "delay": "2s"])])
        let (client, target) = try wire.pair()
        try wire.say(post, on: client)
        try wire.hear(post, on: target)
        try wire.until("a copy is kept") { wire.proxy.copies.count == 1 }
        wire.advance(.seconds(2))
        let second = try wire.accept()
        try wire.hear(post, on: second)
        try wire.say("HTTP/1.1 100 Continue\r\n\r\n" + ok, on: second)
        try wire.hear("(end)", on: second)
        try wire.say(ok, on: target)
        try wire.hear(ok, on: client)
        try wire.until("the copy's connection is forgotten") { wire.proxy.live == 1 }
        // The copy was not read from a client, its answer was from the target.
        let (interim, counters) = ("HTTP/1.1 100 Continue\r\n\r\n", wire.proxy.faults.counters)
        #expect(counters.bytesUp == post.utf8.count && counters.bytesDown == ok.utf8.count * 2 + interim.utf8.count)
    }

    @Test("Target down: clients are refused, and it is said once (3 clients)")
    func down() throws {
        let wire = try Wire(hasTarget: false)
        for _ in 0..<3 {
            let client = try wire.connect()
            try wire.hear("(reset)", on: client)
        }
        #expect(wire.lines.list.count == 1 && wire.lines.list[0].contains("Connection refused"))
        #expect(wire.proxy.live == 0)
    }

    @Test("Too few files of its own: what it is and what to do, and not the target's fault")
    func noFiles() throws {
        let wire = try Wire()
        for (error, remedy) in [(EMFILE, "(ulimit -n)"), (ENFILE, "(sysctl fs.file-max)")] {
            for _ in 0..<2 { wire.proxy.targetFailed(error) }
            let line = try #require(wire.lines.list.last)
            #expect(line.hasSuffix("Raise the limit \(remedy)") && !line.contains("does not answer"))
        }
        #expect(wire.lines.list.count == 2)
    }

    @Test("No file for the first connection: it waits, and is carried when there are files again")
    func noFilesYet() throws {
        let wire = try Wire()
        let enough = wire.proxy.liveMax
        wire.proxy.liveMax = 0
        _ = try wire.connect()
        try wire.until("it is said") { !wire.lines.list.isEmpty }
        #expect(!wire.proxy.isAccepting && wire.proxy.live == 0)
        wire.proxy.liveMax = enough
        _ = try wire.accept()
        #expect(wire.proxy.live == 1 && wire.proxy.isAccepting)
    }

    @Test("Client gone in the middle of an answer: the target sees the end, and nothing is left")
    func clientGone() throws {
        let wire = try Wire([fault("loss-of-request", pads: [99])])
        let (client, target) = try wire.pair()
        try wire.say(get, on: client)
        try wire.hear(get, on: target)
        wire.end(client)
        var heard = ""
        try wire.until("the target's end") {
            heard = wire.heard(on: target); return heard != ""
        }
        #expect(heard == "(end)")
        try wire.say(ok, on: target)
        try wire.until("the connection is forgotten") { wire.proxy.live == 0 }
    }

    @Test("Client gone while bytes for it wait: its timer comes once, and the target sees the end in its turn")
    func clientGoneEarly() throws {
        let wire = try Wire([
            fault("latency", ["extra": "20ms", "direction": "up"]),
            fault("bandwidth", ["bytesPerSecond": 1000, "direction": "down"]),
        ])
        let (client, target) = try wire.pair()
        try wire.say("hello", on: client)
        try wire.until("the words are under way") { wire.proxy.timers.count == 1 }
        try wire.say("hello", on: target)
        try wire.until("the answer is under way") { wire.proxy.timers.count == 2 }
        wire.reset(client)
        let connection = try #require(wire.proxy.connections.compactMap { $0 }.first)
        try wire.until("the reset was read") { connection.client?.isGone == true }
        wire.advance(.milliseconds(10))
        _ = try wire.proxy.turn(atMost: 0)
        #expect(wire.heard(on: target) == "" && wire.proxy.live == 1)
        wire.advance(.milliseconds(10))
        try wire.hear("hello", on: target)
        try wire.hear("(reset)", on: target)
        #expect(wire.proxy.live == 0)
    }

    @Test("Lost request: the client that gives up leaves nothing behind (bytes read later too)")
    func gaveUp() throws {
        let wire = try Wire([fault("loss-of-request", ["probability": 1])])
        let (client, target) = try wire.pair()
        try wire.say(post, on: client)
        try wire.until("the request was read") { wire.proxy.faults.counters.requests == 1 }
        wire.end(client)
        try wire.hear("(reset)", on: target)
        try wire.until("the connection is forgotten") { wire.proxy.live == 0 }
    }

    @Test("Many connections, one after the other: places and descriptors are used again (300)")
    func many() throws {
        let wire = try Wire()
        for _ in 0..<300 {
            let (client, target) = try wire.pair()
            wire.end(client)
            wire.end(target)
            try wire.until("the connection is forgotten") { wire.proxy.live == 0 }
        }
        #expect(wire.proxy.connections.count == 1 && wire.proxy.faults.counters.connections == 300)
    }

    @Test("Waker: ends run, from outside")
    func waker() throws {
        let wire = try Wire()
        hr_wake(wire.proxy.waker)
        try wire.proxy.run()
        #expect(wire.proxy.isStopped)
    }

    @Test("Port in use: what, where, what to do")
    func portInUse() throws {
        let wire = try Wire()
        let taken = Endpoint(host: "127.0.0.1", port: wire.proxy.port)
        let setup = ProxyServer.Setup(listen: taken, to: taken, faults: try active([]))
        let problem = #expect(throws: ProxyProblem.self) { _ = try ProxyServer(setup) }
        #expect(
            problem?.message.contains("\(taken)") == true
                && problem?.message.contains("another program has the port") == true)
    }

    @Test("Control socket: faults, summary, errors, and the end with its owner")
    func control() throws {
        var ends: [Int32] = [0, 0]
        try #require(hr_socketpair(&ends) == 0)
        defer { for fd in ends { close(fd) } }
        let wire = try Wire(
            [FaultSpec(id: "cut", kind: "partition", from: .zero + .hours(1), until: .zero + .hours(2))],
            control: ends[1])
        try wire.say("begin 0\nbegin 7\nnonsense\nsum", on: ends[0])
        try wire.hear(
            "ok\nerror: there is no fault 7\nerror: 'nonsense' is no order: begin N, heal N, heal all, clock ORIGIN SPEED, summary, marks, stop\n",
            on: ends[0])
        #expect(!wire.proxy.faults.isQuiet)
        try wire.say("mary\nheal all\nclock 5 60\n", on: ends[0])
        try wire.hear(wire.proxy.faults.counters.summary + "\nok\nok\n", on: ends[0])
        #expect(wire.proxy.faults.isQuiet && wire.proxy.clock == RunClock(origin: 5, speed: 60))
        shutdown(ends[0], Int32(SHUT_WR))
        try wire.until("the proxy ends") { wire.proxy.isStopped }
    }

    @Test("Addresses: what is one, and what is none")
    func endpoints() {
        #expect(Endpoint("127.0.0.1:80") == Endpoint(host: "127.0.0.1", port: 80))
        #expect(Endpoint(":0") == Endpoint(host: "", port: 0))
        #expect(Endpoint("[::1]:8080")?.description == "[::1]:8080")
        for text in ["", "80", "host", "host:", "host:x", "host:65536", "::1:80", "host:-1", "host:080000"] {
            #expect(Endpoint(text) == nil, "\(text)")
        }
        let setup = ProxyServer.Setup(
            listen: Endpoint(host: "", port: 0), to: Endpoint(host: "no such host", port: 1), faults: try! active([]))
        let problem = #expect(throws: ProxyProblem.self) { _ = try ProxyServer(setup) }
        #expect(problem?.message.contains("no such host:1: the host is not known") == true)
    }
}
