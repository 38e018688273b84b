import FleetModel
import Testing

@testable import PadCore

@Suite("Management", .timeLimit(.minutes(20))) struct ManagementTests {
    /// maya has something to send and cannot; leo has not; both are away.
    private func bench() throws -> PadBench {
        let bench = try PadBench()
        for person in ["leo", "maya"] {
            bench.signIn(person)
            bench.open("quiz")
            if person == "maya" {
                bench.cloud.script = {
                    String(decoding: $0.body, as: UTF8.self).contains("maya.1") ? .failure(.unreachable) : nil
                }
                bench.post(
                    bench.launch("quiz"), "kvs.set",
                    ["key": "k", "value": .string(EditPayload.text(token: "maya.1", "hello"))])
            }
            bench.ask("person.signOut")
        }
        bench.advance(.minutes(1))
        return bench
    }

    @Test("UserList: name, session, data to sync and use of everybody; a quota only where one is set")
    func userList() throws {
        let bench = try bench()
        bench.signIn("leo")
        bench.advance(.minutes(1))
        let answer = bench.manage("UserList")
        #expect(answer["Status"] == "Acknowledged" && answer["CommandUUID"] == "c-1" && answer["UDID"] == "ipad-1")
        let users = answer["Users"]?.array ?? []
        #expect(users.map { $0["UserName"] } == ["leo", "maya"])
        #expect(users.map { $0["IsLoggedIn"] } == [true, false])
        #expect(users.map { $0["HasDataToSync"] } == [false, true])
        #expect(users.allSatisfy { $0["DataUsed"]?.int ?? 0 > 0 && $0["DataQuota"] == nil })
    }

    @Test("DeleteUser: unknown, logged in, with data to sync, and synced")
    func deleteUser() throws {
        let bench = try bench()
        #expect(code(bench.manage("DeleteUser")) == 12008)
        #expect(code(bench.manage("DeleteUser", ["UserName": "eva"])) == 12071)
        #expect(code(bench.manage("DeleteUser", ["UserName": "maya"])) == 12073)
        bench.signIn("leo")
        #expect(code(bench.manage("DeleteUser", ["UserName": "leo", "ForceDeletion": true])) == 12072)
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        #expect(bench.manage("DeleteUser", ["UserName": "leo"])["Status"] == "Acknowledged")
        #expect(bench.pad.residents.people == ["maya"] && bench.reasons(.purged) == ["deleteUser"])
        #expect(bench.notes(.purged).flatMap(\.tokens).isEmpty)
    }

    @Test("DeleteUser with force: what was not sent goes too, and is named")
    func forced() throws {
        let bench = try bench()
        bench.manage("DeleteUser", ["UserName": "maya", "ForceDeletion": true])
        #expect(bench.pad.residents.people == ["leo"] && bench.reasons(.purged) == ["forceDeletion"])
        #expect(bench.notes(.purged).flatMap(\.tokens) == ["maya.1"])
        #expect(bench.disk(of: "maya")?.files(under: "/").isEmpty == true)
        bench.cloud.script = { _ in nil }
        bench.advance(.minutes(10))
        #expect(bench.cloud.value("k") == nil)
    }

    @Test("DeleteAllUsers: those with data to sync are kept and told, unless forced", arguments: [false, true])
    func deleteAll(isForced: Bool) throws {
        let bench = try bench()
        let answer = bench.manage("DeleteUser", ["DeleteAllUsers": true, "ForceDeletion": .bool(isForced)])
        #expect(code(answer) == (isForced ? nil : 12073))
        #expect(bench.pad.residents.people == (isForced ? [] : ["maya"]))
    }

    @Test("LogOutUser: the session ends without waiting for background tasks; nobody there is no error")
    func logOut() throws {
        let bench = try PadBench()
        #expect(bench.manage("LogOutUser")["Status"] == "Acknowledged")
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        #expect(bench.manage("LogOutUser")["Status"] == "Acknowledged")
        bench.advance(.seconds(1))
        #expect(bench.notes(.signedOut).first?.detail["forced"] == true)
    }

    @Test("EraseDevice: everybody goes with all they had, the settings too; the iPad can be used again")
    func erase() throws {
        let bench = try bench()
        bench.manage("Settings", ["Settings": [["Item": "SharedDeviceConfiguration", "TemporarySessionOnly": true]]])
        #expect(bench.signIn("leo")?["refused"]?.string?.contains("guest sessions only") == true)
        bench.guest("visitor")
        bench.open("quiz")
        #expect(bench.manage("EraseDevice")["Status"] == "Acknowledged")
        #expect(bench.pad.residents.people.isEmpty)
        #expect(bench.reasons(.purged) == ["eraseDevice", "eraseDevice", "eraseDevice"])
        for person in ["leo", "maya", "visitor"] { #expect(bench.disk(of: person)?.files(under: "/").isEmpty == true) }
        #expect(bench.signIn("leo")?["ok"] == true)
        #expect(bench.open("quiz")?["ok"] == true)
        #expect(bench.problems.isEmpty)
    }

    @Test("Codes: a tethered network, an update while somebody is there, a guest's channel; push tokens and free space")
    func codes() throws {
        let bench = try PadBench()
        func user(_ person: Person) -> Value {
            let command: Value = ["RequestType": "DeviceInformation", "Queries": ["PushToken"]]
            return bench.ask("mdm.command", ["UserShortName": .string(person), "Command": command]) ?? .null
        }
        #expect(code(bench.manage("UserList", ["RequestRequiresNetworkTether": true])) == 12081)
        #expect(code(bench.manage("UserList", ["RequestRequiresNetworkTether": false])) == nil)
        #expect(bench.manage("ScheduleOSUpdate")["UpdateResults"] == [])
        let free = bench.manage("DeviceInformation", ["Queries": ["AvailableDeviceCapacity"]])["QueryResponses"]
        #expect(free?["AvailableDeviceCapacity"] == 38.0)
        bench.guest("visitor")
        #expect(code(bench.manage("ScheduleOSUpdate")) == 12077)
        #expect(code(user("visitor")) == 12076)
        bench.ask("person.signOut")
        bench.signIn("maya")
        let token = user("maya")["QueryResponses"]?["PushToken"]
        #expect(token?.data?.count == 32 && token == user("maya")["QueryResponses"]?["PushToken"])
        bench.ask("person.signOut")
        bench.signIn("leo")
        #expect(user("leo")["QueryResponses"]?["PushToken"] != token)
    }
}
