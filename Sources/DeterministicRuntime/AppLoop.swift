import CInterpose
import _Concurrency

/// A deterministic run-to-quiescence loop on one thread: the whole concurrency of one app.
///
/// Ordinary `async`/`await`, actors, `MainActor`, task groups, `Task.detached` and `Task.sleep` run on it, first in, first out.
/// When `run` returns no job is runnable: the app is quiescent, and `nextTimer` says when it will wake by itself.
/// Not modelled: priorities (all jobs are equal) and parallelism.
public final class AppLoop: TaskExecutor, @unchecked Sendable {
    /// The loop whose jobs are running now on this thread.
    public static var current: AppLoop? {
        guard hr_current() != nil, let owner = hr_owner() else { return nil }
        return Unmanaged<AppLoop>.fromOpaque(owner).takeUnretainedValue()
    }
    /// True in worker and app processes: there a job outside every loop is a leak. A test process has jobs of its own.
    nonisolated(unsafe) static var isClaimed = false
    /// Declares that this process runs participants and nothing else.
    public static func claimProcess() { isClaimed = true }

    /// Whether the job that runs now is one of the main actor: the app's main thread.
    public private(set) var isOnMain = true

    /// What app-side shims resolve their singletons through: each app of a process has its own.
    public var context: AnyObject?

    private struct Ready {
        var job: UnownedJob
        var main: Bool
    }
    private struct Sleeper {
        var at: Int64
        var order: UInt64
        var ready: Ready
    }
    private var ready: [Ready] = []
    private var head = 0
    private var sleepers: [Sleeper] = []
    private var order: UInt64 = 0
    private let machine: UnsafeMutablePointer<hr_context>

    /// - Parameters:
    ///   - seed: of the loop's own entropy stream; nothing else draws from it.
    ///   - epochNanoseconds: calendar time at virtual time 0.
    public init(seed: UInt64, epochNanoseconds: Int64) {
        machine = .allocate(capacity: 1)
        machine.initialize(to: hr_context(now_ns: 0, epoch_ns: epochNanoseconds, rng: seed, drawn: seed))
        installDeterministicExecutors()
    }
    deinit { machine.deallocate() }

    /// Digest of all entropy drawn so far.
    public var entropy: UInt64 { machine.pointee.drawn }
    /// Virtual nanoseconds.
    public var now: Int64 { machine.pointee.now_ns }
    /// When the earliest sleeper wakes.
    public var nextTimer: Int64? { sleepers.first?.at }
    /// Jobs run so far.
    public private(set) var jobsRun: UInt64 = 0

    /// Runs `body` with this app's clock and entropy, and with its loop as the current one.
    public func enter<R>(_ body: () throws -> R) rethrows -> R {
        let before = hr_enter(machine)
        let outer = hr_set_owner(Unmanaged.passUnretained(self).toOpaque())
        defer {
            hr_set_owner(outer)
            hr_enter(before)
        }
        return try body()
    }

    /// Runs `body` on the real machine while this loop waits: for the way out of an app through a synchronous call.
    public static func leave<R>(_ body: () -> R) -> R {
        let before = hr_enter(nil)
        let outer = hr_set_owner(nil)
        defer {
            hr_set_owner(outer)
            hr_enter(before)
        }
        return body()
    }

    /// Starts a task on the main actor, as `UIApplicationMain` would deliver an event.
    public func start(_ body: @escaping @MainActor @Sendable () async -> Void) {
        enter { _ = Task { @MainActor in await body() } }
    }

    /// Moves the clock to `nanoseconds`, wakes sleepers in order of their time, and runs until nothing is runnable.
    public func run(until nanoseconds: Int64) {
        enter {
            drain()
            while let first = sleepers.first, first.at <= nanoseconds {
                machine.pointee.now_ns = max(machine.pointee.now_ns, first.at)
                sleepers.removeFirst()
                ready.append(first.ready)
                drain()
            }
            machine.pointee.now_ns = max(machine.pointee.now_ns, nanoseconds)
        }
    }
    /// Sets the clock before inputs are delivered; never backwards.
    public func setClock(_ nanoseconds: Int64) { machine.pointee.now_ns = max(machine.pointee.now_ns, nanoseconds) }

    private func drain() {
        while head < ready.count {
            let next = ready[head]
            head += 1
            if head == ready.count {
                ready.removeAll(keepingCapacity: true)
                head = 0
            }
            jobsRun += 1
            isOnMain = next.main
            if next.main {
                next.job.runSynchronously(on: MainActor.sharedUnownedExecutor)
            } else {
                next.job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) { push(UnownedJob(job), main: false) }
    func push(_ job: UnownedJob, main: Bool) { ready.append(Ready(job: job, main: main)) }
    func push(_ job: UnownedJob, main: Bool, after nanoseconds: Int64) {
        order += 1
        let sleeper = Sleeper(at: now + nanoseconds, order: order, ready: Ready(job: job, main: main))
        let index = sleepers.firstIndex { ($0.at, $0.order) > (sleeper.at, sleeper.order) } ?? sleepers.count
        sleepers.insert(sleeper, at: index)
    }
}
