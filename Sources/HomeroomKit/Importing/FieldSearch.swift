import FleetModel
import Run
import Shrink
import Workload

/// Looks for what logs leave open until the symptom shows: assumptions, alone and by twos, each with several seeds.
struct FieldSearch {
    /// What somebody saw.
    struct Symptom {
        var lossClass: LossClass
        /// In the scenario's words; nil: any.
        var item: String?
    }
    /// What was found.
    struct Found {
        var candidate: Candidate
        var assumed: [String]
        var tries: Int
    }
    let story: FieldStory
    let name: String
    let symptom: Symptom
    let jobs: Int
    let triesMax: Int
    let seeds: Int

    /// What is tried, in its order: nothing assumed, each assumption, each two of them; then the same with the next seed.
    private func plans() -> [(assumptions: [FieldAssumption], seed: UInt64)] {
        let all = story.assumptions
        var sets: [[FieldAssumption]] = [[]] + all.map { [$0] }
        for first in all.indices {
            for second in all.indices.dropFirst(first + 1) { sets.append([all[first], all[second]]) }
        }
        let plans = (1...UInt64(seeds)).flatMap { seed in sets.map { ($0, seed) } }
        return Array(plans.prefix(triesMax))
    }

    func scenario(_ assumptions: [FieldAssumption], seed: UInt64) throws -> Scenario {
        var draft = FieldDraft(story)
        for assumption in assumptions { assumption.apply(&draft) }
        let purpose =
            "What the logs of a mishap know"
            + (assumptions.isEmpty ? "." : ", if " + assumptions.map(\.words).joined(separator: " and ") + ".")
        let text = draft.text(story, name: name, purpose: purpose)
        var scenario = try ScenarioFiles.parse(text, file: name + ".yaml").get()
        scenario.seed = seed
        return scenario
    }

    /// - Returns: nil when the symptom never showed.
    func run() throws -> Found? {
        let plans = plans()
        let items = story.itemOfToken
        var next = 0
        var tried = 0
        let trials = Trials(jobs: jobs, file: name + ".yaml", schemas: [:]) { Progress.show("\(name): try \(tried)") }
        defer { Progress.clear() }
        let found = try trials.play(
            next: {
                while next < plans.count {
                    let place = next
                    next += 1
                    guard let scenario = try? scenario(plans[place].assumptions, seed: plans[place].seed) else {
                        continue
                    }
                    tried += 1
                    return (place, Candidate(scenario, isOfAnySeed: false))
                }
                return nil
            },
            isRight: { trial in
                guard let item = symptom.item else { return trial.counts[symptom.lossClass] != nil }
                return trial.tokens[symptom.lossClass]?.contains { items[$0] == item } ?? false
            }, failed: { _ in })
        guard let found else { return nil }
        let plan = plans[found.place]
        return Found(
            candidate: Candidate(try scenario(plan.assumptions, seed: plan.seed), isOfAnySeed: false),
            assumed: plan.assumptions.map(\.words), tries: found.place + 1)
    }
    var triesPlanned: Int { plans().count }
}
