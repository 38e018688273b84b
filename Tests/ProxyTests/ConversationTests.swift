import FleetModel
import Testing

@testable import Proxy

@Suite("Conversation", .timeLimit(.minutes(20))) struct ConversationTests {
    @Test("No fault: bytes pass as they are, both ways, however they are cut (every byte)")
    func untouched() throws {
        let up = get + post + "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        let down =
            "HTTP/1.1 100 Continue\r\n\r\n" + ok + ok
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
        for cut in 0...up.utf8.count {
            var talk = try Talk()
            talk.say(Array(Array(up.utf8)[..<cut]), from: .client)
            talk.say(Array(Array(up.utf8)[cut...]), from: .client)
            let place = min(cut, down.utf8.count)
            talk.say(Array(Array(down.utf8)[..<place]), from: .target)
            talk.say(Array(Array(down.utf8)[place...]), from: .target)
            #expect(talk.text(.target) == up && talk.text(.client) == down && talk.finished.isEmpty, "cut at \(cut)")
            #expect(talk.faults.counters.requests == 3 && talk.faults.counters.responses == 3)
        }
    }

    @Test("Latency: head and body as late as asked, answers too")
    func latency() throws {
        var talk = try Talk([fault("latency", ["extra": "30ms"])])
        talk.say(post, from: .client)
        #expect(talk.text(.target) == post && talk.arrival[.target] == at(milliseconds: 30))
        talk.now = at(milliseconds: 40)
        talk.say(ok, from: .target)
        #expect(talk.text(.client) == ok && talk.arrival[.client] == at(milliseconds: 70))
    }

    @Test("Latency of one direction: the other is at once")
    func oneDirection() throws {
        var talk = try Talk([fault("latency", ["extra": "30ms", "direction": "down"])])
        talk.say(get, from: .client)
        talk.say(ok, from: .target)
        #expect(talk.arrival[.target] == .zero && talk.arrival[.client] == at(milliseconds: 30))
    }

    @Test("Selection: by X-Homeroom-Device, another iPad's requests pass")
    func selection() throws {
        var talk = try Talk([fault("partition", pads: [3], ["answer": "refused"])])
        talk.say(get.replacing("ipad-3", with: "ipad-4"), from: .client)
        talk.say(get.replacing("X-Homeroom-Device: ipad-3\r\n", with: ""), from: .client)
        #expect(talk.finished.isEmpty && talk.faults.counters.requests == 2)
        talk.say(get, from: .client)
        #expect(talk.finished == [.client: .reset, .target: .orderly])
        #expect(!talk.text(.target).contains("ipad-3"))
    }

    @Test(
        "Request lost: nothing of it, nor of what follows, reaches the target; the client hears nothing until it gives up"
    )
    func requestLost() throws {
        var talk = try Talk([fault("loss-of-request", ["probability": 1, "route": "/database/"])])
        talk.say(get + post + get, from: .client)
        #expect(talk.text(.target) == get && talk.finished.isEmpty)
        talk.say(ok, from: .target)
        talk.end(.target)
        #expect(talk.text(.client) == ok && talk.finished.isEmpty)
        talk.end(.client)
        #expect(talk.finished == [.client: .orderly, .target: .reset])
    }

    @Test("Patience: after it the connection of a lost message breaks, in either direction; marks tell what was lost")
    func patience() throws {
        for (kind, mark) in [("loss-of-request", "request-lost"), ("loss-of-response", "response-lost")] {
            var talk = try Talk([fault(kind, ["probability": 1])])
            talk.faults.patience = .seconds(60)
            talk.now = at(milliseconds: 500)
            talk.say(get, from: .client)
            if kind == "loss-of-response" { talk.say(ok, from: .target) }
            #expect(talk.sent[.client] == nil && talk.finished == [.client: .reset, .target: .orderly])
            #expect(talk.finishedAt[.client] == at(milliseconds: 60_500))
            #expect(talk.faults.counters.marks == [mark])
        }
    }

    @Test("A live run of the same scenario bends its messages itself: they pass, those of another do not")
    func ownRun() throws {
        for (name, passes) in [("rainy-day", true), ("other", false)] {
            var talk = try Talk([
                fault("loss-of-request", ["probability": 1, "route": "/kvs/"]),
                fault("loss-of-response", ["probability": 1]),
            ])
            talk.faults.scenario = "rainy-day"
            let named = get.replacing("\r\n\r\n", with: "\r\nX-Homeroom-Scenario: \(name)\r\n\r\n")
            talk.say(named, from: .client)
            #expect(talk.text(.target) == (passes ? named : ""))
            if passes { talk.say(ok, from: .target) }
            #expect(talk.text(.client) == (passes ? ok : ""))
        }
    }

    @Test("Marks: a body that is no longer than what is let through of it is not broken off", arguments: [4, 5])
    func cutShort(bytes: Int64) throws {
        var talk = try Talk([fault("truncation", ["bytes": .int(bytes), "probability": 1, "direction": "down"])])
        talk.say(get, from: .client)
        talk.say(ok, from: .target)
        #expect(talk.faults.counters.marks == (bytes < 5 ? ["connection-broken"] : []))
    }

    @Test("Response lost: the target acts, its answer and what follows vanish")
    func responseLost() throws {
        var talk = try Talk([fault("loss-of-response", ["probability": 1])])
        talk.say(post + get, from: .client)
        talk.say(ok + ok, from: .target)
        talk.say(get, from: .client)
        #expect(talk.text(.target) == post + get + get && talk.text(.client) == "" && talk.finished.isEmpty)
        talk.end(.client)
        #expect(talk.finished == [.client: .orderly, .target: .reset])
    }

    @Test("Reset of a request: nothing is handed on, both ends see it")
    func resetRequest() throws {
        var talk = try Talk([fault("reset", ["probability": 1, "direction": "up"])])
        talk.say(post, from: .client)
        #expect(talk.text(.target) == "" && talk.finished == [.client: .reset, .target: .reset])
    }

    @Test("Reset of a response: the target has acted")
    func resetResponse() throws {
        var talk = try Talk([fault("reset", ["probability": 1, "direction": "down"])])
        talk.say(post, from: .client)
        talk.say(ok, from: .target)
        #expect(
            talk.text(.target) == post && talk.text(.client) == ""
                && talk.finished == [.client: .reset, .target: .reset])
    }

    @Test(
        "Truncation: exactly so many bytes of the body, then the end (0, 1, 4 of 5; whole from 5 on)",
        arguments: [0, 1, 4, 5, 9])
    func truncatedDownload(bytes: Int) throws {
        var talk = try Talk([fault("truncation", ["bytes": .int(bytes), "probability": 1])])
        talk.say(get, from: .client)
        for byte in Array(ok.utf8) { talk.say([byte], from: .target) }
        #expect(talk.text(.client) == String(ok.dropLast(max(0, 5 - bytes))))
        #expect(talk.finished == (bytes < 5 ? [.client: .orderly, .target: .reset] : [:]))
    }

    @Test("Truncated upload: chunks are counted by their data, frames pass")
    func truncatedUpload() throws {
        var talk = try Talk([fault("truncation", ["bytes": 4, "probability": 1, "direction": "up"])])
        let head = "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        talk.say(head + "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", from: .client)
        #expect(
            talk.text(.target) == head + "3\r\nabc\r\n3\r\nd"
                && talk.finished == [.client: .orderly, .target: .orderly])
    }

    @Test("Duplicate: the same bytes once more, later")
    func duplicate() throws {
        var talk = try Talk([fault("duplicate", ["probability": 1, "delay": "2s"])])
        for byte in Array((post + get).utf8) { talk.say([byte], from: .client) }
        #expect(talk.text(.target) == post + get && talk.again.map(\.0) == [post, get])
        #expect(talk.again.allSatisfy { $0.1 > .zero && $0.1 <= .zero + .seconds(2) })
    }

    @Test("Duplicate: a request that is too long to keep comes once")
    func longDuplicate() throws {
        var talk = try Talk([fault("duplicate", ["probability": 1])])
        let size = Conversation.copyBytesMax
        talk.say("PUT /d HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n", from: .client)
        for _ in 0..<16 { talk.say([UInt8](repeating: 1, count: size / 16), from: .client) }
        #expect(talk.again.isEmpty && talk.sent[.target]?.count ?? 0 > size)
        talk.say(get, from: .client)
        #expect(talk.again.map(\.0) == [get])
    }

    @Test(
        "Answered by the proxy: in its turn, and the target hears nothing of it",
        arguments: [
            ("service-unavailable", 503), ("too-many-requests", 429), ("content-filter", 403), ("captive-portal", 200),
        ])
    func answered(kind: String, status: Int) throws {
        var talk = try Talk([fault(kind, ["route": "/database/"])])
        talk.say(get + post + get, from: .client)
        #expect(talk.text(.target) == get + get && talk.text(.client) == "")
        talk.say(ok, from: .target)
        #expect(talk.text(.client).hasPrefix(ok + "HTTP/1.1 \(status) "))
        talk.say(ok, from: .target)
        #expect(talk.text(.client).hasSuffix(ok) && talk.finished.isEmpty)
        #expect(talk.text(.client).contains("Retry-After: 10\r\n") == [503, 429].contains(status))
    }

    @Test("Answered while an earlier response is on its way: behind its last byte")
    func answeredBehind() throws {
        var talk = try Talk([fault("service-unavailable", ["route": "/database/"])])
        talk.say(get, from: .client)
        let bytes = Array(ok.utf8)
        talk.say(Array(bytes[..<(bytes.count - 2)]), from: .target)
        talk.say(post, from: .client)
        #expect(talk.text(.client) == String(ok.dropLast(2)))
        talk.say(Array(bytes.suffix(2)), from: .target)
        #expect(talk.text(.client).hasPrefix(ok + "HTTP/1.1 503 "))
    }

    @Test("Answered to a client that waits for 100 Continue: at once, and the connection ends")
    func answeredEarly() throws {
        var talk = try Talk([fault("service-unavailable")])
        talk.say("PUT /c HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n", from: .client)
        #expect(talk.text(.client).hasPrefix("HTTP/1.1 503 ") && talk.text(.client).contains("Connection: close\r\n"))
        #expect(talk.text(.target) == "" && talk.finished == [.client: .orderly, .target: .orderly])
    }

    @Test("Hold: until the end of the window")
    func hold() throws {
        var talk = try Talk([fault("hold", ["direction": "up"])])
        talk.say(get, from: .client)
        #expect(talk.text(.target) == get && talk.arrival[.target].map { $0 >= .zero + .hours(1) } == true)
    }

    @Test("Nth request: exactly the third of each iPad and route")
    func nth() throws {
        var talk = try Talk([fault("nth-request", ["nth": 3, "route": "/database/", "ending": "reset"])])
        talk.say(post + get + post + post.replacing("ipad-3", with: "ipad-4") + get, from: .client)
        #expect(talk.finished.isEmpty)
        talk.say(post, from: .client)
        #expect(talk.finished[.client] == .reset)
    }

    @Test("Smuggling: 400, the end, and nothing of it at the target")
    func smuggling() throws {
        var talk = try Talk()
        talk.say(
            "POST /a HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get, from: .client)
        #expect(talk.text(.client).hasPrefix("HTTP/1.1 400 ") && talk.text(.target) == "")
        #expect(talk.finished == [.client: .orderly, .target: .orderly] && talk.faults.counters.refused == 1)
    }

    @Test("Smuggling in the middle of a body: 400, and the target does not take the part for the whole")
    func badChunk() throws {
        var talk = try Talk()
        talk.say("PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX", from: .client)
        #expect(talk.text(.client).hasPrefix("HTTP/1.1 400 ") && talk.finished[.target] == .reset)
    }

    @Test("A target that answers no HTTP: the client sees a reset, never the half")
    func badTarget() throws {
        var talk = try Talk()
        talk.say(get, from: .client)
        talk.say("SSH-2.0-server\r\n\r\n", from: .target)
        #expect(talk.text(.client) == "" && talk.finished == [.client: .reset, .target: .reset])
    }

    @Test("Upgrade: what follows the 101 is bytes, and what the client said too early comes after it")
    func upgrade() throws {
        var talk = try Talk()
        let ask = "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        talk.say(ask + "\u{1}early", from: .client)
        #expect(talk.text(.target) == ask && !talk.conversation.wants(.client))
        let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
        talk.say(answer + "\u{2}raw", from: .target)
        #expect(talk.text(.client) == answer + "\u{2}raw" && talk.text(.target) == ask + "\u{1}early")
        talk.say("\u{3}later", from: .client)
        #expect(talk.text(.target).hasSuffix("\u{3}later") && talk.conversation.wants(.client))
    }

    @Test("Upgrade refused: HTTP goes on, with what the client said meanwhile")
    func noUpgrade() throws {
        var talk = try Talk()
        let ask = "GET /chat HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
        talk.say(ask + get, from: .client)
        #expect(talk.text(.target) == ask)
        talk.say(ok, from: .target)
        #expect(talk.text(.target) == ask + get && talk.conversation.wants(.client))
    }

    @Test("Pipeline: not more than 64 requests wait for answers; the others are read on when one came")
    func pipeline() throws {
        var talk = try Talk()
        let number = Conversation.waitingMax
        talk.say(String(repeating: get, count: number + 3), from: .client)
        #expect(talk.text(.target) == String(repeating: get, count: number) && !talk.conversation.wants(.client))
        talk.end(.client)
        #expect(talk.finished.isEmpty)
        talk.say(String(repeating: ok, count: 2), from: .target)
        #expect(talk.text(.target) == String(repeating: get, count: number + 2) && talk.finished.isEmpty)
        talk.say(ok, from: .target)
        #expect(talk.text(.target) == String(repeating: get, count: number + 3) && talk.finished == [.target: .orderly])
    }

    @Test("TLS: passes untouched, is counted, and faults of messages leave it alone")
    func handshake() throws {
        var talk = try Talk([fault("loss-of-request", ["probability": 1])])
        let hello: [UInt8] = [0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5]
        talk.say(hello, from: .client)
        talk.say([0x16, 0x03, 0x03, 9], from: .target)
        #expect(talk.sent[.target] == hello && talk.sent[.client] == [0x16, 0x03, 0x03, 9])
        #expect(talk.faults.counters.unreadable == 1)
    }

    @Test("Broken handshake: a TLS alert; a plain connection ends without a byte")
    func handshakeFailure() throws {
        var talk = try Talk([fault("tls-failure")])
        talk.say([0x16, 0x03, 0x01, 0x00, 0x01, 1], from: .client)
        #expect(talk.sent[.client]?.first == 0x15 && talk.sent[.target] == nil && talk.finished[.client] == .orderly)
        var plain = try Talk([fault("tls-failure")])
        plain.say(get, from: .client)
        #expect(plain.sent.isEmpty && plain.finished[.client] == .orderly)
    }

    @Test("Partition of a stream: bytes wait, both ways, and pass when it heals; the end too")
    func streamPartition() throws {
        var talk = try Talk([fault("partition")])
        talk.say([0x16, 1, 2], from: .client)
        talk.say([7, 7], from: .target)
        talk.end(.client)
        #expect(talk.sent.isEmpty && talk.finished.isEmpty && !talk.conversation.wants(.client))
        talk.faults.heal(0)
        talk.faultsChanged()
        #expect(talk.sent == [.target: [0x16, 1, 2], .client: [7, 7]] && talk.finished == [.target: .orderly])
    }

    @Test("Ends: of either side, behind what is under way")
    func ends() throws {
        var talk = try Talk([fault("latency", ["extra": "30ms"])])
        talk.say(get, from: .client)
        talk.end(.client)
        #expect(talk.finishedAt[.target] == at(milliseconds: 30))
        talk.say("HTTP/1.0 200 OK\r\n\r\nbody", from: .target)
        talk.end(.target)
        #expect(talk.text(.client).hasSuffix("body") && talk.finishedAt[.client] == at(milliseconds: 30))
    }

    @Test(
        "Push: what a long poll brings meets the faults of pushes, a browser's and an iPad's",
        arguments: ["GET /webcourier/v1/token", "POST /push/v1/poll"])
    func push(request: String) throws {
        var talk = try Talk([fault("push-lost")])
        talk.say(get, from: .client)
        talk.say(ok, from: .target)
        #expect(talk.text(.client) == ok)
        talk.say("\(request) HTTP/1.1\r\nContent-Length: 0\r\n\r\n", from: .client)
        talk.say(ok, from: .target)
        #expect(talk.text(.client) == ok)
    }
}
