import FleetModel
import Testing

@testable import Workload

@Suite("Load", .timeLimit(.minutes(20))) struct LoadTests {
    private static let text = """
        name: load
        purpose: p
        apps: [notebook, quiz]
        ipads: 8
        people: 4
        load: {every: 10s, length: 1m, apps: {notebook: 3, quiz: 1}}
        """
    private func with(_ line: String, _ text: String = Self.text) -> String { text + "\n" + line }
    private func edits(_ plan: [PlanStep]) -> [(step: PlanStep, edit: Edit)] {
        plan.compactMap { step in
            guard case .perform(let edit) = step.deed else { return nil }
            return (step, edit)
        }
    }

    @Test("Plan: each iPad has an edit in every interval, and a person's iPads take turns (4 people, seeds 1-5)")
    func intervals() throws {
        let scenario = try scenario(Self.text)
        for seed in UInt64(1)...5 {
            let all = edits(plan(scenario, seed: seed))
            #expect(all.count == 8 * 6)
            for pad in 1...8 {
                let times = all.filter { $0.step.pad == pad }.map(\.step.at)
                #expect(times.map { ($0 - at(60)).nanoseconds / 10_000_000_000 } == [0, 1, 2, 3, 4, 5])
                #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .seconds(10) })
            }
            for (index, person) in scenario.people.enumerated() {
                let own = all.filter { $0.step.person == person }
                #expect(own.map(\.step.pad) == (0..<12).map { 2 * index + 1 + $0 % 2 })
                #expect(own.map(\.edit.token) == (1...12).map { "\(person).\($0)" })
            }
        }
    }

    @Test(
        "Plan: on a ramp the rate goes linearly from one to the other: at each second so many edits are due (up, down, seeds 1-3)",
        arguments: [("[10s, 1s]", 0.1, 1.0), ("[1s, 10s]", 1.0, 0.1)])
    func ramp(every: String, first: Double, last: Double) throws {
        let scenario = try scenario(Self.text.replacing("every: 10s", with: "every: \(every)"))
        for seed in UInt64(1)...3 {
            let all = edits(plan(scenario, seed: seed))
            for (index, person) in scenario.people.enumerated() {
                let own = all.filter { $0.step.person == person }
                for second in 0...60 {
                    let t = Double(second)
                    let due = 2 * (first * t + (last - first) * t * t / 120)
                    let made = own.filter { $0.step.at < at(60 + Int64(second)) }.count
                    #expect(abs(Double(made) - due) <= 1, "\(person), seed \(seed), second \(second)")
                }
                #expect(own.map(\.step.pad) == own.indices.map { 2 * index + 1 + $0 % 2 })
            }
        }
    }

    @Test("Plan: a ramp from one time to the same is none")
    func levelRamp() throws {
        let level = try scenario(Self.text.replacing("every: 10s", with: "every: [10s, 10s]"))
        #expect(plan(level, seed: 7) == plan(try scenario(Self.text), seed: 7))
    }

    @Test(
        "Errors: a ramp of one, three or impossible times, or of too many edits",
        arguments: [
            ("[10s]", "f.yaml:6:15: 'load.every' has to be two times, such as [5s, 40s], not a list"),
            ("[1s, 2s, 3s]", "f.yaml:6:15: 'load.every' has to be two times, such as [5s, 40s], not a list"),
            (
                "[10s, 0s]",
                "f.yaml:6:21: 'load.every[2]' has to be a time from 0.001s to 1h00m, such as 90s or 1h30m, not '0s'"
            ),
            (
                "{from: 1s}",
                "f.yaml:6:15: 'load.every' has to be a time from 0.001s to 1h00m, such as 90s or 1h30m, not a mapping"
            ),
        ])
    func wrongRamp(every: String, error: String) {
        #expect(errors(Self.text.replacing("every: 10s", with: "every: \(every)")) == [error])
        let many = Self.text.replacing("every: 10s", with: "every: [1h, 1ms]").replacing(
            "length: 1m", with: "length: 24h")
        #expect(errors(many) == ["f.yaml:6:7: the load comes to 345600096 edits; at most 2000000 in one scenario"])
    }

    @Test("Plan: everybody signs in and opens one app on all their iPads before the load begins; nobody leaves it")
    func arrival() throws {
        let steps = plan(try scenario(Self.text)).filter { if case .perform = $0.deed { false } else { true } }
        #expect(steps.count == 4 * 4 && steps.allSatisfy { $0.at <= at(20) })
        let maya = steps.filter { $0.person == "maya" }
        #expect(maya.map(\.deed) == [.signIn, .open("notebook"), .signIn, .open("notebook")])
        #expect(maya.map(\.pad) == [1, 1, 2, 2])
        #expect(steps.contains { $0.deed == .open("quiz") && $0.pad == 8 })
    }

    @Test("Plan: only what puts a text; equal for equal seeds, different for others")
    func content() throws {
        let scenario = try scenario(Self.text)
        #expect(edits(plan(scenario)).allSatisfy { $0.edit.verb == .put })
        #expect(
            plan(scenario, seed: 4) == plan(scenario, seed: 4) && plan(scenario, seed: 4) != plan(scenario, seed: 5))
    }

    @Test("What everyone sees: each person has items of their own, since nobody may change another's (2 and 30 people)")
    func ownItems() throws {
        for people in [2, 30] {
            let text = Self.text.replacing("people: 4", with: "people: \(people)").replacing(
                "ipads: 8", with: "ipads: \(2 * people)"
            ).replacing("apps: [notebook, quiz]", with: "apps: [bulletin]").replacing(
                ", apps: {notebook: 3, quiz: 1}", with: "")
            var board = try #require(Sample.apps.first { $0.name == "bulletin" })
            board.actions[0].pool = 20
            func owners(_ app: AppManifest) throws -> [String: Set<Person>] {
                let plan = Planner.plan(try scenario(text), manifests: [app], seed: 1)
                return Dictionary(edits(plan).map { ($0.edit.item, [$0.edit.person]) }) { $0.union($1) }
            }
            #expect(try owners(board).values.contains { $0.count > 1 })
            board.forEveryone = ["note"]
            let own = try owners(board)
            #expect(own.values.allSatisfy { $0.count == 1 } && Set(own.values.joined()).count == people)
            guard people == 2 else { continue }
            #expect(own.count > 8 && own.keys.allSatisfy { Int($0.dropFirst(6)).map { $0 <= 20 } ?? false })
        }
    }

    @Test("Independence: removing a person leaves everybody else's steps equal (4 people)")
    func independence() throws {
        let scenario = try scenario(Self.text)
        let all = plan(scenario, seed: 3)
        for person in scenario.people {
            var fewer = scenario
            fewer.people.removeAll { $0 == person }
            #expect(plan(fewer, seed: 3) == all.filter { $0.person != person })
        }
    }

    @Test("Storm: two minutes longer than the load, which is measured unless the file says no")
    func storm() throws {
        let load = try scenario(Self.text)
        #expect(load.storm == .minutes(4) && load.isMeasured)
        #expect(load.padSettings["notesArrivals"] == true)
        #expect(try !scenario(with("measure: false")).isMeasured)
        #expect(try scenario(Sample.text).padSettings["notesArrivals"] == nil)
        #expect(try scenario(with("measure: true", Sample.text)).padSettings["notesArrivals"] == true)
    }

    @Test("iPads: as many as each person has, one to sixteen")
    func pads() throws {
        let each = Self.text.replacing("length: 1m,", with: "length: 1m, ipadsEach: 1,")
        #expect(Set(edits(plan(try scenario(each))).map(\.step.pad)) == [1, 2, 3, 4])
        let many = Self.text.replacing("length: 1m,", with: "length: 1m, ipadsEach: 3,")
        #expect(
            errors(many) == [
                "f.yaml:6:7: 4 people with 3 iPads each need 12 iPads, and there are 8: give 'ipads: 12', or fewer people"
            ])
    }

    @Test(
        "Errors: what cannot be beside a load, and what it needs",
        arguments: [
            ("work: {edits: 3}", "f.yaml:7:7: 'work' cannot be beside 'load', which says what everybody does"),
            ("guests: [zoe]", "f.yaml:7:9: 'guests' cannot be beside 'load', which says what everybody does"),
            ("storm: 90s", "f.yaml:7:8: the storm ends at 1m30s, while people still act at 2m"),
            ("measure: maybe", "f.yaml:7:10: 'measure' has to be true or false, not 'maybe'"),
        ])
    func beside(line: String, error: String) { #expect(errors(with(line)) == [error]) }

    @Test("Errors: a load of too many edits, without its keys, of an app in which nothing is written")
    func wrong() {
        let many = Self.text.replacing("every: 10s", with: "every: 1ms").replacing("length: 1m", with: "length: 24h")
        #expect(errors(many) == ["f.yaml:6:7: the load comes to 691200000 edits; at most 2000000 in one scenario"])
        let empty = Self.text.replacing(
            "load: {every: 10s, length: 1m, apps: {notebook: 3, quiz: 1}}", with: "load: {}")
        #expect(errors(empty).count == 2)
        let short = Self.text.replacing("every: 10s", with: "every: 10s, from: 5s")
        #expect(errors(short).first?.contains("'load.from' has to be a time from 30s to 24h") == true)
    }
}
