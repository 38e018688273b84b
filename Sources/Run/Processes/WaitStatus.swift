import Glibc

/// How a process ended, in words that are the same on every machine.
package enum WaitStatus {
    package static let killed = "it was killed"

    /// - Parameter status: as `waitpid` gives it; negative when nobody could wait for the process.
    package static func words(for status: Int32) -> String {
        guard status >= 0 else { return "it died with the process that had started it" }
        let signal = status & 0x7f
        switch signal {
        case 0: return "it exited with status \(status >> 8 & 0xff)"
        // A trap of Swift: which of the two depends on the processor.
        case SIGILL, SIGTRAP: return "it trapped"
        case SIGKILL: return killed
        default: return "it was ended by signal \(signal)"
        }
    }
}
