import FleetModel
import Load
import Nemesis
import PadCore
import Run
import Trace
import Workload

/// What a run is made of before it begins: drawn from scenario and seed, or taken from a recording.
extension Runner {
    /// Differs where the scenario does, or what this build makes of it.
    func identity(of plan: RunPlan) -> String {
        var hash = StableHash()
        hash.add(loaded.text)
        hash.add(RunFigures.name(of: plan.plan))
        hash.add(drawn.json)
        for fault in plan.faults { hash.add(fault.body.json) }
        return String(hash.value, radix: 16)
    }

    var header: TraceHeader {
        TraceHeader(
            scenario: loaded.scenario.name, scenarioText: loaded.text, seed: seed, file: loaded.file,
            isLive: mode == .live, drawn: drawn, schemas: loaded.schemas)
    }

    /// The tapes: drawn from scenario and seed, or taken from the recording.
    /// - Throws: `RunEnd.input` for a recording whose header holds what no seed draws.
    func runPlan(_ manifests: [AppManifest]) throws -> RunPlan {
        guard let scenario = loaded.scenario.with(drawn: drawn) else {
            throw RunEnd.input("\(traceFile):1:1: 'drawn' in the header cannot be used; record it again")
        }
        var faults = recorded?.faults ?? scenario.faults + swarmed(scenario)
        var steps =
            recorded?.plan
            ?? Planner.plan(scenario, manifests: manifests, seed: seed, changes: faults.changesOfAccount)
        try leaveOut(&faults, &steps)
        var settings = scenario.padSettings
        if judgesHabits {
            settings["habits"] = true
            // An app that declares that a purge costs nothing is taken at its word (S11).
            settings["purgeAtSignOut"] = true
        }
        return RunPlan(
            seed: seed, pads: scenario.ipads, core: scenario.core, people: scenario.people, apps: manifests,
            plan: steps,
            faults: faults, outcomes: recorded?.outcomes, network: scenario.linkModel, storm: scenario.storm,
            calmBudget: scenario.calmBudget, padSettings: settings,
            cloudSettings: cloudSettings(scenario, manifests),
            isOpenLoad: scenario.isAtSeveral,
            maxCallsPerInstant: scenario.limits.maxCallsPerInstant ?? RunPlan.standardCallsPerInstant)
    }

    private func cloudSettings(_ scenario: Scenario, _ manifests: [AppManifest]) -> Value {
        var settings = Value.empty
        if scenario.cloud.body != .empty { settings["settings"] = scenario.cloud.body }
        if scenario.isAudited { settings["audit"] = true }
        guard scenario.watchesSchema else { return settings }
        settings["watchesSchema"] = true
        var schemas = Value.Object()
        for manifest in manifests {
            guard let text = loaded.schemas[manifest.name] else { continue }
            for container in manifest.recordContainers { schemas[container] = .string(text) }
        }
        settings["schemas"] = .object(schemas)
        return settings
    }

    /// - Throws: `RunEnd.input` for a name that the run has nothing of.
    private func leaveOut(_ faults: inout [FaultSpec], _ steps: inout [PlanStep]) throws {
        for name in without.sorted() {
            let count = faults.count + steps.count
            faults.removeAll { $0.id == name }
            steps.removeAll { if case .perform(let edit) = $0.deed { edit.token == name } else { false } }
            guard faults.count + steps.count < count else {
                throw RunEnd.input(
                    "--without \(name): '\(loaded.scenario.name)' with seed \(seed) has no such fault and no such edit; the lines 'fault' and 'plan' of its trace.jsonl name them"
                )
            }
        }
    }

    /// - Throws: `RunEnd.input` with the line of a recorded fault that cannot be; drawn and written ones have been checked.
    func nemesis(_ plan: RunPlan) throws -> Nemesis {
        do throws(Nemesis.Problem) {
            return try Nemesis(
                specs: plan.faults, link: plan.network, pads: Array(1...max(plan.pads, 1)), stormEnd: .zero + plan.storm
            )
        } catch {
            guard let lines = recorded?.faultLines, lines.indices.contains(error.index) else { throw error }
            throw RunEnd.input("\(traceFile):\(lines[error.index]):1: \(error); record it again")
        }
    }

    /// What the seed draws of the scenario beside its faults, or drew when it was recorded.
    var drawn: Value {
        if let recorded { return recorded.header.drawn }
        var scenario = loaded.scenario
        // A Cloud that is given stays as it was set when it was started.
        if mode == .live, live.cloud != nil { scenario.draw.removeAll { $0 == .cloud } }
        return scenario.drawn(seed: seed)
    }

    func swarmed(_ scenario: Scenario) -> [FaultSpec] {
        guard let swarm = scenario.swarm else { return [] }
        return Swarm(
            kinds: swarm.kinds, but: swarm.but, intensity: swarm.intensity, busy: scenario.bells,
            people: scenario.people,
            apps: scenario.apps
        )
        .specs(pads: Array(1...max(scenario.ipads, 1)), horizon: .zero + scenario.storm, seed: seed)
    }
}

extension [FaultSpec] {
    /// When faults change accounts or who is signed in.
    fileprivate var changesOfAccount: [Instant] {
        let changing: [FaultFamily] = [.identity, .people]
        return flatMap { spec -> [Instant] in
            guard let family = FaultRegistry.named(spec.kind)?.family, changing.contains(family) else { return [] }
            return spec.until > spec.from ? [spec.from, spec.until] : [spec.from]
        }
    }
}
