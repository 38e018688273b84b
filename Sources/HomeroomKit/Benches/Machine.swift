import CInterpose
import Glibc
import Run

/// What the commands need to know of the machine. Never reaches a participant.
enum Machine {
    /// The same for all containers and network namespaces of one machine, until it starts again.
    static var name: String { (try? Folders.read("/proc/sys/kernel/random/boot_id")) ?? "" }
    /// How many processors are there.
    static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Soft limits of this process.
    static var openFilesMax: UInt64 { softLimit(Int32(RLIMIT_NOFILE.rawValue)) }
    /// Glibc's module has no RLIMIT_NPROC; 6 on Linux.
    static var processesMax: UInt64 { softLimit(6) }
    private static func softLimit(_ resource: Int32) -> UInt64 {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource), &limit)
        return UInt64(limit.rlim_cur)
    }

    /// Raises the soft limit of open files to the hard one: a fleet needs one socket a process.
    static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// What a fleet takes when each person has all apps open: a socket for each iPad and for each app on it, and what a run itself keeps open. At the
    /// end brand-new iPads come, one for each person, in groups of 64.
    /// - Throws: `RunEnd.input`: with fewer, the start of some participant would fail in the midst of the run.
    static func requireFiles(forFleet pads: Int, people: Int, apps: Int) throws(RunEnd) {
        let needed = UInt64(12 + pads + max(min(pads, people) * apps, min(people, 64) * (1 + apps)))
        guard openFilesMax < needed else { return }
        throw .input(
            "a fleet of \(pads) iPads and \(people) people with \(apps) apps needs \(needed) open files, and \(openFilesMax) are allowed here: raise the limit (ulimit -n) or use --mode sim"
        )
    }

    private static let (filesForRun, filesForPad) = (UInt64(64), UInt64(8))
    /// How many iPads a live run can have with so many open files.
    static func padsMax(files: UInt64) -> UInt64 { (max(files, filesForRun) - filesForRun) / filesForPad }
    /// Sockets of so many iPads, of their apps, and the server's end of their connections.
    /// - Throws: `RunEnd.input`: with fewer, a server that cannot accept just stands still.
    static func requireFiles(forLive pads: Int) throws {
        let needed = filesForRun + filesForPad * UInt64(pads)
        guard openFilesMax < needed else { return }
        throw RunEnd.input(
            "live with \(pads) iPads needs \(needed) open files, and \(openFilesMax) are allowed here: raise the limit (ulimit -n)"
        )
    }

    /// Private and proportional memory of a process in KiB, from `/proc/PID/smaps_rollup`.
    static func memory(of pid: Int32) -> (privateKiB: Int, proportionalKiB: Int)? {
        guard let text = try? Folders.read("/proc/\(pid)/smaps_rollup") else { return nil }
        var (own, pss) = (0, 0)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count >= 2, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "Private_Clean:", "Private_Dirty:": own += number
            case "Pss:": pss = number
            default: break
            }
        }
        return (own, pss)
    }
}
