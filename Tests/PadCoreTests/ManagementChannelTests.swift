import FleetModel
import Testing

@testable import PadCore

@Suite("Management by polling", .timeLimit(.minutes(20))) struct ManagementChannelTests {
    private let server = ManagementServer()

    @Test(
        "Poll: woken by a push, it asks, does one command after the other and tells each result, until there are no more"
    )
    func conversation() throws {
        let bench = try server.bench()
        server.add("c1", "DeviceInformation", ["Queries": ["IsMultiUser"]])
        server.add("c2", "DeleteUser", ["UserName": "eva"])
        server.commands.append(("c3", ["Type": "none"]))
        bench.advance(.minutes(5))
        #expect(server.told.isEmpty, "nothing is asked for without a push")
        bench.callForManagement()
        bench.callForManagement()
        bench.advance(.seconds(10))
        #expect(server.told == ["Idle", "Acknowledged c1", "Error c2", "CommandFormatError c3", "Idle"])
        #expect(server.headers["Content-Type"] == "application/x-apple-aspen-mdm")
        #expect(server.bodies.allSatisfy { $0["UDID"] == "ipad-1" && $0["UserShortName"] == nil })
        #expect(server.body(1)["QueryResponses"] == ["IsMultiUser": true])
        #expect(server.body(2)["ErrorChain"]?.array?.first?["ErrorCode"] == 12071)
        bench.advance(.hours(1))
        #expect(server.told.count == 5 && bench.problems.isEmpty)
    }

    @Test("NotNow: while protected data are sealed, but never for what an iPad always does; after it by itself")
    func sealed() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        bench.ask("device.lock")
        server.add("c1", "DeviceInformation")
        server.add("c2", "UserList")
        bench.callForManagement()
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "Acknowledged c1", "Acknowledged c2"], "locked, and not sealed yet")
        bench.advance(.minutes(1))
        for (uuid, type) in [("c3", "DeviceInformation"), ("c4", "DeviceLock"), ("c5", "UserList")] {
            server.add(uuid, type)
        }
        bench.callForManagement()
        bench.advance(.minutes(10))
        #expect(server.takeTold() == ["Idle", "Acknowledged c3", "Acknowledged c4", "NotNow c5"])
        bench.ask("device.unlock")
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "Acknowledged c5"])
        // Another answer after the NotNow: a new push is needed.
        bench.ask("device.lock")
        bench.advance(.minutes(1))
        server.add("c6", "UserList")
        server.add("c7", "DeviceInformation")
        bench.callForManagement()
        bench.advance(.minutes(1))
        bench.ask("device.unlock")
        bench.advance(.minutes(10))
        #expect(server.takeTold() == ["Idle", "NotNow c6", "Acknowledged c7"])
        bench.callForManagement()
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "Acknowledged c6"])
    }

    @Test("NotNow: a guest's iPad is never sealed, and at the login screen nothing is locked")
    func unsealed() throws {
        let bench = try server.bench()
        bench.guest("visitor")
        bench.ask("device.lock")
        bench.advance(.minutes(1))
        server.add("c1", "UserList")
        bench.callForManagement()
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "Acknowledged c1"])
        bench.ask("person.signOut")
        bench.signIn("maya")
        bench.ask("device.lock")
        bench.advance(.minutes(1))
        server.add("c2", "UserList")
        bench.callForManagement()
        bench.advance(.seconds(5))
        bench.ask("person.signOut")
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["checkin", "Idle", "Idle", "NotNow c2", "Idle", "Acknowledged c2"])
    }

    @Test("Log-out: for two minutes commands are put off, then the iPad asks by itself")
    func pause() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        server.add("c1", "LogOutUser")
        server.add("c2", "UserList")
        bench.callForManagement()
        bench.advance(.seconds(110))
        #expect(server.takeTold() == ["Idle", "Acknowledged c1", "NotNow c2"])
        #expect(bench.notes(.signedOut).count == 1)
        bench.advance(.seconds(20))
        #expect(server.takeTold() == ["Idle", "Acknowledged c2"])
    }

    @Test(
        "Broken connection: the result is kept and told again, the command is done once",
        arguments: ["lost", "portal", "reboot", "power cut", "airplane"])
    func broken(how: String) throws {
        let bench = try server.bench()
        bench.signIn("maya")
        server.add("c1", "LogOutUser")
        let portal = HTTPResponse(status: 200, headers: [:], body: Array("<html>Sign in</html>".utf8))
        // The answer to Idle comes; that to the result does not.
        server.interferences = [nil, how == "portal" ? .response(portal) : .failure(.connectionLost)]
        bench.callForManagement()
        bench.advance(.milliseconds(70))
        switch how {
        case "reboot", "power cut":
            bench.ask(how == "reboot" ? "device.reboot" : "device.powerCut", ["seed": 1])
            try bench.restart()
        case "airplane":
            bench.ask("device.airplane", ["on": true])
            bench.advance(.minutes(5))
            bench.ask("device.airplane", ["on": false])
        default: break
        }
        bench.advance(.minutes(2))
        let told = server.takeTold()
        #expect(told.first == "Idle" && told.count > 2)
        #expect(told.dropFirst().allSatisfy { $0 == "Acknowledged c1" }, "\(told)")
        #expect(server.commands.isEmpty)
        bench.advance(.hours(1))
        #expect(server.takeTold().isEmpty && bench.problems.isEmpty)
    }

    @Test("No network: asked again until the server answers; a push that never came is not missed by itself")
    func offline() throws {
        let bench = try server.bench()
        server.add("c1", "UserList")
        server.interferences = [.failure(.unreachable), .failure(.unreachable), .response(HTTPResponse(status: 503))]
        bench.callForManagement()
        bench.advance(.minutes(1))
        #expect(server.takeTold() == ["Idle", "Idle", "Idle", "Idle", "Acknowledged c1"])
        bench.ask("device.airplane", ["on": true])
        server.add("c2", "UserList")
        bench.callForManagement()
        bench.ask("device.airplane", ["on": false])
        bench.advance(.hours(1))
        #expect(server.takeTold().isEmpty)
    }

    @Test("Erased by a poll: once, and the server hears of it")
    func erased() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        bench.ask("device.lock")
        bench.advance(.minutes(1))
        server.add("c1", "UserList")
        server.add("c2", "EraseDevice")
        bench.callForManagement()
        bench.advance(.minutes(5))
        #expect(server.takeTold() == ["Idle", "NotNow c1", "Acknowledged c2"])
        #expect(bench.pad.residents.people.isEmpty && bench.reasons(.purged) == ["eraseDevice"])
        #expect(bench.signIn("maya")?["ok"] == true)
    }

    @Test(
        "Power cut at any moment of the conversation: after it the iPad goes on by itself, until all is done and told (parameters: what began it, milliseconds since)",
        arguments: ["push", "check-in"], Array(stride(from: Int64(0), through: 900, by: 15)))
    func cut(beginning: String, after milliseconds: Int64) throws {
        let isNew = beginning == "check-in"
        let bench = try server.bench(more: isNew ? ["awaitDeviceConfigured": true] : .empty)
        server.add("c1", isNew ? "DeviceConfigured" : "UserList")
        server.add("c2", "UserList")
        // Else an iPad that was never written to is a new one after the power cut, and begins anew.
        bench.ask("clock.set", ["offset": 1])
        if isNew {
            // It checked in when it was made, before anybody answered.
            bench.ask("device.powerCut", ["seed": 1])
            try bench.restart()
        } else {
            bench.callForManagement()
        }
        let whole = (isNew ? ["checkin"] : []) + ["Idle", "Acknowledged c1", "Acknowledged c2"]
        bench.advance(.milliseconds(milliseconds))
        let before = server.told
        #expect(before == Array(whole.prefix(before.count)))
        #expect(milliseconds < 900 || before == whole, "the moments are all of the conversation: \(before)")
        bench.ask("device.powerCut", ["seed": 1])
        try bench.restart()
        bench.advance(.minutes(5))
        #expect(server.commands.isEmpty && server.told.contains("Acknowledged c2"), "\(server.told)")
        // What was told is not begun again; only what nobody answered is said once more.
        #expect(server.told.count <= whole.count + 2, "\(server.told)")
        #expect(bench.signIn("maya")?["ok"] == true)
    }

    @Test(
        "User channel: what came while the person was away is asked for at the next log-in, whether or not the push was heard"
    )
    func away() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        bench.advance(.seconds(10))
        #expect(server.takeTold().isEmpty, "no server was ever heard of")
        bench.ask("person.signOut")
        server.add("c1", "DeviceInformation")
        bench.callForManagement("maya")
        bench.advance(.minutes(1))
        #expect(server.takeTold().isEmpty, "nobody is logged in")
        bench.ask("device.reboot")
        try bench.restart()
        let before = server.bodies.count
        bench.signIn("maya")
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["checkin", "Idle", "Acknowledged c1"])
        #expect(server.bodies.dropFirst(before).allSatisfy { $0["UserShortName"] == "maya" })
        #expect(server.body(before)["MessageType"] == "TokenUpdate")
        #expect(server.body(before)["AwaitingConfiguration"] == false)
        bench.ask("person.signOut")
        bench.signIn("leo")
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["checkin", "Idle"])
        bench.ask("person.signOut")
        // 410: nothing of this log-in. A guest has no connection.
        server.isUnwelcoming = true
        bench.signIn("maya")
        bench.advance(.minutes(5))
        #expect(server.takeTold() == ["checkin"])
        bench.ask("person.signOut")
        bench.guest("visitor")
        bench.advance(.minutes(5))
        #expect(server.takeTold().isEmpty && bench.problems.isEmpty)
    }

    @Test("User channel: an erased iPad is the server's still, and tells it of the next log-in")
    func awayAndErased() throws {
        let bench = try server.bench()
        bench.callForManagement()
        bench.advance(.seconds(5))
        bench.manage("EraseDevice")
        _ = server.takeTold()
        bench.signIn("maya")
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["checkin", "Idle"])
    }

    @Test("Log-out, and the server does not hear of the NotNow: after the pause the iPad asks all the same")
    func brokenPause() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        server.add("c1", "LogOutUser")
        server.add("c2", "UserList")
        server.interferences = [nil, nil, .failure(.connectionLost)]
        bench.callForManagement()
        bench.advance(.seconds(110))
        #expect(server.takeTold() == ["Idle", "Acknowledged c1", "NotNow c2", "NotNow c2"])
        bench.advance(.seconds(30))
        #expect(server.takeTold() == ["Idle", "Acknowledged c2"])
    }

    @Test("Put off, and the iPad is restarted: it asks by itself")
    func putOffOverRestart() throws {
        let bench = try server.bench()
        bench.signIn("maya")
        bench.ask("device.lock")
        bench.advance(.minutes(1))
        server.add("c1", "UserList")
        bench.callForManagement()
        bench.advance(.seconds(5))
        #expect(server.takeTold() == ["Idle", "NotNow c1"])
        bench.ask("device.reboot")
        try bench.restart()
        bench.advance(.seconds(10))
        #expect(server.takeTold() == ["Idle", "Acknowledged c1"])
    }
}
