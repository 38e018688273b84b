import FleetModel
import Live
import Load
import Nemesis
import Run
import Trace
import Workload
import World

/// The world of a run, in the mode that was asked for.
extension Runner {
    /// What is known of a run beside what its recorder holds.
    struct Played {
        var end: Instant
        var events: Int
        var marks: Set<String>
        /// Why the run could not go on; nil: it came to its end.
        var obstacle: String?
        /// Of a measured run in live.
        var costs: Costs?
        /// Of a run against a Cloud that was given; real ns.
        var clockError: Int64?
    }
    func play(
        _ plan: RunPlan, _ nemesis: Nemesis, _ recorder: Recorder, _ pulse: @escaping () -> Void
    ) throws -> Played {
        if mode == .live { return try playLive(plan, nemesis, recorder, pulse) }
        let world = World(plan: plan, nemesis: nemesis, host: try host(), recorder: recorder)
        world.onEvent = { [unowned world] in
            pulse()
            clock.now = world.now
        }
        let obstacle = try obstacle { try world.run() }
        return Played(end: world.now, events: recorder.events, marks: world.marks, obstacle: obstacle)
    }
    private func playLive(
        _ plan: RunPlan, _ nemesis: Nemesis, _ recorder: Recorder, _ pulse: @escaping () -> Void
    ) throws -> Played {
        // Brand-new iPads come while the others run.
        let share = { (count: Int) in (count + live.shard.count - 1) / live.shard.count }
        try Machine.requireFiles(forLive: share(plan.pads) + min(share(plan.people.count), 64))
        let root = try diskRoot()
        let wiring = Wiring(catalogue: Homeroom.catalogue, seed: seed, diskRoot: root)
        var settings = LiveWorld.Settings(
            speed: live.speed, program: live.program, cloud: live.cloud, shard: live.shard,
            identity: identity(of: plan), data: root + "/cloud",
            logs: results.map { $0.unfinished + "/logs" } ?? "")
        settings.network = SchoolNetworkProcess.serve
        settings.scenario = loaded.scenario.name
        if isPart { settings.build = Homeroom.build }
        let world = try LiveWorld(plan: plan, nemesis: nemesis, recorder: recorder, settings: settings) { id, spec in
            if id != .people { Wiring.prepareProcess() }
            return try wiring.make(id, spec: spec)
        }
        // Not before: what the world has forked does not listen.
        if isPart { Interruption.listen() }
        let meter = loaded.scenario.isMeasured ? CostMeter(window: loaded.scenario.busy) : nil
        if let meter {
            world.onRequest = { [unowned world] in meter.take($0, inPhase: world.phase(at: $0.began)) }
            world.onStormEnd = { [unowned world] in meter.weigh(world) }
            world.onSign = { meter.finished.map { ["machine": .string(Machine.name), "of": $0.body] } }
        }
        world.onEvent = { [unowned world] in
            // Twice: between steps of participants, which are in other processes.
            pulse()
            pulse()
            clock.now = world.now
            if isPart, Interruption.isAsked { world.interrupt() }
            meter?.look(world)
        }
        let obstacle = try obstacle { try world.run(onlyStorm: endsAfterStorm) }
        // The others have heard of it, and end: there will be nothing to merge.
        if isPart, let obstacle { throw RunEnd.harness("the run proves nothing: \(obstacle)") }
        return Played(
            end: world.now, events: world.handled, marks: world.marks,
            obstacle: obstacle ?? (endsAfterStorm ? "only the storm was played" : nil), costs: meter?.finished,
            clockError: live.cloud == nil ? nil : world.clockError)
    }

    /// - Returns: why the run proves nothing; nil when it came to its end.
    private func obstacle(_ run: () throws -> Void) throws -> String? {
        do { try run() } catch let end as RunEnd where end.kind == .inconclusive { return end.message }
        return nil
    }

    private func host() throws -> any Host {
        let root: String? = mode == .fleet ? try diskRoot() : nil
        let wiring = Wiring(
            catalogue: Homeroom.catalogue, seed: seed, diskRoot: root, limitMilliseconds: limitMilliseconds)
        switch mode {
        case .sim:
            Wiring.prepareProcess()
            return InProcessHost(make: wiring.make)
        case .fleet, .live:
            let logs = results.map { $0.unfinished + "/logs" }
            return try ProcessHost(logs: logs, limitMilliseconds: limitMilliseconds) { id, spec in
                if id != .people { Wiring.prepareProcess() }
                return try wiring.make(id, spec: spec)
            }
        }
    }

    /// Real files of a fleet: beside the results, or in the machine's folder for temporary files.
    private func diskRoot() throws -> String {
        guard let home = results?.unfinished ?? scratch else {
            throw RunEnd.harness("a fleet without a folder for its disks")
        }
        let root = home + "/disks"
        try Folders.make(root, orElse: way)
        return root
    }
    /// A bench that only measures has its results among the temporary files too: its own --out is elsewhere.
    var way: Folders.Way { results == nil || endsAfterStorm ? .temporary : .out }
}
