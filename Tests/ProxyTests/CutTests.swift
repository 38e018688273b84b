import FleetModel
import Testing

@testable import Proxy

/// Where exactly a broken connection breaks.
@Suite("Cuts", .timeLimit(.minutes(20))) struct CutTests {
    @Test("Truncated upload: a body of so many bytes is whole, one byte more is broken off (5, 6 and 7 of 6)")
    func upload() throws {
        let head = "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        let body = "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"
        for bytes in 5...7 {
            var talk = try Talk([fault("truncation", ["bytes": .int(bytes), "probability": 1, "direction": "up"])])
            talk.say(head + body, from: .client)
            #expect(talk.text(.target) == head + (bytes < 6 ? "3\r\nabc\r\n3\r\nde" : body))
            #expect(talk.finished.isEmpty == (bytes >= 6), "\(bytes) bytes")
        }
    }

    @Test("Truncated upload: frames behind the last byte that is let through still pass (3 of 6)")
    func frames() throws {
        let head = "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        var talk = try Talk([fault("truncation", ["bytes": 3, "probability": 1, "direction": "up"])])
        talk.say(head + "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", from: .client)
        #expect(talk.text(.target) == head + "3\r\nabc\r\n3\r\n")
    }
}
