import FleetModel
import Testing

@testable import Nemesis

@Suite("Faults that last: what they ask for at both ends", .timeLimit(.minutes(20)))
struct WindowFaultTests {
    @Test("Quota: less space for one or all, told to the Cloud once, and the usual space again")
    func quota() throws {
        #expect(
            try acts(spec("quota-exceeded", pads: [])) == [
                cloud("cloud.quota", ["bytes": 0]), cloud("cloud.quota", ["bytes": .null]),
            ])
        #expect(
            try acts(spec("quota-exceeded", ["person": "maya", "bytes": 3000])) == [
                cloud("cloud.quota", ["bytes": 3000, "account": "maya"]),
                cloud("cloud.quota", ["bytes": .null, "account": "maya"]),
            ])
    }

    @Test("Windows: airplane mode, lock, identity and clock begin and heal")
    func windows() throws {
        #expect(
            try acts(spec("airplane-mode")) == [
                command("device.airplane", ["on": true]), command("device.airplane", ["on": false]),
            ])
        #expect(try acts(spec("lock")) == [command("device.lock"), command("device.unlock")])
        for (kind, what) in [("on-battery", "device.power"), ("no-wifi", "device.wifi")] {
            #expect(try acts(spec(kind)) == [command(what, ["on": false]), command(what, ["on": true])])
        }
        #expect(
            try acts(spec("interruption")) == [command("device.interrupt"), command("device.interruptEnded")])
        #expect(
            try acts(spec("identity-change", ["to": "none"])) == [
                command("identity.change", ["to": .null]), command("identity.change", ["to": "own"]),
            ])
        #expect(
            try acts(spec("documents-and-data-off")) == [
                command("identity.change", ["to": "withoutDocuments"]), command("identity.change", ["to": "own"]),
            ])
        #expect(
            try acts(spec("clock-skew", ["offset": "-90s", "drift": 500])) == [
                command("clock.set", ["offset": -90_000_000_000, "drift": 500]),
                command("clock.set", ["offset": 0, "drift": 0]),
            ])
    }

    @Test("Windows of people, apps, storage and the Cloud begin and heal")
    func otherWindows() throws {
        #expect(try acts(spec("suspend")) == [command("app.suspend"), command("app.resume")])
        for (kind, moment) in [("user-switch-idle", "idle"), ("user-switch-background-task", "backgroundTask")] {
            #expect(
                try acts(spec(kind)) == [
                    command("session.signOutWhen", ["moment": .string(moment)]),
                    command("session.signOutWhen", ["moment": .null]),
                ])
        }
        #expect(
            try acts(spec("no-free-slot")) == [
                command("session.squeeze", ["on": true]), command("session.squeeze", ["on": false]),
            ])
        #expect(
            try acts(spec("disk-full", ["free": 7])) == [
                command("storage.fill", ["free": 7]), command("storage.fill", ["bytes": 0]),
            ])
        #expect(
            try acts(spec("partial-failure", pads: [], ["person": "maya"])) == [
                cloud("cloud.refuseRecords", ["share": 0.5, "account": "maya"]),
                cloud("cloud.refuseRecords", ["share": 0.0, "account": "maya"]),
            ])
        #expect(
            try acts(spec("stale-index", pads: [], ["behind": "9s"])) == [
                cloud("cloud.delayIndex", ["behind": 9_000_000_000]), cloud("cloud.delayIndex", ["behind": 0]),
            ])
        #expect(
            try acts(spec("account-suspended", pads: [], ["person": "maya"])) == [
                cloud("cloud.suspend", ["on": true, "account": "maya"]),
                cloud("cloud.suspend", ["on": false, "account": "maya"]),
            ])
        #expect(
            try acts(spec("delayed-notice", ["to": "none", "delay": "3s"])) == [
                command("identity.change", ["to": .null, "noticeAfter": 3_000_000_000]),
                command("identity.change", ["to": "own"]),
            ])
        #expect(
            try acts(spec("clock-drift", ["drift": 500])) == [
                command("clock.set", ["drift": 500]), command("clock.set", ["offset": 0, "drift": 0]),
            ])
    }

    @Test("Clock that jumps: there and back again, each time, and set right at the end")
    func jumps() throws {
        let acts = try acts(spec("clock-jump", ["by": "1h", "every": "4s"]))
        func jump(_ hours: Int64, after seconds: Int64) -> FaultAct {
            .commandLater(
                .pad(1), after: .seconds(seconds), Message("clock.jump", ["by": .int(hours * 3_600_000_000_000)]))
        }
        #expect(
            acts.first == command("clock.jump", ["by": 3_600_000_000_000]) + [jump(-1, after: 4), jump(1, after: 8)])
        #expect(acts.last == command("clock.set", ["offset": 0, "drift": 0]))
    }

    @Test("The same person twice: whoever is there is logged out, the person signs in, and an app is opened")
    func samePersonTwice() throws {
        let acts = try acts(spec("same-person-twice", ["person": "maya", "app": "quiz"]))
        #expect(
            acts == [
                command("session.logOut") + command("person.signIn", ["person": "maya"]) + [
                    .commandLater(.pad(1), after: .seconds(5), Message("app.open", ["app": "quiz"]))
                ], command("session.logOut", ["person": "maya"]),
            ])
        #expect(problem(spec("same-person-twice"))?.parameter == "person")
        #expect(problem(spec("account-suspended"))?.parameter == "person")
    }

    @Test("Identity: which faults bring in a second account, to be read at the end")
    func secondAccount() throws {
        var other = spec("delayed-notice")
        #expect(IdentityChange.changesAccount(spec("identity-change")) && IdentityChange.changesAccount(other))
        other.parameters["to"] = "none"
        #expect(!IdentityChange.changesAccount(other) && !IdentityChange.changesAccount(spec("app-kill")))
    }

    @Test("Sign-out with uploads pending: the network is cut, the log-out follows inside the window")
    func signOutWithUploads() throws {
        let fault = spec("sign-out-with-uploads-pending", ["delay": "4s"])
        #expect(try endings(fault) == [.lost, .lost, .lost])
        let logOut = Message("session.logOut")
        #expect(try acts(fault) == [[.commandLater(.pad(1), after: .seconds(4), logOut)], []])
        let late = spec("sign-out-with-uploads-pending", ["delay": "1h"])
        #expect(try acts(late).first == [.commandLater(.pad(1), after: .seconds(10), logOut)])
    }
}
