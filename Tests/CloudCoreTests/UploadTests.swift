import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Uploads", .timeLimit(.minutes(20)))
struct UploadTests {
    private func put(_ device: Device, _ path: String, _ text: String, _ credential: String?) -> HTTPResponse {
        var headers: HTTPHeaders = [:]
        headers["X-Credential"] = credential
        return device.request("PUT", "/upload/v1/homework/\(path)", headers: headers, body: Array(text.utf8))
    }
    private func login(_ device: Device) -> String {
        device.post("/upload/v1/homework/login", .empty).text("credential")
    }

    @Test("Upload: once, the same again is a retry, other content is refused, list and file are the caller's")
    func upload() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        let credential = login(maya)
        #expect(!credential.isEmpty && login(maya) == credential)
        let first = put(maya, "essays/one.txt", payload("maya.1"), credential)
        #expect(first.status == 201)
        #expect(fleet.committed == ["maya.1"])
        let retry = put(maya, "essays/one.txt", payload("maya.1"), credential)
        #expect(retry.status == 200 && retry.body == first.body)
        #expect(fleet.notes.isEmpty)
        #expect(put(maya, "essays/one.txt", "other", credential).status == 409)
        func list(_ device: Device, _ prefix: String) -> [Value] {
            device.request("GET", "/upload/v1/homework/\(prefix)?list").json?["items"]?.array ?? []
        }
        #expect(list(maya, "essays/").map { $0["path"]?.string } == ["essays/one.txt"])
        #expect(list(maya, "essays/").first?["data"]?.data == Array(payload("maya.1").utf8))
        #expect(list(maya, "").count == 1)
        #expect(list(maya, "other").isEmpty)
        #expect(list(omar, "").isEmpty)
        func file(_ device: Device, _ path: String) -> HTTPResponse {
            device.request("GET", "/upload/v1/homework/\(path)")
        }
        #expect(file(maya, "essays/one.txt").body == Array(payload("maya.1").utf8))
        #expect(file(maya, "essays/two.txt").status == 404 && file(omar, "essays/one.txt").status == 404)
        #expect(fleet.observed("maya") == ["upload essays/one.txt": ["maya.1"]])
    }

    @Test(
        "File: a range of it with its tag; whole again when the tag is another's, the range is none, or nothing is asked"
    )
    func ranges() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        _ = put(maya, "f", "0123456789", login(maya))
        func get(_ range: String?, tag: String? = nil) -> HTTPResponse {
            var headers: HTTPHeaders = [:]
            headers["Range"] = range
            headers["If-Range"] = tag
            return maya.request("GET", "/upload/v1/homework/f", headers: headers)
        }
        let tag = try #require(get(nil).headers["ETag"])
        #expect(get(nil).status == 200 && get(nil).headers["Accept-Ranges"] == "bytes")
        for (range, wanted, field) in [
            ("bytes=0-3", "0123", "bytes 0-3/10"), ("bytes=4-99", "456789", "bytes 4-9/10"),
            ("bytes=9-", "9", "bytes 9-9/10"), ("bytes=-3", "789", "bytes 7-9/10"),
        ] {
            let answer = get(range, tag: tag)
            #expect(answer.status == 206 && answer.body == Array(wanted.utf8), "\(range)")
            #expect(answer.headers["Content-Range"] == field && answer.headers["ETag"] == tag)
        }
        #expect(get("bytes=99999999999999999999-").status == 416)
        #expect(get("bytes=10-").status == 416 && get("bytes=10-").headers["Content-Range"] == "bytes */10")
        for range in [
            "bytes=3-1", "bytes=-", "lines=1-2", "bytes=a-b", "bytes=0-1,3-4",
        ] {
            #expect(get(range).status == 200, "\(range)")
        }
        #expect(get("bytes=0-3", tag: "\"other\"").body.count == 10)
    }

    @Test("Credential: missing, of nobody, of somebody else: 403, never the account's 401")
    func credential() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        let theirs = login(omar)
        _ = login(maya)
        for credential in [nil, "", "x", theirs] { #expect(put(maya, "f", "x", credential).status == 403) }
        #expect(put(omar, "f", "x", theirs).status == 201)
    }

    @Test("Lists: what does not fit into one answer comes after 'next', each file once, those of the prefix alone")
    func pages() throws {
        let fleet = try Fleet(more: ["answerBytesMax": 1000])
        let maya = try fleet.device("maya", on: 1)
        let headers: HTTPHeaders = ["X-Credential": login(maya)]
        for (name, size) in [("a/1", 10), ("a/2", 1000), ("a/3", 10), ("b/1", 10)] {
            let body = [UInt8](repeating: 1, count: size)
            #expect(maya.request("PUT", "/upload/v1/homework/\(name)", headers: headers, body: body).status == 201)
        }
        func list(_ after: String) -> Value {
            maya.request("GET", "/upload/v1/homework/a/?list\(after)", headers: headers).json ?? .null
        }
        func paths(_ answer: Value) -> [String?] { (answer["items"]?.array ?? []).map { $0["path"]?.string } }
        let first = list("")
        #expect(paths(first) == ["a/1", "a/2"])
        #expect(first["next"]?.string == "a/2")
        let second = list("&after=a/2")
        #expect(paths(second) == ["a/3"])
        #expect(second["next"] == nil)
    }
}
