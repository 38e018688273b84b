import FleetModel
import Foundation
import HomeroomKit
import PadApp
import Testing
import XCTest

/// What one seed came to.
public struct FleetResult: Hashable, Sendable {
    /// The seed that was played; it plays again with `HOMEROOM_SEED`.
    public let seed: UInt64
    /// Of the whole run: equal where the runs are equal. Empty for a test that wanted nothing of its fleet.
    public let digest: String
    /// Edits that were performed.
    public let edits: Int
    /// Whether nothing failed.
    public let isGood: Bool
    /// The scenario that does the same; nil where a scenario would be another run.
    public let scenario: String?

    init(_ outcome: SeedOutcome) {
        seed = outcome.seed
        digest = outcome.report?.digest ?? ""
        edits = outcome.report?.edits ?? 0
        isGood = !outcome.isFailure
        scenario = outcome.difference == nil ? outcome.scenario : nil
    }
}

/// Gives a piece of a test a fleet, again for each seed: what the trait `.fleet` does, for XCTest and for a part of a test.
///
/// The seeds run in another process, which is this executable, started again for this test: it comes here once more, and then plays `body`.
/// So what the test does before has to be the same each time, and what `body` changes outside of itself is not seen here.
/// - Parameters:
///   - app: the app on all iPads; nil: `body` installs it.
///   - ipads: how many, numbered from 1.
///   - people: who has an account; the first is who uses an iPad where a call names nobody.
///   - seeds: how many, from 1. `HOMEROOM_SEEDS` in the environment takes their place, `HOMEROOM_SEED` plays a single one.
///   - scenario: more keys of a scenario, as lines of its file (Docs/scenarios.md).
///   - testCase: `self` in XCTest; nil in Swift Testing.
/// - Returns: what became of each seed, in their order. What failed has been told to the test framework.
@discardableResult public func withFleet(
    app: EngineApp? = nil, ipads: Int = 2, people: [Person] = ["maya"], seeds: Int = 10, scenario: String = "",
    in testCase: XCTestCase? = nil, function: String = #function, fileID: String = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: Int = #column,
    _ body: @escaping @Sendable (Fleet) async throws -> Void
) async -> [FleetResult] {
    let options = FleetOptions(app: app, ipads: ipads, people: people, seeds: seeds, scenario: scenario)
    let caller = SourceLocation(fileID: fileID, filePath: "\(filePath)", line: Int(line), column: column)
    let place: TestPlace
    if let testCase {
        place = TestPlace(testCase, function)
    } else if let test = Test.current {
        place = TestPlace(test, call: Calls.next("\(test.id)"))
    } else {
        fatalError("withFleet was called outside of a test: in XCTest pass 'in: self'")
    }
    let play = FleetPlay(options: options, place: place)
    if let order = SeedProcess.Order.present {
        guard order.test == place.id else { return [] }
        let isXCTest = testCase != nil
        let catching: () -> any IssueCatcher = {
            if isXCTest { return XCTestCatcher() }
            return TestingCatcher(caller)
        }
        play.serve(order, catching: catching, body)
    }
    let outcomes = await play.outcomes()
    if testCase == nil {
        play.report(outcomes, at: caller)
    } else {
        for failure in SeedFailure.all(outcomes, of: place) {
            let own = failure.outcome.caught.first?.place
            XCTFail(
                own.map { "\($0.filePath):\($0.line)\n" + failure.text } ?? failure.text, file: filePath, line: line)
        }
    }
    return outcomes.map(FleetResult.init)
}

/// Counts the calls of one test, in the process of the test as in that of its seeds.
private enum Calls {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var counts: [String: Int] = [:]
    static func next(_ test: String) -> Int {
        lock.withLock {
            counts[test, default: 0] += 1
            return counts[test, default: 1]
        }
    }
}

extension TestPlace {
    /// Of XCTest: a method of a class.
    init(_ test: XCTestCase, _ function: String) {
        let name = String(function.prefix { $0 != "(" })
        let id = "\(String(reflecting: type(of: test)))/\(name)"
        self.init(
            id: id, name: Self.scenarioName(function), arguments: [id],
            filter: id.map { $0 == "/" ? "." : String($0) }.joined())
    }
}

/// Catches failures of XCTest.
final class XCTestCatcher: IssueCatcher, XCTestObservation, @unchecked Sendable {
    private(set) var caught: [SeedOutcome.Caught] = []

    func during(_ body: () -> Void) {
        XCTestObservationCenter.shared.addTestObserver(self)
        body()
        XCTestObservationCenter.shared.removeTestObserver(self)
    }
    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile file: String?, atLine line: Int
    ) {
        let place = file.map { SeedOutcome.Place(fileID: $0, filePath: $0, line: line, column: 1) }
        caught.append(.init(text: description, place: place))
    }
    func take(_ error: any Error) { caught.append(.init(text: "the test threw: \(error)")) }
}
