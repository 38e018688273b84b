import CInterpose
import FleetModel
import Glibc
import Run

/// How a forked worker ended.
public enum WorkerEnd: Sendable {
    case finished([UInt8])
    /// A trap or a signal inside it.
    case died(String)
    /// Its pulse stopped for longer than the limit.
    case spun
    case leaked(String)
}

/// Runs `sim` in a forked process of its own: an app that traps or spins there cannot take the command along.
public enum Worker {
    /// - Parameters:
    ///   - limitMilliseconds: longest wall time of one step; between steps, where a run plans and judges, 60 times as much.
    ///   - log: where the worker's own output goes; empty: nowhere.
    ///   - body: runs in the worker; gets a function to call at the beginning and at the end of each step.
    public static func run(
        limitMilliseconds: Int32, log: String, _ body: (_ pulse: @escaping () -> Void) -> [UInt8]
    ) throws(RunEnd) -> WorkerEnd {
        var worker = try start(log: log, body)
        return worker.wait(limitMilliseconds: limitMilliseconds)
    }

    /// Forks a worker and returns at once; `wait` or `poll` fetches its end.
    public static func start(
        log: String, _ body: (_ pulse: @escaping () -> Void) -> [UInt8]
    ) throws(RunEnd) -> RunningWorker {
        guard let page = hr_shared_page() else {
            throw RunEnd(.limit, "no shared page for a worker: the machine is out of memory")
        }
        let pulse = page.assumingMemoryBound(to: UInt64.self)
        var ends: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0 else {
            throw RunEnd.noFile("no socket for a worker")
        }
        fflush(nil)
        let pid = hr_fork_bound()
        guard pid >= 0 else { throw RunEnd.noProcess("a worker") }
        if pid == 0 {
            close(ends[0])
            let socket = FrameSocket(fd: ends[1])
            redirectOutput(to: log)
            LastWords.reportLeak(to: socket)
            let outcome = body { pulse.pointee &+= 1 }
            _ = socket.send(.outcome, outcome)
            fflush(nil)
            _exit(0)
        }
        close(ends[1])
        return RunningWorker(pid: pid, socket: FrameSocket(fd: ends[0]), pulse: pulse)
    }
}

/// A worker that has been started.
public struct RunningWorker {
    let pid: pid_t
    let socket: FrameSocket
    let pulse: UnsafeMutablePointer<UInt64>
    private var lastPulse: UInt64 = 0
    private var lastChange = hr_real_ns()

    init(pid: pid_t, socket: FrameSocket, pulse: UnsafeMutablePointer<UInt64>) {
        self.pid = pid
        self.socket = socket
        self.pulse = pulse
    }

    /// The descriptor that becomes readable when the worker ends.
    public var descriptor: Int32 { socket.fd }

    /// Waits for the end, however long the run takes.
    /// - Parameter limitMilliseconds: wall time without a pulse after which it counts as spinning and is stopped, as of `Worker.run`.
    public mutating func wait(limitMilliseconds: Int32) -> WorkerEnd {
        while true { if let end = poll(waitMilliseconds: 250, limitMilliseconds: limitMilliseconds) { return end } }
    }

    /// The end, if it has come; waits a little for it.
    public mutating func poll(waitMilliseconds: Int32, limitMilliseconds: Int32) -> WorkerEnd? {
        var wait = pollfd(fd: socket.fd, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&wait, 1, waitMilliseconds) > 0 else {
            if pulse.pointee != lastPulse { (lastPulse, lastChange) = (pulse.pointee, hr_real_ns()) }
            let limit = Int64(limitMilliseconds) * (lastPulse % 2 == 1 ? 1 : 60)
            guard hr_real_ns() - lastChange > limit * 1_000_000 else { return nil }
            stop()
            return .spun
        }
        return fetch()
    }

    private func fetch() -> WorkerEnd {
        let frame = try? socket.receive()
        let status = hr_wait(pid, 1)
        awaitFamily()
        switch frame {
        case (.outcome, let bytes)?: return .finished(bytes)
        case (.leak, let bytes)?:
            var reader = ByteReader(bytes)
            return .leaked((try? reader.string()) ?? "unknown")
        default: return .died(status & 0x7f == 0 ? "exit status \(status >> 8 & 0xff)" : "signal \(status & 0x7f)")
        }
    }

    /// Asks it to end, and ends it when it has not done so in time.
    public func stop(asking signal: Int32, withinNanoseconds limit: Int64) {
        let end = hr_real_ns() + limit
        var wait = pollfd(fd: socket.fd, events: Int16(POLLIN), revents: 0)
        // It may not listen yet.
        while hr_real_ns() < end {
            kill(pid, signal)
            if Glibc.poll(&wait, 1, 100) > 0 { break }
        }
        stop()
    }

    /// Kills it, and returns when all that it has forked is gone too.
    public func stop() {
        kill(pid, SIGKILL)
        _ = hr_wait(pid, 1)
        awaitFamily()
    }

    /// The processes of a fleet die one generation after another, and each of them inherited the worker's end of the socket: when it has
    /// been closed everywhere, nobody writes into the folder of results or holds its lock any more.
    private func awaitFamily() {
        var rest = [UInt8](repeating: 0, count: 4096)
        while hr_read_some(socket.fd, &rest, rest.count) > 0 {}
        close(socket.fd)
        munmap(pulse, 4096)
    }
}
