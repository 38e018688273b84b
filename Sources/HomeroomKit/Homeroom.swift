import ArgumentParser
import CInterpose
import FleetModel
import Glibc
import PadApp
import Run

/// The library an app author links: an executable of your own with your apps in it is your own `homeroom` command.
///
/// ```swift
/// import HomeroomKit
/// Homeroom.main(apps: [Notebook.self])
/// ```
public enum Homeroom {
    /// Runs the command line and exits with its status (0 valid, 1 invalid, 2 unknown, 3 bad input, 4 the harness failed).
    /// - Parameter zoo: variants with a known mistake, for `homeroom zoo`; scenarios may name them, and `list apps` leaves them out.
    /// - Parameter engines: apps of closures, as tests have them (Docs/testing.md): so a scenario that a test has written down runs here too.
    public static func main(
        apps: [any PadApp.Type], engines: [EngineApp] = [], zoo: [PlantedBug] = []
    ) -> Never {
        openStandardDescriptors()
        fixEnvironment()
        // Started again it would be "exe".
        ProcessName.set(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "homeroom")
        signal(SIGPIPE, SIG_IGN)
        // A file over the limit of `ulimit -f` is an error with a message, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        Interruption.unblock()
        // A fleet needs a socket for each process.
        Machine.raiseFileLimit()
        catalogue = Catalogue(apps: apps + zoo.map(\.type), engines: engines)
        self.zoo = zoo
        do {
            var command = try Root.parseAsRoot()
            try command.run()
            exit(written(ExitStatus.asExpected.rawValue))
        } catch {
            exit(written(report(error)))
        }
    }

    /// The status, or 3 when standard output did not take all that was printed: who reads it later must not take its lack for good news. A
    /// reader who has left wanted nothing further.
    private static func written(_ status: Int32) -> Int32 {
        let error = hr_output_error()
        guard error != 0 else { return status }
        let reason = error > 0 ? String(cString: strerror(error)) : "a part is missing, by an error that has passed"
        writeError("homeroom: cannot write to standard output: \(reason); free space or send it elsewhere")
        return ExitStatus.input.rawValue
    }

    /// Who starts us with closed descriptors must not find a socket under the number of standard output.
    private static func openStandardDescriptors() {
        for fd in 0...2 as ClosedRange<Int32> where fcntl(fd, F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
    }

    /// The command as the user called it, so that a command that is printed can be pasted: a name on the PATH, a path, or the script of
    /// this package, which says so (`HOMEROOM_CALLED_AS`).
    static var commandName: String {
        let script = getenv("HOMEROOM_CALLED_AS").map { String(cString: $0) } ?? ""
        return Shell.quoted(script.isEmpty ? CommandLine.arguments.first ?? "homeroom" : script)
    }

    static let version = "0.1"
    /// This executable, the author's apps and all: no two builds that differ have one. The whole file is read for it.
    static var build: String { "\(version)-\(String(hr_own_digest(), radix: 16))" }

    /// The apps of this executable.
    nonisolated(unsafe) static var catalogue = Catalogue.empty
    /// Those of them that have a mistake on purpose.
    nonisolated(unsafe) static var zoo: [PlantedBug] = []

    /// Prints what went wrong and gives the exit status that says so.
    private static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if let end = RunEnd(error) {
            printError(end.line)
            JSONOutput.print(error: end.line, end.status.rawValue)
            return end.status.rawValue
        }
        if Root.exitCode(for: error) == .success {
            print(Root.fullMessage(for: error))
            return 0
        }
        printError(Root.fullMessage(for: error))
        let status = Root.exitCode(for: error) == .validationFailure ? ExitStatus.input : .harness
        JSONOutput.print(error: Root.fullMessage(for: error), status.rawValue)
        return status.rawValue
    }

    /// Hashing, time zone and locale must be fixed before the process starts: the process starts itself again with them.
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
        printError("homeroom: cannot start itself again with a fixed environment: \(String(cString: strerror(errno)))")
        exit(ExitStatus.harness.rawValue)
    }
}

extension ExitCode {
    init(_ status: ExitStatus) { self.init(status.rawValue) }
}

/// A line that somebody waits for, also where the output is no terminal.
func printNow(_ text: String) {
    guard !JSONOutput.isAsked else { return }
    print(text)
    fflush(nil)
}

func printError(_ text: String) {
    guard !text.isEmpty else { return }
    Progress.clear()
    fflush(nil)
    writeError(text.visible)
}
