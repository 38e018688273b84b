import FleetModel
import Testing

@testable import PadCore

/// A second iCloud account on the iPad of one person (identity.md 3, A to B).
@Suite("iCloud accounts", .timeLimit(.minutes(20))) struct AccountTests {
    private let second = SecondAccount.name(of: "maya")

    /// The account changes, and the app takes notice as its link does.
    private func change(_ bench: PadBench, to account: String, isHeard: Bool = true) {
        bench.ask("identity.change", ["to": .string(account)])
        if isHeard { hear(bench) }
    }
    private func hear(_ bench: PadBench) {
        let told = bench.call(bench.launch("quiz"), "identity.get")?["identity"] ?? .null
        bench.call(bench.launch("quiz"), "identity.taken", ["identity": told])
        bench.advance(.seconds(5))
    }

    @Test("Pairs: each account has its own, here and at the Cloud, and finds them again")
    func pairs() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "own")
        bench.advance(.seconds(5))
        change(bench, to: "other")
        #expect(bench.pairs == .empty)
        #expect(bench.lastMessage("kvs.changed") == ["reason": 3, "values": .empty])
        bench.set("k", "second")
        bench.advance(.seconds(5))
        #expect(bench.cloud.value("k") == "own" && bench.cloud.value("k", account: second) == "second")
        change(bench, to: "own")
        #expect(bench.pairs == ["k": "own"])
        change(bench, to: "other")
        #expect(bench.pairs == ["k": "second"])
    }

    @Test("A set of the moment before the change is the old account's, and goes up for it")
    func unflushed() throws {
        let bench = try PadBench.runningQuiz()
        bench.set("k", "own")
        change(bench, to: "other")
        #expect(bench.cloud.value("k") == "own" && bench.cloud.value("k", account: second) == nil)
    }

    @Test("An app that has not heard of the change works on in the account that it knows")
    func unheard() throws {
        let bench = try PadBench.runningQuiz()
        change(bench, to: "other", isHeard: false)
        bench.set("k", "own")
        #expect(bench.pairs == ["k": "own"])
        hear(bench)
        #expect(bench.pairs == .empty)
        #expect(bench.cloud.value("k") == "own" && bench.cloud.value("k", account: second) == nil)
    }

    @Test("Offline: both queues are kept over a power cut, and each goes up for its account (S33)")
    func offline() throws {
        let bench = try PadBench.runningQuiz()
        change(bench, to: "other")
        bench.ask("device.airplane", ["on": true])
        bench.set("k", "second")
        bench.advance(.seconds(5))
        change(bench, to: "own")
        bench.set("k", "own")
        bench.advance(.seconds(5))
        bench.command("device.powerCut")
        try bench.restart()
        bench.ask("device.boot")
        bench.ask("device.airplane", ["on": false])
        bench.advance(.minutes(5))
        #expect(bench.cloud.value("k") == "own" && bench.cloud.value("k", account: second) == "second")
        #expect(bench.ask("pad.pending") == ["pending": []])
    }

    @Test("A new launch works in the account that is there; an edit's account is told")
    func launch() throws {
        let bench = try PadBench.runningQuiz()
        change(bench, to: "other")
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "kill"])
        bench.open("quiz")
        #expect(bench.pad.apps.accountDetail(bench.launch("quiz")) == .string(second))
        bench.ask("identity.change", ["to": .null])
        hear(bench)
        #expect(bench.pad.apps.accountDetail(bench.launch("quiz")) == .some(.null))
        change(bench, to: "own")
        #expect(bench.pad.apps.accountDetail(bench.launch("quiz")) == nil)
    }

    @Test("An outage, the switch, a restriction or a sign-out is of the account that is there, and is no change of it")
    func condition() throws {
        let bench = try PadBench.runningQuiz()
        change(bench, to: "other")
        bench.set("k", "second")
        for to in ["unavailable", "withoutDocuments", "restricted"] {
            change(bench, to: to)
            #expect(bench.pairs == ["k": "second"], "\(to)")
        }
        bench.ask("identity.change", ["to": .null])
        hear(bench)
        #expect(bench.pairs == ["k": "second"] && bench.pad.accounts.accountStatus(of: "maya") == 3)
        change(bench, to: "own")
        #expect(bench.pairs == .empty && bench.pad.accounts.accountStatus(of: "maya") == 1)
    }

    @Test("A full disk: the second account comes all the same")
    func full() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("storage.fill", ["free": 0])
        change(bench, to: "other")
        #expect(bench.pad.kernel.problems == [] && bench.pad.storage.volumes.keys.contains(second))
    }

    @Test("A full disk has no room for the second account's pairs: what is set waits for it, in order, and goes up")
    func fullStore() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("storage.fill", ["free": 0])
        change(bench, to: "other")
        bench.set("k", "first")
        bench.set("k", "last")
        bench.advance(.seconds(10))
        #expect(bench.notes(.handedOver).isEmpty)
        #expect(bench.call(bench.launch("quiz"), "kvs.synchronize")?["error"]?["code"] == 640)
        #expect(bench.ask("pad.pending")?["pending"]?.array?.count == 1)
        bench.ask("storage.fill", ["bytes": 0])
        #expect(bench.call(bench.launch("quiz"), "kvs.synchronize") == .empty)
        bench.advance(.seconds(5))
        #expect(bench.cloud.value("k", account: second) == "last")
    }

    @Test("Signed out, and another account comes that the app has not heard of: what is made is no account's")
    func heardOfNone() throws {
        let bench = try PadBench.runningQuiz()
        bench.ask("identity.change", ["to": .null])
        hear(bench)
        change(bench, to: "other", isHeard: false)
        #expect(bench.pad.apps.accountDetail(bench.launch("quiz")) == .some(.null))
        hear(bench)
        #expect(bench.pad.apps.accountDetail(bench.launch("quiz")) == .string(second))
    }

    @Test("Person removed: both accounts' queues go, and none of a second account is left for whoever comes")
    func removed() throws {
        let bench = try PadBench.runningQuiz()
        change(bench, to: "other")
        bench.set("k", "second")
        change(bench, to: "own")
        bench.ask("person.signOut")
        bench.pad.residents.remove("maya", reason: .eviction)
        #expect(bench.pad.accounts.accounts == [] && bench.pad.storage.volumes.isEmpty)
        bench.signIn("maya")
        #expect(bench.pad.accounts.accounts == ["maya"])
    }
}
