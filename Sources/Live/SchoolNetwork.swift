import CInterpose
import FleetModel
import Glibc
import Nemesis
import Run

/// What a process between the iPads and the Cloud has to know of a run.
public struct SchoolNetworkPlan {
    /// `HOST:PORT` where it hands on what it lets through.
    public var target: String
    /// What of the run's faults it bends messages by.
    public var faults: [FaultSpec]
    /// All iPads of the run; faults without iPads concern them.
    public var pads: [Int]
    /// Faults end here at the latest.
    public var stormEnd: Instant
    /// The seed of what the faults draw.
    public var seed: UInt64
    /// After so long a connection on which a message was lost breaks.
    public var patience: Span
    /// Where it tells `listening PORT` first, and takes orders then (Docs/proxy.md).
    public var control: Int32
}

/// The school's network of a live run: a process between the sockets of iPads and Cloud, so that a reset is one and half a body is half a body.
///
/// It keeps counts of a run: an iPad that boots anew finds the network that it left.
final class SchoolNetwork {
    /// What runs in the process.
    typealias Body = (SchoolNetworkPlan) -> Never

    private let pid: pid_t
    private let control: Int32
    private var heard: [UInt8] = []
    private var hasEnded = false
    /// Where iPads find the Cloud by it.
    private(set) var origin = ""

    /// So long it may take to begin, or to answer; ms.
    private static let patienceMilliseconds: Int32 = 30_000
    /// What of these faults messages on sockets show. Pushes come several in one answer: they are bent one by one, by each iPad's `FaultyTransport`.
    static func bends(_ fault: FaultSpec) -> Bool {
        guard let kind = FaultRegistry.named(fault.kind), kind.reach != .elsewhere else { return false }
        return ![PushLost.name, PushLate.name, PushDuplicated.name].contains(fault.kind)
    }

    /// Starts the process and waits until it listens.
    /// - Parameter plan: without its `control`.
    init(_ plan: SchoolNetworkPlan, _ body: @escaping Body) throws {
        var ends: [Int32] = [-1, -1]
        guard hr_socketpair(&ends) == 0 else {
            throw RunEnd.noFile("no socket for the school's network")
        }
        fflush(nil)
        pid = hr_fork_bound()
        guard pid >= 0 else { throw RunEnd.noProcess("the school's network") }
        if pid == 0 {
            ProcessName.set(ProcessName.network)
            // What the run has open is nobody else's: a connection to the Cloud would outlive its end there.
            var plan = plan
            plan.control = dup2(ends[1], STDERR_FILENO + 1)
            closefrom(plan.control + 1)
            body(plan)
        }
        close(ends[1])
        control = ends[0]
        let words = try line().split(separator: " ")
        guard words.count == 2, words[0] == "listening", let port = Int(words[1]) else {
            // It takes any free port: what it lacks is a host that is known, or files.
            throw RunEnd.input("the school's network does not begin: \(words.joined(separator: " "))")
        }
        origin = "http://127.0.0.1:\(port)"
    }

    /// The run's clock begins: faults come and go by it.
    func begin(_ clock: LiveClock) throws { try order("clock \(clock.start) \(clock.speed)") }
    /// - Returns: the marks that were reached.
    func heal() throws -> [Mark] {
        try order("heal all")
        return try answer(to: "marks").split(separator: " ").compactMap { Mark(rawValue: String($0)) }
    }

    /// - Throws: `RunEnd.harness` when it has ended by itself: what iPads hold then is nobody's bug.
    func check() throws {
        var status: Int32 = 0
        guard !hasEnded, hr_has_ended(pid, &status) != 0 else { return }
        hasEnded = true
        throw RunEnd.harness("the school's network ended by itself: \(WaitStatus.words(for: status))")
    }

    func end() {
        close(control)
        guard !hasEnded else { return }
        kill(pid, SIGKILL)
        _ = hr_wait(pid, 1)
    }

    private func order(_ text: String) throws {
        let answer = try answer(to: text)
        guard answer == "ok" else { throw RunEnd.harness("the school's network refuses '\(text)': \(answer)") }
    }
    private func answer(to text: String) throws -> String {
        let bytes = Array((text + "\n").utf8)
        guard bytes.withUnsafeBytes({ hr_write_all(control, $0.baseAddress, $0.count) }) == 0 else {
            try check()
            throw RunEnd.harness("the school's network takes no orders")
        }
        return try line()
    }
    private func line() throws -> String {
        while true {
            if let end = heard.firstIndex(of: UInt8(ascii: "\n")) {
                defer { heard.removeSubrange(...end) }
                return String(decoding: heard[..<end], as: UTF8.self)
            }
            var wait = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
            var buffer = [UInt8](repeating: 0, count: 4096)
            guard poll(&wait, 1, Self.patienceMilliseconds) > 0 else {
                throw RunEnd.harness("the school's network says nothing for half a minute: it hangs")
            }
            let count = hr_read_some(control, &buffer, buffer.count)
            guard count > 0 else {
                try check()
                throw RunEnd.harness("the school's network has gone")
            }
            heard += buffer.prefix(count)
        }
    }
}
