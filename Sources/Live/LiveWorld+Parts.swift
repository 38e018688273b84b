import CInterpose
import FleetModel
import Glibc
import Run

/// One part among others: what is played here, and when everybody goes on together.
extension LiveWorld {
    package var shard: Shard { settings.shard }

    /// Whether this part acts on it: its own iPads, and the leading one on the Cloud.
    func isPlayedHere(_ id: ParticipantID) -> Bool {
        switch id {
        case .pad(let number), .app(let number, _): shard.holds(number)
        case .cloud: shard.leads
        case .people: true
        }
    }

    package func meet(_ what: String, _ flag: Bool) throws -> Bool {
        try assemble(what, ["flag": .bool(flag)]).contains { $0["flag"]?.bool == true }
    }

    /// Waits until every part has come; the run goes on meanwhile.
    /// - Returns: what each of them brought, by part.
    private func assemble(_ what: String, _ body: Value) throws -> [Value] {
        guard let parts else { return [body] }
        try parts.arrive(at: what, body)
        while true {
            if let all = parts.met { return all }
            _ = try runOne(until: now + .seconds(1))
        }
    }

    /// Ends the run as a failure of this part, at the next step: the others hear of it and need not wait.
    public func interrupt() { problem = problem ?? RunEnd.harness("it was interrupted (Ctrl-C or a signal)") }

    /// People who come from other parts.
    func hear() throws {
        if let problem { throw problem }
        for message in try parts?.look() ?? [] { try stepPeople([Input(from: .people, .post(message))]) }
    }

    /// Everybody is there and plays the same.
    func greet() throws {
        let own: Value = [
            "build": .string(settings.build), "scenario": .string(settings.identity),
            "seed": .string(String(plan.seed)), "speed": .double(settings.speed),
        ]
        for (index, other) in try assemble("the beginning", own).enumerated() where other != own {
            guard other["build"] == own["build"] else {
                let build = other["build"]?.string ?? "one that does not tell"
                throw RunEnd.input(
                    "part \(index + 1)/\(shard.count) is of another build (\(build)) than part \(shard) (\(settings.build)): start all parts with "
                        + "one executable")
            }
            for what in ["scenario", "seed", "speed"] where other[what] != own[what] {
                throw RunEnd.input(
                    "part \(index + 1)/\(shard.count) has another \(what) than part \(shard): start all parts with the same scenario file, "
                        + "--seed and --speed")
            }
        }
    }

    /// What tells a part from a whole run, when all is done.
    func signPart() {
        guard let parts, let clock else { return }
        var detail: Value = [
            "shard": .string("\(shard)"), "run": .string(parts.run), "events": .int(handled),
            "speed": .double(settings.speed),
            "wallMilliseconds": .int((hr_real_ns() - clock.start) / 1_000_000),
        ]
        detail["costs"] = onSign?()
        keep(Note(.part, detail: detail), from: .people, at: .zero)
    }

    /// Between the word that the clock begins and its beginning, ns: most have heard of it by then, and who has not begins late.
    private static let notice: Int64 = 1_000_000_000

    /// When the clock of the run begins, in ns of this machine's monotonic clock. All parts begin at one moment of the Cloud's clock.
    func start() throws -> Int64 {
        guard parts != nil else { return hr_real_ns() }
        let proposal = hr_real_ns() &+ wallOffset &+ Self.notice
        guard let moment = try assemble("the start", ["at": .int(proposal)]).first?["at"]?.int,
            (moment &- proposal).magnitude < UInt64(Self.strangest)
        else { throw RunEnd.harness("part 1/\(shard.count) names no beginning that could be one") }
        return moment &- wallOffset
    }
}
