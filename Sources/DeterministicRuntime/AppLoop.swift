import CDispatchLoop
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
    /// Declares that this process runs participants and nothing else, all of them on the calling thread.
    public static func claimProcess() {
        isClaimed = true
        hd_drive_here()
    }

    /// Whether the code that runs now is that of the app's main thread: of the main actor, or of the main queue.
    public var isOnMain: Bool { AppLoop.current === self ? hr_on_main() != 0 : wasOnMain }
    /// Of what ran last, for what the iPad delivers in between.
    private var wasOnMain = true

    /// The number of the job or item that the calling code belongs to, also after a wait: never used twice by one loop. What another one
    /// left on the same pooled thread is told apart by it.
    public static var currentUnit: UInt64 { hd_current_unit() }

    /// What app-side shims resolve their singletons through: each app of a process has its own.
    public var context: AnyObject?

    private struct Ready {
        enum Work {
            case job(UnownedJob)
            /// The first of what Dispatch has for this thread.
            case dispatch
            case delivery(() -> Void)
        }
        var work: Work
        var main: Bool
    }
    private struct Sleeper {
        var at: Int64
        var order: UInt64
        var ready: Ready
    }
    private var ready: [Ready] = []
    private var head = 0
    /// For the main thread, while code of it waits.
    private var held: [Ready] = []
    private var isMainBusy = false
    /// What code of the main thread waits for that lent it for one turn, innermost last.
    private var turns: [UnsafeMutableRawPointer] = []
    /// How far `run` may move the clock.
    private var limit: Int64 = 0
    private var sleepers: [Sleeper] = []
    private var order: UInt64 = 0
    private let machine: UnsafeMutablePointer<hr_context>
    /// Queues, timers and waiting stacks; nil once the loop has ended.
    private var dispatch: OpaquePointer?

    /// - Parameters:
    ///   - seed: of the loop's own entropy stream; nothing else draws from it.
    ///   - epochNanoseconds: calendar time at virtual time 0.
    public init(seed: UInt64, epochNanoseconds: Int64) {
        machine = .allocate(capacity: 1)
        machine.initialize(to: hr_context(now_ns: 0, epoch_ns: epochNanoseconds, rng: seed, drawn: seed))
        installDeterministicExecutors()
        // A stack that waits must not keep the loop: it would never end.
        dispatch = hd_loop_make(
            hd_driver(
                owner: Unmanaged.passUnretained(self).toOpaque(),
                post: { owner, main in
                    Unmanaged<AppLoop>.fromOpaque(owner!)._withUnsafeGuaranteedRef {
                        $0.ready.append(Ready(work: .dispatch, main: main != 0))
                    }
                },
                run: { owner in
                    Unmanaged<AppLoop>.fromOpaque(owner!)._withUnsafeGuaranteedRef { loop in
                        loop.enter { loop.advance() }
                    }
                }))
    }
    deinit {
        end()
        machine.deallocate()
    }

    /// Ends the app: nothing of it runs any longer. Stacks that wait are ended where they are; what their frames hold is not released,
    /// because none of their code may run. Idempotent. Not to be called from the app's own code.
    public func end() {
        guard let dispatch else { return }
        enter { hd_loop_free(dispatch) }
        self.dispatch = nil
        context = nil
        (ready, head, held, sleepers, turns) = ([], 0, [], [], [])
    }
    /// Whether the app has used queues, semaphores or groups of its own.
    public var hasQueues: Bool { dispatch.map { hd_has_objects($0) != 0 } ?? false }
    /// Stacks of this app that wait: for a semaphore, a group, a lock, or in a sleep.
    public var waiting: Int { dispatch.map { Int(hd_waiting($0)) } ?? 0 }

    /// Digest of all entropy drawn so far.
    public var entropy: UInt64 { machine.pointee.drawn }
    /// Virtual nanoseconds.
    public var now: Int64 { machine.pointee.now_ns }
    /// When the earliest sleeper wakes, or the earliest timer or deadline of Dispatch is due.
    public var nextTimer: Int64? {
        let timer = dispatch.map { hd_next_timer($0) } ?? .max
        guard let sleeper = sleepers.first?.at else { return timer == .max ? nil : timer }
        return min(sleeper, timer)
    }
    /// Jobs run so far.
    public private(set) var jobsRun: UInt64 = 0

    /// Runs `body` with this app's clock and entropy, and with its loop as the current one.
    public func enter<R>(_ body: () throws -> R) rethrows -> R {
        let before = hr_enter(machine)
        let outer = hr_set_owner(Unmanaged.passUnretained(self).toOpaque())
        let queues = hd_enter(dispatch)
        defer {
            hd_enter(queues)
            hr_set_owner(outer)
            hr_enter(before)
        }
        return try body()
    }

    /// Runs `body` on the real machine while this loop waits: for the way out of an app through a synchronous call.
    public static func leave<R>(_ body: () -> R) -> R {
        let before = hr_enter(nil)
        let outer = hr_set_owner(nil)
        let queues = hd_enter(nil)
        defer {
            hd_enter(queues)
            hr_set_owner(outer)
            hr_enter(before)
        }
        return body()
    }

    /// Starts a task on the main actor, as `UIApplicationMain` would deliver an event.
    public func start(_ body: @escaping @MainActor @Sendable () async -> Void) {
        enter { _ = Task { @MainActor in await body() } }
    }

    /// Runs `body` in the next `run`: what the iPad delivers, which no waiting main thread holds up.
    public func deliver(_ body: @escaping () -> Void) {
        ready.append(Ready(work: .delivery(body), main: false))
    }

    /// Moves the clock to `nanoseconds`, wakes what is due in order of its time, and runs until nothing is runnable.
    /// When more than one instant is due, as after a suspension, timers and deadlines of Dispatch come late: their clock is `nanoseconds`.
    /// ASSUMED: a sleeper of `Task.sleep` that was due before all of those finds the clock at its own instant.
    /// Code that waits for another step keeps its stack, and goes on in the step that ends its wait.
    public func run(until nanoseconds: Int64) {
        guard let dispatch else { return }
        limit = nanoseconds
        // Nothing runs, and so no stack is needed: a change of threads costs more than most steps.
        if head == ready.count, (nextTimer ?? .max) > nanoseconds { return setClock(nanoseconds) }
        hd_step(dispatch)
    }
    /// The work of `run`, on whatever stack has the baton: all state is the loop's, so another stack can go on where this one waits.
    private func advance() {
        guard drain() else { return }
        while let at = nextTimer, at <= limit {
            let isSleeper = sleepers.first?.at == at
            setClock(isSleeper ? at : limit)
            if isSleeper { ready.append(sleepers.removeFirst().ready) } else { hd_fire(dispatch) }
            guard drain() else { return }
        }
        setClock(limit)
    }
    /// Sets the clock before inputs are delivered; never backwards.
    public func setClock(_ nanoseconds: Int64) { machine.pointee.now_ns = max(machine.pointee.now_ns, nanoseconds) }

    /// - Returns: false when the baton went to another stack, which goes on in place of this one.
    private func drain() -> Bool {
        while head < ready.count {
            let next = ready[head]
            head += 1
            if head == ready.count {
                ready.removeAll(keepingCapacity: true)
                head = 0
            }
            guard next.main else {
                guard perform(next) else { return false }
                continue
            }
            if isMainBusy {
                held.append(next)
                continue
            }
            isMainBusy = true
            _ = perform(next)
            isMainBusy = false
            if let turn = turns.popLast() {
                // The thread goes straight back to the code that lent it for one turn.
                isMainBusy = true
                hd_wake_waiter(turn)
            } else if !held.isEmpty {
                ready.insert(contentsOf: held, at: head)
                held = []
            }
        }
        return true
    }
    /// Pauses code of the main thread, and lets other code of that thread run meanwhile.
    /// - Parameter once: ends as soon as one job or item of that thread has run.
    public func lendMain(nanoseconds: Int64, once: Bool = false) {
        let end = now + nanoseconds
        ready.insert(contentsOf: held, at: head)
        (held, isMainBusy) = ([], false)
        if once {
            let turn = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            defer { turn.deallocate() }
            turns.append(turn)
            hd_wait_until(turn, end)
            guard let index = turns.lastIndex(of: turn) else { return }
            turns.remove(at: index)
        } else {
            hd_sleep_until(end)
        }
        // What began meanwhile and waits itself lies above this in a real thread: it has to end first.
        while isMainBusy { hd_sleep_until(now + 1_000_000) }
        isMainBusy = true
    }
    private func perform(_ next: Ready) -> Bool {
        jobsRun += 1
        var isMain = next.main
        if case .delivery = next.work { isMain = wasOnMain }
        wasOnMain = isMain
        hr_set_on_main(isMain ? 1 : 0)
        hd_begin_unit(jobsRun)
        switch next.work {
        case .job(let job):
            if next.main {
                job.runSynchronously(on: MainActor.sharedUnownedExecutor)
            } else {
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        case .dispatch:
            hd_run_one(dispatch, next.main ? 1 : 0)
            return hd_is_handing_over(dispatch) == 0
        case .delivery(let body): body()
        }
        return true
    }

    /// A job of the concurrency runtime, off the main actor: it runs after all that are ready, in the same `run`.
    public func enqueue(_ job: consuming ExecutorJob) { push(UnownedJob(job), main: false) }
    func push(_ job: UnownedJob, main: Bool) { ready.append(Ready(work: .job(job), main: main)) }
    func push(_ job: UnownedJob, main: Bool, after nanoseconds: Int64) {
        order += 1
        let sleeper = Sleeper(at: now + nanoseconds, order: order, ready: Ready(work: .job(job), main: main))
        let index = sleepers.firstIndex { ($0.at, $0.order) > (sleeper.at, sleeper.order) } ?? sleepers.count
        sleepers.insert(sleeper, at: index)
    }
}
