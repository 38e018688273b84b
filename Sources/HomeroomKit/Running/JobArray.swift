import FleetModel
import Glibc
import Run

/// Which part of several equal jobs this one is, as the system that started them says in the environment.
enum JobArray {
    /// Names of the variables of one system: this job's number, and how many there are.
    private struct System {
        var name: String
        var index: String
        var count: String
        /// The number of the first job, where it is fixed.
        var first = 0
        /// What gives the system's jobs the variable that is missing.
        var advice: String
    }
    private static let systems = [
        // Of GitHub Actions, which has no such variables: a workflow sets these two from `strategy.job-index` and `strategy.job-total`.
        System(
            name: "the workflow", index: "HOMEROOM_SHARD_INDEX", count: "HOMEROOM_SHARD_COUNT",
            advice: "in GitHub Actions from ${{ strategy.job-index }} and ${{ strategy.job-total }}"),
        // Says no count.
        System(
            name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: "HOMEROOM_SHARD_COUNT",
            advice: "the manifest has to, to its 'completions'; an index comes with 'completionMode: Indexed'"),
        System(
            name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
            advice: "Slurm does with sbatch --array=1-N"),
        System(
            name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT",
            advice: "Buildkite does with 'parallelism: N'"),
        System(
            name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL",
            advice: "CircleCI does with 'parallelism: N'"),
        System(
            name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1,
            advice: "GitLab does with 'parallel: N'"),
    ]
    private static let others = [
        "HOMEROOM_SHARD", "GITHUB_ACTIONS", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
    ]

    /// The part that `--shard` names: `I/N`, or `auto` for what the environment says.
    /// - Throws: `RunEnd.input` that says what is missing.
    static func shard(_ word: String, environment: [String: String] = environment) throws(RunEnd) -> Shard {
        guard word == "auto" else {
            if let shard = Shard(word) { return shard }
            throw .input("--shard \(word): give I/N, part I of N such as 2/5, or auto in a job array")
        }
        // An empty variable counts as none: templates leave such.
        let environment = environment.filter { !$0.value.isEmpty }
        if let own = environment["HOMEROOM_SHARD"] {
            if let shard = Shard(own) { return shard }
            throw .input("HOMEROOM_SHARD is '\(own)': set it to I/N, part I of N such as 2/5")
        }
        for system in systems {
            guard let text = environment[system.index] else { continue }
            guard let count = environment[system.count] else {
                throw .input(
                    "--shard auto: \(system.name) says \(system.index)=\(text) and not of how many: set \(system.count) to the number of jobs (\(system.advice))"
                )
            }
            let place = system.name == "Slurm" ? try slurmPlace(text, environment) : Int(text).map { $0 - system.first }
            guard let place, let shard = Shard("\(place + 1)/\(count)") else {
                throw .input(
                    "--shard auto: \(system.index)=\(text) of \(system.count)=\(count) is no part of a whole; use --shard I/N"
                )
            }
            return shard
        }
        if let half = systems.first(where: { environment[$0.count] != nil }) {
            throw .input(
                "--shard auto: \(half.count)=\(environment[half.count] ?? "") says how many jobs there are, and no \(half.index) which one this is (\(half.advice)); set HOMEROOM_SHARD=I/N, or use --shard I/N"
            )
        }
        let hint =
            environment["GITHUB_ACTIONS"] == nil
            ? "set HOMEROOM_SHARD=I/N"
            : "in GitHub Actions set HOMEROOM_SHARD_INDEX and HOMEROOM_SHARD_COUNT \(systems[0].advice)"
        throw .input(
            "--shard auto: the environment names no job array (\(systems.dropFirst().map(\.name).joined(separator: ", "))): \(hint), or use --shard I/N"
        )
    }

    /// The place of a task in its array, from 0; nil for one that is no number.
    /// - Throws: `RunEnd.input` for an array whose tasks cannot be counted through, where each part would be another one than somebody thinks.
    private static func slurmPlace(_ text: String, _ environment: [String: String]) throws(RunEnd) -> Int? {
        func number(_ name: String) -> Int? { environment["SLURM_ARRAY_TASK_\(name)"].flatMap { Int($0) } }
        guard let task = Int(text) else { return nil }
        let (first, step) = (number("MIN") ?? 0, max(1, number("STEP") ?? 1))
        let last = number("MAX") ?? first + ((number("COUNT") ?? 1) - 1) * step
        if number("COUNT") == 1, task > 1 {
            throw .input(
                "--shard auto: Slurm says that this is the only task, with the number \(task): to play one part of a larger array again, give sbatch HOMEROOM_SHARD=\(task)/N in its environment"
            )
        }
        guard (last - first) / step + 1 == number("COUNT") ?? 1 else {
            throw .input(
                "--shard auto: the tasks of this Slurm array, \(first) to \(last), have gaps: submit it as --array=1-N, or one task with HOMEROOM_SHARD=I/N in the environment"
            )
        }
        return (task - first) / step
    }

    private static var environment: [String: String] {
        let names = others + systems.flatMap { [$0.index, $0.count] }
        return Dictionary(
            names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } },
            uniquingKeysWith: { first, _ in first })
    }
}
