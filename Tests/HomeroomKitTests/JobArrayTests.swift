import Run
import Testing

@testable import HomeroomKit

/// `--shard auto`, each with the variables as the system itself sets them.
@Suite("Job arrays", .timeLimit(.minutes(20))) struct JobArrayTests {
    /// A system's variables of one job, and what they say.
    struct Job: Sendable, CustomTestStringConvertible {
        var system: String
        var environment: [String: String]
        var part: String
        var testDescription: String { "\(system): \(part)" }
    }

    @Test(
        "Part and number of parts as each system says them; the first part is 1",
        arguments: [
            Job(
                system: "Kubernetes, indexed job",
                environment: ["JOB_COMPLETION_INDEX": "7", "HOMEROOM_SHARD_COUNT": "8", "HOSTNAME": "explore-7-x2x9k"],
                part: "8/8"),
            Job(
                system: "Slurm, array of 1 to 8",
                environment: [
                    "SLURM_ARRAY_JOB_ID": "42", "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1",
                    "SLURM_ARRAY_TASK_MAX": "8", "SLURM_ARRAY_TASK_STEP": "1", "SLURM_ARRAY_TASK_COUNT": "8",
                ], part: "3/8"),
            Job(
                system: "Slurm, array of 0 to 7",
                environment: [
                    "SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "7",
                    "SLURM_ARRAY_TASK_STEP": "1", "SLURM_ARRAY_TASK_COUNT": "8",
                ], part: "1/8"),
            Job(
                system: "Slurm, every second from 5 to 9",
                environment: [
                    "SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_MAX": "9",
                    "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "3",
                ], part: "3/3"),
            Job(
                system: "GitHub Actions, from the matrix",
                environment: ["GITHUB_ACTIONS": "true", "HOMEROOM_SHARD_INDEX": "0", "HOMEROOM_SHARD_COUNT": "8"],
                part: "1/8"),
            Job(
                system: "GitLab, parallel: 2",
                environment: ["GITLAB_CI": "true", "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"], part: "2/2"),
            Job(
                system: "Buildkite, parallelism: 2",
                environment: ["BUILDKITE": "true", "BUILDKITE_PARALLEL_JOB": "1", "BUILDKITE_PARALLEL_JOB_COUNT": "2"],
                part: "2/2"),
            Job(
                system: "CircleCI, parallelism: 5",
                environment: ["CIRCLECI": "true", "CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "5"], part: "1/5"),
            Job(
                system: "a part of its own before what the system says",
                environment: ["HOMEROOM_SHARD": "3/7", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"], part: "3/7"),
            Job(
                system: "an empty variable is none",
                environment: ["HOMEROOM_SHARD": "", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"], part: "1/2"),
        ])
    func parts(job: Job) throws {
        #expect(try JobArray.shard("auto", environment: job.environment).description == job.part)
    }

    @Test("A part that is given needs no environment")
    func given() throws {
        #expect(try JobArray.shard("2/5", environment: [:]).description == "2/5")
    }

    @Test(
        "What is missing is named: the count, the index, a list with gaps, a single task of a larger array (environment, words)",
        arguments: [
            ([:], "names no job array"),
            (["GITHUB_ACTIONS": "true"], "from ${{ strategy.job-index }}"),
            (["JOB_COMPLETION_INDEX": "0"], "set HOMEROOM_SHARD_COUNT"),
            (["HOMEROOM_SHARD_INDEX": "0"], "set HOMEROOM_SHARD_COUNT"),
            (["HOMEROOM_SHARD_COUNT": "4"], "no HOMEROOM_SHARD_INDEX"),
            (["CI_NODE_TOTAL": "1"], "no CI_NODE_INDEX"),
            (["CIRCLE_NODE_INDEX": "0"], "set CIRCLE_NODE_TOTAL"),
            (["BUILDKITE_PARALLEL_JOB": "0"], "set BUILDKITE_PARALLEL_JOB_COUNT"),
            (["CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "2"], "is no part of a whole"),
            (["CI_NODE_INDEX": "two", "CI_NODE_TOTAL": "2"], "is no part of a whole"),
            (["HOMEROOM_SHARD": "0/2"], "HOMEROOM_SHARD is '0/2'"),
            (["SLURM_ARRAY_TASK_ID": "3"], "set SLURM_ARRAY_TASK_COUNT"),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "7",
                    "SLURM_ARRAY_TASK_COUNT": "3",
                ], "have gaps"
            ),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_MAX": "5",
                    "SLURM_ARRAY_TASK_COUNT": "1",
                ], "HOMEROOM_SHARD=5/N"
            ),
        ] as [([String: String], String)])
    func missing(environment: [String: String], words: String) {
        let problem = #expect(throws: RunEnd.self) { try JobArray.shard("auto", environment: environment) }
        #expect(problem?.message.contains(words) == true, "\(problem?.message ?? "")")
    }

    @Test("A word that is no part is refused")
    func wrong() {
        let problem = #expect(throws: RunEnd.self) { try JobArray.shard("3/2", environment: [:]) }
        #expect(problem?.message.contains("give I/N") == true)
    }
}
