import FleetModel
import Testing

@testable import PadCore

@Suite("CloudKit push", .timeLimit(.minutes(20)))
struct RecordsPushTests {
    private func push(_ container: String = RecordsBench.container) -> Message {
        Message(
            "push",
            [
                "account": "maya", "service": "record", "topic": .string(container),
                "ck": ["cid": .string(container), "met": ["dbs": 2, "sid": "s1", "zid": "Notes"]],
            ])
    }

    @Test("Push: a running app gets the payload")
    func running() throws {
        let bench = try RecordsBench()
        bench.daemon.pushed(push(), person: "maya", bench.pad)
        let payload = bench.pad.lastPost("app.remoteNotification")?["payload"]
        #expect(payload?["ck"]?["met"]?["zid"] == "Notes")
        #expect(payload?["aps"]?["content-available"] == 1)
        #expect(bench.pad.backgroundLaunches.isEmpty)
    }

    @Test("Push: a suspended app is resumed for it")
    func suspended() throws {
        let bench = try RecordsBench()
        bench.pad.enter(.suspended, bench.app, bench.daemon)
        bench.daemon.pushed(push(), person: "maya", bench.pad)
        #expect(bench.pad.backgroundLaunches.map(\.app) == ["notebook"])
        #expect(bench.pad.lastPost("app.remoteNotification") != nil)
    }

    @Test(
        "Push: an app that is not running is started and then told, unless it may not start", arguments: [true, false])
    func notRunning(mayStart: Bool) throws {
        var bench = try RecordsBench()
        bench.post("ck.zoneChanges", ["zone": "Notes"])
        bench.pad.end(bench.app, bench.daemon)
        try bench.restart()
        bench.pad.launchesInBackground = mayStart
        bench.daemon.pushed(push(), person: "maya", bench.pad)
        bench.daemon.pushed(push(), person: "maya", bench.pad)
        #expect(bench.pad.backgroundLaunches.first == .init(app: "notebook", person: "maya", reason: "push"))
        bench.app = bench.pad.launch("notebook", launch: 2, phase: .background, daemon: bench.daemon)
        #expect(bench.pad.posts.map(\.message.name) == (mayStart ? ["app.remoteNotification"] : []))
        bench.pad.enter(.active, bench.app, bench.daemon)
        #expect(bench.pad.posts.count == (mayStart ? 1 : 0), "told once")
    }

    @Test("Push: without the background mode nobody is started or woken; what a suspended app is told waits (6)")
    func undeclared() throws {
        let bench = try RecordsBench()
        bench.pad.manifests = [:]
        bench.pad.enter(.suspended, bench.app, bench.daemon)
        bench.daemon.pushed(push(), person: "maya", bench.pad)
        #expect(bench.pad.backgroundLaunches.isEmpty && bench.pad.posts.count == 1)
    }

    @Test("Push: three starts an hour and no more, for each app; in front of the person none is counted (6.1)")
    func budget() throws {
        let bench = try RecordsBench()
        func wakes(_ pushes: Int) -> Int {
            let before = bench.pad.backgroundLaunches.count
            for _ in 0..<pushes { bench.daemon.pushed(push(), person: "maya", bench.pad) }
            return bench.pad.backgroundLaunches.count - before
        }
        #expect(wakes(5) == 0)
        bench.pad.enter(.suspended, bench.app, bench.daemon)
        #expect(wakes(2) == 2)
        bench.pad.now = bench.pad.now + .minutes(30)
        #expect(wakes(5) == 1)
        bench.pad.now = bench.pad.now + .minutes(30)
        #expect(wakes(5) == 2)
    }

    @Test(
        "Push: while the last one brought nothing new, two starts an hour, not three (6.1)",
        arguments: [("newData", 3), ("noData", 2), ("failed", 2)])
    func result(_ result: String, starts: Int) throws {
        let bench = try PadBench(
            plist: ["UIBackgroundModes": ["remote-notification"]],
            entitlements: [
                "quiz": [
                    "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.quiz"],
                    "com.apple.developer.icloud-services": ["CloudKit"],
                ]
            ])
        bench.answerTo = { $0.name == "app.remoteNotification" ? ["result": .string(result)] : .empty }
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("app.home")
        bench.advance(.minutes(1))
        let push: Value = [
            "account": "maya", "service": "record", "topic": "iCloud.com.example.quiz",
            "ck": ["cid": "iCloud.com.example.quiz", "met": ["dbs": 2, "sid": "s1", "zid": "Notes"]],
        ]
        func handled(_ pushes: Int) -> Int {
            _ = bench.takeTold()
            for _ in 0..<pushes {
                bench.push(push)
                bench.advance(.minutes(1))
            }
            return bench.takeTold().count { $0 == "quiz remoteNotification" }
        }
        #expect(handled(5) == starts)
        bench.advance(.hours(1))
        // The app is told of the held one when it runs again, and its result counts too.
        bench.answerTo = { $0.name == "app.remoteNotification" ? ["result": "newData"] : .empty }
        #expect(handled(1) == 1)
        #expect(handled(4) == 2, "new data: three in this hour")
    }

    @Test("Push: other containers, other people and broken messages reach nobody")
    func others() throws {
        let bench = try RecordsBench()
        bench.daemon.pushed(push("iCloud.com.example.other"), person: "maya", bench.pad)
        bench.daemon.pushed(push(), person: "ben", bench.pad)
        bench.daemon.pushed(Message("push"), person: "maya", bench.pad)
        bench.daemon.pushed(Message("push", ["ck": 7]), person: "maya", bench.pad)
        #expect(bench.pad.posts.isEmpty && bench.pad.backgroundLaunches.isEmpty)
    }

    @Test("Push: an app that names another container is found by its use")
    func otherContainer() throws {
        let bench = try RecordsBench()
        bench.post("ck.zoneChanges", ["zone": "Notes", "container": "iCloud.com.example.shared"])
        bench.daemon.pushed(push("iCloud.com.example.shared"), person: "maya", bench.pad)
        #expect(bench.pad.posts.map(\.app) == [bench.app])
    }
}
