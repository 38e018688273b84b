import FleetModel
import Glibc
import Load

/// What `/proc` tells of processes and of the machine as a whole.
extension Machine {
    private static let nanosecondsPerTick = 1_000_000_000 / Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// All processes that there are; one that ends meanwhile is left out.
    static var processes: [Census.Sample] {
        Folders.list("/proc").compactMap { name in
            Int32(name).flatMap { pid in (try? Folders.read("/proc/\(pid)/stat")).flatMap { sample(pid, $0) } }
        }
    }
    /// Reads proc_pid_stat(5): the name in brackets may hold anything, so what follows its end is counted.
    static func sample(_ pid: Int32, _ stat: String) -> Census.Sample? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]), let user = Int64(fields[11]),
            let system = Int64(fields[12]), let began = UInt64(fields[19])
        else { return nil }
        return Census.Sample(pid: pid, parent: parent, began: began, cpu: ticks(user &+ system))
    }

    /// How often the threads of a process have waited for something and gone on since they began, from proc_pid_status(5); nil when it has ended.
    static func wakeUps(of pid: Int32) -> Int? {
        let threads = Folders.list("/proc/\(pid)/task").compactMap { thread in
            (try? Folders.read("/proc/\(pid)/task/\(thread)/status")).flatMap(wakeUps(status:))
        }
        return threads.isEmpty ? nil : threads.reduce(0, +)
    }
    static func wakeUps(status: String) -> Int? {
        let key = "voluntary_ctxt_switches:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else { return nil }
        return line.dropFirst(key.count).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
    }

    /// CPU time of all cores since the machine began, without what they were idle or waited.
    static var busy: Span? {
        guard let line = (try? Folders.read("/proc/stat"))?.split(separator: "\n").first else { return nil }
        let numbers = line.split(separator: " ").dropFirst().compactMap { Int64($0) }
        guard line.hasPrefix("cpu "), numbers.count >= 8 else { return nil }
        // user, nice, system, idle, iowait, irq, softirq, steal
        return ticks(numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6])
    }
    private static func ticks(_ count: Int64) -> Span { Span(nanoseconds: count &* nanosecondsPerTick) }
}
