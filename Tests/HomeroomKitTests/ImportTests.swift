import FieldLog
import FleetModel
import Foundation
import Testing

/// `homeroom import`, and the recorder whose logs it reads.
@Suite("Import", .serialized, .timeLimit(.minutes(20))) struct ImportTests {
    private static let field = CommandLineRun.package.appending(path: "Tests/Fixtures/field")
    /// Logs of our own apps' runs, stripped of what a real log does not have (`make` there), and what they are of.
    private static let planted: [(files: [String], arguments: [String], lossClass: String)] = [
        (["overwritten.jsonl"], [], "overwritten"), (["queue.jsonl"], [], "unsaved"),
        (["homework.jsonl"], [], "unsaved"), (["quiz.jsonl"], [], "lost"), (["account.jsonl"], [], "leaked"),
        (["cut-1.har", "cut-2.har"], ["--app", "notebook-overwrites"], "overwritten"),
        (["busy-1.har", "busy-2.har"], ["--app", "notebook-overwrites"], "overwritten"),
        (["three-1.har", "three-2.har", "three-3.har"], ["--app", "notebook-overwrites"], "overwritten"),
    ]

    @Test(
        "Planted symptoms: each log becomes a scenario that fails in its class, in fleet too (5 field logs, 3 sets of HAR files)",
        arguments: planted.indices)
    func symptoms(index: Int) throws {
        let (files, arguments, lossClass) = Self.planted[index]
        try withFolder { folder in
            let paths = files.map { Self.field.appending(path: $0).path }
            let run = try CommandLineRun.of(
                ["import"] + paths + arguments + ["--class", lossClass, "-o", "out.yaml", "--json"], in: folder)
            #expect(run.status == 0, "\(run)")
            let body = try Value(json: Array(run.output.utf8))
            #expect(try SchemaCheck.problems(of: body, "import") == [])
            #expect(body["reproduced"]?.bool == true && body["class"]?.string == lossClass)
            print(
                "\(files[0]): \(body["tries"]?.int ?? 0) tries, \(body["wallMilliseconds"]?.int ?? 0) ms, assumed \(body["assumed"]?.strings ?? [])"
            )
            let again = try CommandLineRun.of(["run", "out.yaml", "--mode", "sim", "--quiet"], in: folder)
            #expect([0, 1].contains(again.status) && again.output.contains(lossClass), "\(again)")
        }
    }

    @Test("Without a class: the scenario has what the log knows, and is one that validate takes")
    func plain() throws {
        try withFolder { folder in
            let log = Self.field.appending(path: "overwritten.jsonl").path
            let run = try CommandLineRun.of(["import", log, "-o", "out.yaml"], in: folder)
            #expect(run.status == 0 && run.output.contains("2 iPads, 1 people, 3 edits"), "\(run)")
            #expect(try CommandLineRun.of(["validate", "out.yaml"], in: folder).status == 0)
            let text = try String(contentsOf: folder.appending(path: "out.yaml"), encoding: .utf8)
            #expect(text.components(separatedBy: "do: edit").count == 4 && text.contains("partition"))
        }
    }

    @Test("A symptom that never shows: status 1, what the logs know is written; an item that no log has is refused")
    func never() throws {
        try withFolder { folder in
            let log = Self.field.appending(path: "overwritten.jsonl").path
            let run = try CommandLineRun.of(
                ["import", log, "--class", "duplicated", "--tries", "3", "-o", "out.yaml"], in: folder)
            #expect(run.status == 1 && run.output.contains("not reproduced: no run of 3"), "\(run)")
            #expect(try CommandLineRun.of(["validate", "out.yaml"], in: folder).status == 0)
            let item = try CommandLineRun.of(
                ["import", log, "--class", "lost", "--item", "nothing", "-o", "o.yaml"], in: folder)
            #expect(
                item.status == 3 && item.errors.contains("no log has an edit of 'nothing'; there are note-1"), "\(item)"
            )
        }
    }

    private static let head = "{\"fieldLog\":1,\"app\":\"notebook\",\"device\":\"d1\"}\n"
    private static let hostile: [(text: String, error: String)] = [
        ("", "no events"), ("hello\n", ":1: is no log that import knows"), ("{\"log\":{}}", ":1: is neither"),
        ("{\"log\":{\"entries\":[\n{\"startedDateTime\":\"yesterday\"}]}}", ":2: entry 1: 'startedDateTime'"),
        (
            "{\"log\":{\"entries\":[\n\n{\"startedDateTime\":\"2026-09-01T08:00:00Z\",\"request\":{}}]}}",
            ":3: entry 1: 'request.url'"
        ),
        ("{\"log\":\n{\"entries\": [}}", ":2: is not JSON"),
        ("{\"fieldLog\":2,\"device\":\"d\"}\n", ":1: the log has format 2, this homeroom reads format 1"),
        ("{\"fieldLog\":1}\n", ":1: 'device' is missing"), (head + "{]\n", ":2:2: is not JSON"),
        (head + "{\"event\":\"edit\"}\n", ":2: 't' is a number"),
        (head + "{\"t\":-5,\"event\":\"edit\"}\n", ":2: 't' is a number"),
        (head + "{\"t\":1}\n", ":2: 'event' is missing"),
        (head + "\n{\"t\":1,\"event\":\"signIn\"}\n", ":3: 'who' is missing"),
        (head + "{\"t\":1,\"event\":\"edit\"}\n", ":2: nobody is signed in"),
        (head + "{\"t\":1,\"event\":\"call\"}\n", ":2: 'call' is missing"),
        (head + "{\"t\":1,\"event\":\"answer\",\"call\":\"c\"}\n", ":2: an answer has"),
        (head + "{\"t\":1,\"event\":\"network\"}\n", ":2: 'up' is true or false"),
        (head + "{\"t\":1,\"event\":\"account\",\"state\":\"x\"}\n", ":2: 'state' is own, none or other"),
        (head + String(repeating: "x", count: 70_000) + "\n", ":2: the line has more than 65536 bytes"),
        (
            head.replacingOccurrences(of: "notebook", with: "strange")
                + "{\"t\":1,\"event\":\"signIn\",\"who\":\"w\"}\n", "there is no app 'strange' here"
        ),
        (
            (1...101).map {
                "{\"fieldLog\":1,\"app\":\"notebook\",\"device\":\"d\($0)\"}\n{\"t\":1,\"event\":\"foreground\",\"who\":\"w\"}\n"
            }.joined(), "more than 100 devices"
        ),
        ("2026-09-01 info homeroom-cloud: method=POST path=/x status=200\n", ":1: does not begin with a date"),
        ("2026-09-01T08:00:00Z info homeroom-cloud: method=POST path=/x\n", ":1: 'status' is missing"),
    ]

    @Test(
        "Hostile logs: each is refused with file, line and what is wrong; nothing is written",
        arguments: hostile.indices)
    func refused(index: Int) throws {
        try withFolder { folder in
            let (text, error) = Self.hostile[index]
            _ = try folder.appending(path: "log").write(text)
            let run = try CommandLineRun.of(["import", "log", "-o", "out.yaml"], in: folder)
            #expect(run.status == 3 && run.errors.contains(error), "\(error): \(run)")
            #expect(try left(in: folder) == ["log"])
        }
    }

    @Test("A server's log: two iPads write the item as often as it was saved")
    func server() throws {
        try withFolder { folder in
            let lines = (0..<4).map { number in
                "2026-09-01T08:00:\(10 + number * 10)+0000 info homeroom-cloud: duration=0.004 seconds method=POST path=/database/1/iCloud.x/production/private/records/modify status=\(number == 2 ? 503 : 200) uuid=U [CloudServer] request"
            }
            _ = try folder.appending(path: "log").write(lines.joined(separator: "\n") + "\n")
            let run = try CommandLineRun.of(["import", "log", "--app", "notebook", "-o", "out.yaml"], in: folder)
            #expect(run.status == 0 && run.output.contains("2 iPads, 1 people, 4 edits"), "\(run)")
            let text = try String(contentsOf: folder.appending(path: "out.yaml"), encoding: .utf8)
            #expect(text.contains("service-unavailable"))
        }
    }

    @Test("The recorder: its lines are a log that import reads; no name, text or salt stands in them")
    func recorder() throws {
        var (lines, now): ([String], Int64) = ([], 1_788_249_600_000)
        let log = FieldLog(
            app: "com.example.notebook", device: "Cart 3, iPad \"7\"", salt: "pepper",
            now: {
                now += 5000; return now
            },
            write: { lines.append($0) })
        log.launched(who: "maya@school.example")
        log.cameToForeground()
        log.edited("write", item: "My diary")
        let call = log.called("CKModifyRecordsOperation")
        log.network(isThere: false)
        log.answered(call, domain: "CKErrorDomain", code: 4)
        log.network(isThere: true)
        let second = log.called("CKModifyRecordsOperation")
        log.answered(second)
        log.answered(log.called("upload"), status: 503)
        log.edited("delete", item: "My diary", deletes: true)
        log.account("other")
        log.account("own")
        log.wentToBackground()
        log.willTerminate()
        log.signedIn(who: "ben@school.example")
        log.signedOut()
        let text = lines.joined(separator: "\n") + "\n"
        for secret in ["maya", "school", "diary", "Cart", "pepper"] { #expect(!text.contains(secret)) }
        for line in lines {
            #expect(try SchemaCheck.problems(of: Value(json: Array(line.utf8)), "field-log") == [], "\(line)")
        }
        // SHA-256 of the salt, a zero and the name, as `printf 'pepper\0My diary' | sha256sum` says it.
        #expect(text.contains("\"item\":\"\(Self.diary)\""), "\(text)")
        try withFolder { folder in
            _ = try folder.appending(path: "log").write(text)
            let run = try CommandLineRun.of(["import", "log", "-o", "out.yaml"], in: folder)
            #expect(run.status == 0 && run.output.contains("1 iPads, 2 people, 2 edits"), "\(run)")
        }
    }
    private static let diary = "ba34f2c4210c"
}
