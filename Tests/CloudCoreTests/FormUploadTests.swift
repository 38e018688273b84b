import FleetModel
import Testing

@testable import CloudCore

/// Uploads in a form, as browsers and HTTP libraries send files (RFC 7578).
@Suite("Uploads in a form", .timeLimit(.minutes(20))) struct FormUploadTests {
    private static let kind = "multipart/form-data; boundary=x-1"

    private func maya() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        return maya
    }
    /// Posts a body; the answer.
    private func post(_ maya: Web, _ body: [UInt8], kind: String = FormUploadTests.kind) -> HTTPResponse {
        let tokens = maya.call("private/assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]])
        let url = tokens.json?["tokens"]?.array?.first?["url"]?.string ?? ""
        let request = HTTPRequest("POST", Web.target(url), headers: ["Content-Type": kind], body: body)
        return maya.fleet.send(request, from: 99)
    }
    private static func part(
        _ content: String, head: String = "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\""
    )
        -> String
    { "--x-1\r\n\(head)\r\n\r\n\(content)\r\n" }

    // 7.3; RFC 7578 4
    @Test("The file that comes back is the file in the form, for the record and for its size")
    func file() throws {
        let maya = try maya()
        let content = "hello\r\n--x-\r\n--x-12 is no boundary\r\n--x-1--more\r\n--x-1-- y\r\n"
        let field = Self.part("1", head: "Content-Disposition: form-data; name=\"note\"")
        for body in [
            Self.part(content) + "--x-1--\r\n", "a preamble\r\n" + Self.part(content) + "--x-1--  \r\nan epilogue",
            field + Self.part(content) + "--x-1--", "--x-1--preamble\r\n" + Self.part(content) + "--x-1--",
        ] {
            let answer = post(maya, Array(body.utf8))
            let asset = answer.json?["singleFile"] ?? .null
            #expect(asset["size"]?.int == Int64(content.utf8.count), "\(answer.text("reason"))")
            #expect(maya.save("a", ["file": ["value": asset]]).code == nil)
            let url = maya.lookup("a").value("file")?["downloadURL"]?.string ?? ""
            #expect(maya.fetch(url).body == Array(content.utf8))
        }
    }

    // RFC 2045 5.1, RFC 2046 5.1.1
    @Test("Boundaries: quoted, in capitals, with other parameters; other kinds of body are the file themselves")
    func boundaries() throws {
        let maya = try maya()
        let body = Array((Self.part("hello") + "--x-1--").utf8)
        for kind in [
            "multipart/form-data; boundary=\"x-1\"", "Multipart/Form-Data;charset=utf-8 ; BOUNDARY=x-1",
            "multipart/form-data; boundary=\"x\\-1\"",
        ] {
            #expect(post(maya, body, kind: kind).json?["singleFile"]?["size"]?.int == 5, "\(kind)")
        }
        for kind in [
            "application/octet-stream", "text/plain", "multipart/mixed; boundary=x-1", "multipart/form-data-x",
        ] {
            #expect(post(maya, body, kind: kind).json?["singleFile"]?["size"]?.int == Int64(body.count), "\(kind)")
        }
    }

    @Test(
        "What is no form with one file is refused, and nothing is stored (parameter: body)",
        arguments: [
            "", "hello", "--x-1", "--x-1--", "--x-1\r\n",
            "--x-1\r\nContent-Disposition: form-data; name=a\r\n\r\nhello",
            "--x-1\r\n\r\nhello\r\n--x-1--",
            "--x-1 y\r\nContent-Disposition: form-data; name=a\r\n\r\nhello\r\n--x-1--",
            part("hello", head: "Content-Disposition: attachment; name=\"file\"") + "--x-1--",
            part("hello", head: "Content-Disposition form-data") + "--x-1--",
            part("one") + part("two") + "--x-1--", part("hello") + "--x-1-y", part("hello"),
            part("aGVsbG8=", head: "Content-Disposition: form-data; name=f\r\nContent-Transfer-Encoding: base64")
                + "--x-1--",
            part("hello", head: "Content-Disposition: form-data; name=f\r\nX: " + String(repeating: "x", count: 20_000))
                + "--x-1--",
            String(repeating: part("x", head: "Content-Disposition: form-data; name=a"), count: 1000) + "--x-1--",
        ])
    func refused(_ body: String) throws {
        let answer = post(try maya(), Array(body.utf8))
        #expect(answer.code == "BAD_REQUEST" && answer.text("reason").contains("form"), "\(answer.text("reason"))")
    }

    @Test(
        "A form without a boundary, or with one that can be none, is refused",
        arguments: [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"x",
            "multipart/form-data; boundary=a b",
            "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=\"\r\n\"",
            "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
            "multipart/form-data; boundary=x-1; boundary=x-2",
        ])
    func boundary(_ kind: String) throws {
        let answer = post(try maya(), Array((Self.part("hello") + "--x-1--").utf8), kind: kind)
        #expect(answer.code == "BAD_REQUEST" && answer.text("reason").contains("boundary"), "\(answer.text("reason"))")
    }

    @Test("Hostile forms: 2,000 that are changed in some bytes never trap, and never give more than was sent")
    func hostile() throws {
        var draw = Draw(seed: 5, name: "forms")
        let good = Array(
            (Self.part("hello") + Self.part("1", head: "Content-Disposition: form-data; name=a") + "--x-1--").utf8)
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0...draw.below(4) { bytes[draw.below(bytes.count)] = UInt8(draw.below(256)) }
            if draw.chance(0.2) { bytes.removeLast(draw.below(bytes.count)) }
            if let file = try? FormData.file(in: bytes, contentType: Self.kind) { #expect(file.count < bytes.count) }
        }
    }
}
