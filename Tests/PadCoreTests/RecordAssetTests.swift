import FleetModel
import Testing

@testable import PadCore

@Suite("Assets of records", .timeLimit(.minutes(20))) struct RecordAssetTests {
    private static let home = "/var/mobile/Containers/Data/Application/com.example.notebook"
    private static let photo = Array("a photo".utf8)

    private func bench() throws -> RecordsBench {
        let bench = try RecordsBench()
        let disk = try #require(bench.pad.volume(of: "maya")).disk
        try disk.makeFolder(Self.home + "/tmp")
        try disk.write(Self.home + "/tmp/photo", Self.photo, sync: false)
        return bench
    }
    private func record(_ path: String = home + "/tmp/photo") -> Value {
        [
            "recordName": "n1", "recordType": "Note",
            "fields": [
                "photo": ["value": ["path": .string(path)], "type": "ASSETID"],
                "title": ["value": "x", "type": "STRING"],
            ],
        ]
    }
    private let receipt: Value = ["fileChecksum": "c1", "size": 7, "receipt": "r1"]
    private func answerUpload(_ bench: RecordsBench, to token: String) -> FakePad.Sent? {
        let url = "http://icloud.homeroom/assets/v1/upload/\(token)"
        return bench.pad.answer(
            ["tokens": [["recordName": "n1", "fieldName": "photo", "url": .string(url)]]], bench.daemon)
    }

    @Test(
        "A file goes up in the daemon, before its record, while the app is suspended or dead and the file is gone (S225)",
        arguments: ["suspended", "dead", "power cut"])
    func upload(event: String) throws {
        var bench = try bench()
        bench.modify([record()], op: "kept", longLived: event != "suspended")
        try bench.pad.volume(of: "maya")?.disk.remove(Self.home + "/tmp/photo")
        switch event {
        case "suspended": bench.pad.enter(.suspended, bench.app, bench.daemon)
        case "dead": bench.pad.end(bench.app, bench.daemon)
        default: try bench.restart()
        }
        let ask = try #require(answerUpload(bench, to: "t1"))
        #expect(ask.request.target.hasSuffix("/private/assets/upload"))
        let token: Value = ["recordName": "n1", "recordType": "Note", "fieldName": "photo"]
        #expect(ask.json["tokens"] == [token] && ask.json["zoneID"]?["zoneName"] == "Notes")
        let sent = try #require(bench.pad.answer(["singleFile": receipt], bench.daemon))
        #expect(sent.request.target == "/assets/v1/upload/t1" && sent.request.body == Self.photo)
        let save = try #require(bench.pad.answer(["records": [stored(note("n1"), tag: "t")]], bench.daemon))
        let saved = save.json["operations"]?.array?.first?["record"]?["fields"]
        #expect(saved?["photo"]?["value"] == receipt && saved?["title"]?["value"] == "x")
        #expect(bench.pad.takeRequest() == nil)
        if event == "suspended" { #expect(bench.savedNames == ["n1"]) }
        if event == "dead" {
            bench.relaunch()
            bench.post("ck.attach", ["op": "kept"], op: "kept")
            #expect(bench.answer("ck.attach")["saved"]?.array?.count == 1)
        }
    }

    @Test("A file that is not there, of another app or outside: refused at once, nothing is sent")
    func missing() throws {
        let bench = try bench()
        for path in [
            "/none", Self.home + "/tmp/none", Self.home + "/../com.example.quiz/x",
            "/var/mobile/Containers/Data/Application/com.example.quiz/x",
        ] {
            bench.modify([record(path)], op: path)
            #expect(bench.code() == 16, "\(path)")
        }
        #expect(bench.pad.takeRequest() == nil)
    }

    @Test("A file that is not there fails its record alone; in one commit nothing is saved", arguments: [true, false])
    func missingOne(isAtomic: Bool) throws {
        let bench = try bench()
        var lost = record(Self.home + "/tmp/none")
        lost["recordName"] = "n2"
        lost["fields"]?["text"] = note("n2", "maya.2")["fields"]?["text"]
        bench.modify([record(), lost], atomic: isAtomic)
        guard !isAtomic else {
            #expect(bench.code() == 16 && bench.pad.takeRequest() == nil)
            return
        }
        let ask = try #require(answerUpload(bench, to: "t1"))
        #expect(ask.json["tokens"]?.array?.count == 1)
        bench.pad.answer(["singleFile": receipt], bench.daemon)
        let save = try #require(bench.pad.answer(["records": [stored(note("n1"), tag: "t")]], bench.daemon))
        #expect(save.json["operations"]?.array?.count == 1)
        #expect(bench.savedNames == ["n1"] && bench.code(of: "n2") == 16)
        #expect(bench.pad.notes.filter { $0.kind == .handedBack }.flatMap(\.tokens) == ["maya.2"])
    }

    @Test("A file that is refused after a restart: what was saved before is saved, the rest is refused")
    func refusedAfterRestart() throws {
        var bench = try bench()
        var other = record()
        other["recordName"] = "n2"
        bench.modify([record(), other], atomic: false, op: "kept", longLived: true)
        let url: Value = "http://icloud.homeroom/assets/v1/upload/t"
        bench.pad.answer(["tokens": [["url": url], ["url": url]]], bench.daemon)
        bench.pad.answer(["singleFile": receipt], bench.daemon)
        bench.pad.answer(["singleFile": receipt], bench.daemon)
        let later: Value = [
            "recordName": "n2", "serverErrorCode": "TRY_AGAIN_LATER", "reason": "later", "retryAfter": 5,
        ]
        bench.pad.answer(["records": [stored(note("n1"), tag: "t"), later]], bench.daemon)
        try bench.restart()
        bench.pad.answer(400, ["serverErrorCode": "BAD_REQUEST", "reason": "no"], bench.daemon)
        bench.relaunch()
        bench.post("ck.attach", ["op": "kept"], op: "kept")
        let answer = bench.answer("ck.attach")
        #expect(answer["saved"]?.array?.map { $0["recordName"] } == ["n1"])
        #expect(answer["errors"]?.object?.keys == ["n2"])
    }

    @Test("An address that is too old is asked for anew, once; a refusal then is the records' own")
    func refused() throws {
        let bench = try bench()
        bench.modify([record()])
        _ = answerUpload(bench, to: "t1")
        bench.pad.answer(404, ["serverErrorCode": "NOT_FOUND", "reason": "expired"], bench.daemon)
        _ = answerUpload(bench, to: "t2")
        let again = bench.pad.answer(404, ["serverErrorCode": "NOT_FOUND", "reason": "expired"], bench.daemon)
        #expect(again?.request.target == "/assets/v1/upload/t2")
        #expect(bench.code() == 11 && bench.pad.takeRequest() == nil)
    }

    @Test(
        "A fetched file lies in the app's caches when the answer comes; one that cannot be had fails its record alone, a query leaves it out"
    )
    func download() throws {
        let bench = try bench()
        bench.post("ck.lookup", ["zone": "Notes", "names": ["n1", "n2"]])
        func found(_ name: String, _ checksum: String) -> Value {
            let url = "http://icloud.homeroom/assets/v1/download/\(checksum)/9/s/${f}"
            return stored(
                [
                    "recordName": .string(name), "recordType": "Note",
                    "fields": [
                        "photo": [
                            "value": ["fileChecksum": .string(checksum), "size": 7, "downloadURL": .string(url)],
                            "type": "ASSETID",
                        ]
                    ],
                ], tag: "t")
        }
        bench.pad.answer(["records": [found("n1", "c1"), found("n2", "c2")]], bench.daemon)
        let fetch = try #require(bench.pad.takeRequest())
        #expect(fetch.request.method == "GET" && fetch.request.target == "/assets/v1/download/c1/9/s/asset")
        bench.daemon.reply(
            .response(HTTPResponse(status: 200, headers: [:], body: Self.photo)), to: fetch.task, bench.pad)
        // Another one is not there.
        bench.pad.answer(404, ["serverErrorCode": "NOT_FOUND", "reason": "gone"], bench.daemon)
        let assets = (bench.answer("ck.lookup")["records"]?.array ?? []).compactMap { $0["fields"]?["photo"]?["value"] }
        let path = try #require(assets.first?["path"]?.string)
        #expect(path.hasPrefix(Self.home + "/Library/Caches/"))
        #expect(try bench.pad.volume(of: "maya")?.disk.read(path) == Self.photo)
        #expect(assets.count == 1 && bench.answer("ck.lookup")["errors"]?["n2"]?["code"] == 35)
        bench.post("ck.query", ["query": ["recordType": "Note"]], op: "q")
        bench.pad.answer(["records": [found("n2", "c2")]], bench.daemon)
        bench.pad.answer(404, ["serverErrorCode": "NOT_FOUND", "reason": "gone"], bench.daemon)
        let photo = bench.answer("ck.query")["records"]?.array?.first?["fields"]?["photo"]?["value"]
        #expect(photo?["path"] == nil && photo?["fileChecksum"] == "c2")
        // What was fetched and not changed goes back as it came.
        var again = found("n1", "c1")
        again["fields"]?["photo"]?["value"]?["path"] = .string(path)
        bench.modify([again], policy: 2, op: "b")
        let field = bench.pad.takeRequest()?.json["operations"]?.array?.first?["record"]?["fields"]?["photo"]?["value"]
        #expect(field == ["fileChecksum": "c1", "size": 7])
    }

    @Test("A fetched file that does not come, or a portal's page in its place: the read fails, and can be tried again")
    func broken() throws {
        let bench = try bench()
        let url = "http://icloud.homeroom/assets/v1/download/c1/9/s/${f}"
        let found = stored(
            [
                "recordName": "n1", "recordType": "Note",
                "fields": [
                    "photo": [
                        "value": ["fileChecksum": "c1", "size": 7, "downloadURL": .string(url)], "type": "ASSETID",
                    ]
                ],
            ], tag: "t")
        let page = HTTPResponse(status: 200, headers: [:], body: Array("<html>Sign in</html>".utf8))
        for (number, reply) in [NetworkReply.failure(.connectionLost), .response(page)].enumerated() {
            bench.post("ck.lookup", ["zone": "Notes", "names": ["n1"]], op: "look\(number)")
            bench.pad.answer(["records": [found]], bench.daemon)
            let fetch = try #require(bench.pad.takeRequest())
            bench.daemon.reply(reply, to: fetch.task, bench.pad)
            #expect(bench.answer("ck.lookup")["error"]?["code"] == 4 && bench.answer("ck.lookup")["records"] == nil)
        }
    }

    @Test("More files than addresses are given at once: asked for in pages of 200")
    func pages() throws {
        let bench = try bench()
        let many = (0..<201).map { number -> Value in
            var one = record()
            one["recordName"] = .string("n\(number)")
            return one
        }
        bench.modify(many, atomic: false)
        func answer(_ count: Int) -> Int? {
            let url: Value = "http://icloud.homeroom/assets/v1/upload/t"
            return bench.pad.answer(
                ["tokens": .array(Array(repeating: ["url": url], count: count))], bench.daemon)?.json["tokens"]?.array?
                .count
        }
        #expect(answer(200) == 200)
        #expect(answer(1) == 1)
        #expect(bench.pad.takeRequest()?.request.target == "/assets/v1/upload/t")
    }
}
