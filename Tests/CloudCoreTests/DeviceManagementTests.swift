import FleetModel
import Testing

@testable import CloudCore

@Suite("Device management", .timeLimit(.minutes(20))) struct DeviceManagementTests {
    private let fleet: Fleet

    init() throws { fleet = try Fleet() }
    @discardableResult
    private func queue(_ type: String, on device: String = "ipad-1", more: Value = .empty) -> Value? {
        var body: Value = ["device": .string(device), "Command": ["RequestType": .string(type)]]
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        return fleet.command("cloud.mdm", body)?.body
    }
    /// What an iPad is given for what it says: the type of the next command, `end`, or the code of a refusal.
    private func say(_ status: String, _ uuid: String? = nil, on device: String = "ipad-1", as person: Person? = nil)
        -> String
    {
        var body: Value = ["UDID": .string(device), "Status": .string(status)]
        body["CommandUUID"] = uuid.map(Value.string)
        body["UserShortName"] = person.map(Value.string)
        return next(put("connect", body))
    }
    private func put(_ verb: String, _ body: Value) -> HTTPResponse {
        fleet.send(HTTPRequest("PUT", "/mdm/v1/\(verb)", body: body.jsonBytes), from: 1)
    }
    private func next(_ response: HTTPResponse) -> String {
        guard response.status == 200 else { return response.code ?? "\(response.status)" }
        guard !response.body.isEmpty else { return "end" }
        return
            "\(response.json?["CommandUUID"]?.string ?? "?") \(response.json?["Command"]?["RequestType"]?.string ?? "?")"
    }
    private func statuses(_ device: String? = nil) -> [String] {
        let body: Value = device.map { ["device": .string($0)] } ?? .empty
        return (fleet.command("cloud.mdmList", body)?["commands"]?.array ?? []).map { $0["Status"]?.string ?? "?" }
    }

    @Test("Commands: a push, then one by one in their order to their iPad alone, until there are no more")
    func order() throws {
        #expect(say("Idle") == "end")
        #expect(queue("UserList", more: ["CommandUUID": "c1"])?["CommandUUID"] == "c1")
        #expect(fleet.pushes.map(\.pad) == [1] && fleet.pushes.first?.message.body == ["service": "mdm"])
        queue("LogOutUser", more: ["CommandUUID": "c2"])
        let made = try #require(queue("EraseDevice", on: "ipad-2")?["CommandUUID"]?.string)
        #expect(made.count == 36)
        #expect(say("Idle", on: "ipad-3") == "end")
        #expect(say("Idle") == "c1 UserList" && say("Idle") == "c1 UserList", "asked for again, given again")
        #expect(say("Acknowledged", "c1") == "c2 LogOutUser")
        try fleet.crash()
        #expect(say("Acknowledged", "c1") == "c2 LogOutUser", "told twice, it counts once")
        #expect(say("Error", "c2") == "end")
        #expect(say("Acknowledged", "c2") == "end")
        #expect(statuses("ipad-1") == ["Acknowledged", "Error"] && statuses() == ["Acknowledged", "Error", ""])
        #expect(say("CommandFormatError", made, on: "ipad-1") == "end", "of another iPad")
        #expect(statuses("ipad-2") == [""])
        // A command whose UUID is known is not done again.
        queue("UserList", more: ["CommandUUID": "c1"])
        #expect(say("Idle") == "end" && statuses().count == 3)
    }

    @Test(
        "UUID: one command for each iPad, so that the same may go to a whole class; told by one it is over for that one alone"
    )
    func oneForEach() {
        for device in ["ipad-1", "ipad-2", "ipad-1"] { queue("UserList", on: device, more: ["CommandUUID": "c1"]) }
        #expect(say("Idle") == "c1 UserList" && say("Idle", on: "ipad-2") == "c1 UserList")
        #expect(say("Acknowledged", "c1", on: "ipad-2") == "end" && statuses() == ["", "Acknowledged"])
        #expect(say("Acknowledged", "c1") == "end" && statuses() == ["Acknowledged", "Acknowledged"])
    }

    @Test("NotNow: passed over until the iPad asks anew, then given again")
    func putOff() {
        queue("UserList", more: ["CommandUUID": "c1"])
        queue("DeviceInformation", more: ["CommandUUID": "c2"])
        #expect(say("Idle") == "c1 UserList")
        #expect(say("NotNow", "c1") == "c2 DeviceInformation")
        #expect(say("Acknowledged", "c2") == "end")
        #expect(statuses() == ["NotNow", "Acknowledged"])
        #expect(say("Idle") == "c1 UserList")
        #expect(say("Acknowledged", "c1") == "end")
        #expect(say("NotNow", "c1") == "end" && statuses() == ["Acknowledged", "Acknowledged"])
    }

    @Test("User channel: its commands are the session's; a set-up that waits is let go, once")
    func users() {
        queue("DeviceInformation", more: ["CommandUUID": "c1", "person": "maya"])
        #expect(fleet.pushes.first?.message["person"] == "maya")
        #expect(say("Idle") == "end" && say("Idle", as: "omar") == "end")
        #expect(say("Idle", as: "maya") == "c1 DeviceInformation")
        #expect(say("Acknowledged", "c1", as: "maya") == "end")
        var update: Value = ["MessageType": "TokenUpdate", "UDID": "ipad-1", "UserShortName": "maya"]
        #expect(next(put("checkin", update)) == "end" && say("Idle", as: "maya") == "end")
        update["AwaitingConfiguration"] = true
        for _ in 1...2 { #expect(next(put("checkin", update)) == "end") }
        #expect(say("Idle", as: "maya").hasSuffix(" UserConfigured") && statuses().count == 2)
        update["UserShortName"] = nil
        _ = put("checkin", update)
        #expect(say("Idle").hasSuffix(" DeviceConfigured"))
    }

    @Test("Refusals: what is no iPad, no status, no command; a service that others reach manages no iPads")
    func refusals() throws {
        #expect(say("Idle", on: "mac-1") == "BAD_REQUEST" && say("Ready") == "BAD_REQUEST")
        #expect(say("NotNow") == "BAD_REQUEST" && next(put("connect", ["UDID": "ipad-1"])) == "BAD_REQUEST")
        #expect(next(put("checkin", ["UDID": "ipad-1", "MessageType": "CheckOut"])) == "BAD_REQUEST")
        #expect(next(fleet.send(HTTPRequest("GET", "/mdm/v1/connect"), from: 1)) == "NOT_FOUND")
        for wrong in [["device": "ipad-1"], ["device": "x", "Command": ["RequestType": "UserList"]]] as [Value] {
            #expect(fleet.command("cloud.mdm", wrong)?["refused"] != nil && fleet.pushes.isEmpty)
        }
        #expect(statuses().isEmpty)
        let closed = try Fleet(more: ["closedSignIn": true])
        let idle: Value = ["UDID": "ipad-1", "Status": "Idle"]
        #expect(closed.send(HTTPRequest("PUT", "/mdm/v1/connect", body: idle.jsonBytes), from: 1).code == "NOT_FOUND")
    }
}
