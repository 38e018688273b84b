import FleetModel
import Testing

@testable import PadCore

extension Transfers {
    @Test(
        "an outcome: an app that is gone is started for a success and for a failure (S150)", arguments: [true, false])
    func started(isSuccess: Bool) {
        upload()
        pad.end(app, daemon)
        #expect(pad.backgroundLaunches.isEmpty)
        if isSuccess {
            complete()
        } else {
            pad.online = false
            pad.fail(.connectionLost, daemon)
            pad.advance(.hours(7 * 24 + 1), daemon)
        }
        #expect(
            pad.backgroundLaunches.first
                == FakePad.BackgroundLaunch(app: "homework", person: "maya", reason: "transfers"))
    }

    @Test("an outcome: an app that runs gets it as it comes, without being woken (S144)")
    func running() {
        upload()
        complete()
        #expect(pad.posts.map(\.message.name) == ["transfer.completed"])
        #expect(pad.backgroundLaunches.isEmpty)
    }

    @Test(
        "an outcome: an upload under way that ends on a full disk has ended for good",
        arguments: ["force-quit", "cancel", "seven days"])
    func fullDisk(end: String) throws {
        upload()
        upload()
        let disk = try #require(pad.volume(of: "maya")).disk
        disk.capacityBytes = disk.usedBytes
        switch end {
        case "force-quit": pad.end(app, forced: true, daemon)
        case "cancel":
            for task in 1...2 as ClosedRange<Int64> {
                _ = daemon.call(Message("transfer.cancel", ["session": "s", "task": .int(task)]), from: app, pad)
            }
        default:
            pad.advance(.hours(7 * 24 + 1), daemon)
            daemon.wake(pad)
        }
        #expect(daemon.queuedTokens(of: "maya").isEmpty && pad.takeRequest() == nil)
        #expect(pad.tokens(.transfersCancelled) == (end == "force-quit" ? ["maya.1"] : []))
        #expect(pad.tokens(.handedBack) == (end == "cancel" ? ["maya.1", "maya.1"] : []))
        disk.capacityBytes = .max
        try pad.powerCut()
        daemon.boot(pad)
        #expect(pad.takeRequest() == nil)
        pad.posts = []
        let again = pad.launch("homework", launch: 2, daemon: daemon)
        #expect(
            pad.posts.compactMap { $0.message["error"]?["code"]?.int }
                == (end == "seven days" ? [-1001, -1001] : [-999, -999]))
        acknowledge(again)
        #expect(tasks(again) == 0)
    }
}
