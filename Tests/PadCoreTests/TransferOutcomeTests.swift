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
}
