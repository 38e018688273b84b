import ArgumentParser
import FleetModel
import Report
import Run

/// `homeroom prove SCENARIO`, `homeroom prove --check PROOF`
struct ProveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Write a page that says which seeds of a scenario lose nothing, for anybody to check; or check one.",
        discussion:
            "Exit status: 0 written, or the same digests; 1 a seed is invalid, or its digest differs; 2 a seed is unknown; 3 bad input; 4 a seed could not be finished; 130 interrupted. Nothing is written unless every seed is valid."
    )

    @Argument(help: "A scenario file.") var path: String?
    @Option(parsing: .unconditional, help: "How many seeds; default 100.") var seeds: Int?
    @Option(parsing: .unconditional, help: "The first seed.") var from: UInt64 = 1
    @Option(parsing: .unconditional, help: "Worker processes at a time; default: the machine's cores.") var jobs: Int?
    @Option(
        name: [.short, .customLong("out")],
        help: "The page, a .md; what machines read lies next to it, a .json. Default: SCENARIO.proof.md.")
    var out: String?
    @Option(help: "Check this proof.json instead: run its seeds again and compare their digests.") var check: String?
    @Option(parsing: .unconditional, help: "With --check: run only so many of its seeds, spread over all.") var sample:
        Int?
    @Option(help: "With --check: sim, or fleet, in which each participant is a process.") var mode: Mode = .sim
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (path == nil) != (check == nil) else {
            throw ValidationError("give a scenario to prove, or --check and a proof.json")
        }
        guard (1...1_000_000).contains(seeds ?? 1) else { throw ValidationError("--seeds takes 1 to 1000000") }
        guard (1...1_000_000).contains(sample ?? 1) else { throw ValidationError("--sample takes 1 to 1000000") }
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes 1 to 1024") }
        guard from <= .max / 2 else { throw ValidationError("--from takes at most \(UInt64.max / 2)") }
        guard mode != .live else {
            throw ValidationError("a live run has another digest each time: use --mode sim or fleet")
        }
        if check == nil {
            guard sample == nil, mode == .sim else { throw ValidationError("--sample and --mode belong to --check") }
            guard out.map({ $0.hasSuffix(".md") }) ?? true else { throw ValidationError("--out takes a file .md") }
        } else {
            guard out == nil, seeds == nil, jobs == nil else {
                throw ValidationError("--out, --seeds and --jobs do not belong to --check")
            }
        }
    }

    func run() throws { if let check { try compare(check) } else { try prove(path ?? "") } }

    // MARK: Proving

    private func prove(_ path: String) throws {
        let loaded = try scenario(path)
        guard loaded.scenario.expect.verdict == .valid else {
            throw RunEnd.input(
                "\(loaded.file): expects '\(loaded.scenario.expect.verdict.rawValue)', and only valid runs can be proved: show this one with '\(Homeroom.commandName) run \(Shell.quoted(loaded.file))'"
            )
        }
        let page = out ?? "\(loaded.scenario.name).proof.md"
        let data = page.dropLast(3) + ".json"
        let files = [OutputFile(page, orElse: .out), OutputFile(String(data), orElse: .out)]
        for file in files { try file.probe() }
        var search = Search(
            loaded: loaded, jobs: jobs ?? Machine.cores,
            asked: Asked(seeds: seeds ?? 100, from: from, stopsAtFirst: true))
        search.keepsAll = true
        try search.run()
        Progress.clear()
        guard !Interruption.isAsked else { throw RunEnd.interrupted }
        guard search.tally.failures.isEmpty, search.tally.missed == 0 else {
            let status = search.summary()
            printError("nothing is proved and nothing was written: every seed has to be valid")
            JSONOutput.print("prove", status, ["proved": false, "search": search.tally.body])
            throw ExitCode(status)
        }
        let proof = Proof(loaded, reports: search.reports)
        try files[0].write(proof.page(json: String(data)))
        try files[1].write(proof.body.json + "\n")
        JSONOutput.print(
            "prove", .asExpected,
            ["proved": true, "page": .string(page), "file": .string(String(data)), "proof": proof.body])
        say(
            "proved  \(proof.scenario)  seeds=\(proof.seeds) edits=\(proof.edits) digest=\(proof.digest) in \(page) and \(data)"
        )
    }

    private func scenario(_ path: String) throws -> LoadedScenario {
        let loaded = try ScenarioFiles.load([path])
        guard loaded.count == 1 else {
            throw RunEnd.input("prove takes one scenario; \(path) holds \(loaded.count)")
        }
        return loaded[0]
    }

    // MARK: Checking

    private func compare(_ path: String) throws {
        let proof = try Proof(json: try Folders.read(path), file: path)
        let loaded = try scenario(proof.file)
        guard loaded.text == proof.text else {
            let lines = [loaded.text, proof.text].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
            let same = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
            throw RunEnd.input(
                "\(proof.file):\(same + 1):1: is not the scenario that was proved: from this line on it differs; take the version of the proof"
            )
        }
        let runs = chosen(proof.runs)
        var differing: [(run: Proof.Run, digest: String)] = []
        Interruption.install()
        for (index, run) in runs.enumerated() {
            var runner = Runner(loaded: loaded, seed: run.seed, mode: mode, out: nil)
            runner.title = "\(proof.scenario): \(index + 1) of \(runs.count)"
            let report = try runner.run()
            if report.digest != run.digest { differing.append((run, report.digest)) }
            guard !Interruption.isAsked else { throw RunEnd.interrupted }
        }
        Progress.clear()
        let notes = remarks(proof, loaded)
        let status: ExitStatus = differing.isEmpty ? .asExpected : .unexpected
        JSONOutput.print(
            "prove", status,
            [
                "agrees": .bool(differing.isEmpty), "checked": .int(runs.count), "of": .int(proof.runs.count),
                "mode": .string(mode.rawValue), "remarks": .strings(notes),
                "differing": .array(
                    differing.map {
                        [
                            "seed": .string(String($0.run.seed)), "proved": .string($0.run.digest),
                            "digest": .string($0.digest),
                        ]
                    }),
            ])
        for (run, digest) in differing {
            say(
                "differs  \(proof.scenario)  seed=\(run.seed) proved=\(run.digest.prefix(12)) digest=\(digest.prefix(12))"
            )
        }
        for note in notes { say("  \(note)") }
        say(
            "\(differing.isEmpty ? "agrees" : "differs")  \(proof.scenario)  checked=\(runs.count) of \(proof.runs.count) mode=\(mode.rawValue) differing=\(differing.count)"
        )
        throw ExitCode(status)
    }

    /// The first, the last, and what lies between in equal steps.
    private func chosen(_ runs: [Proof.Run]) -> [Proof.Run] {
        guard let sample, sample < runs.count else { return runs }
        guard sample > 1 else { return [runs[0]] }
        return (0..<sample).map { runs[$0 * (runs.count - 1) / (sample - 1)] }
    }

    /// What else is not as it was: it explains a difference, and does no harm without one.
    private func remarks(_ proof: Proof, _ loaded: LoadedScenario) -> [String] {
        var remarks: [String] = []
        if proof.build != Homeroom.build {
            remarks.append("the proof was made by the build \(proof.build), and this is \(Homeroom.build)")
        }
        let present = Proof.programs(of: loaded.scenario.apps)
        for (path, digest) in proof.programs.sorted(by: { $0.key < $1.key }) where present[path] != digest {
            remarks.append("\(path) is not what it was when the proof was made")
        }
        return remarks
    }
}
