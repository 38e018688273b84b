import FleetModel
import Report
import Run

/// What `homeroom prove` found, as its two files say it: seeds that were all valid, and what anybody needs to run them again
/// (Docs/schemas/proof.schema.json).
struct Proof: Hashable {
    /// Raised when an older Homeroom could misread one.
    static let version: Int64 = 1

    /// One seed.
    struct Run: Hashable {
        var seed: UInt64
        var digest: String
        var edits: Int
        var events: Int
    }

    var scenario: String
    var purpose: String
    /// Path and whole text of the scenario.
    var file: String
    var text: String
    /// Of the executable, the author's apps and all.
    var build: String
    /// Digests of the files of programs that are apps, by path.
    var programs: [String: String]
    var runs: [Run]
    /// In how many runs each mark was reached.
    var marks: [String: Int]
    /// Edits by class that is counted and no violation.
    var counted: [LossClass: Int]
    var refused: Int

    var edits: Int { runs.reduce(0) { $0 + $1.edits } }
    /// One for all runs, in the order of their seeds.
    var digest: String {
        var hash = StableHash()
        for run in runs { hash.add("\(run.seed) \(run.digest)") }
        return Hex.text(hash.value)
    }
    /// `1-100`, `1-3, 7`.
    var seeds: String {
        var ranges: [ClosedRange<UInt64>] = []
        for run in runs {
            if let last = ranges.last, last.upperBound + 1 == run.seed {
                ranges[ranges.count - 1] = last.lowerBound...run.seed
            } else {
                ranges.append(run.seed...run.seed)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ", ")
    }

    /// - Parameter reports: of all seeds, each valid.
    init(_ loaded: LoadedScenario, reports: [RunReport]) {
        (scenario, purpose) = (loaded.scenario.name, loaded.scenario.purpose)
        (file, text) = (loaded.file, loaded.text)
        build = Homeroom.build
        programs = Self.programs(of: loaded.scenario.apps)
        runs = reports.sorted { $0.seed < $1.seed }.map {
            Run(seed: $0.seed, digest: $0.digest, edits: $0.edits, events: $0.events ?? 0)
        }
        (marks, counted, refused) = ([:], [:], 0)
        for report in reports {
            for mark in report.marks { marks[mark, default: 0] += 1 }
            for (lossClass, count) in report.counts where !lossClass.isViolation {
                counted[lossClass, default: 0] += count
            }
            refused += report.refused
        }
    }

    /// What lies in the folders of programs: their own code, and what they read with it.
    static func programs(of apps: [AppName]) -> [String: String] {
        var digests: [String: String] = [:]
        for program in apps.compactMap({ Homeroom.catalogue.programs[$0] }) {
            for name in Folders.list(program.folder) {
                let path = "\(program.folder)/\(name)"
                guard !Folders.isFolder(path), let text = try? Folders.read(path) else { continue }
                digests[path] = Hex.text(StableHash.of(0, text))
            }
        }
        return digests
    }
}

// MARK: JSON

extension Proof {
    var body: Value {
        [
            "proof": .int(Self.version), "scenario": .string(scenario), "purpose": .string(purpose),
            "file": .string(file), "text": .string(text), "build": .string(build), "digest": .string(digest),
            "programs": .object(Value.Object(programs.map { ($0.key, .string($0.value)) })),
            "edits": .int(edits), "refused": .int(refused), "seeds": .string(seeds),
            "marks": .object(Value.Object(marks.map { ($0.key, .int($0.value)) })),
            "counted": .object(Value.Object(counted.map { ($0.key.rawValue, .int($0.value)) })),
            "runs": .array(
                runs.map {
                    [
                        "seed": .string(String($0.seed)), "digest": .string($0.digest), "edits": .int($0.edits),
                        "events": .int($0.events),
                    ]
                }),
        ]
    }

    /// - Throws: `RunEnd.input` for what is no proof, and for one whose parts do not fit together.
    init(json text: String, file path: String) throws(RunEnd) {
        let body: Value
        do { body = try Value(json: text) } catch { throw .input("\(path): is no JSON: \(error)") }
        guard let version = body["proof"]?.int else {
            throw .input("\(path): is no proof; give the .json that 'homeroom prove' wrote")
        }
        guard version == Self.version else {
            throw .input(
                "\(path): has the format \(version), and this homeroom reads \(Self.version); use the homeroom that wrote it"
            )
        }
        guard let scenario = body["scenario"]?.string, let purpose = body["purpose"]?.string,
            let file = body["file"]?.string, let scenarioText = body["text"]?.string, let build = body["build"]?.string,
            let runs = body["runs"]?.array?.map(Run.init), !runs.isEmpty, !runs.contains(nil)
        else { throw .input("\(path): a member is missing or of another type; see Docs/schemas/proof.schema.json") }
        (self.scenario, self.purpose, self.file, self.text, self.build) = (scenario, purpose, file, scenarioText, build)
        self.runs = runs.compactMap { $0 }
        programs = (body["programs"]?.object?.pairs ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.string }
        marks = (body["marks"]?.object?.pairs ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.int.map(Int.init) }
        counted = (body["counted"]?.object?.pairs ?? []).reduce(into: [:]) { counted, pair in
            if let lossClass = LossClass(rawValue: pair.key) { counted[lossClass] = pair.value.int.map(Int.init) }
        }
        refused = Int(clamping: body["refused"]?.int ?? 0)
        guard digest == body["digest"]?.string else {
            throw .input("\(path): its digest does not belong to its runs: it was edited after it was written")
        }
    }
}

extension Proof.Run {
    fileprivate init?(_ body: Value) {
        guard let seed = body["seed"]?.string.flatMap({ UInt64($0) }), let digest = body["digest"]?.string,
            let edits = body["edits"]?.int, let events = body["events"]?.int
        else { return nil }
        self.init(seed: seed, digest: digest, edits: Int(clamping: edits), events: Int(clamping: events))
    }
}

// MARK: Page

extension Proof {
    /// The page that stands in a pull request.
    /// - Parameter json: name of the file next to it.
    func page(json: String) -> String {
        let command = Homeroom.commandName
        let kept = LossClass.allCases.compactMap { lossClass in
            counted[lossClass].map { "\(lossClass.rawValue) \($0)" }
        }
        var lines = [
            "# \(scenario): \(runs.count) of \(runs.count) seeds valid", "", purpose, "", "| | |", "|---|---|",
            "| seeds | \(seeds) |", "| edits performed | \(edits), none lost |",
            "| counted by the scenario's rules | \(kept.isEmpty ? "none" : kept.joined(separator: ", ")) |",
            "| visibly refused | \(refused) |", "| build | `\(build)` |",
        ]
        lines += programs.sorted { $0.key < $1.key }.map { "| `\($0.key)` | `\($0.value)` |" }
        lines += [
            "| digest of all runs | `\(digest)` |", "", "Check it, all of it or ten seeds in real processes:", "",
            "```",
            "\(command) prove --check \(Shell.quoted(json))",
            "\(command) prove --check \(Shell.quoted(json)) --sample 10 --mode fleet", "```", "",
            "Play one of the runs, and look at it:", "", "```",
            "\(command) run \(Shell.quoted(file)) --seed \(runs[0].seed) --report", "```", "",
            "What these runs came to, and how many of them:", "", "| mark | runs |", "|---|---|",
        ]
        lines += marks.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "| \($0.key) | \($0.value) |" }
        lines += [
            "",
            "It says nothing about other seeds, about Apple's real servers, or about what an app does outside of its scenario.",
            "",
            "<details><summary>Every seed</summary>", "", "| seed | edits | events | digest |", "|---|---|---|---|",
        ]
        lines += runs.map { "| \($0.seed) | \($0.edits) | \($0.events) | `\($0.digest.prefix(12))` |" }
        return (lines + ["", "</details>", ""]).joined(separator: "\n")
    }
}
