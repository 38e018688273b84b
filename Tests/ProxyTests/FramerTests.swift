import FleetModel
import Testing

@testable import Proxy

/// What a framer makes of bytes that come in the given portions: heads and bodies, or the refusal.
private func split(_ portions: [[UInt8]], _ role: Framer.Role = .request, answering method: Head.Method = .other)
    -> (messages: [String], isInside: Bool, problem: FramingProblem?)
{
    var framer = Framer(role)
    var messages: [String] = []
    do throws(FramingProblem) {
        for portion in portions {
            let outcome = portion.withUnsafeBytes { input in
                Result { () throws(FramingProblem) in
                    var at = 0
                    while let piece = try framer.next(input, &at, answering: method) {
                        switch piece {
                        case .head(let head, let bytes):
                            if case .input(let range) = bytes { #expect(range.upperBound == at) }
                            messages.append("\(head.route)\(head.status)|")
                        case .data(let range):
                            messages[messages.count - 1] += String(decoding: input[range], as: UTF8.self)
                        case .framing(let range): #expect(!range.isEmpty)
                        case .end: messages[messages.count - 1] += "."
                        }
                    }
                    #expect(at == input.count)
                }
            }
            try outcome.get()
        }
    } catch { return (messages, framer.isInside, error) }
    return (messages, framer.isInside, nil)
}
private func whole(_ text: String, _ role: Framer.Role = .request, answering method: Head.Method = .other)
    -> (messages: [String], isInside: Bool, problem: FramingProblem?)
{ split([Array(text.utf8)], role, answering: method) }

private let chunked =
    "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;x=1\r\nWiki\r\n00a\r\npedia in\r\n\r\n0\r\nTrailer: x\r\n\r\n"
private let requests =
    "\r\n" + get + post + chunked + "HEAD http://cloud/h HTTP/1.0\r\n\r\n" + "OPTIONS * HTTP/1.1\r\n\r\n"

@Suite("Framer", .timeLimit(.minutes(20))) struct FramerTests {
    @Test("Requests: lengths, chunks, empty bodies, one after the other")
    func requestsInOneGo() {
        let read = whole(requests)
        #expect(read.problem == nil && !read.isInside)
        #expect(read.messages == ["/kvs/10|.", "/database/10|hello world.", "/c0|Wikipedia in\r\n.", "/h0|.", "*0|."])
    }

    @Test("Requests: the same however they are cut (in two at every byte, in three, byte by byte)")
    func cuts() {
        let bytes = Array(requests.utf8)
        let expected = whole(requests).messages
        for cut in 0...bytes.count {
            let read = split([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(read.messages == expected && read.problem == nil && !read.isInside, "cut at \(cut)")
        }
        for cut in stride(from: 0, to: bytes.count - 7, by: 3) {
            let read = split([Array(bytes[..<cut]), Array(bytes[cut..<cut + 7]), Array(bytes[(cut + 7)...])])
            #expect(read.messages == expected && read.problem == nil, "cut at \(cut)")
        }
        #expect(split(bytes.map { [$0] }).messages == expected)
    }

    @Test("Responses: length, chunks, none, until the end, interim, an upgrade (cut at every byte)")
    func responses() {
        let cases: [(String, Head.Method, [String], isInside: Bool)] = [
            (ok + ok, .other, ["200|fine!.", "200|fine!."], false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", .other, ["200|hi."], false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .head, ["200|."], false),
            ("HTTP/1.1 304 \r\nContent-Length: 5\r\n\r\n" + "HTTP/1.1 204\r\n\r\n", .other, ["304|.", "204|."], false),
            ("HTTP/1.1 100 Continue\r\n\r\n" + ok, .other, ["100|.", "200|fine!."], false),
            ("HTTP/1.0 200 OK\r\n\r\nto the end", .other, ["200|to the end"], true),
            ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n\u{1}raw", .other, ["101|\u{1}raw"], true),
            ("HTTP/1.1 200 OK\r\n\r\ntunnel", .connect, ["200|tunnel"], true),
        ]
        for (text, method, messages, isInside) in cases {
            let bytes = Array(text.utf8)
            for cut in 0...bytes.count {
                let read = split([Array(bytes[..<cut]), Array(bytes[cut...])], .response, answering: method)
                #expect(
                    read.messages == messages.map { String($0) } && read.isInside == isInside && read.problem == nil,
                    "\(text) cut at \(cut)")
            }
        }
    }

    @Test(
        "Refused: whatever two readers could split differently (cut at every byte)",
        arguments: [
            "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 9999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length : 5\r\n\r\n", "POST / HTTP/1.1\r\nX: y\r\n Content-Length: 5\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
            "GET / HTTP/1.1\r\nHost: x\r\r\n\r\n", "GET / HTTP/1.1\r\nHo\u{0}st: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET /\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / x HTTP/1.1\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
            "GET / HTTP/1.1\r\nnocolon\r\n\r\n", "G@T / HTTP/1.1\r\n\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000005\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX\u{1}: y\r\n\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\rXhello\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\rX0\r\n\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\rX\r\n",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\rX",
        ])
    func smuggling(text: String) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let read = split([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(read.problem?.status == 400, "cut at \(cut): \(read)")
        }
    }

    @Test("Bounded: a head or trailers without end are refused")
    func endless() {
        let line = "X-Long: " + String(repeating: "a", count: 100) + "\r\n"
        let head = whole("GET / HTTP/1.1\r\n" + String(repeating: line, count: 700))
        #expect(head.problem?.status == 431 && head.messages.isEmpty)
        let trailers = whole(
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: line, count: 200))
        #expect(trailers.problem?.status == 400)
    }

    @Test("Hostile: bytes changed, taken away or doubled never trap (4,000 mutations)")
    func hostile() {
        var random = Draw(seed: 11)
        for _ in 0..<4_000 {
            var bytes = Array(requests.utf8)
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let halves = split([Array(bytes[..<cut]), Array(bytes[cut...])])
            let one = split([bytes])
            #expect(halves.messages == one.messages && halves.problem == one.problem)
        }
    }
}
