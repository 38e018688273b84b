import FleetModel
import Testing

@testable import Workload

@Suite("Lesson", .timeLimit(.minutes(20))) struct LessonTests {
    private let school = """
        name: school
        purpose: p
        apps: [notebook, quiz]
        ipads: 4
        people: 4
        classes: {red: 4}
        timetable:
          - {start: 0m, length: 10m, seats: {red: 1-4}}
        work: {edits: 12, pause: [5s, 90s], switching: 0.3, home: 0.2, forget: 0.2}
        """

    @Test("One period: everybody in it draws for themselves, times and edits (4 people)")
    func apart() throws {
        let steps = plan(try scenario(school))
        let people = Dictionary(grouping: steps.filter { $0.deed != .signOut }, by: \.person)
        #expect(people.count == 4)
        #expect(Set(people.values.map { $0.map(\.at) }).count == 4)
    }

    @Test("A period shorter than anybody can work in: nothing behind its bell but the sign-out (5 s)")
    func short() throws {
        var scenario = try scenario(school)
        for index in scenario.periods.indices {
            scenario.periods[index].end = scenario.periods[index].start + .seconds(5)
        }
        for seed in 1...20 as ClosedRange<UInt64> {
            let late = plan(scenario, seed: seed).filter { $0.at >= .zero + .seconds(5) }
            #expect(late.allSatisfy { $0.deed == .signOut && $0.at == .zero + .seconds(5) }, "seed \(seed)")
        }
    }
}
