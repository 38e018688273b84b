import FleetModel
import HomeroomKit
import PadApp

/// A result that one side of a visit writes and the other reads, both on one thread at a time.
private final class Slot<Value>: @unchecked Sendable { var value: Value? }

extension HandRun {
    /// Runs `body` in the app of an iPad until it has ended.
    func visit<Engine, Answer: Sendable>(
        _ ipad: Int, patience: Span = .minutes(10),
        _ body: @escaping @MainActor @Sendable (Engine) async throws -> Answer
    ) throws -> Result<Answer, VisitFailure> {
        try check(ipad)
        isBeyondScenarios = true
        try world.goToFreeMoment()
        let slot = Slot<Result<Answer, VisitFailure>>()
        let isThere = world.newestApp(of: ipad) != nil
        let isTaken =
            isThere
            && app.desk.visit(ipad) { engine in
                guard let engine = engine as? Engine else {
                    slot.value = .failure(.init(FleetProblem(Self.words(for: engine, Engine.self))))
                    return
                }
                do { slot.value = .success(try await body(engine)) } catch { slot.value = .failure(.init(error)) }
            }
        guard isTaken, let launch = try world.poke(appOf: ipad) else {
            return .failure(
                .init(FleetProblem("no app runs on ipad-\(ipad) at \(world.now): call fleet.launch(\(ipad)) before")))
        }
        let end = world.now + patience
        try world.run(until: end) { slot.value == nil && world.isAlive(launch) }
        if let value = slot.value { return value }
        let words =
            world.isAlive(launch)
            ? "does not come back within \(patience) from what the test calls there: it waits for something that neither iCloud, the iPad nor time brings"
            : "ended before it had answered"
        return .failure(.init(FleetProblem("\(launch) \(words), at \(world.now)", isOfTheRun: true)))
    }
    private static func words(for engine: Any?, _ wanted: Any.Type) -> String {
        guard let engine else { return "the app has no engine yet, or could not build it" }
        return "the app's engine is a \(type(of: engine)), not a \(wanted)"
    }
}

/// What a visit throws, in a form that `Result` takes: its error is thrown on as it is.
struct VisitFailure: Error {
    let error: any Error
    init(_ error: any Error) { self.error = error }
}
extension Result where Failure == VisitFailure {
    func get() throws -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let failure): throw failure.error
        }
    }
}
