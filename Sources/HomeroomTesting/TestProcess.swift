import CInterpose
import FleetModel
import Foundation
import Glibc
import Run

/// The ordinary test process: starts itself again for the seeds of a test, and takes their outcomes.
enum TestProcess {
    /// One test's seeds at a time: they take all cores by themselves.
    private static let turn = NSLock()
    /// Where failing runs leave their files, from the folder in which tests run.
    private static let results = ".homeroom/tests"

    /// Somebody has given the test up: its time limit.
    private final class Stop: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isAsked: Bool { lock.withLock { value } }
        func ask() { lock.withLock { value = true } }
    }

    /// Plays the seeds of a test in another process, and waits for them without holding up other tests.
    /// - Returns: outcomes in the order of seeds.
    static func outcomes(of place: TestPlace, seeds: ClosedRange<UInt64>) async -> [SeedOutcome] {
        let stop = Stop()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                // A thread of its own, which lives as long as the process that it starts: that one is bound to it.
                Thread.detachNewThread {
                    turn.lock()
                    let outcomes = run(place, seeds, stop)
                    turn.unlock()
                    continuation.resume(returning: outcomes)
                }
            }
        } onCancel: {
            stop.ask()
        }
    }

    private static func run(_ place: TestPlace, _ seeds: ClosedRange<UInt64>, _ stop: Stop) -> [SeedOutcome] {
        let folder = workFolder()
        var ends: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0 else {
            return [SeedOutcome(seed: seeds.lowerBound, end: "no socket: too many open files")]
        }
        let order = SeedProcess.Order(test: place.id, seeds: seeds, socket: ends[1], folder: folder)
        let log = folder + "/process.log"
        let pid = spawn(place.arguments, order, log: log)
        close(ends[1])
        defer { close(ends[0]) }
        guard pid > 0 else {
            return [SeedOutcome(seed: seeds.lowerBound, end: "the test's process cannot be started again")]
        }
        var found: [UInt64: SeedOutcome] = [:]
        let socket = FrameSocket(fd: ends[0], isFollowedByDescriptor: true)
        while true {
            guard !stop.isAsked else {
                kill(pid, SIGKILL)
                break
            }
            var wait = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 100) > 0 else { continue }
            guard let (kind, bytes) = try? socket.receive(), kind == .outcome else { break }
            guard let outcome = (try? Value(decoding: bytes)).flatMap({ SeedOutcome($0) }) else { continue }
            found[outcome.seed] = outcome
        }
        let status = hr_wait(pid, 1)
        let missing = seeds.filter { found[$0] == nil }
        if let first = missing.first, !stop.isAsked {
            let words =
                "the process for \(missing.count) of \(seeds.count) seeds ended without an outcome (\(WaitStatus.words(for: status)))"
            found[first] = SeedOutcome(seed: first, end: words + LogTail.words(log))
        }
        return kept(found.values.sorted { $0.seed < $1.seed }, of: place, from: folder)
    }

    private static func spawn(_ arguments: [String], _ order: SeedProcess.Order, log: String) -> pid_t {
        var environment = ProcessInfo.processInfo.environment
        environment.merge([
            SeedProcess.Order.variable: order.body.json, "SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC", "LC_ALL": "C",
            "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        let variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let words = ([CommandLine.arguments.first ?? "tests"] + arguments).map { strdup($0) } + [nil]
        defer { for text in variables + words { free(text) } }
        return hr_spawn_bound_in("/proc/self/exe", words, variables, log, order.socket)
    }

    // MARK: Files

    /// A folder for one call, where files of failing seeds can be moved from without a copy.
    private static func workFolder() -> String {
        let name = "work-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        for root in [results, NSTemporaryDirectory() + "homeroom-tests"] {
            let path = root + "/" + name
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                return path
            } catch { continue }
        }
        return NSTemporaryDirectory()
    }
    /// Keeps the files of the first seed of each kind of failure, and removes the rest.
    private static func kept(_ outcomes: [SeedOutcome], of place: TestPlace, from work: String) -> [SeedOutcome] {
        var told: Set<String> = []
        let files = FileManager.default
        defer { if work != NSTemporaryDirectory() { try? files.removeItem(atPath: work) } }
        return outcomes.map { outcome in
            var outcome = outcome
            guard let folder = outcome.folder else { return outcome }
            outcome.folder = nil
            guard told.insert(outcome.signature).inserted else { return outcome }
            let root = work.hasPrefix(results) ? results : NSTemporaryDirectory() + "homeroom-tests"
            let target = "\(root)/\(place.name)-\(outcome.seed)"
            try? files.removeItem(atPath: target)
            if (try? files.moveItem(atPath: folder, toPath: target)) != nil { outcome.folder = target }
            return outcome
        }
    }
}
