import FleetModel
import Testing

@testable import Checkers

@Suite("Key-value rule", .timeLimit(.minutes(20))) struct KeyValueTests {
    static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    /// Which edits saw which earlier ones.
    static let views: [[[Int]]] = [[[], [], []], [[], [0], []], [[], [0], [1]], [[], [], [1]], [[], [], [0]]]

    /// Three edits on three iPads; `stamps[i]` ranks the device stamp of edit i; `shown` is what stays (3: nothing).
    static func world(stamps: [Int], view: [[Int]], shown: Int) -> Chronicle {
        let tokens = ["maya.1", "maya.2", "maya.3"]
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        for (index, token) in tokens.enumerated() {
            day.write(token, on: index + 1, saw: view[index].map { tokens[$0] })
            day.stamp(token, at: 100 + stamps[index], on: index + 1)
            day.commit(token)
        }
        let final = shown < 3 ? item("note-1", tokens[shown]) : item("note-1")
        for pad in 1...3 { day.read("core", on: pad, [final]) }
        day.read("new", on: 9, [final])
        return day
    }

    @Test("Three writers: the largest stamp stays, or the run is invalid (6 stamp orders x 5 views x 4 endings)")
    func threeWriters() throws {
        for stamps in Self.orders {
            for view in Self.views {
                for shown in 0...3 {
                    let largest = try #require(stamps.firstIndex(of: 2))
                    let judgement = Self.world(stamps: stamps, view: view, shown: shown).judgement
                    let path: Comment = "stamps \(stamps), views \(view), shown \(shown)"
                    if shown == largest {
                        #expect(judgement.verdict == .valid, path)
                        let beaten = (0..<3).filter { edit in
                            edit > largest && !(0..<3).contains { Self.isSuperseded(edit, by: $0, view) }
                        }
                        #expect(judgement.count(.excused) == beaten.count, path)
                    } else if shown == 3 {
                        #expect(judgement.verdict == .invalid, path)
                    } else {
                        #expect(
                            judgement.findings.contains { $0.lossClass == .lost && $0.token == "maya.\(largest + 1)" },
                            path)
                    }
                }
            }
        }
    }

    /// Whether `later` saw `earlier`, directly or through the one between.
    static func isSuperseded(_ earlier: Int, by later: Int, _ view: [[Int]]) -> Bool {
        view[later].contains { $0 == earlier || isSuperseded(earlier, by: $0, view) }
    }

    @Test("The winner must be there: a write that never got as far excuses no loss")
    func absentWinner() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1", on: 1)
        day.stamp("maya.1", at: 10, on: 1)
        day.commit("maya.1")
        day.write("maya.2", on: 5)
        day.stamp("maya.2", at: 20, on: 5)
        day.observe("maya.2", in: "padQueue", on: 5)
        var good = day
        day.readEverywhere([item("note-1")])
        #expect(day.outcome == "lost maya.1, stranded maya.2")
        good.readEverywhere([item("note-1", "maya.1")])
        #expect(good.outcome == "stranded maya.2")
    }

    @Test("One key holds the whole list, and the app promises a set (kvs-02)")
    func wholeList() {
        var day = Chronicle(.keepsAll, channel: .keyValue)
        day.write("maya.1", "note-1", on: 1)
        day.stamp("maya.1", at: 10, on: 1, key: "list")
        day.commit("maya.1")
        day.write("maya.2", "note-2", on: 2)
        day.stamp("maya.2", at: 11, on: 2, key: "list")
        day.commit("maya.2")
        let doom = day.replace("maya.1", by: ["maya.2"])
        day.readEverywhere([item("note-2", "maya.2")])
        #expect(day.outcome == "overwritten maya.1")
        #expect(day.doom == doom)
    }
}

@Suite("Flags", .timeLimit(.minutes(20))) struct FlagTests {
    func day(_ body: (inout Chronicle) -> Void, shown: [Item]) -> String {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.set("maya.1", "intro", to: "true")
        body(&day)
        day.readEverywhere(shown)
        return day.outcome
    }

    @Test("Flag handed over under its own key: shown by all, or missing")
    func handedOver() {
        #expect(day({ $0.stamp(at: 5, on: 1, key: "intro") }, shown: [flag("intro", "true")]) == "valid")
        #expect(day({ $0.stamp(at: 5, on: 1, key: "intro") }, shown: []) == "lost maya.1")
        #expect(day({ $0.stamp(at: 5, on: 1, key: "intro") }, shown: [flag("intro", "false")]) == "lost maya.1")
    }

    @Test(
        "Flag in local defaults: gone with the purge (unsaved), killed in the window (inflight), or shown only where it was set"
    )
    func local() {
        #expect(
            day(
                {
                    $0.wait(.seconds(60)); $0.purge("signOut")
                }, shown: []) == "unsaved maya.1")
        #expect(day({ $0.exit("memory") }, shown: []) == "inflight maya.1")
        var stale = Chronicle(.lastWriterWins, channel: .keyValue)
        stale.set("maya.1")
        stale.read(core: [flag("intro", "true")], new: [flag("intro", "false")])
        #expect(stale.outcome == "diverged maya.1")
    }

    @Test("Flag set again: only the latest setting counts")
    func again() {
        #expect(day({ $0.set("maya.2", "intro", to: "false", on: 2) }, shown: [flag("intro", "false")]) == "valid")
        #expect(
            day({ $0.set("maya.2", "intro", to: "false", on: 2) }, shown: [flag("intro", "true")]) == "unsaved maya.2")
    }

    @Test("Flag still in a core iPad's queue: stuck; on an iPad outside the core: stranded")
    func waiting() {
        #expect(day({ $0.pending(on: 1) }, shown: []) == "stuck maya.1")
        #expect(
            day({ $0.set("maya.2", "intro", to: "done", on: 5) }, shown: [flag("intro", "true")]) == "stranded maya.2")
    }

    @Test("Flag of the same name in two apps: a write without a token is the app's that made it")
    func twoApps() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.set("maya.1", "intro")
        let between = day.next
        day.stamp(at: 5, on: 1, key: "intro")
        day.readEverywhere([])
        var other = Chronicle(.lastWriterWins, channel: .keyValue, app: "reader")
        other.set("maya.2", "intro")
        let ledger = Ledger(day.events[..<between] + other.events + day.events[between...])
        #expect(ledger.entry(of: "maya.1")?.handedOver != nil && ledger.entry(of: "maya.2")?.handedOver == nil)
    }
}
