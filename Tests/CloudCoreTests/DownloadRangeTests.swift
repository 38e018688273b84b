import FleetModel
import Testing

@testable import CloudCore

@Suite("Parts of a download", .timeLimit(.minutes(20))) struct DownloadRangeTests {
    private func download() throws -> (HTTPHeaders) -> HTTPResponse {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        maya.save("a", ["file": ["value": maya.upload("0123456789")]])
        let url = maya.lookup("a").value("file")?["downloadURL"]?.string ?? ""
        return { headers in maya.fleet.send(HTTPRequest("GET", Web.target(url), headers: headers), from: 99) }
    }

    // RFC 9110 14.1.2
    @Test(
        "One range: 206 with its bytes and its place (parameters: range, bytes, place)",
        arguments: [
            ("bytes=0-3", "0123", "0-3"), ("bytes=4-", "456789", "4-9"), ("bytes=8-20", "89", "8-9"),
            ("bytes=-3", "789", "7-9"),
            ("bytes=-20", "0123456789", "0-9"), ("Bytes=9-9", "9", "9-9"),
        ])
    func parts(_ range: String, _ bytes: String, _ place: String) throws {
        let answer = try download()(["Range": range])
        #expect(answer.status == 206 && answer.body == Array(bytes.utf8))
        #expect(answer.headers["Content-Range"] == "bytes \(place)/10")
    }

    // RFC 9110 14.2, 15.5.17
    @Test(
        "Behind the end, or none of the last: 416 with the length", arguments: ["bytes=10-", "bytes=50-60", "bytes=-0"])
    func behind(_ range: String) throws {
        let answer = try download()(["Range": range])
        #expect(answer.status == 416 && answer.headers["Content-Range"] == "bytes */10")
        #expect(answer.code == nil || answer.code == "BAD_REQUEST")
    }

    // RFC 9110 14.2: what is not understood is passed over
    @Test(
        "Other units, several ranges, and what is none: the whole",
        arguments: [
            "items=0-3", "bytes=0-1,3-4", "bytes=3-1", "bytes=", "bytes=a-b", "bytes=--1", "0-3", "bytes=+1-2",
        ])
    func whole(_ range: String) throws {
        let answer = try download()(["Range": range])
        #expect(answer.status == 200 && answer.body.count == 10 && answer.headers["Accept-Ranges"] == "bytes")
    }

    // RFC 9110 13.1.5
    @Test("If-Range: a part while the file is the one that was seen, the whole when it is another or the tag is weak")
    func condition() throws {
        let download = try download()
        let tag = download([:]).headers["ETag"] ?? ""
        #expect(tag.hasPrefix("\"") && tag.count > 10)
        #expect(download(["Range": "bytes=0-3", "If-Range": tag]).status == 206)
        for other in ["\"another\"", "W/\(tag)", "Tue, 01 Sep 2026 08:00:00 GMT"] {
            #expect(download(["Range": "bytes=0-3", "If-Range": other]).status == 200, "\(other)")
        }
    }
}
