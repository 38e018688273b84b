import CInterpose
import FleetModel
import Glibc
import Run

/// The debugger's end of a process that plays (`DebugEngine`).
final class DebugProcess {
    private let socket: FrameSocket
    private let pid: pid_t
    private let family: DebugFamily
    private var isEnded = false

    init(socket: Int32, pid: pid_t, family: DebugFamily) {
        self.socket = FrameSocket(fd: socket, isFollowedByDescriptor: true)
        (self.pid, self.family) = (pid, family)
    }
    deinit { end() }

    /// - Throws: `DebugProblem` for an answer that says so, `DebugDeath` when the process ended instead, `RunEnd.interrupted`.
    ///
    /// - Parameter limitMilliseconds: longest wall time; nil: as long as its steps go on.
    func ask(_ question: Value, limitMilliseconds: Int64? = nil) throws -> Value {
        try send(question)
        return try receive(limitMilliseconds: limitMilliseconds)
    }
    func send(_ question: Value) throws {
        guard !isEnded, socket.send(.question, question.encoded) else { throw DebugDeath(reason: "it has ended") }
    }

    /// The next answer, however long the run takes for it.
    func receive(limitMilliseconds: Int64? = nil) throws -> Value {
        try family.wait(for: socket.fd, limitMilliseconds)
        let frame = try? socket.receive()
        switch frame {
        case (.reply, let bytes)?:
            guard let answer = try? Value(decoding: bytes) else { throw DebugDeath(reason: "its answer is unreadable") }
            if let error = answer["error"]?.string { throw DebugProblem(error) }
            return answer
        case (.leak, let bytes)?:
            var reader = ByteReader(bytes)
            throw DebugDeath(reason: (try? reader.string()) ?? "unknown")
        default: throw DebugDeath(reason: "the process of the run has died, as it does when app code traps")
        }
    }
    /// The process that comes with an answer.
    func other(in answer: Value) throws -> DebugProcess {
        let descriptor = hr_receive_fd(socket.fd)
        guard descriptor >= 0, let pid = answer["pid"]?.int else { throw DebugDeath(reason: "it gave no snapshot") }
        return DebugProcess(socket: descriptor, pid: pid_t(pid), family: family)
    }
    /// A second one that stands where this one stands.
    func fork() throws -> DebugProcess { try other(in: try ask(["do": "fork"])) }

    /// Kills it. Who forked it takes its status.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        kill(pid, SIGKILL)
        close(socket.fd)
    }
}

/// A process of the run is gone; those that stand elsewhere are still there.
struct DebugDeath: Error, CustomStringConvertible {
    var reason: String
    var description: String { reason }
}

/// All processes of a session: they descend from one, and die with it.
final class DebugFamily {
    private let pulse: UnsafeMutablePointer<UInt64>
    private let limitMilliseconds: Int32
    /// Readable at its end when none of them is left: each has inherited the other end.
    private var life: Int32 = -1
    private var first: pid_t = 0

    /// - Parameter limitMilliseconds: longest wall time of one step, as of `Worker.run`.
    init(limitMilliseconds: Int32) throws {
        guard let page = hr_shared_page() else {
            throw RunEnd(.limit, "no shared page for the run: the machine is out of memory")
        }
        pulse = page.assumingMemoryBound(to: UInt64.self)
        self.limitMilliseconds = limitMilliseconds
    }

    /// Forks the first process.
    /// - Parameter body: runs there, and never returns.
    func start(_ body: (FrameSocket, UnsafeMutablePointer<UInt64>) -> Never) throws -> DebugProcess {
        var ends: [Int32] = [-1, -1]
        var lives: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0, hr_socketpair(&lives) == 0 else {
            throw RunEnd.noFile("no socket for the run")
        }
        fflush(nil)
        let pid = hr_fork_bound()
        guard pid >= 0 else { throw RunEnd.noProcess("the run") }
        if pid == 0 {
            close(ends[0])
            close(lives[0])
            Interruption.leaveToSupervisor()
            redirectOutput(to: "")
            let socket = FrameSocket(fd: ends[1])
            LastWords.reportLeak(to: socket)
            body(socket, pulse)
        }
        close(ends[1])
        close(lives[1])
        (first, life) = (pid, lives[0])
        return DebugProcess(socket: ends[0], pid: pid, family: self)
    }

    /// Waits until something can be read.
    /// - Throws: `RunEnd.interrupted`; `DebugDeath` when a step does not end.
    func wait(for descriptor: Int32, _ limit: Int64?) throws {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let began = hr_real_ns()
        var (last, change) = (pulse.pointee, began)
        while poll(&ready, 1, 250) <= 0 {
            guard !Interruption.isAsked else { throw RunEnd.interruptedDebugger }
            if pulse.pointee != last { (last, change) = (pulse.pointee, hr_real_ns()) }
            if let limit, hr_real_ns() - began > limit * 1_000_000 {
                throw DebugDeath(reason: "it did not end within \(limit / 1000) s")
            }
            let most = Int64(limitMilliseconds) * (last % 2 == 1 ? 1 : 60)
            guard hr_real_ns() - change <= most * 1_000_000 else {
                throw DebugDeath(reason: "a step did not end within \(most / 1000) s")
            }
        }
    }

    /// Ends all of them, and returns when none is left.
    func end() {
        guard first > 0 else { return }
        kill(first, SIGKILL)
        _ = hr_wait(first, 1)
        var byte = [UInt8](repeating: 0, count: 16)
        while hr_read_some(life, &byte, byte.count) > 0 {}
        close(life)
        first = 0
    }
}

extension RunEnd {
    static let interruptedDebugger = RunEnd(.interrupted, "interrupted: nothing of the run was kept")
}
