import CInterpose
import FleetModel
import Glibc

/// What a participant's process does with its specification and the socket to whoever started it.
package typealias ProcessBody = (ParticipantID, Value, FrameSocket) throws -> Never

/// A warm process that forks every participant: 0.45 ms and 0.2 MiB each instead of a start of its own (measured alone, before there were iPads).
///
/// It is forked before the World exists, so that participants inherit nothing of the run, and dies with its parent; its
/// children die with it. So no orphan survives a killed `homeroom`.
package final class Zygote {
    private let socket: FrameSocket
    private let pid: pid_t

    /// - Parameters:
    ///   - name: what `ps` calls it.
    ///   - closing: descriptors of this process that its children must not hold.
    ///   - body: runs in the participant's own process.
    package init(
        name: String = ProcessName.starter, closing: [Int32] = [], body: @escaping ProcessBody
    ) throws(RunEnd) {
        var ends: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0 else {
            throw RunEnd.noFile("no socket for the zygote")
        }
        fflush(nil)
        pid = hr_fork_bound()
        guard pid >= 0 else { throw RunEnd.noProcess("the zygote") }
        if pid == 0 {
            ProcessName.set(name)
            close(ends[0])
            for fd in closing { close(fd) }
            Self.run(FrameSocket(fd: ends[1], isFollowedByDescriptor: true), body)
        }
        close(ends[1])
        socket = FrameSocket(fd: ends[0])
    }

    /// Forks a participant process.
    /// - Parameter limitMilliseconds: longest wait for what it has to say.
    /// - Returns: its process and the socket to it.
    package func spawn(_ id: ParticipantID, spec: Value, log: String, limitMilliseconds: Int32) throws(RunEnd)
        -> (
            pid: pid_t, socket: FrameSocket
        )
    {
        var ends: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0 else {
            throw RunEnd.noFile("no socket for \(id)")
        }
        var writer = ByteWriter(reserving: 256)
        id.write(to: &writer)
        spec.write(to: &writer)
        writer.string(log)
        guard socket.send(.spawn, writer), hr_send_fd(socket.fd, ends[1]) == 0,
            let (_, body) = try? socket.receive()
        else { throw RunEnd.harness("the zygote has died; run homeroom doctor") }
        close(ends[1])
        var reader = ByteReader(body)
        guard let child = try? reader.signed(), child > 0 else {
            close(ends[0])
            throw RunEnd(
                .limit,
                "no process for \(id): raise the limit of processes (ulimit -u) or use fewer iPads")
        }
        guard hr_limit_waiting(ends[0], limitMilliseconds) == 0 else {
            throw RunEnd.harness("the socket to \(id) takes no time limit: run homeroom doctor")
        }
        return (pid_t(child), FrameSocket(fd: ends[0]))
    }

    /// Waits for a dead child and gives its wait status; -1 when this process is dead itself, and then nobody knows how the child ended.
    package func reap(_ child: pid_t) -> Int32 {
        var writer = ByteWriter()
        writer.signed(Int64(child))
        guard socket.send(.reap, writer), let (_, body) = try? socket.receive() else { return -1 }
        var reader = ByteReader(body)
        return (try? reader.signed()).map(Int32.init(truncatingIfNeeded:)) ?? -1
    }

    package func shutDown() {
        close(socket.fd)
        _ = hr_wait(pid, 1)
    }

    // MARK: Inside the zygote

    private static func run(_ socket: FrameSocket, _ serve: ProcessBody) -> Never {
        while let (kind, body) = try? socket.receive() {
            var reader = ByteReader(body)
            var writer = ByteWriter()
            if kind == .spawn {
                let fd = hr_receive_fd(socket.fd)
                guard fd >= 0 else { _exit(87) }
                let child = hr_fork_bound()
                if child == 0 {
                    close(socket.fd)
                    become(&reader, FrameSocket(fd: fd), serve)
                }
                close(fd)
                writer.signed(Int64(child))
            } else {
                let child = (try? reader.signed()) ?? -1
                writer.signed(Int64(hr_wait(pid_t(truncatingIfNeeded: child), 1)))
            }
            guard socket.send(kind, writer) else { break }
        }
        _exit(0)
    }

    private static func become(_ reader: inout ByteReader, _ socket: FrameSocket, _ serve: ProcessBody) -> Never {
        guard let id = try? ParticipantID(from: &reader), let spec = try? Value(from: &reader),
            let log = try? reader.string()
        else { _exit(87) }
        ProcessName.set(ProcessName.of(id, spec))
        redirectOutput(to: log)
        LastWords.reportLeak(to: socket)
        do {
            try serve(id, spec, socket)
        } catch {
            writeError("homeroom: \(id) cannot start: \(error)")
            _exit(87)
        }
    }
}
