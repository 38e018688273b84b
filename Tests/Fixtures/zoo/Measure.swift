import Checkers
import FleetModel
import Foundation
import Trace

/// Runs each bug of the zoo until it is found, and tells whether its class and its doomed step are right.
struct Measure {
    /// A line of zoo.tsv.
    struct Bug {
        var id: String
        var app: String
        var classes: [String]
        /// Nil: the generic swarm.
        var scenario: String?
    }
    /// What became of a bug.
    struct Result {
        var seed: Int?
        var lossClass = ""
        var isClassRight = false
        var doom = ""
        /// How the doomed step was tried; nil: it is wrong.
        var proof: String?
    }

    var seeds = 100
    var only: Set<String> = []
    var triesDooms = true
    private let root = FileManager.default.currentDirectoryPath
    private let work = FileManager.default.temporaryDirectory.appending(path: "zoo-\(getpid())")

    static func main(_ arguments: [String]) -> Never {
        var measure = Measure()
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--seeds" where rest.first.flatMap { Int($0) } != nil:
                measure.seeds = rest.popFirst().flatMap { Int($0) } ?? 100
            case "--only" where !rest.isEmpty:
                measure.only = Set((rest.popFirst() ?? "").split(separator: ",").map(String.init))
            case "--classes-only": measure.triesDooms = false
            default: fail("zoo measure takes --seeds N, --only ID,ID and --classes-only, not '\(word)'")
            }
        }
        do { try measure.run() } catch { fail("zoo measure: \(error)") }
        exit(0)
    }
    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(3)
    }

    private func run() throws {
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: work) }
        let bugs = try Self.bugs(in: root + "/Sources/BugZoo/zoo.tsv").filter {
            only.isEmpty || only.contains($0.id)
        }
        var results: [Result] = []
        for bug in bugs {
            let began = Date()
            let result = try measure(bug)
            results.append(result)
            tell(bug, result, seconds: Date().timeIntervalSince(began))
        }
        summarise(results)
    }

    /// - Throws: when the table cannot be read.
    private static func bugs(in path: String) throws -> [Bug] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t").map(String.init)
            guard !line.hasPrefix("#"), fields.count == 5 else { return nil }
            return Bug(
                id: fields[0], app: fields[1], classes: fields[2].split(separator: " ").map(String.init),
                scenario: fields[3] == "-" ? nil : fields[3])
        }
    }

    // MARK: One bug

    private func measure(_ bug: Bug) throws -> Result {
        let scenario = try scenario(for: bug)
        for seed in 1...max(1, seeds) {
            guard let trial = try play(scenario, seed), let finding = trial.leading else { continue }
            var result = Result(seed: seed, lossClass: finding.lossClass.rawValue)
            result.isClassRight = bug.classes.contains(result.lossClass)
            guard let doomedBy = finding.doomedBy, trial.history.indices.contains(doomedBy) else { return result }
            result.doom = Doom.words(trial.history[doomedBy])
            guard triesDooms else { return result }
            result.proof = try Doom(finding, at: doomedBy, in: trial.history).proof { cause in
                let again =
                    switch cause {
                    case .named(let names): try play(scenario, seed, without: names)
                    case .purgeAtSignOut: try play(try self.scenario(for: bug, purges: false), seed, isRepetition: true)
                    }
                return again?.outcome(of: finding.token, after: trial.history[doomedBy].at) ?? .doomed
            }
            return result
        }
        return Result()
    }

    /// The generic swarm with this app only.
    /// - Parameter purges: false: iPads keep people's data at sign-out, whatever a seed draws.
    private func scenario(for bug: Bug, purges: Bool = true) throws -> URL {
        let text = try String(
            contentsOfFile: "\(root)/\(bug.scenario ?? "Fleet/everything-at-once.yaml")", encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
            if line.hasPrefix("name:") { return "name: zoo-\(bug.id)" }
            if line.hasPrefix("apps:") {
                return "apps: [\(bug.id)]" + (purges ? "" : "\npurgeAtSignOut: false")
            }
            if line.hasPrefix("purgeAtSignOut:"), !purges { return nil }
            return line.hasPrefix("  apps:") ? nil : String(line)
        }
        let url = work.appending(path: "\(bug.id)\(purges ? "" : "-kept").yaml")
        try Data(lines.joined(separator: "\n").utf8).write(to: url, options: .atomic)
        return url
    }

    /// A run that was judged.
    private struct Trial {
        var history: [HistoryEvent]
        var violations: [Finding]

        /// The first finding of the class that has most.
        var leading: Finding? {
            var counts: [LossClass: Int] = [:]
            for finding in violations { counts[finding.lossClass, default: 0] += 1 }
            let most = counts.values.max() ?? 0
            return violations.first { counts[$0.lossClass] == most }
        }
        /// - Parameter step: when it was doomed in the first run.
        func outcome(of token: Token, after step: Instant) -> Doom.Outcome {
            guard history.contains(where: { $0.note.kind == .performed && $0.note.tokens.contains(token) }) else {
                return .doomed
            }
            guard let finding = violations.first(where: { $0.token == token }) else { return .saved }
            guard let doom = finding.doomedBy.map({ history[$0] }), doom.note.kind == .replaced, doom.at > step else {
                return .doomed
            }
            let others = (doom.note.detail["by"]?.strings ?? []).filter { $0 != token }
            return others.isEmpty ? .doomed : .replacedLater(others)
        }
    }

    /// - Returns: nil for a run that came to no verdict, or to a valid one without being asked to leave something out.
    private func play(_ scenario: URL, _ seed: Int, without: [String] = [], isRepetition: Bool = false) throws -> Trial?
    {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let out = work.appending(path: "run")
        process.arguments =
            ["run", scenario.path, "--mode", "sim", "--quiet", "--seed", "\(seed)", "--out", out.path]
            + (without.flatMap { ["--without", $0] })
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.standardError
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 1 || ((isRepetition || !without.isEmpty) && process.terminationStatus == 0)
        else { return nil }
        let trace = try RecordedTrace.read(path: out.appending(path: "trace.jsonl").path)
        return Trial(history: trace.history, violations: judge(trace.history).violations)
    }

    // MARK: Telling

    private func tell(_ bug: Bug, _ result: Result, seconds: TimeInterval) {
        let words: [String]
        if let seed = result.seed {
            let doom = result.doom.isEmpty ? "no doomed step" : result.doom
            words = [
                "seed \(seed)", result.isClassRight ? result.lossClass : "\(result.lossClass) (WRONG)",
                triesDooms ? result.proof ?? "WRONG" : "-", doom,
            ]
        } else {
            words = ["NOT FOUND"]
        }
        print(([bug.id, bug.app] + words + [String(format: "%.1f s", seconds)]).joined(separator: "\t"))
        fflush(nil)
    }
    private func summarise(_ results: [Result]) {
        let found = results.filter { $0.seed != nil }
        func share(_ name: String, _ part: Int, of whole: Int) -> String {
            "\(name) \(part) of \(whole) (\(whole == 0 ? 0 : 100 * part / whole) %)"
        }
        var parts = [
            share("found", found.count, of: results.count),
            share("class right", found.count(where: \.isClassRight), of: found.count),
        ]
        if triesDooms { parts.append(share("doomed step right", found.count { $0.proof != nil }, of: found.count)) }
        print(parts.joined(separator: ", "))
    }
}
