import CInterpose
// The only file that touches the runtime's SPI (Swift 6.3). The canary test fails when a later toolchain changes it.
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Routes every job of the process to the loop that is running, and jobs outside any loop to the platform as usual.
private final class Router: MainExecutor, TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    private let isMain: Bool
    init(main: Bool) { isMain = main }

    func enqueue(_ job: consuming ExecutorJob) {
        if let loop = AppLoop.current {
            loop.push(UnownedJob(job), main: isMain)
        } else if AppLoop.isClaimed {
            // A job from a foreign thread or from code that runs outside its loop: its order would depend on the machine.
            hr_leak("a task was resumed from outside its app's loop")
        } else if isMain {
            PlatformExecutorFactory.mainExecutor.enqueue(job)
        } else {
            PlatformExecutorFactory.defaultExecutor.enqueue(job)
        }
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
        if let loop = AppLoop.current {
            loop.push(UnownedJob(job), main: isMain, after: Self.nanoseconds(delay))
        } else if !AppLoop.isClaimed,
            let platform = PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor
        {
            // A test's own sleep: its time limit.
            platform.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
        } else {
            hr_leak("a task slept outside its app's loop")
        }
    }
    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
        enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }

    private static func nanoseconds<D: DurationProtocol>(_ span: D) -> Int64 {
        guard let duration = span as? Swift.Duration else { return 0 }
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        // A century is as good as never, and keeps the sum of instants inside 64 bits.
        return min(seconds, 3_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    func run() throws {}
    func stop() {}
    var isMainExecutor: Bool { isMain }
    func checkIsolated() {}
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}

private enum Factory: ExecutorFactory {
    private static let main = Router(main: true)
    private static let global = Router(main: false)
    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { global }
}

/// Installs the deterministic executors in this process. Idempotent; may be called late.
public func installDeterministicExecutors() { _ = installed }
private let installed: Void = _createExecutors(factory: Factory.self)
