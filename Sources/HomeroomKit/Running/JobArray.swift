import FleetModel
import Glibc
import Run

/// Which part of several equal jobs this one is, as the system that started them says in the environment.
enum JobArray {
    /// Names of the variables of one system: this job's number, the first job's number where it is not fixed, and how many there are.
    private struct System {
        var name: String
        var index: String
        var count: String
        /// The number of the first job, or the variable that says it.
        var first = 0
        var firstIn: String?
        var stepIn: String?
    }
    /// Kubernetes says no count: the job's manifest has to (`completions`).
    private static let systems = [
        System(name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: "HOMEROOM_SHARD_COUNT"),
        System(
            name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
            firstIn: "SLURM_ARRAY_TASK_MIN",
            stepIn: "SLURM_ARRAY_TASK_STEP"),
        System(name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"),
        System(name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"),
        System(name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1),
    ]

    /// The part that `--shard` names: `I/N`, or `auto` for what the environment says.
    /// - Throws: `RunEnd.input` that says what is missing.
    static func shard(_ word: String, environment: [String: String] = environment) throws(RunEnd) -> Shard {
        guard word == "auto" else {
            if let shard = Shard(word) { return shard }
            throw .input("--shard \(word): give I/N, part I of N such as 2/5, or auto in a job array")
        }
        if let own = environment["HOMEROOM_SHARD"] {
            if let shard = Shard(own) { return shard }
            throw .input("HOMEROOM_SHARD is '\(own)': set it to I/N, part I of N such as 2/5")
        }
        for system in systems {
            guard let text = environment[system.index] else { continue }
            let first = system.firstIn.flatMap { environment[$0] }.flatMap { Int($0) } ?? system.first
            let step = max(1, system.stepIn.flatMap { environment[$0] }.flatMap { Int($0) } ?? 1)
            guard let count = environment[system.count] else {
                throw .input(
                    "--shard auto: \(system.name) says \(system.index)=\(text) and not of how many: set \(system.count) to the number of jobs"
                )
            }
            guard let index = Int(text), let shard = Shard("\((index - first) / step + 1)/\(count)") else {
                throw .input(
                    "--shard auto: \(system.index)=\(text) of \(system.count)=\(count) is no part of a whole; use --shard I/N"
                )
            }
            return shard
        }
        let hint =
            environment["GITHUB_ACTIONS"] == nil
            ? "set HOMEROOM_SHARD=I/N" : "GitHub Actions has no such variables: set HOMEROOM_SHARD=I/N from your matrix"
        throw .input(
            "--shard auto: the environment names no job array (\(systems.map(\.name).joined(separator: ", "))): \(hint), or use --shard I/N"
        )
    }

    private static var environment: [String: String] {
        let names =
            ["HOMEROOM_SHARD", "GITHUB_ACTIONS"]
            + systems.flatMap { [$0.index, $0.count, $0.firstIn, $0.stepIn].compactMap { $0 } }
        return Dictionary(
            names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } },
            uniquingKeysWith: { first, _ in first })
    }
}
