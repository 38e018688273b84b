import DeterministicRuntime
import FleetModel
import HomeroomKit
import PadApp
import Run

/// Lets a test's body run in the virtual time of its run.
///
/// The body is code of a loop of its own. It runs until it waits; then what it waits for happens: an order to the fleet, or time. So the body
/// is one more deterministic participant, and the same seed gives the same run.
final class FleetDriver: @unchecked Sendable {
    /// What the run is made of; the app may be named by the body.
    var setup: HandRun.Setup
    var isAppKnown: Bool
    private let loop: AppLoop
    private let pulse: () -> Void
    private var made: HandRun?
    private var table = FleetTable()
    private var orders: [(FleetDriver) throws -> Void] = []
    private var isDone = false

    /// - Parameter pulse: called before and after code of the test or of a participant runs.
    init(_ setup: HandRun.Setup, isAppKnown: Bool, pulse: @escaping () -> Void) {
        (self.setup, self.isAppKnown, self.pulse) = (setup, isAppKnown, pulse)
        loop = AppLoop(seed: StableHash.of(setup.seed, "test"), epochNanoseconds: Instant.epochNanoseconds)
    }

    /// The run, which begins with the first thing that the body wants of it.
    private var run: HandRun {
        get throws {
            if let made { return made }
            guard isAppKnown else {
                throw RunEnd.input(
                    "the fleet has no app: give it to the trait, .fleet(app: ...), or begin the test with Fleet.current.install(...)"
                )
            }
            let run = try HandRun(setup)
            run.world.onEvent = pulse
            made = run
            try run.begin()
            return run
        }
    }
    /// The run, unless the body wanted nothing of it.
    var played: HandRun? { made }
    var now: Instant { made?.world.now ?? .zero }

    /// Runs the body to its end.
    /// - Throws: `RunEnd` for what ends the run before.
    func drive(_ body: @escaping @Sendable () async -> Void) throws {
        loop.enter {
            _ = Task {
                await body()
                self.isDone = true
            }
        }
        while true {
            pulse()
            loop.run(until: now.nanoseconds)
            pulse()
            if !orders.isEmpty {
                try orders.removeFirst()(self)
            } else if isDone {
                return
            } else if let timer = loop.nextTimer {
                try run.world.run(until: max(now, Instant(nanoseconds: timer)))
            } else {
                throw RunEnd.inconclusive(
                    "the test waits for something that neither its fleet nor time brings: what a test awaits has to be a call to the fleet, a sleep, or its own code"
                )
            }
        }
    }

    /// Something that the body wants of its fleet: it waits until that is done. Whatever it throws ends the run, and the body with it.
    func order<Result: Sendable>(
        _ body: @escaping @Sendable (HandRun, inout FleetTable) throws -> Result
    ) async -> Result {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Result, Never>) in
            orders.append { driver in
                let run = try driver.run
                let result = try body(run, &driver.table)
                driver.loop.setClock(run.world.now.nanoseconds)
                driver.loop.enter { continuation.resume(returning: result) }
            }
        }
    }
}

/// Who is signed in where, and whose app is in front, by what the test has done: what a scenario's reader keeps of its steps.
struct FleetTable: Sendable {
    var occupants: [Int: Person] = [:]
    var open: Set<Int> = []
}

extension HandRun {
    /// - Throws: `RunEnd.input` for an iPad that is not there.
    func check(_ ipad: Int) throws {
        guard (1...ipads).contains(ipad) else {
            throw RunEnd.input("there is no iPad \(ipad): the fleet has \(ipads), numbered from 1; give the trait more")
        }
    }
    func signIn(_ person: Person, at ipad: Int, _ table: inout FleetTable) throws -> StepEnding {
        try check(ipad)
        guard people.contains(person) else {
            throw RunEnd.input("nobody is called '\(person)': the fleet's people are \(people.joined(separator: ", "))")
        }
        if let occupant = table.occupants[ipad], occupant != person { _ = try signOut(ipad, &table) }
        let ending = try act(person, at: ipad, .signIn)
        table.occupants[ipad] = person
        table.open.remove(ipad)
        return StepEnding(ending)
    }
    func signOut(_ ipad: Int, _ table: inout FleetTable) throws -> StepEnding {
        let ending = try act(try occupant(of: ipad, table), at: ipad, .signOut)
        table.occupants[ipad] = nil
        table.open.remove(ipad)
        return StepEnding(ending)
    }
    func occupant(of ipad: Int, _ table: FleetTable) throws -> Person {
        try check(ipad)
        guard let person = table.occupants[ipad] else {
            throw RunEnd.input("nobody is signed in at iPad \(ipad): call fleet.launch(\(ipad)) or fleet.signIn before")
        }
        return person
    }
    func launch(_ ipad: Int, as person: Person?, _ table: inout FleetTable) throws -> StepEnding {
        try check(ipad)
        let wanted = person ?? table.occupants[ipad] ?? people[0]
        if table.occupants[ipad] != wanted {
            let ending = try signIn(wanted, at: ipad, &table)
            guard case .done = ending else { return ending }
        }
        let ending = try act(wanted, at: ipad, .open(appName))
        table.open.insert(ipad)
        return StepEnding(ending)
    }
    /// The person at an iPad, with the app in front of them.
    func atApp(_ ipad: Int, _ table: inout FleetTable) throws -> Person {
        let person = try occupant(of: ipad, table)
        if !table.open.contains(ipad) { _ = try launch(ipad, as: person, &table) }
        return person
    }
}

/// What became of something that a person did on an iPad.
public enum StepEnding: Hashable, Sendable {
    /// The iPad did it, and the app took it.
    case done
    /// By the app, which threw an error, or by the iPad: the person saw why.
    case refused(String)
    /// Nothing came back within a minute: it may still happen.
    case unanswered
    /// The person's session there is gone, and did not come back.
    case skipped

    init(_ ending: HandRun.Ending) {
        switch ending {
        case .done: self = .done
        case .refused(let reason): self = .refused(reason)
        case .unanswered: self = .unanswered
        case .skipped: self = .skipped
        }
    }
}
