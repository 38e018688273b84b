import FleetModel
import Glibc
import Nemesis
import Run
import Trace
import World

/// A World without faults for measurements: begun, advanced and looked at step by step.
final class BenchWorld {
    private let world: World
    private let recorder = Recorder(sink: nil)
    private let host: any Host
    private let root: String?

    init(
        mode: Mode, pads: Int, people: [Person], apps: [AppManifest], plan: [PlanStep], storm: Span, scratch: String
    ) throws {
        let run = RunPlan(
            seed: 1, pads: pads, core: Array(1...pads), people: people, apps: apps, plan: plan, faults: [],
            network: LinkModel(),
            storm: storm, calmBudget: .minutes(1))
        root = mode == .fleet ? scratch : nil
        if let root { try Folders.make(root, orElse: .temporary) }
        let wiring = Wiring(catalogue: Homeroom.catalogue, seed: run.seed, diskRoot: root)
        switch mode {
        case .sim:
            Wiring.prepareProcess()
            host = InProcessHost(make: wiring.make)
        case .fleet, .live:
            host = try ProcessHost(logs: nil, limitMilliseconds: 60_000) { id, spec in
                if id != .people { Wiring.prepareProcess() }
                return try wiring.make(id, spec: spec)
            }
        }
        let nemesis = try Nemesis(specs: [], link: run.network, pads: Array(1...pads), stormEnd: .zero + storm)
        world = World(plan: run, nemesis: nemesis, host: host, recorder: recorder)
    }

    var onEvent: (() -> Void)? {
        get { world.onEvent }
        set { world.onEvent = newValue }
    }
    var history: [HistoryEvent] { recorder.history }
    var processes: [ParticipantID: Int32] { (host as? ProcessHost)?.processes ?? [:] }

    func begin() throws {
        try world.begin()
        try world.wakePeople()
    }
    /// - Throws: `RunEnd.interrupted` on Ctrl-C.
    func advance(to instant: Instant) throws {
        while world.now < instant {
            try world.run(until: min(instant, world.now + .seconds(1)))
            if Interruption.isAsked { throw RunEnd.interrupted }
        }
    }

    /// Sends a perform straight to the Pad at its time.
    func schedule(_ step: PlanStep) {
        guard case .perform(let edit) = step.deed else { return }
        world.schedule(PadCommand.Perform(edit).message, to: .pad(step.pad), at: step.at)
    }

    /// Tokens that a person sees on an iPad now.
    func visibleTokens(on pad: Int, app: AppName) throws -> [Token] {
        let answer = try world.ask(.pad(pad), PadCommand.Read(app: app).message, within: .minutes(1))
        return (answer?["items"]?.array ?? []).compactMap(Item.init).flatMap(\.tokens)
    }

    func end() {
        host.shutDown()
        // The folder itself is the command's.
        if let root { Folders.empty(root) }
    }
}
