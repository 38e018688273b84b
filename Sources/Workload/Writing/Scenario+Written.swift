import FleetModel

/// A run written out: everything that a seed drew of it stands in the scenario as if somebody had written it.
extension Scenario {
    /// The same run as explicit steps and faults, without timetable, load, swarm and draws. Played with the same seed it is the same run, message for
    /// message: draws that are left come from the seed and the names of people, edits and faults, which stay.
    ///
    /// What a run must show (`mustReach`, most `limits`) is left out: a smaller run shows less.
    /// - Parameters:
    ///   - plan: the workload tape of the run.
    ///   - faults: its fault tape.
    ///   - drawn: what the seed drew of the axes, as in the header of its trace.
    /// - Returns: nil for what no seed draws.
    public func written(plan: [PlanStep], faults: [FaultSpec], drawn: Value, seed: UInt64) -> Scenario? {
        guard var written = with(drawn: drawn) else { return nil }
        written.seed = seed
        written.draw = []
        written.swarm = nil
        written.faults = faults
        let isAtSeveral = written.isAtSeveral
        written.work = Work(apps: apps.map { .init($0) })
        written.work.ipadsEach = isAtSeveral ? 2 : 1
        written.load = nil
        written.periods = []
        (written.texts, written.items) = (.words, .plain)
        written.steps = Self.steps(of: plan)
        written.mustReach = []
        var limits = Limits()
        limits.maxCallsPerInstant = self.limits.maxCallsPerInstant
        written.limits = limits
        return written
    }

    /// What a person does, as a file says it. A file may not leave open who signs out somebody that walked away, and in which app an edit is made.
    private static func steps(of plan: [PlanStep]) -> [WrittenStep] {
        var steps: [WrittenStep] = []
        var table = SeatTable()
        var numbers: [Person: Int] = [:]
        for step in plan {
            guard let deed = WrittenStep.Deed(step.deed) else { continue }
            var written = WrittenStep(at: step.at, person: step.person, pad: step.pad, deed)
            if case .signIn = deed, let other = table.occupant[step.pad], other != step.person {
                steps.append(WrittenStep(at: step.at, person: other, pad: step.pad, .walkAway))
            }
            if case .perform(let edit) = step.deed {
                let number = edit.token.split(separator: ".").last.flatMap { Int($0) }
                if let number, number != numbers[step.person, default: 0] + 1 { written.number = number }
                numbers[step.person] = number ?? numbers[step.person, default: 0] + 1
                written.opens = table.open[step.pad] != edit.app
            }
            table.take(written)
            steps.append(written)
        }
        return steps
    }
}

extension Scenario.WrittenStep.Deed {
    /// - Returns: nil for a message that no file can say.
    fileprivate init?(_ deed: PlanStep.Deed) {
        switch deed {
        case .signIn, .signInAsGuest: self = .signIn
        case .signOut: self = .signOut
        case .home: self = .home
        case .open(let app): self = .open(app)
        case .backUp: self = .backUp
        case .restore: self = .restore
        case .command(let message): self = .command(message)
        case .perform(let edit):
            let text = edit.verb == .put ? EditPayload.typed(in: edit.value, of: edit.token) : nil
            self = .edit(edit.app, action: edit.action, item: edit.item, text: text)
        }
    }
}

/// Who is signed in where and which app is in front, by the steps so far and without any fault.
public struct SeatTable: Hashable, Sendable {
    /// Who is signed in, by iPad; nobody at an iPad that is missing.
    public private(set) var occupant: [Int: Person] = [:]
    /// The app in front, by iPad; the home screen at one that is missing.
    public private(set) var open: [Int: AppName] = [:]

    /// Nobody is signed in.
    public init() {}

    /// Whether a file may say this step here.
    public func allows(_ step: Scenario.WrittenStep) -> Bool {
        let present = occupant[step.pad]
        switch step.deed {
        case .signIn: return present == nil || present == step.person
        case .edit(let app, _, _, _): return present == step.person && (step.opens || open[step.pad] == app)
        default: return present == step.person
        }
    }

    /// Goes on by one step, whether a file may say it or not.
    public mutating func take(_ step: Scenario.WrittenStep) {
        switch step.deed {
        case .signIn: (occupant[step.pad], open[step.pad]) = (step.person, nil)
        case .signOut, .walkAway: (occupant[step.pad], open[step.pad]) = (nil, nil)
        case .home: open[step.pad] = nil
        case .open(let app), .edit(let app, _, _, _): open[step.pad] = app
        case .command(let message): if let app = message.appShown { open[step.pad] = app }
        case .backUp, .restore: break
        }
    }
}
