import CInterpose
import FleetModel
import Glibc
import Load
import Run
import Workload

/// Runs two scenarios, or one with two executables, in turns, each run a process of its own, and reads what they measured.
struct ComparedRuns {
    /// One side of a comparison.
    enum Subject {
        /// What runs have left behind.
        case results(String)
        case runs(program: String, scenario: String)

        /// - Throws: `RunEnd.input` for a path that is neither results, scenario nor executable.
        init(_ path: String, scenario: String?) throws {
            guard Folders.exists(path) else { throw RunEnd.input("\(path): no such file or folder") }
            if Folders.isFolder(path) || path.hasSuffix(".json") {
                self = .results(path)
            } else if path.hasSuffix(".yaml") {
                self = .runs(program: ComparedRuns.ownProgram, scenario: path)
            } else if access(path, X_OK) == 0 {
                guard let scenario else {
                    throw RunEnd.input("\(path) is an executable: say what it shall run, --scenario FILE")
                }
                self = .runs(program: path.contains("/") ? path : "./" + path, scenario: scenario)
            } else {
                throw RunEnd.input(
                    "\(path): neither a folder of results nor a scenario (*.yaml) nor a homeroom executable")
            }
        }
    }

    static let ownProgram = "/proc/self/exe"

    var subjects: [Subject]
    var rounds: Int
    var seed: UInt64?
    var mode: Mode
    /// Options of live for every run.
    var live: [String]

    /// What can be known of both sides before the first of them is run.
    /// - Returns: names of all figures that there may be.
    /// - Throws: `RunEnd.input` for sides that are not of a kind, and for a scenario of ours that measures nothing.
    static func requireComparable(_ subjects: [Subject], mode: Mode) throws -> [String] {
        let scenarios = subjects.compactMap { if case .runs(_, let scenario) = $0 { scenario } else { nil } }
        guard scenarios.isEmpty || scenarios.count == subjects.count else {
            throw RunEnd.input("results can be compared with results only; give two of a kind")
        }
        let hasCosts = scenarios.isEmpty || mode == .live
        // The errors of both sides at once.
        _ = try ScenarioFiles.load(
            subjects.compactMap { if case .runs(ownProgram, let file) = $0 { file } else { nil } })
        let foreign = FigureComparison.names(channels: Set(Channel.allCases), hasFaults: true, hasCosts: hasCosts)
        var known: Set<String> = []
        return try subjects.flatMap { subject -> [String] in
            // Another executable may have other apps.
            guard case .runs(ownProgram, let file) = subject else { return foreign }
            return try ScenarioFiles.load([file]).flatMap { try names($0.scenario, file, hasCosts: hasCosts) }
        }.filter { known.insert($0).inserted }
    }
    private static func names(_ scenario: Scenario, _ file: String, hasCosts: Bool) throws -> [String] {
        guard scenario.isMeasured else { throw nothing(file) }
        let channels = scenario.apps.compactMap { Homeroom.catalogue.manifest($0)?.channel }
        return FigureComparison.names(
            channels: Set(channels), hasFaults: !scenario.faults.isEmpty || scenario.swarm != nil,
            hasCosts: hasCosts)
    }
    private static func nothing(_ scenario: String) -> RunEnd {
        .input("\(scenario) measures nothing: write 'measure: true' into it")
    }

    func run() throws -> ([RunFigures], [RunFigures]) {
        Interruption.install()
        let scratch = try Folders.temporary()
        defer {
            Progress.clear()
            Folders.remove(scratch)
        }
        var sets: [[RunFigures]] = [[], []]
        let first = try seed ?? ownSeed()
        for round in 0..<rounds {
            // Every second round the other way about: what the machine does to the later one it does to both.
            for side in round % 2 == 0 ? [0, 1] : [1, 0] {
                Progress.show("round \(round + 1) of \(rounds), \(side == 0 ? "A" : "B") ...")
                let out = "\(scratch)/\(round)-\(side)"
                sets[side].append(try one(subjects[side], seed: first &+ UInt64(round), out: out))
                Folders.remove(out)
            }
        }
        return (sets[0], sets[1])
    }

    /// Scenarios of both sides are run with one seed, that of the first.
    private func ownSeed() throws -> UInt64 {
        guard case .runs(_, let scenario) = subjects[0] else { return 1 }
        return try ScenarioFiles.load([scenario]).first?.scenario.seed ?? 1
    }

    private func one(_ subject: Subject, seed: UInt64, out: String) throws -> RunFigures {
        guard case .runs(let program, let scenario) = subject else {
            throw RunEnd.harness("results were to be run")
        }
        let words = ["run", scenario, "--seed", "\(seed)", "--mode", mode.rawValue] + live
        let log = out + ".log"
        let status = try Self.start([program] + words + ["--out", out, "--quiet"], log: log)
        guard !Interruption.isAsked else { throw RunEnd.interrupted }
        let name = program == Self.ownProgram ? Homeroom.commandName : Shell.quoted(program)
        let command = ([name] + words.map(Shell.quoted)).joined(separator: " ")
        guard let end = ExitStatus(rawValue: status), end.isVerdict else {
            // Its logs go with all that it leaves here.
            let reason = Self.lastLine(of: log).map {
                ": " + $0.replacing(Runner.words(forLogs: out + "/failed-logs"), with: "")
            }
            let message = "'\(command)' ended with status \(status)\(reason ?? ""); run it alone to see more"
            throw status == ExitStatus.input.rawValue ? RunEnd.input(message) : .harness(message)
        }
        guard Folders.exists(out + "/figures.json") else { throw Self.nothing(scenario) }
        if let flaw = try FigureFiles.flaw(out + "/figures.json") {
            throw RunEnd.harness(
                "'\(command)' \(flaw); only valid runs can be compared")
        }
        return try FigureFiles.read(out + "/figures.json")
    }

    /// Runs a program with its output in a file; it dies with us.
    /// - Returns: its exit status; 128 and the signal when one ended it.
    private static func start(_ words: [String], log: String) throws -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let child = hr_spawn_bound(words[0], &arguments, log, -1)
        guard child > 0 else { throw RunEnd.harness("cannot start \(words[0]): \(Folders.reason)") }
        var isAsked = false
        while true {
            let status = hr_wait(child, 0)
            if status >= 0 { return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f) }
            // Ctrl-C has reached it already; what was sent to us alone has not.
            if Interruption.isAsked, !isAsked {
                isAsked = true
                kill(child, SIGTERM)
            }
            usleep(20_000)
        }
    }
    /// What a quiet run that could not be judged says at its end: why.
    private static func lastLine(of file: String) -> String? {
        (try? Folders.read(file))?.split(whereSeparator: \.isNewline).last.map(String.init)
    }
}
