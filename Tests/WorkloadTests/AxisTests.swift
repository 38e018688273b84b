import FleetModel
import Testing

@testable import Workload

@Suite("Axes", .timeLimit(.minutes(20)))
struct AxisTests {
    /// Sixteen people, four periods, everything drawn.
    private static func text(_ more: String = "draw: all", work: String = "edits: 9") -> String {
        """
        name: axes
        purpose: p
        apps: [notebook, quiz, homework]
        ipads: 4
        people: 8
        classes: {red: 4, blue: 4}
        timetable:
          - {start: 0m, length: 10m, seats: {red: 1-4}}
          - {start: 10m, length: 10m, seats: {blue: 1-4}}
        work: {\(work)}
        \(more)
        """
    }
    private static func settled(_ scenario: Scenario, _ seed: UInt64) throws -> Scenario {
        try #require(scenario.with(drawn: scenario.drawn(seed: seed)))
    }

    @Test("Each axis: drawn in at least two ways within 60 seeds, the same for the same seed", arguments: Axis.allCases)
    func bothWays(axis: Axis) throws {
        let scenario = try scenario(Self.text())
        let values = (1...60).map { scenario.drawn(seed: $0)[axis.rawValue] }
        #expect(!values.contains(nil))
        #expect(Set(values).count > 1)
        #expect(values == (1...60).map { scenario.drawn(seed: $0)[axis.rawValue] })
    }

    @Test("Each switch: both kinds of side within 60 seeds; one that the file sets is never drawn")
    func switches() throws {
        let scenario = try scenario(Self.text("switches: {eviction: oldestCached}\ndraw: [switches]"))
        let drawn = try (1...60).map { try Self.settled(scenario, $0).switches }
        for known in PadSwitches.all {
            let isDefault = drawn.map { $0.is(known.name, known.values[0]) }
            #expect(Set(isDefault) == (known.name == "eviction" ? [false] : [true, false]), "\(known.name)")
        }
    }

    @Test(
        "Each setting of the Cloud: both sides within 60 seeds; one that the file sets is never drawn; unknown ones are told"
    )
    func settings() throws {
        let scenario = try scenario(Self.text("cloud: {assetMegabytes: \"15\"}\ndraw: [cloud]"))
        let drawn = try (1...60).map { try Self.settled(scenario, $0).cloud }
        #expect(drawn.allSatisfy { $0["assetMegabytes"] == "15" })
        #expect(Set(drawn.map { $0["stampUserKey"] }) == ["userRecordName", "user"])
        #expect(errors(Self.text("cloud: {stampUserKy: user}")).joined().contains("did you mean 'stampUserKey'?"))
        #expect(errors(Self.text("cloud: {stampUserKey: me}")).joined().contains("unknown side 'me'"))
        #expect(scenario.with(drawn: ["cloud": ["stampUserKey": "me"]]) == nil)
    }

    @Test("Independence: what one axis draws is the same whether or not another one is drawn")
    func independence() throws {
        let all = try scenario(Self.text())
        for axis in Axis.allCases {
            let alone = try scenario(Self.text("draw: [\(axis.rawValue)]"))
            for seed in 1...20 as ClosedRange<UInt64> {
                let drawn = alone.drawn(seed: seed)
                #expect(drawn.object?.keys == [axis.rawValue])
                #expect(drawn[axis.rawValue] == all.drawn(seed: seed)[axis.rawValue])
            }
        }
    }

    @Test("What a file fixes is not drawn: draw all leaves it alone, naming it as well is an error")
    func fixed() throws {
        let given = [
            "purgeAtSignOut: true", "slots: 5", "capacity: 64", "launchLimit: 9s", "texts: any", "items: any",
        ]
        for line in given {
            let name = String(line.prefix { $0 != ":" })
            let scenario = try scenario(Self.text("\(line)\ndraw: all"))
            #expect(scenario.draw.count == Axis.allCases.count - 1)
            #expect(scenario.drawn(seed: 1)[name] == nil)
            #expect(errors(Self.text("\(line)\ndraw: [\(name)]")).joined().contains("drawn and given as well"))
        }
        for line in ["ipadsEach: 2", "together: 0.5", "close: 1", "bulk: 20"] {
            let name = String(line.prefix { $0 != ":" })
            let scenario = try scenario(Self.text(work: line))
            #expect(scenario.drawn(seed: 1)[name] == nil)
            #expect(try Self.settled(scenario, 1).work == scenario.work.drawn(but: name, as: Self.settled(scenario, 1)))
        }
    }

    @Test("Spelling: one axis, a list, all but some; unknown, empty and doubled ones are told")
    func spelling() throws {
        #expect(try scenario(Self.text("draw: slots")).draw == [.slots])
        #expect(try scenario(Self.text("draw: [texts, slots]")).draw == [.slots, .texts])
        #expect(try scenario(Self.text("draw: {allBut: [texts]}")).draw == Axis.allCases.filter { $0 != .texts })
        #expect(errors(Self.text("draw: [slot]")).joined().contains("did you mean 'slots'?"))
        #expect(errors(Self.text("draw: []")).joined().contains("'draw' is 'all' or a list"))
        #expect(errors(Self.text("draw: [slots, slots]")).joined().contains("occurs twice"))
        #expect(errors(Self.text("draw: {but: [texts]}")).joined().contains("unknown key 'but'"))
    }

    @Test("A recording's values: what cannot be drawn is refused, and never traps")
    func recorded() throws {
        let scenario = try scenario(Self.text())
        let wrong: [Value] = [
            ["slots": 0], ["slots": "x"], ["capacity": 9_000_000_000_000_000_000], ["launchLimit": -1],
            ["texts": "odd"],
            ["switches": ["eviction": "never"]], ["switches": 1], ["ipadsEach": 3], ["together": 2], ["bulk": -1],
            ["nothing": 1], ["purgeAtSignOut": 1], 7, .null,
        ]
        for value in wrong { #expect(scenario.with(drawn: value) == nil, "\(value)") }
        #expect(scenario.with(drawn: .empty) == scenario)
    }

    @Test("Two iPads each: half of a period's people come, at two iPads each, and edit on both; nobody shares one")
    func pairs() throws {
        let scenario = try scenario(Self.text("draw: [slots]", work: "edits: 9, ipadsEach: 2"))
        #expect(scenario.isAtSeveral)
        for seed in 1...20 as ClosedRange<UInt64> {
            let steps = plan(scenario, seed: seed)
            for period in scenario.periods {
                let here = steps.filter { period.start <= $0.at && $0.at < period.end }
                let pads = Dictionary(grouping: here.filter { $0.deed == .signIn }, by: \.person)
                #expect(pads.count == 2 && pads.values.allSatisfy { Set($0.map(\.pad)).count == 2 })
                #expect(Set(pads.values.joined().map(\.pad)).count == 4)
                let edits = here.filter { if case .perform = $0.deed { true } else { false } }
                #expect(Set(edits.map { "\($0.person) \($0.pad)" }).count == 4)
            }
            let tokens = steps.compactMap { step -> Token? in
                if case .perform(let edit) = step.deed, edit.person == "maya" { edit.token } else { nil }
            }
            #expect(tokens == (1...max(1, tokens.count)).prefix(tokens.count).map { "maya.\($0)" })
        }
    }

    @Test("Edits together: some come in the same instant as the one before; without it none")
    func together() throws {
        func doubles(_ work: String) throws -> Int {
            let steps = plan(try scenario(Self.text("draw: [slots]", work: work)))
            let edits = Dictionary(grouping: steps.filter { if case .perform = $0.deed { true } else { false } }) {
                "\($0.person) \($0.at.nanoseconds)"
            }
            return edits.values.count { $0.count > 1 }
        }
        #expect(try doubles("edits: 9") == 0)
        #expect(try doubles("edits: 9, together: 0.5") > 5)
    }

    @Test("Edits close to a change of account: all within a second of the sign-in, the bell or a fault's moment")
    func close() throws {
        let scenario = try scenario(Self.text("draw: [slots]", work: "edits: 9, close: 1"))
        let change = at(300)
        let steps = Planner.plan(scenario, manifests: Sample.apps, seed: 2, changes: [change])
        let comings = steps.filter { $0.deed == .signIn }
        var nearFault = 0
        for step in steps {
            guard case .perform = step.deed,
                let coming = comings.last(where: { $0.person == step.person && $0.at <= step.at })
            else { continue }
            let bell = try #require(scenario.bells.first { $0 > step.at })
            let distances = [coming.at, bell, change].map { abs(($0 - step.at).nanoseconds) }
            #expect((distances.min() ?? .max) <= Span.seconds(1).nanoseconds)
            if distances[2] <= Span.seconds(1).nanoseconds { nearFault += 1 }
        }
        #expect(nearFault > 5)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test("Bulk: one person brings as many items as were asked for, each another one, in one instant")
    func bulk() throws {
        let scenario = try scenario(Self.text("draw: [slots]", work: "edits: 9, bulk: 500"))
        for seed in 1...10 as ClosedRange<UInt64> {
            let without = plan(try self.scenario(Self.text("draw: [slots]")), seed: seed)
            let steps = plan(scenario, seed: seed)
            #expect(steps.count == without.count + 500)
            let moments = Dictionary(grouping: steps) { "\($0.person) \($0.pad) \($0.at.nanoseconds)" }
            let most = try #require(moments.values.max { $0.count < $1.count })
            let items = most.compactMap { if case .perform(let edit) = $0.deed { edit.item } else { nil } }
            #expect(Set(items).count >= 500)
        }
    }
    private func scenario(_ text: String) throws -> Scenario { try read(text).get() }

    @Test("Texts and names of any kind: within their limits, beginning as the app expects, all kinds within 60 seeds")
    func typing() throws {
        let scenario = try scenario(Self.text("texts: any\nitems: any", work: "edits: 20"))
        var texts: Set<String> = []
        var names: Set<String> = []
        for seed in 1...60 as ClosedRange<UInt64> {
            for step in plan(scenario, seed: seed) {
                guard case .perform(let edit) = step.deed else { continue }
                let action = try #require(
                    Sample.apps.first { $0.name == edit.app }?.actions.first { $0.name == edit.action })
                #expect(edit.item.utf8.starts(with: action.prefix.utf8) && edit.item.utf8.count <= 100)
                if action.pool > 0 {
                    let number = edit.item.dropFirst(action.prefix.count + 1).prefix(while: \.isNumber)
                    #expect((1...action.pool).contains(Int(number) ?? 0), "\(edit.item)")
                }
                if action.verb == .effect { #expect(edit.item == action.prefix) }
                if action.verb == .put { #expect(EditPayload.scan(edit.value).tokens == [edit.token]) }
                texts.insert(edit.value)
                names.insert(edit.item)
            }
        }
        let typed = texts.joined()
        for part in ["\n", "50% off", "👩‍👩‍👧‍👦", "العربية", "日本", "\u{0}", "\u{1b}"] { #expect(typed.contains(part)) }
        #expect(texts.contains { $0.utf8.count > 4_096 })
        #expect(texts.contains { $0.contains(" 0 ") && $0.utf8.count < 50 })
        for part in ["%20", "/", "\n", "ö", "👩‍👩‍👧‍👦"] { #expect(names.contains { $0.contains(part) }) }
    }
}

extension Scenario.Work {
    /// What was drawn, with one member as it was.
    fileprivate func drawn(but name: String, as settled: Scenario) -> Scenario.Work {
        var work = settled.work
        switch name {
        case "ipadsEach": work.ipadsEach = ipadsEach
        case "together": work.together = together
        case "close": work.close = close
        default: work.bulk = bulk
        }
        return work
    }
}

@Suite("Swarm in a file", .timeLimit(.minutes(20)))
struct SwarmReadingTests {
    @Test("Kinds: all but some are named as allBut; beside kinds it is an error, as is an unknown one")
    func allBut() throws {
        #expect(try scenario(Sample.text + "\nswarm: {allBut: [lock, hold]}").swarm?.but == ["lock", "hold"])
        #expect(try scenario(Sample.text + "\nswarm: {allBut: [lock], intensity: 2}").swarm?.intensity == 2)
        let both = errors(Sample.text + "\nswarm: {kinds: all, allBut: [lock]}")
        #expect(both.joined().contains("give either 'kinds' or 'allBut'"))
        #expect(errors(Sample.text + "\nswarm: {allBut: [loc]}").joined().contains("did you mean 'lock'?"))
    }
}
