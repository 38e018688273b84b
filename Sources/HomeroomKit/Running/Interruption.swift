import CInterpose
import FleetModel
import Glibc
import Run
import World

/// Ctrl-C: the supervisor stops its workers, removes what is half-written, and says so.
enum Interruption {
    nonisolated(unsafe) private static var wasAsked: sig_atomic_t = 0

    /// A program that starts us from one of its worker threads hands on their blocked signals.
    static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
    /// For commands with workers; the others simply end.
    static func install() {
        for number in numbers { signal(number) { _ in Interruption.ask() } }
    }
    /// For commands that wait for sockets: a signal also makes this descriptor readable.
    static func install(waking waker: Int32) {
        wakes = waker
        install()
    }
    nonisolated(unsafe) private static var wakes: Int32 = -1
    /// Ctrl-C, Ctrl-\\, a polite end, a closed terminal.
    private static let numbers = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
    nonisolated(unsafe) private static var askedAt: Int64 = 0

    /// The second time nothing is tidied up any more. A signal that comes twice within a second is one: `timeout` and terminals send it to
    /// the process and to its group.
    private static func ask() {
        let now = hr_real_ns()
        if wasAsked != 0 {
            if now - askedAt > 1_000_000_000 { _exit(ExitStatus.interrupted.rawValue) }
            return
        }
        askedAt = now
        wasAsked = 1
        if wakes >= 0 { hr_wake(wakes) }
    }
    static var isAsked: Bool { wasAsked != 0 }
    /// For a worker with something to say before it ends: it is asked again and again, and has to look.
    static func listen() {
        for number in numbers { signal(number) { _ in Interruption.wasAsked = 1 } }
    }
    /// Workers leave the decision to the supervisor.
    static func leaveToSupervisor() {
        for number in numbers { signal(number, SIG_IGN) }
    }
}

extension RunningWorker {
    /// Real time in which a worker can say its last words.
    private static var farewellNanoseconds: Int64 { 5_000_000_000 }

    /// Waits for the worker's end.
    /// - Parameters:
    ///   - hasLastWords: the worker listens to signals, and gets a little time when it has to end.
    ///   - waiting: called now and then.
    /// - Throws: `RunEnd.interrupted` on Ctrl-C, after the worker has been stopped.
    mutating func end(
        limitMilliseconds: Int32, hasLastWords: Bool = false, waiting: () -> Void = {}
    ) throws -> WorkerEnd {
        while true {
            waiting()
            if Interruption.isAsked {
                if hasLastWords { stop(asking: SIGTERM, withinNanoseconds: Self.farewellNanoseconds) } else { stop() }
                throw RunEnd.interrupted
            }
            if let end = poll(waitMilliseconds: 250, limitMilliseconds: limitMilliseconds) { return end }
        }
    }
}

extension RunEnd {
    static let interrupted = RunEnd(.interrupted, "interrupted: nothing of the unfinished run was kept")
    /// Ctrl-C that came when the last of the work was done already.
    static let interruptedLate = RunEnd(.interrupted, "interrupted: the results of the scenarios above are kept")
    /// The same, with how many of several scenarios are finished.
    func after(_ done: Int, of count: Int) -> RunEnd {
        count > 1 ? saying("\(message); \(done) of \(count) scenarios are finished") : self
    }
}
