import FleetModel
import Foundation
import HomeroomKit
import PadApp
import Testing

/// Gives a test a fleet, again for each of its seeds (Docs/testing.md). A test with arguments has its seeds for each case.
public struct FleetTrait: TestTrait, SuiteTrait, TestScoping {
    let options: FleetOptions
    /// True: each test of a suite has a fleet of its own.
    public var isRecursive: Bool { true }

    /// Plays the seeds of one test and makes an issue of each kind of failure. A test with arguments of its own is an issue: it cannot be
    /// started again by name.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard let testCase, !test.isSuite else { return try await function() }
        let words = testCase.words
        guard words != nil || !testCase.isParameterized else {
            Issue.record(
                "this version of Swift Testing does not tell the arguments of a test: call withFleet in it",
                severity: .error, sourceLocation: test.sourceLocation)
            return
        }
        let play = FleetPlay(options: options, place: TestPlace(test, words: words))
        if let order = SeedProcess.Order.present {
            guard order.test == play.place.id else { return }
            withoutActuallyEscaping(function) { function in
                play.serve(order, catching: { TestingCatcher(test.sourceLocation) }) { _ in try await function() }
            }
        }
        play.report(await play.outcomes(), at: test.sourceLocation)
    }
}

extension Trait where Self == FleetTrait {
    /// A fleet for a test, or for each test of a suite: `Fleet.current` inside of it. The test runs once for each seed, in virtual time, each
    /// seed in a process of its own; what fails in any of them is an issue.
    /// - Parameters:
    ///   - app: the app on all iPads; nil: the test installs it.
    ///   - ipads: how many, numbered from 1.
    ///   - people: who has an account; the first is who uses an iPad where a call names nobody.
    ///   - seeds: how many, from 1. `HOMEROOM_SEEDS` in the environment takes their place, `HOMEROOM_SEED` plays a single one.
    ///   - scenario: more keys of a scenario, as lines of its file (Docs/scenarios.md): `switches`, `cloud`, `network`, `draw`, `limits`.
    public static func fleet(
        app: EngineApp? = nil, ipads: Int = 2, people: [Person] = ["maya"], seeds: Int = 10, scenario: String = ""
    ) -> Self {
        FleetTrait(options: FleetOptions(app: app, ipads: ipads, people: people, seeds: seeds, scenario: scenario))
    }
}

extension Test.Case {
    /// The arguments of one case, as they describe themselves; nil for a test without any. Swift Testing keeps them to itself, so they are read
    /// by reflection: cases run in any order, and a process that plays the seeds of one has to know it among them.
    var words: String? {
        guard isParameterized, let kind = Mirror(reflecting: self).descendant("_kind", "parameterized") else {
            return nil
        }
        let members = Mirror(reflecting: kind)
        guard let arguments = members.descendant("arguments") as? [Any], !arguments.isEmpty else { return nil }
        let values = arguments.compactMap { Mirror(reflecting: $0).descendant("value").map { String(reflecting: $0) } }
        guard values.count == arguments.count else { return nil }
        // Which of those that describe themselves in the same way.
        let number = (members.descendant("discriminator").flatMap { $0 as? Int } ?? 0)
        return values.joined(separator: ", ") + (number == 0 ? "" : " #\(number)")
    }
}

extension TestPlace {
    /// - Parameter words: of the arguments of one case.
    init(_ test: Test, call: Int = 0, words: String? = nil) {
        let id = "\(test.id)"
        let name = Self.scenarioName(test.name)
        let place = words.map { "\(id) with \($0)" } ?? id
        self.init(
            id: call == 0 ? place : "\(id) call \(call)",
            // Folders of cases have names of their own.
            name: words.map { name.prefix(24) + "-" + String(StableHash.of(1, "case", $0) % 0x10000, radix: 16) }
                ?? name,
            arguments: ["--testing-library", "swift-testing", "--filter", Self.escaped(id)],
            filter: ([test.id.moduleName] + test.id.nameComponents).joined(separator: ".").prefix { $0 != "(" } + "")
    }
    /// As a regular expression that finds this text.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map {
            $0.isASCII && !$0.properties.isAlphabetic && !("0"..."9" ~= $0) ? "\\\($0)" : "\($0)"
        }.joined()
    }
}

/// Catches issues of Swift Testing.
final class TestingCatcher: IssueCatcher, @unchecked Sendable {
    private(set) var caught: [SeedOutcome.Caught] = []
    private let place: SourceLocation

    init(_ place: SourceLocation) { self.place = place }

    func during(_ body: () -> Void) {
        withKnownIssue("told by the process that plays the seeds", isIntermittent: true, sourceLocation: place) {
            body()
        } when: {
            true
        } matching: { [self] issue in
            if issue.isFailure {
                caught.append(.init(text: Self.words(for: issue), place: issue.sourceLocation.map(Self.place)))
            }
            return true
        }
    }
    func take(_ error: any Error) {
        caught.append(.init(text: "the test threw: \(error)", place: Self.place(place)))
    }
    private static func words(for issue: Issue) -> String {
        "\(issue)".split(separator: "\n").joined(separator: "; ")
    }
    private static func place(_ location: SourceLocation) -> SeedOutcome.Place {
        .init(fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
    }
}

extension FleetPlay {
    /// Makes an issue of each kind of failure, with the trace of its first seed as attachment.
    func report(_ outcomes: [SeedOutcome], at place: SourceLocation) {
        for failure in SeedFailure.all(outcomes, of: self.place) {
            let own = failure.outcome.caught.first?.place.map {
                SourceLocation(fileID: $0.fileID, filePath: $0.filePath, line: $0.line, column: $0.column)
            }
            Issue.record(Comment(rawValue: failure.text), severity: .error, sourceLocation: own ?? place)
            guard let folder = failure.outcome.folder else { continue }
            for name in ["trace.jsonl", "scenario.yaml", "report.html"] {
                guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
                Attachment.record(
                    Array(bytes), named: "seed-\(failure.outcome.seed)-\(name)", sourceLocation: own ?? place)
            }
        }
    }
}
