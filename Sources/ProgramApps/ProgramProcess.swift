import CInterpose
import FleetModel
import Glibc
import Run

/// The process of one launch of a program: whole lines in and out, with a limit on the machine's time.
final class ProgramProcess {
    /// A longer line is refused: a program that prints without an end must not fill the memory.
    static let lineBytesMax = 64 << 20
    private let pid: pid_t
    private let output: Int32
    private let input: Int32
    private let limitMilliseconds: Int32?
    /// What has come and was not taken: the bytes before `taken` were.
    private var pending: [UInt8] = []
    private var taken = 0
    /// Bytes of `pending` that hold no line feed.
    private var searched = 0
    /// Lines that were taken so far.
    private(set) var lines = 0
    private var isOver = false

    /// - Parameter limitMilliseconds: longest wait for a line; nil: none.
    /// - Throws: `ProgramProblem` when the program cannot be started.
    init(_ program: AppProgram, limitMilliseconds: Int32?) throws(ProgramProblem) {
        self.limitMilliseconds = limitMilliseconds
        var environment = AppProgram.standardEnvironment.merging(program.environment) { _, own in own }
        environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        var ends: [Int32] = [-1, -1]
        pid = Self.withStrings(program.command) { arguments in
            Self.withStrings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) { variables in
                hr_spawn_program(program.folder, arguments, variables, &ends)
            }
        }
        guard pid > 0 else {
            throw ProgramProblem(
                "\(program.file): '\(program.command[0])' cannot be started in the folder \(program.folder): \(String(cString: strerror(-pid))); "
                    + "correct 'command', make the file executable, or install the program")
        }
        (output, input) = (ends[0], ends[1])
    }
    deinit { kill() }

    private static func withStrings<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Ends it without notice. Idempotent.
    func kill() {
        guard !isOver else { return }
        Glibc.kill(pid, SIGKILL)
        _ = hr_wait(pid, 1)
        over()
    }
    private func over() {
        isOver = true
        close(output)
        close(input)
    }

    /// Writes a line; takes in meanwhile what the program prints, so that neither waits for the other.
    func send(_ line: [UInt8]) throws(Ending) {
        let bytes = line + [UInt8(ascii: "\n")]
        var sent = 0
        let end = deadline
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(input, $0.baseAddress! + sent, bytes.count - sent) }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(until: end, toWrite: true)
            } else if errno != EINTR {
                // It has stopped reading. Its output says whether it has ended.
                return
            }
        }
    }

    /// The next line, without its line feed.
    func receive() throws(Ending) -> [UInt8] {
        let end = deadline
        while true {
            if let feed = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(pending[taken..<feed])
                (taken, searched) = (feed + 1, feed + 1)
                lines += 1
                return line
            }
            searched = pending.count
            if taken > 0 {
                pending.removeFirst(taken)
                searched -= taken
                taken = 0
            }
            guard pending.count <= Self.lineBytesMax else { throw .endless }
            try wait(until: end, toWrite: false)
        }
    }

    /// How a line did not come.
    enum Ending: Error {
        /// Its wait status.
        case ended(Int32)
        /// Its output is closed, and it runs on.
        case deaf
        case late
        case endless
    }

    private var deadline: Int64? { limitMilliseconds.map { hr_real_ns() + Int64($0) * 1_000_000 } }

    /// Waits until there is something to do, and takes in what has come.
    private func wait(until end: Int64?, toWrite: Bool) throws(Ending) {
        var watched = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
        if toWrite { watched.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        var left: Int32 = -1
        if let end {
            let rest = (end - hr_real_ns() + 999_999) / 1_000_000
            guard rest > 0 else { throw .late }
            left = Int32(clamping: rest)
        }
        guard poll(&watched, nfds_t(watched.count), left) > 0 else { return }
        guard watched[0].revents != 0 else { return }
        let room = 1 << 16
        var count = 0
        pending.reserveCapacity(pending.count + room)
        let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            count = hr_read_some(output, buffer.baseAddress, room)
            filled = max(0, count)
        }
        pending += piece
        // -2: nothing was there after all.
        if count == 0 || count == -1 { throw ending() }
        guard pending.count - taken <= Self.lineBytesMax + room else { throw .endless }
    }

    /// Its output has ended: so has the program, now or in a moment.
    private func ending() -> Ending {
        var status: Int32 = 0
        for _ in 0..<2000 {
            if hr_has_ended(pid, &status) != 0 {
                over()
                return .ended(status)
            }
            usleep(1000)
        }
        return .deaf
    }
}
