import FleetModel
import HomeroomKit
import PadApp
import Run
import Testing

/// Runs a piece of a unit test as code of an app on an iPad that is signed in to iCloud: `CKContainer.default()`, `FileManager`, `URLSession`
/// and all that an app may use work in it, against the reference iCloud, in this process and in virtual time. `Task.sleep` takes no time of
/// the machine.
///
/// Each call has an iPad and an iCloud of its own, which are empty. Several may run at the same time.
///
/// Not modelled: a crash of the code is one of the test process; statics live on, as in any unit test. A test that needs two iPads, or
/// kills and power cuts, needs a fleet.
/// - Parameters:
///   - account: the person who is signed in.
///   - bundleIdentifier: `CFBundleIdentifier` of the app; its own container is `iCloud.` and this.
///   - containers: identifiers of more containers that the app is entitled to.
///   - seed: of what is drawn: latencies, `UUID()`, `Int.random`.
///   - scenario: more keys of a scenario, as lines of its file (Docs/scenarios.md): `switches`, `cloud`, `network`.
///   - body: the app's code, on its main actor. It has to end by itself: what it awaits has to come from iCloud, the iPad, or time.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `FleetProblem` when it waits for something that never comes.
@discardableResult public func withFakeICloud<Answer: Sendable>(
    account: Person = "maya", bundleIdentifier: String = "com.example.app", containers: [String] = [], seed: UInt64 = 1,
    scenario: String = "", _ body: @escaping @MainActor @Sendable () async throws -> Answer
) async throws -> Answer {
    try FakeICloud(account, bundleIdentifier, containers, seed: seed, scenario).run(body)
}

/// One iPad, one account, one app.
private struct FakeICloud {
    private let setup: HandRun.Setup

    init(_ account: Person, _ bundle: String, _ containers: [String], seed: UInt64 = 1, _ scenario: String = "") {
        let app = EngineApp(
            "app", bundleIdentifier: bundle, containers: containers, build: {}, shows: { _ in [:] })
        setup = HandRun.Setup(
            name: "fake-icloud", purpose: "One iPad with one account.", app: app, ipads: 1, people: [account],
            seed: seed, extras: scenario)
    }

    /// Runs `body` to its end on the calling thread.
    func run<Answer: Sendable>(_ body: @escaping @MainActor @Sendable () async throws -> Answer) throws -> Answer {
        HandProcess.share()
        do {
            let run = try HandRun(setup)
            var table = FleetTable()
            try run.begin()
            let ending = try run.launch(1, as: nil, &table)
            guard case .done = ending else {
                throw FleetProblem("the fake iCloud's iPad does not open its app: \(ending)", isOfTheRun: true)
            }
            return try run.visit(1, patience: .hours(24 * 30)) { (_: Void) in try await body() }.get()
        } catch let end as RunEnd {
            throw FleetProblem(end.message, isOfTheRun: true)
        }
    }
}

/// Makes a test the code of an app that is signed in to a fake iCloud.
public struct FakeICloudTrait: TestTrait, SuiteTrait, TestScoping {
    let account: Person
    let bundleIdentifier: String
    let containers: [String]
    /// True: each test of a suite has an iPad and an iCloud of its own.
    public var isRecursive: Bool { true }

    /// Runs one test case as the app's code; a suite's own call, and one without a case, goes through as it is. Traps when the code waits
    /// for something that never comes.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, !test.isSuite else { return try await function() }
        let fake = FakeICloud(account, bundleIdentifier, containers)
        try withoutActuallyEscaping(function) { function in
            do { try fake.run { try await function() } } catch let problem as FleetProblem where problem.isOfTheRun {
                // Code that waits in vain holds on to the function for ever, so nothing can return from here.
                fatalError("\(test.name): \(problem); withFakeICloud throws this instead")
            }
        }
    }
}

extension Trait where Self == FakeICloudTrait {
    /// The test runs as code of an app on an iPad that is signed in to an empty iCloud of its own; see `withFakeICloud`.
    public static var fakeICloud: Self { .fakeICloud() }
    /// - Parameters:
    ///   - account: the person who is signed in.
    ///   - bundleIdentifier: `CFBundleIdentifier` of the app; its own container is `iCloud.` and this.
    ///   - containers: identifiers of more containers that the app is entitled to.
    public static func fakeICloud(
        account: Person = "maya", bundleIdentifier: String = "com.example.app", containers: [String] = []
    ) -> Self {
        FakeICloudTrait(account: account, bundleIdentifier: bundleIdentifier, containers: containers)
    }
}
