import CInterpose
import FleetModel
import Glibc

/// What a control socket may say, one a line; each is answered by a line: `ok`, `error: ...` or what was asked for.
public enum ControlLine: Hashable, Sendable {
    /// `begin INDEX`, `heal INDEX`: a fault by its index among the specifications.
    case begin(Int)
    /// `heal INDEX`: ends it, by the same index.
    case heal(Int)
    /// `heal all`: calm begins.
    case healAll
    /// `clock ORIGIN SPEED`: monotonic nanoseconds of the machine at the run's beginning, and run seconds in a second.
    case clock(RunClock)
    /// `summary`: answered by the line of counters.
    case summary
    /// `marks`: answered by the names of what faults did so far, as scenarios have them in `mustReach`.
    case marks
    /// `stop`: ends the proxy.
    case stop

    /// Nil when it is none of these.
    public init?(_ text: String) {
        let words = text.split(separator: " ")
        switch (words.first, words.count) {
        case ("heal", 2) where words[1] == "all": self = .healAll
        case ("begin", 2): guard let index = Int(words[1]) else { return nil }; self = .begin(index)
        case ("heal", 2): guard let index = Int(words[1]) else { return nil }; self = .heal(index)
        case ("clock", 3):
            guard let origin = Int64(words[1]), let speed = Double(words[2]), speed > 0, speed <= 1_000_000 else {
                return nil
            }
            self = .clock(RunClock(origin: origin, speed: speed))
        case ("summary", 1): self = .summary
        case ("marks", 1): self = .marks
        case ("stop", 1): self = .stop
        default: return nil
        }
    }
}

extension ProxyServer {
    /// Reads orders; who closes the control socket ends the proxy, so that none is left behind.
    func readControl() {
        guard let control = setup.control else { return }
        let count = hr_receive(control, buffer.baseAddress, buffer.count)
        guard count != -Int(EAGAIN) else { return }
        guard count > 0 else {
            isStopped = true
            return
        }
        controlInput.append(contentsOf: UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
        while let end = controlInput.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: controlInput[..<end], as: UTF8.self)
            controlInput.removeSubrange(...end)
            let answer = Array((obey(line) + "\n").utf8)
            answer.withUnsafeBytes { _ = hr_write_all(control, $0.baseAddress, $0.count) }
        }
        if controlInput.count > 4096 { isStopped = true }
    }
    private func obey(_ line: String) -> String {
        switch ControlLine(line) {
        case .begin(let index)?, .heal(let index)?:
            guard faults.all.indices.contains(index) else { return "error: there is no fault \(index)" }
            if case .begin = ControlLine(line) { begin(index) } else { heal(index) }
        case .healAll?: healAll()
        case .clock(let clock)?: self.clock = clock
        case .summary?: return faults.counters.summary
        case .marks?: return faults.counters.marks.sorted().joined(separator: " ")
        case .stop?: stop()
        case nil:
            return
                "error: '\(line.prefix(40))' is no order: begin N, heal N, heal all, clock ORIGIN SPEED, summary, marks, stop"
        }
        return "ok"
    }
}
