import FleetModel
import Glibc
import HomeroomKit
import PadApp

/// What a test says of its fleet.
struct FleetOptions: Sendable {
    /// Nil: the test's body installs one.
    var app: EngineApp?
    var ipads: Int
    var people: [Person]
    var seeds: Int
    /// More keys of a scenario, as they are written in its file.
    var scenario: String
    /// Whether every seed's scenario is played too and compared: of the first failing ones it always is.
    @TaskLocal static var checksAll = false
    let checksScenarios = Self.checksAll

    /// The seeds to play: one that `HOMEROOM_SEED` names, the first N that `HOMEROOM_SEEDS` wants, or those of the test.
    /// Nil: none.
    var wanted: ClosedRange<UInt64>? {
        if let one = Self.environment("HOMEROOM_SEED").flatMap({ UInt64($0) }) { return one...one }
        let count = Self.environment("HOMEROOM_SEEDS").flatMap { Int($0) } ?? seeds
        return count < 1 ? nil : 1...UInt64(min(count, 1_000_000))
    }
    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    func setup(for test: TestPlace, seed: UInt64) -> HandRun.Setup {
        let app = self.app ?? EngineApp("none", build: {}, shows: { _ in [:] })
        return HandRun.Setup(
            name: test.name, purpose: "Written down from the test \(test.filter).", app: app, ipads: ipads,
            people: people,
            seed: seed, extras: scenario)
    }
}

/// Which test it is, and how its executable is started again for it alone.
struct TestPlace: Sendable {
    /// Names it in its executable.
    var id: String
    /// Of its scenarios and folders: small letters, digits and hyphens.
    var name: String
    /// What its executable takes to run this test and no other, without the executable's own name.
    var arguments: [String]
    /// What a person types to run it.
    var filter: String

    /// A name of a scenario, made of a function's: `twoIPads()` is `two-i-pads`.
    static func scenarioName(_ function: String) -> String {
        var name = ""
        for letter in function.prefix(while: { $0 != "(" }).unicodeScalars where letter.isASCII {
            switch letter {
            case "a"..."z", "0"..."9": name.unicodeScalars.append(letter)
            case "A"..."Z":
                if let last = name.last, last != "-" { name += "-" }
                name += String(letter).lowercased()
            default: if let last = name.last, last != "-" { name += "-" }
            }
        }
        while name.hasSuffix("-") { name.removeLast() }
        let start = name.first.map { $0.isLetter ? name : "test-" + name } ?? "test"
        var cut = String(start.prefix(32))
        while cut.hasSuffix("-") { cut.removeLast() }
        return cut
    }
}
