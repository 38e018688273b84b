import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

// RFC 9110 10.1.1
@Suite("Expect: 100-continue", .timeLimit(.minutes(20))) struct ExpectationTests {
    private static let target = "/database/1/iCloud.com.example.web/development/private/records/modify"
    private static let maya = "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya"

    private static func head(
        _ length: Int, target: String = target, query: String = maya, more: String = "Expect: 100-continue\r\n"
    ) -> [UInt8] {
        Array("POST \(target)\(query) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\(more)\r\n".utf8)
    }
    /// What comes back on one connection, which sends parts and takes a head after each.
    private func heads(_ parts: [[UInt8]]) async throws -> [String] {
        try await LiveServer().run { port in
            let connection = try Connection(port: port, patience: 5)
            return try parts.map { part in
                try connection.write(part)
                let head = try connection.head()
                guard !head.hasPrefix("HTTP/1.1 100") else { return head }
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") } ?? ""
                try connection.skip(Int(length.split(separator: " ").last ?? "") ?? 0)
                return head
            }
        }
    }

    @Test("A client that asks hears 100 before it sends the body, and then its answer; twice on one connection")
    func told() async throws {
        let body = Array(("{\"operations\":[],\"x\":\"" + String(repeating: "x", count: 2 << 20) + "\"}").utf8)
        let heads = try await heads([Self.head(body.count), body, Self.head(body.count), body])
        #expect(heads[0] == "HTTP/1.1 100 Continue" && heads[2] == heads[0])
        #expect(heads[1].hasPrefix("HTTP/1.1 200") && heads[3].hasPrefix("HTTP/1.1 200"))
    }

    @Test("Who is refused by the head alone gets the refusal instead: a stranger with much, and too much of anybody")
    func refused() async throws {
        #expect(try await heads([Self.head(2 << 20, query: "")])[0].hasPrefix("HTTP/1.1 401"))
        #expect(try await heads([Self.head(40 << 20)])[0].hasPrefix("HTTP/1.1 400"))
    }

    // RFC 7578: 32 parts of a form, each with a head of 8 KiB.
    @Test("The largest file in the longest form that the core takes is let in, a longer body is not")
    func form() async throws {
        let file = 50 << 20
        let tooLong = { (length: Int) in
            try await heads([Self.head(length, target: "/assets/v1/upload/x", query: "")])[0].hasPrefix("HTTP/1.1 400")
        }
        #expect(Server.fileBytesMax >= file + 32 * (8 << 10))
        #expect(try await tooLong(Server.fileBytesMax + 1))
    }

    @Test("A client that does not ask, or sends the body at once, hears the answer alone")
    func untold() async throws {
        let body = Array("{\"operations\":[]}".utf8)
        #expect(try await heads([Self.head(body.count, more: "") + body])[0].hasPrefix("HTTP/1.1 200"))
        let heads = try await heads([Self.head(body.count, more: "Expect: the-best\r\n") + body])
        #expect(heads[0].hasPrefix("HTTP/1.1 200"))
    }
}
