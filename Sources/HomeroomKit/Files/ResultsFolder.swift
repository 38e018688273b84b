import Glibc
import Run

/// A folder of results. A run writes beside what an earlier one left in it, and takes its place when it has a verdict.
///
/// Invariant: trace, verdict, figures and logs in the folder are of one run, whatever ends the command: all of the earlier one until `keep`, all of
/// the new one after it. A kill in the midst of `keep` may leave some of them away; the next run in this folder first ends what was begun.
struct ResultsFolder {
    let path: String
    private let isNew: Bool
    private let lock: Int32

    /// What a run leaves behind.
    private static let names = ["trace.jsonl", "verdict.json", "report.html", "figures.json", "figures.html", "logs"]
    /// Where the run writes; renamed piece by piece, so it lies in the same file system.
    var unfinished: String { path + "/.homeroom-unfinished" }
    /// Takes in what is replaced. While it is there, `unfinished` is whole and on its way to its place.
    private var earlier: String { path + "/.homeroom-earlier" }
    /// Logs of the last run that the harness could not finish.
    var failedLogs: String { path + "/failed-logs" }

    /// Makes the folder and keeps other runs out of it until `close`.
    /// - Throws: `RunEnd.input` when it cannot be written, another run is in it, or somebody's own files are in the way.
    static func open(_ path: String) throws -> ResultsFolder {
        let isNew = !Folders.exists(path)
        do {
            try Folders.make(path)
            let folder = ResultsFolder(path: path, isNew: isNew, lock: try Folders.lock(path))
            do { try folder.settle() } catch {
                folder.close()
                throw error
            }
            return folder
        } catch {
            if isNew { rmdir(path) }
            throw error
        }
    }

    /// Ends what a killed run had begun, and looks for files of somebody else under our names.
    private func settle() throws {
        if Folders.isThere(earlier) { try exchange() }
        let marks = ["trace.jsonl", "verdict.json", "logs/run.log", "failed-logs/run.log"]
        guard !marks.contains(where: { Folders.exists("\(path)/\($0)") }) else { return }
        for name in ["logs", "failed-logs"] where Folders.isThere("\(path)/\(name)") {
            throw RunEnd.input(
                "\(path)/\(name) is there already and no run of homeroom left it; choose another --out")
        }
    }

    /// An empty place for a run, with a folder for logs.
    func begin() throws {
        Folders.remove(unfinished)
        try Folders.make(unfinished + "/logs")
    }

    /// The run has its verdict: its results take the place of the earlier ones.
    /// - Throws: `RunEnd.input`; then the earlier ones are still there, or the next run ends what was begun.
    func keep() throws {
        guard mkdir(earlier, 0o755) == 0 || errno == EEXIST else {
            throw RunEnd.input(
                "cannot write into \(path): \(Folders.reason); the earlier results are as they were, choose another --out"
            )
        }
        try exchange()
    }

    /// Idempotent: begun again after a kill, it goes on where it ended. All of the earlier run go before the first of the new one comes.
    private func exchange() throws {
        let whole = Self.names.filter { Folders.isThere("\(unfinished)/\($0)") }
        // The trace comes first: while it waits, all in the folder is the earlier run's, what the new one has no counterpart of too.
        let old = whole.contains("trace.jsonl") ? Self.names : whole
        for name in old where Folders.isThere("\(path)/\(name)") { try move(name, from: path, to: earlier) }
        for name in whole { try move(name, from: unfinished, to: path) }
        for gone in [unfinished, failedLogs, earlier] { Folders.remove(gone) }
    }
    private func move(_ name: String, from: String, to: String) throws {
        guard rename("\(from)/\(name)", "\(to)/\(name)") != 0 else { return }
        throw RunEnd.input(
            "cannot replace \(path)/\(name): \(Folders.reason); both results are in \(path), run once more or choose another --out"
        )
    }

    /// The run has no verdict: nothing of it stays, but for the logs where they tell what failed. Earlier results are not touched.
    /// - Returns: whether logs are in `failedLogs`.
    func discard(keepingLogs: Bool) -> Bool {
        guard !Folders.isThere(earlier) else { return false }
        var hasLogs = false
        if keepingLogs, !Folders.list(unfinished + "/logs").isEmpty {
            Folders.remove(failedLogs)
            hasLogs = rename(unfinished + "/logs", failedLogs) == 0
        }
        Folders.remove(unfinished)
        if isNew { rmdir(path) }
        return hasLogs
    }

    /// Lets others in.
    func close() { Glibc.close(lock) }
}
