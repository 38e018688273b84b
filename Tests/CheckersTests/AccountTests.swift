import FleetModel
import Testing

@testable import Checkers

/// Edits are made under an iCloud account: nothing of one comes to another (identity.md 3).
@Suite("iCloud accounts", .timeLimit(.minutes(20))) struct AccountTests {
    private let second = SecondAccount.name(of: "maya")

    private func begin(_ day: inout Chronicle, _ token: Token, _ account: Value?, saw: [Token] = []) {
        day.invoke(token, .put, "note-1")
        var detail: Value = ["saw": .strings(saw)]
        detail["account"] = account
        day.add(.pad(1), Note(.began, person: "maya", app: "notebook", tokens: [token], detail: detail))
        day.add(.pad(1), Note(.performed, person: "maya", app: "notebook", tokens: [token]))
    }
    private func commit(_ day: inout Chronicle, _ token: Token, _ account: Person) {
        let detail: Value = ["where": "record notes/note-1"]
        day.add(.cloud, Note(.committed, person: account, channel: .record, tokens: [token], detail: detail))
    }
    /// Own readers, and a brand-new iPad for the second account.
    private func read(_ day: inout Chronicle, own: [Item], second items: [Item]) {
        day.readEverywhere(own)
        day.read("new", on: 10, of: second, items)
    }

    @Test("Two accounts, one item: each shows its own edit")
    func apart() {
        var day = Chronicle()
        begin(&day, "maya.1", nil)
        commit(&day, "maya.1", "maya")
        begin(&day, "maya.2", .string(second))
        commit(&day, "maya.2", second)
        read(&day, own: [item("note-1", "maya.1")], second: [item("note-1", "maya.2")])
        #expect(day.outcome == "valid")
    }

    @Test(
        "Carried over: shown before an edit, at the end, or found in the other account's iCloud or queue is a leak; in the app's files it is none",
        arguments: ["sight", "reading", "cloudTable", "padQueue", "padDisk"])
    func carriedOver(how: String) {
        var day = Chronicle()
        begin(&day, "maya.1", nil)
        commit(&day, "maya.1", "maya")
        begin(&day, "maya.2", .string(second), saw: how == "sight" ? ["maya.1"] : [])
        commit(&day, "maya.2", second)
        if ["cloudTable", "padQueue"].contains(how) { day.observe("maya.1", in: how, of: second, on: 1) }
        if how == "padDisk" { day.observe("maya.2", in: how, of: "maya", on: 1) }
        let shown = how == "reading" ? [item("note-1", "maya.1", "maya.2")] : [item("note-1", "maya.2")]
        read(&day, own: [item("note-1", "maya.1")], second: shown)
        #expect(day.outcome == (how == "padDisk" ? "valid" : "leaked maya.1"))
        if how == "sight" { #expect(day.judgement.findings.first?.summary.contains("with \(second)") == true) }
    }

    @Test("Made while signed out: belongs to the account it goes to first, and is lost when it is not there")
    func nobodys() {
        var day = Chronicle()
        begin(&day, "maya.1", .null)
        begin(&day, "maya.2", .null, saw: ["maya.1"])
        commit(&day, "maya.2", second)
        read(&day, own: [], second: [item("note-1", "maya.2")])
        #expect(day.outcome == "valid", "what was nobody's may be moved in anywhere")
        var late = Chronicle()
        begin(&late, "maya.1", .null)
        commit(&late, "maya.1", second)
        read(&late, own: [], second: [])
        #expect(late.outcome == "lost maya.1")
    }

    @Test("Made while signed out and handed over to one account: another edit of it that wins there has won fairly")
    func nobodysBeaten() {
        func outcome(winner: Person) -> String {
            var day = Chronicle(.lastWriterWins, channel: .keyValue)
            for token in ["maya.1", "maya.2"] {
                begin(&day, token, .null)
                let detail: Value = ["key": "note-1", "stamp": .int(token == "maya.1" ? 10 : 20), "device": "ipad-1"]
                let account = token == "maya.1" ? second : winner
                for kind in [Note.Kind.handedOver, .stamped] {
                    day.add(
                        .pad(1),
                        Note(
                            kind, person: account, app: "notebook", channel: .keyValue, tokens: [token],
                            detail: detail))
                }
            }
            let detail: Value = ["where": "note-1", "device": "ipad-1", "stamp": 20]
            day.add(.cloud, Note(.committed, person: winner, channel: .keyValue, tokens: ["maya.2"], detail: detail))
            let shown = [item("note-1", "maya.2")]
            read(&day, own: winner == second ? [] : shown, second: winner == second ? shown : [])
            return day.outcome
        }
        #expect(outcome(winner: second) == "valid")
        #expect(outcome(winner: "maya") == "lost maya.1")
    }

    @Test(
        "Made while signed out, handed over to one account and given back by it: its app keeps it until that account is back"
    )
    func nobodysGivenBack() {
        for account in [second, "maya"] {
            var day = Chronicle()
            begin(&day, "maya.1", .null)
            day.add(.pad(1), Note(.handedOver, person: account, app: "notebook", channel: .record, tokens: ["maya.1"]))
            day.handBack("maya.1")
            day.exit("crash")
            read(&day, own: [], second: [])
            #expect(day.outcome == (account == second ? "stranded maya.1" : "unsaved maya.1"))
        }
    }

    @Test(
        "Flag set without a token, and handed over for the second account: that one has to show it",
        arguments: [true, false])
    func nobodysFlag(isShown: Bool) {
        var day = Chronicle()
        day.invoke("maya.1", .effect, "intro", value: "true")
        day.add(
            .pad(1), Note(.began, person: "maya", app: "notebook", tokens: ["maya.1"], detail: ["account": .null]))
        day.add(
            .pad(1), Note(.handedOver, person: second, app: "notebook", channel: .keyValue, detail: ["key": "intro"]))
        day.add(.pad(1), Note(.performed, person: "maya", app: "notebook", tokens: ["maya.1"]))
        read(&day, own: [], second: isShown ? [flag("intro", "true")] : [])
        #expect((day.outcome == "valid") == isShown)
    }

    @Test("Flag set without a token: what another person hands over on that iPad is not its")
    func nobodysFlagAndAnother() {
        var day = Chronicle()
        day.invoke("maya.1", .effect, "intro", value: "true")
        day.add(
            .pad(1), Note(.began, person: "maya", app: "notebook", tokens: ["maya.1"], detail: ["account": .null]))
        day.add(.pad(1), Note(.performed, person: "maya", app: "notebook", tokens: ["maya.1"]))
        day.add(
            .pad(1), Note(.handedOver, person: "ben", app: "notebook", channel: .keyValue, detail: ["key": "intro"]))
        read(&day, own: [], second: [])
        #expect(day.outcome == "unsaved maya.1")
    }

    @Test("Deletion in the second account that its queue gave back: it waits until the account is back")
    func unsentDeletion() {
        var day = Chronicle()
        begin(&day, "maya.1", .string(second))
        day.invoke("maya.2", .delete, "note-1")
        let detail: Value = ["account": .string(second), "saw": ["maya.1"]]
        day.add(.pad(1), Note(.began, person: "maya", app: "notebook", tokens: ["maya.2"], detail: detail))
        day.add(.pad(1), Note(.performed, person: "maya", app: "notebook", tokens: ["maya.2"]))
        commit(&day, "maya.1", second)
        read(&day, own: [], second: [item("note-1", "maya.1")])
        #expect(day.outcome == "stranded maya.2")
    }

    @Test("Not there in the end: handed over it is lost, with its app alone it waits for its account")
    func away() {
        for (isHandedOver, outcome) in [(true, "lost maya.1"), (false, "stranded maya.1")] {
            var day = Chronicle()
            begin(&day, "maya.1", .string(second))
            if isHandedOver { day.handOver("maya.1") }
            read(&day, own: [], second: [])
            #expect(day.outcome.contains(outcome), "\(day.outcome)")
        }
    }

    @Test("An account of which no service has heard need not be read")
    func unread() {
        for isHandedOver in [true, false] {
            var day = Chronicle()
            begin(&day, "maya.1", nil)
            commit(&day, "maya.1", "maya")
            begin(&day, "maya.2", .string(second))
            if isHandedOver { day.handOver("maya.2") }
            day.readEverywhere([item("note-1", "maya.1")])
            #expect(day.outcome == (isHandedOver ? "unknown" : "valid"))
        }
    }

    @Test("Made in the own account and not there when it is back: as ever")
    func own() {
        var day = Chronicle()
        begin(&day, "maya.1", nil)
        begin(&day, "maya.2", .string(second))
        commit(&day, "maya.2", second)
        read(&day, own: [], second: [item("note-1", "maya.2")])
        #expect(day.outcome.contains("unsaved maya.1"))
    }
}
