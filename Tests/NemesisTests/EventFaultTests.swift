import FleetModel
import Testing

@testable import Nemesis

@Suite("Faults of a moment: what they ask for", .timeLimit(.minutes(20)))
struct EventFaultTests {
    @Test("Events: kills, purges and revocation ask once and heal nothing")
    func events() throws {
        let cases: [(FaultSpec, [FaultAct])] = [
            (spec("app-kill", until: 10, ["hops": 5]), [.killApp(pad: 1, afterHops: 5, reason: .kill)]),
            (spec("crash", until: 10, ["hops": 5]), [.killApp(pad: 1, afterHops: 5, reason: .crash)]),
            (
                spec("app-kill", until: 10, ["call": "file.sync", "nth": 2]),
                [.afterCall(pad: 1, name: "file.sync", nth: 2, .killApp(pad: 1, afterHops: 0, reason: .kill))]
            ),
            (
                spec("crash", until: 10, ["call": "ck.modify"]),
                [.afterCall(pad: 1, name: "ck.modify", nth: 1, .killApp(pad: 1, afterHops: 0, reason: .crash))]
            ),
            (spec("watchdog", until: 10, ["app": "quiz"]), command("app.hang", ["app": "quiz"])),
            (spec("bell", until: 10), command("session.bell")),
            (spec("guest-timeout", until: 10), command("session.timeOut")),
            (spec("evict-person", until: 10, ["person": "maya"]), command("session.evict", ["person": "maya"])),
            (spec("purge", until: 10), command("storage.purgeSignedOut")),
            (spec("memory-kill", until: 10), command("app.memoryKill")),
            (spec("force-quit", until: 10, ["app": "quiz"]), command("app.forceQuit", ["app": "quiz"])),
            (spec("low-space-purge", until: 10, ["person": "maya"]), command("storage.purge", ["person": "maya"])),
            (spec("document-evicted", until: 10, ["bytes": 7]), command("storage.pressure", ["bytes": 7])),
            (spec("memory-warning", until: 10, ["bytes": 9]), command("device.memoryPressure", ["bytes": 9])),
            (spec("app-upgrade", until: 10), command("app.update", ["version": "2"])),
            (
                spec("app-upgrade", until: 10, ["app": "quiz", "version": "3.1"]),
                command("app.update", ["version": "3.1", "app": "quiz"])
            ),
            (spec("credential-revoked", until: 10), command("identity.revoke")),
            (spec("credential-revoked", until: 10, ["person": "maya"]), cloud("cloud.revoke", ["account": "maya"])),
            (
                spec("zone-deleted", until: 10, ["person": "maya", "zone": "Notes"]),
                cloud("cloud.deleteZones", ["account": "maya", "zone": "Notes"])
            ),
            (
                spec("zone-deleted", until: 10, ["person": "maya", "reason": "encryptedDataReset"]),
                cloud("cloud.deleteZones", ["account": "maya", "reason": "encryptedDataReset"])
            ),
            (spec("zone-deleted", until: 10, ["reason": "purged"]), cloud("cloud.deleteZones")),
            (spec("change-token-expired", until: 10), cloud("cloud.expireTokens")),
            (
                spec("change-token-expired", until: 10, ["person": "maya"]),
                cloud("cloud.expireTokens", ["account": "maya"])
            ),
            (spec("reboot", until: 10, ["outage": "3s"]), [.reboot(pad: 1, outage: .seconds(3))]),
            (
                spec("user-switch-mid-edit", until: 10, ["hops": 2]),
                [.commandAfterHops(pad: 1, hops: 2, Message("session.logOut"))]
            ),
        ]
        for (spec, expected) in cases { #expect(try acts(spec) == [expected]) }
    }

    @Test("Administrators: log-out, deletion of one or all, erasure; each is a management command with the fault's id")
    func administrators() throws {
        func request(_ body: Value) -> [FaultAct] { command("mdm.command", ["CommandUUID": "f", "Command": body]) }
        let cases: [(FaultSpec, Value)] = [
            (spec("log-out-user", until: 10), ["RequestType": "LogOutUser"]),
            (spec("erase-device", until: 10), ["RequestType": "EraseDevice"]),
            (
                spec("delete-user", until: 10),
                ["RequestType": "DeleteUser", "DeleteAllUsers": true, "ForceDeletion": false]
            ),
            (
                spec("delete-user", until: 10, ["person": "maya", "force": true]),
                ["RequestType": "DeleteUser", "UserName": "maya", "ForceDeletion": true]
            ),
        ]
        for (spec, body) in cases {
            var spec = spec
            spec.id = "f"
            #expect(try acts(spec) == [request(body)])
        }
        #expect(problem(spec("delete-user", until: 10, ["force": "yes"]))?.parameter == "force")
    }

    @Test("Administrators, polled: the command waits at the server for each iPad, under a name of its own")
    func polled() throws {
        for (kind, type) in [
            ("log-out-user", "LogOutUser"), ("delete-user", "DeleteUser"), ("erase-device", "EraseDevice"),
        ] {
            var spec = spec(kind, until: 10, pads: [], ["polled": true])
            spec.id = "f"
            let queued = try acts(spec).flatMap { $0 }.compactMap { act -> Value? in
                guard case .command(.cloud, let message) = act, message.name == "cloud.mdm" else { return nil }
                #expect(message["Command"]?["RequestType"] == .string(type))
                return message["CommandUUID"]
            }
            #expect(queued == ["f/ipad-1", "f/ipad-2"], "\(kind)")
            #expect(problem(Self.wrong(kind))?.parameter == "polled")
        }
    }
    private static func wrong(_ kind: String) -> FaultSpec {
        FaultSpec(id: "f", kind: kind, from: .zero, until: .zero, pads: [1], parameters: ["polled": 1])
    }

    @Test("Power cut: each iPad tears by a seed of its own")
    func powerCut() throws {
        let cuts = try acts(spec("power-cut", until: 10, pads: [])).flatMap { $0 }
        #expect(cuts.count == 2)
        guard case .powerCut(1, let first, .seconds(40)) = cuts[0], case .powerCut(2, let second, _) = cuts[1] else {
            Issue.record("expected a power cut of both iPads")
            return
        }
        #expect(first != second)
    }

    @Test("Cloud crash: no iPad is needed")
    func cloudCrash() throws {
        guard case .crashCloud(_, .seconds(10)) = try acts(spec("cloud-crash", until: 10, pads: [])).first?.first else {
            Issue.record("expected a crash of the Cloud")
            return
        }
    }
}
