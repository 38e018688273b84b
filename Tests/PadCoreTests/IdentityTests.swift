import FleetModel
import Testing

@testable import PadCore

@Suite("iCloud identity", .timeLimit(.minutes(20))) struct IdentityTests {
    private func running(_ more: Value = .empty) throws -> PadBench {
        let bench = try PadBench(more: more)
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }

    @Test(
        "Signed out of iCloud: told at once in front and in the background, on return, or at the next launch (S37, S81)",
        arguments: ["active", "background", "suspended", "dead"])
    func notice(state: String) throws {
        let bench = try running()
        let launch = bench.launch("quiz")
        switch state {
        case "background":
            bench.call(launch, "app.beginBackgroundTask")
            bench.ask("app.home")
        case "suspended":
            bench.ask("app.home")
            bench.advance(.seconds(3))
        case "dead": bench.command("app.exited", ["launch": .int(launch), "reason": "kill"])
        default: break
        }
        _ = bench.takeTold()
        bench.ask("identity.change", ["to": .null])
        let isHeardAtOnce = ["active", "background"].contains(state)
        #expect(bench.takeTold() == (isHeardAtOnce ? ["quiz identityChanged"] : []))
        bench.open("quiz")
        let told = bench.takeTold()
        if state == "suspended" { #expect(told.first == "quiz identityChanged") }
        if state == "dead" { #expect(bench.launches.last?.spec["identity"] == .null) }
        #expect(told.contains("quiz identityChanged") == (state == "suspended"))
        #expect(bench.launches.count == (state == "dead" ? 2 : 1))
    }

    @Test("Identity token: another for each person, the same again for each (S77)")
    func unique() throws {
        func token(_ bench: PadBench, _ person: Person) -> String? {
            bench.signIn(person)
            bench.open("quiz")
            defer { bench.ask("person.signOut") }
            return bench.call(bench.launch("quiz"), "identity.get")?["identity"]?.string
        }
        let bench = try PadBench()
        let tokens = ["maya", "leo", "maya", "leo"].map { token(bench, $0) }
        #expect(tokens[0] != nil && tokens[1] != nil && tokens[0] != tokens[1])
        #expect(tokens[0] == tokens[2] && tokens[1] == tokens[3])
    }

    @Test("Account: apps are told token and status; only another account, or one after none, concerns the stores")
    func account() throws {
        let bench = try running()
        let own = try #require(bench.call(bench.launch("quiz"), "identity.get")?["identity"])
        func told(_ to: Value) -> Value? {
            bench.ask("identity.change", ["to": to])
            return bench.lastMessage("app.identityChanged")
        }
        #expect(bench.launches.first?.spec["accountStatus"] == nil)
        #expect(told("unavailable") == ["identity": own, "accountStatus": 4])
        #expect(told("own") == ["identity": own, "accountStatus": 1])
        #expect(told("withoutDocuments") == ["identity": .null, "accountStatus": 1])
        #expect(told(.null) == ["identity": .null, "accountStatus": 3])
        bench.open("notes")
        #expect(bench.launches.last?.spec["accountStatus"] == 3)
    }

    @Test("Airplane mode: iCloud is out of reach, the token stays (S79)")
    func airplane() throws {
        let bench = try running()
        let before = try #require(bench.call(bench.launch("quiz"), "identity.get")?["identity"]?.string)
        bench.ask("device.airplane", ["on": true])
        #expect(!bench.pad.network.canReachNetwork(as: "maya"))
        #expect(bench.call(bench.launch("quiz"), "identity.get")?["identity"]?.string == before)
        #expect(!bench.told.contains("quiz identityChanged"))
    }

    @Test("Suspended app: its notices come before the first input (S177)")
    func beforeInput() throws {
        let bench = try running()
        bench.ask("app.home")
        bench.advance(.seconds(3))
        bench.ask("identity.change", ["to": "other"])
        _ = bench.takeTold()
        bench.command("app.open", ["app": "quiz"])
        let edit = Edit(
            token: "maya.1", person: "maya", app: "quiz", action: "answer", item: "a-1", verb: .put, value: "x")
        #expect(bench.ask("app.perform", edit.body)?["ok"]?.bool == true)
        let told = bench.takeTold()
        #expect(told.first == "quiz identityChanged")
        #expect(told.last == "quiz ui.perform")
    }

    @Test(
        "Private database: by the account's status, or by the older rule, for whoever has a token (S107)",
        arguments: [false, true])
    func privateDatabase(isOlderRule: Bool) throws {
        var open: [String: [Bool]] = [:]
        for to in ["own", "other", "none", "unavailable", "restricted", "withoutDocuments"] {
            let bench = try running(isOlderRule ? ["switches": ["privateDatabase": "identityToken"]] : .empty)
            bench.ask("identity.change", ["to": to == "none" ? .null : .string(to)])
            let launch = bench.launch("quiz")
            let identity = bench.call(launch, "identity.get") ?? .null
            bench.call(launch, "identity.taken", ["identity": identity["identity"] ?? .null])
            let before = bench.cloud.count("/database")
            bench.post(
                launch, "ck.lookup",
                ["op": "1", "container": "iCloud.com.example.quiz", "database": "private", "names": ["a"]], exchange: 5)
            bench.advance(.seconds(2))
            open[to] = [
                identity["identity"]?.string != nil, identity["accountStatus"] == 1,
                bench.cloud.count("/database") > before,
            ]
        }
        // Token, status, access.
        #expect(open["own"] == [true, true, true] && open["other"] == [true, true, true])
        #expect(open["none"] == [false, false, false] && open["restricted"] == [false, false, false])
        #expect(open["unavailable"] == [true, false, isOlderRule])
        #expect(open["withoutDocuments"] == [false, true, !isOlderRule])
    }
}
