import FleetModel
import Glibc

/// A command that reads what others have written ends with status 4 and a message when it falls: where memory ends, the runtime traps, and a
/// shell would see a signal that says nothing.
enum Fallen {
    private static let message = Array(
        "homeroom: this command has failed: it ran out of memory (ulimit -v), or homeroom has a fault\n"
            .utf8)

    /// Not in a process that runs apps, where a trap is the app's.
    static func catchAll() {
        // Made before it is needed: a handler cannot.
        _ = message.count
        var signals = sigset_t()
        sigemptyset(&signals)
        defer { sigprocmask(SIG_UNBLOCK, &signals, nil) }
        for number in [SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS] {
            sigaddset(&signals, number)
            signal(number) { _ in
                Fallen.message.withUnsafeBytes { _ = write(2, $0.baseAddress, $0.count) }
                _exit(ExitStatus.harness.rawValue)
            }
        }
    }
}
