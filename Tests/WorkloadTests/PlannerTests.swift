import FleetModel
import Testing

@testable import Workload

@Suite("Planner", .timeLimit(.minutes(20)))
struct PlannerTests {
    private let school = """
        name: school
        purpose: p
        apps: [notebook, scrapbook, quiz, homework]
        ipads: 4
        people: 8
        classes: {red: 4, blue: 4}
        timetable:
          - {start: 0m, length: 10m, seats: {red: 1-4}}
          - {start: 10m, length: 10m, seats: {blue: 1-4}}
          - {start: 20m, length: 10m, seats: {red: [2-4, 1]}}
        work: {edits: 12, pause: [5s, 90s], switching: 0.3, home: 0.2, forget: 0.2}
        """

    /// The scenario without one person: what a shrinker makes of it.
    private func without(_ person: Person, _ scenario: Scenario) -> Scenario {
        var scenario = scenario
        scenario.people.removeAll { $0 == person }
        for index in scenario.periods.indices { scenario.periods[index].seats.removeAll { $0.person == person } }
        return scenario
    }

    @Test("Order: by time, then person; equal for equal seeds, different for others")
    func order() throws {
        let scenario = try scenario(school)
        let first = plan(scenario, seed: 5)
        #expect(first == plan(scenario, seed: 5) && first != plan(scenario, seed: 6))
        #expect(zip(first, first.dropFirst()).allSatisfy { ($0.at, $0.person) <= ($1.at, $1.person) })
    }

    @Test("Independence: removing a person or an iPad leaves everybody else's steps equal (8 people)")
    func independence() throws {
        let scenario = try scenario(school)
        let all = plan(scenario, seed: 3)
        for person in scenario.people {
            #expect(plan(without(person, scenario), seed: 3) == all.filter { $0.person != person })
        }
        var fewer = scenario
        for index in fewer.periods.indices { fewer.periods[index].seats.removeAll { $0.pad == 2 } }
        let before = all.filter { $0.pad != 2 }
        let after = plan(fewer, seed: 3)
        // Edits are numbered through the day, so a whole lesson less renumbers the person's own later ones, but nobody else's.
        #expect(after.map { "\($0.at) \($0.person) \($0.pad)" } == before.map { "\($0.at) \($0.person) \($0.pad)" })
    }

    @Test("Streams: nobody copies the one who sat there before")
    func streams() throws {
        let scenario = try scenario(school)
        let steps = plan(scenario)
        let lessons = scenario.periods.map { period in
            steps.filter { $0.pad == 1 && period.start <= $0.at && $0.at < period.end && $0.deed != .signOut }.map {
                $0.at - period.start
            }
        }
        #expect(Set(lessons).count == 3)
    }

    @Test("Places: nobody is in two places, everybody signs in before acting and out at the bell (8 seeds)")
    func places() throws {
        let scenario = try scenario(school)
        for seed in 0..<8 as Range<UInt64> {
            var place: [Person: Int] = [:]
            for step in plan(scenario, seed: seed) {
                switch step.deed {
                case .signIn, .signInAsGuest: place[step.person] = step.pad
                case .signOut:
                    #expect(place[step.person] == step.pad && scenario.bells.contains(step.at))
                    place[step.person] = nil
                case .open, .home, .perform, .command, .backUp, .restore:
                    #expect(place[step.person] == step.pad)
                    let period = scenario.periods.first { $0.start <= step.at && step.at < $0.end }
                    #expect(period?.seats.contains(.init(step.person, pad: step.pad)) == true)
                }
            }
        }
    }

    @Test("Edits: numbered per person from 1, on the app that is open, whole payloads (8 seeds)")
    func edits() throws {
        let scenario = try scenario(school)
        for seed in 0..<8 as Range<UInt64> {
            var open: [Person: AppName] = [:]
            var count: [Person: Int] = [:]
            for step in plan(scenario, seed: seed) {
                if case .open(let app) = step.deed { open[step.person] = app }
                if case .home = step.deed { open[step.person] = nil }
                guard case .perform(let edit) = step.deed else { continue }
                count[step.person, default: 0] += 1
                #expect(edit.token == "\(step.person).\(count[step.person] ?? 0)" && edit.app == open[step.person])
                #expect(EditPayload.scan(edit.value).tokens == (edit.verb == .put ? [edit.token] : []))
            }
            #expect(count.values.allSatisfy { $0 >= 11 } && count.count == 8)
        }
    }

    @Test("Mix: all apps, actions, switches, trips home and forgetting occur (8 seeds)")
    func mix() throws {
        let scenario = try scenario(school)
        let steps = (0..<8 as Range<UInt64>).flatMap { plan(scenario, seed: $0) }
        let actions = Set(
            steps.compactMap {
                if case .perform(let edit) = $0.deed { "\(edit.app) \(edit.action) \(edit.verb)" } else { nil }
            })
        #expect(
            actions == [
                "notebook write put", "notebook delete delete", "scrapbook draw put", "quiz answer put",
                "quiz finishIntro effect", "homework handIn put",
            ])
        let homes = steps.count { $0.deed == .home }
        let outs = steps.count { $0.deed == .signOut }
        #expect(homes > 20)
        #expect(outs < 8 * 12 && outs > 8 * 7)
    }

    @Test("Items: from the pool, a flag by its prefix, a new one by its token")
    func items() throws {
        var pen = Pen(person: "maya", seed: 1)
        let quiz = Sample.apps[4]
        #expect(pen.edit(quiz, quiz.actions[1]).item == "introDone")
        #expect(pen.edit(quiz, quiz.actions[1]).value == "true")
        #expect(pen.edit(Sample.apps[6], Sample.handIn[0]).item == "essay-maya.3")
        #expect((1...8).map { "answer-\($0)" }.contains(pen.edit(quiz, quiz.actions[0]).item))
    }

    @Test("Short periods: edits are pressed together, none falls behind the bell")
    func pressed() throws {
        let scenario = try scenario(school.replacingOccurrences(of: "length: 10m", with: "length: 40s"))
        let steps = plan(scenario)
        #expect(steps.count { if case .perform = $0.deed { true } else { false } } == 3 * 4 * 12)
    }

    @Test("Written day: whoever has a written step is not generated; the others are")
    func written() throws {
        let scenario = try scenario(school + "\nsteps:\n  - {at: 1s, who: maya, ipad: 1, do: signIn}\n")
        let steps = plan(scenario)
        #expect(steps.filter { $0.person == "maya" } == [PlanStep(at: at(1), person: "maya", pad: 1, .signIn)])
        #expect(Set(steps.map(\.person)).count == 8)
    }

    @Test("Fleet: each file of Fleet/ is right and comes to a sensible number of edits", arguments: Fleet.names)
    func fleet(name: String) throws {
        let scenario = try scenario(try Fleet.text(name))
        #expect("/\(name)".hasSuffix("/\(scenario.name).yaml") && !scenario.mustReach.isEmpty)
        let edits = plan(scenario).count { if case .perform = $0.deed { true } else { false } }
        #expect(edits >= max(3, scenario.limits.minPerformed ?? 1) && edits <= 1_500, "\(edits) edits")
    }

    @Test("Fleet: the scenarios of the issue are there")
    func fleetNames() {
        #expect(Fleet.names.count >= 12)
    }
}
