import ArgumentParser
import CInterpose
import FleetModel
import Glibc
import PadApp
import Trace
import World

/// The library an app author links: an executable of your own with your apps in it is your own `homeroom` command.
///
/// ```swift
/// import HomeroomKit
/// Homeroom.main(apps: [Notebook.self])
/// ```
public enum Homeroom {
    /// Runs the command line and exits with its status (0 valid, 1 invalid, 2 unknown, 3 bad input, 4 the harness failed).
    public static func main(apps: [any PadApp.Type]) -> Never {
        openStandardDescriptors()
        fixEnvironment()
        signal(SIGPIPE, SIG_IGN)
        // A file over the limit of `ulimit -f` is an error with a message, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        Interruption.unblock()
        // A fleet needs a socket for each process.
        Machine.raiseFileLimit()
        do {
            catalogue = try Catalogue(apps: apps)
            var command = try Root.parseAsRoot()
            try command.run()
            exit(0)
        } catch {
            exit(report(error))
        }
    }

    /// Who starts us with closed descriptors must not find a socket under the number of standard output.
    private static func openStandardDescriptors() {
        for fd in 0...2 as ClosedRange<Int32> where fcntl(fd, F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
    }

    /// The command as the user called it: `homeroom`, or the path of an executable of his own.
    static var commandName: String {
        let name = CommandLine.arguments.first ?? "homeroom"
        return name.split(separator: "/").last == "homeroom" ? "homeroom" : shellQuoted(name)
    }
    /// A word that a shell takes as it is.
    static func shellQuoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/._-+,:=@%".utf8.contains(byte)
                }
            }
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    /// The apps of this executable.
    nonisolated(unsafe) static var catalogue = Catalogue.empty

    /// Prints what went wrong and gives the exit status that says so.
    private static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if let problem = error as? CommandProblem {
            printError(problem.message)
            return problem.status
        }
        if let problem = error as? HarnessProblem { return report(CommandProblem.harness(problem.message)) }
        if let problem = error as? TraceProblem { return report(CommandProblem.badInput(problem.message)) }
        if Root.exitCode(for: error) == .success {
            print(Root.fullMessage(for: error))
            return 0
        }
        printError(Root.fullMessage(for: error))
        return Root.exitCode(for: error) == .validationFailure
            ? CommandProblem.badInput("").status : CommandProblem.harness("").status
    }

    /// Hashing, time zone and locale must be fixed before the process starts: the process starts itself anew with them.
    private static func fixEnvironment() {
        // The runtime's own backtraces take seconds, and would make a trap look like a spin.
        let wanted = [
            ("SWIFT_DETERMINISTIC_HASHING", "1"), ("TZ", "UTC"), ("LC_ALL", "C"), ("SWIFT_BACKTRACE", "enable=no"),
        ]
        guard wanted.contains(where: { name, value in getenv(name).map { String(cString: $0) } != value }) else {
            return
        }
        for (name, value) in wanted { setenv(name, value, 1) }
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        printError("homeroom: cannot start itself anew with a fixed environment: \(String(cString: strerror(errno)))")
        exit(4)
    }
}

/// A command ended without a verdict.
struct CommandProblem: Error {
    var message: String
    var status: Int32

    /// Usage, files, scenarios, traces: exit status 3.
    static func badInput(_ message: String) -> CommandProblem { CommandProblem(message: message, status: 3) }
    /// Ctrl-C: the status that shells give it.
    static let interrupted = CommandProblem(message: "interrupted: nothing of the unfinished run was kept", status: 130)
    /// The testbed itself: exit status 4.
    static func harness(_ message: String) -> CommandProblem {
        CommandProblem(message: "homeroom: " + message, status: 4)
    }
}

func printError(_ text: String) {
    guard !text.isEmpty else { return }
    fflush(nil)
    writeError(text)
}

/// Ctrl-C: the supervisor stops its workers, removes what is half-written, and says so.
enum Interruption {
    nonisolated(unsafe) private static var wasAsked: sig_atomic_t = 0

    /// A program that starts us from one of its worker threads hands on their blocked signals.
    static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
    /// For commands with workers; the others simply end.
    static func install() {
        for number in numbers { signal(number) { _ in Interruption.ask() } }
    }
    /// Ctrl-C, Ctrl-\\, a polite end, a closed terminal.
    private static let numbers = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
    nonisolated(unsafe) private static var askedAt: Int64 = 0

    /// The second time nothing is tidied up any more. A signal that comes twice within a second is one: `timeout` and terminals send it to
    /// the process and to its group.
    private static func ask() {
        let now = hr_real_ns()
        if wasAsked != 0 {
            if now - askedAt > 1_000_000_000 { _exit(130) }
            return
        }
        askedAt = now
        wasAsked = 1
    }
    static var isAsked: Bool { wasAsked != 0 }
    /// Workers leave the decision to the supervisor.
    static func leaveToSupervisor() {
        for number in numbers { signal(number, SIG_IGN) }
    }
}

extension RunningWorker {
    /// Waits for the worker's end.
    /// - Throws: `CommandProblem.interrupted` on Ctrl-C, after the worker has been stopped.
    mutating func end(limitMilliseconds: Int32) throws -> WorkerEnd {
        while true {
            if Interruption.isAsked {
                stop()
                throw CommandProblem.interrupted
            }
            if let end = poll(waitMilliseconds: 250, limitMilliseconds: limitMilliseconds) { return end }
        }
    }
}
