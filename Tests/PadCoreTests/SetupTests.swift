import FleetModel
import Testing

@testable import PadCore

@Suite("Setup Assistant", .timeLimit(.minutes(20))) struct SetupTests {
    private let server = ManagementServer()

    private static let awaiting: Value = ["AwaitUserConfiguration": ["Enabled": true]]

    @Test(
        "AwaitUserConfiguration: whoever logs in is held until the server says UserConfigured, at every log-in; guests are not"
    )
    func held() throws {
        let bench = try server.bench(Self.awaiting)
        server.interferences = [.failure(.unreachable)]
        let signIn = bench.command("person.signIn", ["person": "maya"])
        bench.advance(.milliseconds(500))
        #expect(bench.notes(.signedIn).count == 1 && bench.answer(signIn) == nil)
        #expect(bench.open("quiz")?["refused"]?.string?.contains("Setup Assistant") == true)
        let again = bench.command("person.signIn", ["person": "maya"])
        func isAwaiting(_ person: String?) -> Value? {
            var body: Value = ["Command": ["RequestType": "DeviceInformation", "Queries": ["AwaitingConfiguration"]]]
            body["UserShortName"] = person.map(Value.string)
            return bench.ask("mdm.command", body)?["QueryResponses"]?["AwaitingConfiguration"]
        }
        #expect(isAwaiting("maya") == true && isAwaiting(nil) == false)
        server.add("c1", "UserConfigured")
        bench.advance(.seconds(30))
        #expect(server.takeTold() == ["checkin", "checkin", "Idle", "Acknowledged c1"])
        #expect(server.body(1)["MessageType"] == "TokenUpdate" && server.body(1)["AwaitingConfiguration"] == true)
        #expect(
            server.bodies.allSatisfy {
                $0["UserShortName"] == "maya" && $0["UserID"] == "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"
            })
        #expect(bench.answer(signIn)?["ok"] == true && bench.answer(again)?["ok"] == true)
        #expect(bench.open("quiz")?["ok"] == true && isAwaiting("maya") == false)
        #expect(bench.marks.contains("user-configured"))
        bench.ask("person.signOut")
        let later = bench.command("person.signIn", ["person": "maya"])
        bench.advance(.seconds(10))
        #expect(bench.answer(later) == nil, "a cached person too")
        let leaving = bench.ask("person.signOut")
        #expect(leaving?["ok"] == true && bench.answer(later)?["refused"] != nil)
        #expect(bench.guest("visitor")?["ok"] == true && bench.open("quiz")?["ok"] == true)
        #expect(bench.problems.isEmpty)
    }

    @Test(
        "AwaitUserConfiguration: without a word of the server the person goes away; 410 ends the connection, not the wait"
    )
    func neverConfigured() throws {
        for isUnwelcoming in [true, false] {
            let bench = try server.bench(Self.awaiting)
            server.isUnwelcoming = isUnwelcoming
            let signIn = bench.command("person.signIn", ["person": "maya"])
            bench.advance(.minutes(9))
            #expect(bench.answer(signIn) == nil && bench.notes(.signedOut).isEmpty)
            #expect(server.takeTold() == (isUnwelcoming ? ["checkin"] : ["checkin", "Idle"]))
            bench.advance(.minutes(2))
            #expect(bench.answer(signIn)?["refused"] != nil && bench.notes(.signedOut).count == 1)
        }
    }

    @Test("AwaitUserConfiguration: the next one is let go too when the server has just logged somebody out")
    func afterLogOut() throws {
        let bench = try server.bench(Self.awaiting)
        server.add("c1", "UserConfigured")
        let first = bench.command("person.signIn", ["person": "maya"])
        bench.advance(.seconds(10))
        #expect(bench.answer(first)?["ok"] == true)
        bench.manage("LogOutUser")
        bench.advance(.seconds(30))
        server.add("c2", "UserConfigured")
        let second = bench.command("person.signIn", ["person": "leo"])
        bench.advance(.seconds(10))
        #expect(bench.answer(second)?["ok"] == true, "\(server.told)")
    }

    @Test("User channel: DeviceInformation and UserConfigured alone, and of who is logged in")
    func userChannel() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        server.add("c1", "DeviceInformation")
        server.add("c2", "UserList")
        server.add("c3", "UserConfigured")
        bench.callForManagement("leo")
        bench.advance(.seconds(5))
        #expect(server.takeTold().isEmpty)
        bench.callForManagement("maya")
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "Acknowledged c1", "Error c2", "Acknowledged c3"])
        server.add("c4", "UserConfigured")
        bench.callForManagement()
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "Error c4"], "not of the device channel")
        let leo = bench.ask("mdm.command", ["UserShortName": "leo", "Command": ["RequestType": "UserConfigured"]])
        #expect(leo?["ErrorChain"]?.array?.first?["ErrorCode"] == 12071)
    }

    @Test("DeviceConfigured: nobody logs in to a new or erased iPad before; over a restart")
    func deviceConfigured() throws {
        let bench = try server.bench(more: ["awaitDeviceConfigured": true])
        #expect(bench.signIn("maya")?["refused"]?.string?.contains("not configured") == true)
        #expect(bench.guest("visitor")?["refused"]?.string?.contains("not configured") == true)
        #expect(
            bench.manage("DeviceInformation", ["Queries": ["AwaitingConfiguration"]])["QueryResponses"]?[
                "AwaitingConfiguration"] == true)
        bench.ask("device.reboot")
        try bench.restart()
        #expect(bench.signIn("maya")?["refused"] != nil)
        server.add("c1", "DeviceConfigured")
        let waiting = bench.command("person.signIn", ["person": "leo"])
        bench.callForManagement()
        bench.advance(.seconds(50))
        #expect(bench.answer(waiting)?["ok"] == true, "who waits for it logs in")
        bench.ask("person.signOut")
        // Who waited has a connection of their own by now.
        let own = server.bodies.filter { $0["UserShortName"] == nil }.compactMap { $0["Status"]?.string }
        #expect(own.suffix(2) == ["Idle", "Acknowledged"] && bench.marks.contains("device-configured"))
        #expect(server.bodies.contains { $0["MessageType"] == "TokenUpdate" && $0["AwaitingConfiguration"] == true })
        #expect(bench.signIn("maya")?["ok"] == true)
        bench.manage("EraseDevice")
        #expect(bench.signIn("maya")?["refused"] != nil)
        #expect(bench.manage("DeviceConfigured")["Status"] == "Acknowledged" && bench.signIn("maya")?["ok"] == true)
    }

    @Test(
        "DeviceConfigured: who waits for it waits a minute from their own coming, and the second is let in when it is said in time"
    )
    func eachForThemselves() throws {
        let bench = try server.bench(more: ["awaitDeviceConfigured": true])
        let maya = bench.command("person.signIn", ["person": "maya"])
        bench.advance(.seconds(40))
        let leo = bench.command("person.signIn", ["person": "leo"])
        bench.advance(.seconds(10))
        let eva = bench.command("person.signIn", ["person": "eva"])
        #expect(bench.answer(maya) == nil)
        bench.advance(.seconds(15))
        #expect(bench.answer(maya)?["refused"] != nil && bench.answer(leo) == nil)
        bench.advance(.seconds(34))
        #expect(bench.answer(leo) == nil)
        bench.advance(.seconds(2))
        #expect(bench.answer(leo)?["refused"] != nil && bench.answer(eva) == nil)
        bench.manage("DeviceConfigured")
        bench.advance(.seconds(1))
        #expect(bench.answer(eva)?["ok"] == true && bench.problems.isEmpty)
    }

    @Test("AwaitUserConfiguration: the passcode of who is held opens the locked iPad, and the person is still held")
    func heldAndLocked() throws {
        let bench = try server.bench(Self.awaiting)
        let first = bench.command("person.signIn", ["person": "maya"])
        bench.advance(.seconds(1))
        bench.manage("DeviceLock")
        bench.advance(.seconds(30))
        #expect(bench.pad.protection.isLocked && !bench.pad.protection.isProtectedDataAvailable)
        let again = bench.command("person.signIn", ["person": "maya"])
        #expect(!bench.pad.protection.isLocked && bench.pad.protection.isProtectedDataAvailable)
        #expect(bench.answer(first) == nil && bench.answer(again) == nil)
        #expect(bench.open("quiz")?["refused"]?.string?.contains("Setup Assistant") == true)
        bench.advance(.minutes(1))
        #expect(bench.pad.protection.isProtectedDataAvailable, "the seal that was due is not put on")
        server.add("c1", "UserConfigured")
        bench.callForManagement("maya")
        bench.advance(.seconds(5))
        #expect(bench.answer(first)?["ok"] == true && bench.answer(again)?["ok"] == true)
        #expect(bench.open("quiz")?["ok"] == true)
    }

    @Test("Settings: AwaitUserConfiguration is a dictionary with Enabled, kept over a restart")
    func setting() throws {
        let bench = try server.bench()
        func set(_ value: Value) -> Value? {
            let item: Value = ["Item": "SharedDeviceConfiguration", "AwaitUserConfiguration": value]
            return bench.manage("Settings", ["Settings": [item]])["Settings"]?.array?.first?["Status"]
        }
        for wrong in [true, .empty, ["Enabled": 1], ["Enabled": true, "More": 1]] as [Value] {
            #expect(set(wrong) == "Error")
        }
        #expect(set(["Enabled": true]) == "Acknowledged")
        bench.ask("device.reboot")
        try bench.restart()
        #expect(bench.pad.kernel.state.management.configuration.awaitUserConfiguration)
    }
}
