import CInterpose
import FleetModel
import Nemesis
import Run

/// Starts, ends and commands in real time.
extension LiveWorld {
    package func start(_ id: ParticipantID, spec: Value) throws {
        switch id {
        case .cloud: try openCloud()
        case .people: try startPeople(spec)
        case .pad(let number): try startPad(number, spec: spec)
        case .app: break
        }
    }

    /// The Cloud answers, everybody has an account, and the clock begins to run.
    private func openCloud() throws {
        try cloud.start()
        isCloudUp = true
        try greet()
        try cloud.checkWay(tries: CloudService.firstWayTries)
        if shard.leads {
            try requireStrangers()
            for person in plan.people {
                onEvent?()
                try hear()
                try carryOut(CloudCommand.account.message(["account": .string(person)]))
            }
        }
        (wallOffset, clockError) = try cloud.clockOffset()
        comparedAt = hr_real_ns()
        network = try startNetwork()
        let clock = LiveClock(start: try start(), speed: settings.speed)
        try network?.begin(clock)
        self.clock = clock
    }

    /// The process that faults of messages and bytes need; nil without such faults, or where it could look into nothing.
    private func startNetwork() throws -> SchoolNetwork? {
        let faults = plan.faults.filter(SchoolNetwork.bends)
        guard !faults.isEmpty, let body = settings.network, let target = cloud.plainTarget else { return nil }
        return try SchoolNetwork(
            SchoolNetworkPlan(
                target: target, faults: faults, pads: Array(1...max(plan.pads, 1)), stormEnd: .zero + plan.storm,
                seed: plan.seed, patience: FaultyTransport.patience, control: -1), body)
    }

    /// At the end once more, and notes how far the Cloud's notes may be from their place. What the Cloud noted by a clock that was set meanwhile stands elsewhere in the order than it happened.
    func compareClocks() throws {
        let first = (offset: wallOffset, error: clockError)
        let second = try cloud.clockOffset()
        guard ClockLook.wasSet(first, second, seconds: (hr_real_ns() - comparedAt) / 1_000_000_000) else {
            clockError = ClockLook.error(first, second)
            let inRun = Int64(Double(clockError) * settings.speed)
            return keep(
                Note(.clocks, detail: ["error": .int(clockError), "inRun": .int(inRun)]), from: .people, at: .zero)
        }
        let ahead = Double(second.offset - first.offset) / 1_000_000_000
        throw RunEnd.input(
            "the calendar clock at \(cloud.origin) or here was set by \(ahead) s during the run: the order of what happened is not known; "
                + "let NTP set the clocks, then run again")
    }

    /// A server that is given may remember an earlier run, whose edits have the same names.
    private func requireStrangers() throws {
        // What it noted before is not this run's.
        _ = try cloud.history()
        let known = Set(try carryOut(CloudCommand.accounts.message())["accounts"]?.strings ?? [])
        guard let person = plan.people.first(where: known.contains) else { return }
        throw RunEnd.input(
            "\(cloud.origin) has an account '\(person)' already, with what an earlier run left there: start homeroom-cloud on an empty "
                + "data folder for each run")
    }

    package func requireHealth() throws {
        // It itself first: one that is gone is no fault of the way.
        try cloud.checkDisk()
        try cloud.checkWay()
    }

    package func boot(_ id: ParticipantID) throws {
        guard !isAlive(id) else { return }
        switch id {
        case .pad(let number):
            // It may be doing its last step: two lives never share a disk.
            while pads[number]?.fall != nil { _ = try runOne(until: now + .seconds(1)) }
            try start(id, spec: padSpec(number))
            try command(id, PadCommand.Boot().message)
        case .cloud:
            try cloud.start()
            isCloudUp = true
            try note(Note(.cloudRestarted), from: .cloud)
        case .people, .app: return
        }
        for message in afterBoot.removeValue(forKey: id) ?? [] { try command(id, message) }
    }

    /// So long an iPad waits for a push: the server holds a poll back for 25 s.
    private static let pollSeconds = 40

    /// An iPad outside the core finds no network in calm: what only it holds is stranded.
    private func padSpec(_ number: Int) -> Value {
        var spec = plan.padSpec(number)
        var live = clock?.body ?? .empty
        live["base"] = .string(network?.origin ?? cloud.way.base)
        live["certificate"] = cloud.way.certificate.map { .string($0) }
        live["logs"] = .string(settings.logs)
        live["scenario"] = .optional(settings.scenario)
        live["isOffline"] = .bool(isCalm && isOutside(number))
        let faults = network == nil ? plan.faults : plan.faults.filter { !SchoolNetwork.bends($0) }
        live["faults"] = .array(faults.map(\.body))
        live["pads"] = .int(plan.pads)
        live["stormEnd"] = .int((.zero + plan.storm).nanoseconds)
        live["seed"] = .int(Int64(bitPattern: plan.seed))
        live["measures"] = .bool(onRequest != nil)
        spec["live"] = live
        spec["push"] = ["poll": .int(Self.pollSeconds)]
        spec["timeScale"] = .double(settings.speed)
        return spec
    }
    private func isOutside(_ number: Int) -> Bool { number <= plan.pads && !plan.core.contains(number) }

    package func isAlive(_ id: ParticipantID) -> Bool {
        switch id {
        case .pad(let number): pads[number].map { $0.fall == nil } ?? false
        case .cloud: isCloudUp
        case .people, .app: false
        }
    }
    package func end(_ id: ParticipantID) {
        switch id {
        case .people:
            endPeople()
            onStormEnd?()
        case .pad(let number): kill(number)
        case .cloud, .app: break
        }
    }
    package var readings: Int { 3 }
    /// Of these, virtual time has more.
    package var timeScale: Double { max(1, settings.speed) }
    package func switchOff(_ pad: Int) { kill(pad) }

    // MARK: Commands

    package func send(_ message: Message, to id: ParticipantID) -> UInt64 {
        let exchange = nextNumber()
        if id == .cloud, !shard.leads {
            answered(exchange, Message(message.name))
        } else if id == .cloud {
            // Asked at once: the answer is there when somebody looks.
            do { answered(exchange, Message(message.name, try carryOut(message))) } catch { problem = problem ?? error }
        } else if case .pad(let number) = id {
            pads[number]?.send([Input(from: .people, .command(message), exchange: exchange)])
        }
        return exchange
    }
    /// A command of people, to a Pad that may be down: then nobody answers.
    func send(_ message: Message, to id: ParticipantID, exchange: UInt64) throws {
        guard case .pad(let number) = id, isAlive(id) else { return }
        pads[number]?.send([Input(from: .people, .command(message), exchange: exchange)])
    }
    /// A command without an answer. Who is down gets it after the boot: what heals must heal there too.
    func command(_ id: ParticipantID, _ message: Message) throws {
        guard isPlayedHere(id) else { return }
        guard isAlive(id) else { return afterBoot[id, default: []].append(message) }
        switch id {
        case .pad(let number): pads[number]?.send([Input(from: .people, .command(message))])
        case .cloud: try carryOut(message)
        case .people, .app: break
        }
    }
    /// Has the Cloud carry a command out, and keeps what it notes.
    @discardableResult
    private func carryOut(_ message: Message) throws -> Value {
        let answer = try cloud.command(message)
        if let reason = answer["refused"]?.string {
            try cloud.checkDisk()
            throw RunEnd.harness("the Cloud refuses \(message.name): \(reason)")
        }
        for body in answer["notes"]?.array ?? [] {
            if let event = HistoryEvent(body) { keep(event.note, from: .cloud, at: now) }
        }
        return answer
    }

    /// So far, in ns, may the Cloud's notes lie from the run: accounts are made shortly before its clock begins.
    static let strangest: Int64 = 600_000_000_000

    /// What the Cloud noted, by the clock of the run.
    func cloudHistory() throws -> [HistoryEvent] {
        try cloud.history().map { event in
            let own = (Instant.epochNanoseconds &+ event.at.nanoseconds) &- wallOffset
            guard let clock, own > clock.start - Self.strangest, own < hr_real_ns() + Self.strangest else {
                throw RunEnd.input("\(cloud.origin) notes a time that is not this run's: correct its clock or folder")
            }
            return HistoryEvent(at: clock.instant(at: own), from: .cloud, event.note)
        }
    }
}
