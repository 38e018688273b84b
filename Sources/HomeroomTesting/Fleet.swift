import FleetModel
import HomeroomKit
@_exported import PadApp
import Run

/// iPads with one app on them, the people who use them, and a reference iCloud, in the virtual time of one test.
///
/// A test has it as `Fleet.current` inside of `@Test(.fleet(...))`, or as the argument of `withFleet`. Everything that a method does happens at
/// a moment of its own; the method returns when it is done. The same seed gives the same run, byte for byte.
///
/// iPads are numbered from 1. A mistake in a call (an iPad that is not there) ends the seed with a message.
public final class Fleet: Sendable {
    @TaskLocal static var running: Fleet?
    /// The fleet of the test that runs. Traps outside of one.
    public static var current: Fleet {
        guard let running else {
            fatalError("there is no fleet here: give the test the trait .fleet(...), or call withFleet")
        }
        return running
    }

    /// The seed of all draws of this run: latencies, what a power cut tears, and whatever the test itself draws.
    public let seed: UInt64
    let driver: FleetDriver

    init(_ driver: FleetDriver) {
        self.driver = driver
        seed = driver.setup.seed
    }

    /// The time since the run began.
    public var now: Duration { .nanoseconds(driver.now.nanoseconds) }

    /// Names the fleet's app, where the trait has not: the first thing that a test does.
    public func install(_ app: EngineApp) {
        guard driver.played == nil else {
            fatalError("install(_:) comes before everything else that a test does with its fleet")
        }
        (driver.setup.app, driver.isAppKnown) = (app, true)
    }

    // MARK: People

    /// Opens the app on each of these iPads, one after the other.
    /// - Parameter person: who signs in there; nil: the person who is signed in, else the fleet's first one. Somebody else signs out before.
    /// - Returns: what became of the last.
    @discardableResult public func launch(_ ipads: Int..., as person: Person? = nil) async -> StepEnding {
        await driver.order { run, table in
            var ending = StepEnding.done
            for ipad in ipads { ending = try run.launch(ipad, as: person, &table) }
            return ending
        }
    }
    /// A person signs in; somebody else who is signed in there signs out before.
    @discardableResult public func signIn(_ person: Person, on ipad: Int) async -> StepEnding {
        await driver.order { run, table in try run.signIn(person, at: ipad, &table) }
    }
    /// The person at the iPad signs out.
    @discardableResult public func signOut(on ipad: Int) async -> StepEnding {
        await driver.order { run, table in try run.signOut(ipad, &table) }
    }
    /// Somebody else takes the iPad: the person there signs out, the other one signs in and opens the app.
    @discardableResult public func switchPerson(to person: Person, on ipad: Int) async -> StepEnding {
        await driver.order { run, table in try run.launch(ipad, as: person, &table) }
    }
    /// The person leaves the app for the home screen: it enters the background, and is suspended soon.
    @discardableResult public func home(on ipad: Int) async -> StepEnding {
        await driver.order { run, table in
            let person = try run.occupant(of: ipad, table)
            table.open.remove(ipad)
            return StepEnding(try run.act(person, at: ipad, .home))
        }
    }

    // MARK: Data

    /// The person at the iPad writes a text into an item, through the app's `writes`. The text that the engine gets carries the edit's name,
    /// so that the ledger follows it from disk to disk, and all checkers judge what becomes of it.
    @discardableResult public func edit(_ item: String, _ text: String, on ipad: Int) async -> StepEnding {
        await perform("write", .put, item, text, ipad)
    }
    /// The person at the iPad removes an item, through the app's `deletes`.
    @discardableResult public func delete(_ item: String, on ipad: Int) async -> StepEnding {
        await perform("delete", .delete, item, "", ipad)
    }
    private func perform(_ action: String, _ verb: Edit.Verb, _ item: String, _ text: String, _ ipad: Int) async
        -> StepEnding
    {
        await driver.order { run, table in
            guard run.takes(action) else {
                throw RunEnd.input(
                    "the app '\(run.appName)' takes no edit '\(action)': give its EngineApp the closure '\(action)s'")
            }
            let person = try run.atApp(ipad, &table)
            let edit = run.edit(person, action, verb, item: item, text: text)
            return StepEnding(try run.act(person, at: ipad, .perform(edit)))
        }
    }

    /// What the person at the iPad sees in the app: texts by item, as people have typed them.
    /// - Throws: `FleetProblem` when the app shows nothing.
    public func shown(on ipad: Int) async throws -> [String: String] {
        try await driver.order { run, table -> Result<[String: String], FleetProblem> in
            let person = try run.atApp(ipad, &table)
            run.forgetShown(on: ipad)
            let ending = try run.act(person, at: ipad, .command(PadCommand.Read(app: run.appName).message))
            guard case .done = ending, let texts = run.shown(on: ipad) else {
                return .failure(
                    FleetProblem("ipad-\(ipad) shows nothing of '\(run.appName)' at \(run.world.now): \(ending)"))
            }
            return .success(texts.mapValues(EditPayload.plain))
        }.get()
    }

    /// Runs a piece of the test in the app of an iPad, with its engine: its calls are the app's own, as a view would make them.
    ///
    /// No scenario can say that, so a run with such calls is repeated by its test only. `body` must not call the fleet, which waits for it.
    /// - Throws: what `body` throws; `FleetProblem` when no app runs there, when it ends meanwhile, or when `body` does not end within ten minutes.
    public func use<Engine, Result: Sendable>(
        _ type: Engine.Type = Engine.self, on ipad: Int,
        _ body: @escaping @MainActor @Sendable (Engine) async throws -> Result
    ) async throws -> Result {
        try await driver.order { run, _ in try run.visit(ipad, body) }.get()
    }

    // MARK: Time

    /// Lets this much time pass. `Task.sleep` does the same.
    public func sleep(for span: Duration) async {
        await driver.order { run, _ in try run.world.run(until: run.world.now + Span(span)) }
    }
    /// Ends every fault that is still at work, and lets time pass until nothing is under way any longer: no iPad has anything left to send, and
    /// the network has been silent for a minute and a half.
    /// - Parameter longest: an app that asks the Cloud every minute is never silent.
    /// - Throws: `FleetProblem` with what an iPad still has to do after that time.
    public func rest(atMost longest: Duration = .seconds(1800)) async throws {
        let waiting = await driver.order { run, _ in
            try run.endAll()
            return try run.rest(atMost: Span(longest))
        }
        guard waiting.isEmpty else {
            throw FleetProblem("still under way after \(longest): \(waiting.joined(separator: "; "))")
        }
    }

    // MARK: Faults

    /// A fault begins; one method for each kind is in `Fleet+Faults.swift`.
    /// - Parameters:
    ///   - kind: a name of `homeroom list faults`.
    ///   - ipads: whom it concerns; empty: all.
    ///   - span: how long it lasts; nil: until `heal`, `rest` or the end of the test. Without meaning for what happens at one moment.
    ///   - parameters: as under `with` in a scenario (Docs/faults.md).
    public func fault(
        _ kind: String, on ipads: [Int], for span: Duration? = nil, with parameters: [String: Value] = [:]
    )
        async
    {
        await driver.order { run, _ in
            for ipad in ipads { try run.check(ipad) }
            try run.begin(kind, pads: ipads, for: span.map { Span($0) }, parameters)
        }
    }
    /// Ends what is still at work of a kind of fault.
    /// - Parameter kind: nil: of every kind.
    public func heal(_ kind: String? = nil) async {
        await driver.order { run, _ in try run.endAll(kind) }
    }
}

/// Why a fleet cannot say what a test asks.
public struct FleetProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, and where.
    public let description: String
    /// Not of a call that came back, but of a run that could not go on.
    let isOfTheRun: Bool
    init(_ description: String, isOfTheRun: Bool = false) {
        (self.description, self.isOfTheRun) = (description, isOfTheRun)
    }
}

extension Span {
    /// To the nanosecond.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(nanoseconds: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}
