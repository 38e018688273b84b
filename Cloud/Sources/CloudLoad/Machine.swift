import Foundation

/// What Linux says of a process.
public enum Machine {
    private static func file(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    /// Memory in use, KiB.
    public static func memoryKiB(of process: Int32 = getpid()) -> Int {
        let line = file("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
    /// Time on a processor so far, user and system, seconds.
    public static func processorSeconds(of process: Int32 = getpid()) -> Double {
        // The name of the program, in parentheses, may hold spaces.
        let fields = file("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
