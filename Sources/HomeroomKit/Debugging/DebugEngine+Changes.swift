import FleetModel
import Nemesis
import Run
import World

/// One thing done otherwise, from here on.
extension DebugEngine {
    private var changing: WorldChange { WorldChange(world) }
    static let changes = [
        "drop MESSAGE", "delay MESSAGE 5s", "kill ipad-1 APP", "powercut ipad-1 [10s]", "crash-cloud [10s]",
        "heal FAULT", "fault KIND [10s] [ipad-1 ...]", "nothing",
    ]

    /// - Parameter words: `Self.changes` has the forms.
    /// - Throws: `DebugProblem` or `WorldChange.NoChange`; then nothing has changed.
    func change(_ words: [String]) throws {
        guard !isOver else { throw DebugProblem("the run is over: go back first, then branch") }
        let rest = Array(words.dropFirst())
        switch (words.first, rest.count) {
        case ("drop", 1): try changing.bend(try message(rest[0]), delay: nil)
        case ("delay", 2): try changing.bend(try message(rest[0]), delay: try span(rest[1]))
        case ("kill", 2): try changing.killApp(try launch(of: rest[1], on: try pad(rest[0])))
        case ("powercut", 1...2): try changing.cutPower(of: try pad(rest[0]), for: try span(rest.dropFirst().first))
        case ("crash-cloud", 0...1): try changing.crashCloud(for: try span(rest.first))
        case ("heal", 1): try changing.turnOff(rest[0])
        case ("fault", 1...): try begin(rest)
        case ("nothing", 0): break
        default: throw DebugProblem("a change is: " + Self.changes.joined(separator: ", "))
        }
        // What the tape says of messages to come is what faults did to them in the other run.
        changing.leaveTape()
    }

    private func message(_ word: String) throws -> UInt64 {
        guard let number = UInt64(word) else {
            throw DebugProblem("'\(word)' is no number of a message; 'messages' has them")
        }
        return number
    }
    private func span(_ word: String?) throws -> Span {
        guard let word else { return .seconds(10) }
        guard let span = Span(parsing: word), span > .zero, span < .hours(24 * 7) else {
            throw DebugProblem("'\(word)' is no length of time: write 10s, 2m or 1h30m, less than a week")
        }
        return span
    }
    private func pad(_ word: String) throws -> Int {
        guard case .pad(let pad)? = ParticipantID(word) else { throw DebugProblem("'\(word)' is no iPad: use ipad-1") }
        return pad
    }
    /// The newest launch of an app.
    private func launch(of app: String, on pad: Int) throws -> ParticipantID {
        let apps = try state(of: .pad(pad))["apps"]?.array ?? []
        let launches = apps.filter { $0["app"]?.string == app }.compactMap { $0["launch"]?.int }
        guard let launch = launches.max() else { throw DebugProblem("\(app) does not run on ipad-\(pad)") }
        return .app(pad: pad, launch: Int(launch))
    }
    private func begin(_ words: [String]) throws {
        guard let type = FaultRegistry.named(words[0]) else {
            throw DebugProblem("there is no fault '\(words[0])'; see `homeroom list faults`")
        }
        let length = words.dropFirst().first.flatMap { Span(parsing: $0) }
        let pads = try words.dropFirst(length == nil ? 1 : 2).map(pad)
        for pad in pads where !(1...world.plan.pads).contains(pad) {
            throw DebugProblem("there is no ipad-\(pad) among the \(world.plan.pads) of this run")
        }
        var number = 1
        while world.plan.faults.contains(where: { $0.id == "branch-\(number)" }) { number += 1 }
        let until = type.form.isWindow ? world.now + (length ?? .minutes(1)) : world.now
        let hook = world.onTurn
        // What follows at once is part of this turn.
        world.onTurn = nil
        defer { world.onTurn = hook }
        _ = try world.beginFault(
            FaultSpec(
                id: "branch-\(number)", kind: words[0], from: world.now, until: until, pads: pads, parameters: .empty))
    }
}
