import ArgumentParser
import CInterpose
import DeterministicRuntime
import FleetModel
import Glibc
import Run
import World

/// `homeroom doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "What this machine can run, and what is missing (then exit status 3).")

    @OptionGroup var json: JSONOption

    func run() throws {
        var ok = true
        let checks = checks()
        JSONOutput.print(
            "doctor", checks.allSatisfy { $0.2 } ? .asExpected : .input,
            [
                "checks": .array(
                    checks.map { ["name": .string($0.0), "finding": .string($0.1), "ok": .bool($0.2)] })
            ])
        for (name, finding, isGood) in checks {
            say("\(isGood ? "ok     " : "missing")  \(name): \(finding)")
            ok = ok && isGood
        }
        if !ok { throw ExitCode(.input) }
    }

    private func checks() -> [(String, String, Bool)] {
        let files = Machine.openFilesMax
        let processes = Machine.processesMax
        return [
            ("cores", "\(Machine.cores); explore uses all of them", true),
            (
                "open files",
                files >= 1024
                    ? "\(files), enough for live with \(Machine.padsMax(files: files)) iPads"
                    : "\(files), at least 1024 are needed; raise the limit (ulimit -n, or LimitNOFILE of the service)",
                files >= 1024
            ),
            (
                "processes",
                processes >= 512
                    ? "\(processes); a fleet of N iPads needs about 2 x N, live 3 x N"
                    : "\(processes), at least 512 are needed; raise the limit (ulimit -u, or TasksMax of the service)",
                processes >= 512
            ),
            environment, clock, canary, worker, results, space(for: "results", in: "."), temporary, live,
        ] + apps
    }

    /// One line a broken app, or one for all.
    private var apps: [(String, String, Bool)] {
        let defects = Homeroom.catalogue.defects
        guard defects.isEmpty else { return defects.map { ("app \($0.app)", $0.message, false) } }
        let count = Homeroom.catalogue.manifests.count
        return [("apps", "\(count), each with its Info.plist", true)]
    }

    private var environment: (String, String, Bool) {
        let fixed = getenv("SWIFT_DETERMINISTIC_HASHING").map { String(cString: $0) } == "1"
        return ("hashing", fixed ? "fixed at start" : "SWIFT_DETERMINISTIC_HASHING did not reach this process", fixed)
    }

    /// Interposition works when a clock inside a context shows virtual time.
    private var clock: (String, String, Bool) {
        var context = hr_context(now_ns: 7, epoch_ns: 0, rng: 1, drawn: 0)
        let before = hr_enter(&context)
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let entropy = UInt64.random(in: .min ... .max)
        hr_enter(before)
        let works = time.tv_sec == 0 && time.tv_nsec == 7 && context.drawn != 0
        _ = entropy
        return (
            "interposition",
            works
                ? "clocks and entropy of apps are virtual"
                : "clock_gettime or getrandom is not ours; build the executable with this package", works
        )
    }

    /// A small racy program gives one outcome.
    private var canary: (String, String, Bool) {
        let outcomes = Set((0..<50).map { _ in DoctorCanary.run() })
        return (
            "determinism",
            outcomes.count == 1
                ? "50 runs of a racy program, one outcome"
                : "\(outcomes.count) outcomes of one program: this toolchain schedules tasks past our executor",
            outcomes.count == 1
        )
    }

    private var worker: (String, String, Bool) {
        let end = try? Worker.run(limitMilliseconds: 5000, log: "") { _ in [1] }
        if case .finished([1])? = end { return ("workers", "fork, sockets and shared memory work", true) }
        return ("workers", "a forked worker did not answer", false)
    }

    /// Only one mode needs it; one that is there has to start, and to find a port.
    private var live: (String, String, Bool) {
        guard let server = CloudProgram.found else {
            return ("homeroom-cloud", "none; only --mode live needs it: swift build --package-path Cloud", true)
        }
        guard hr_free_port() > 0 else {
            return ("homeroom-cloud", "no port is free on 127.0.0.1; end what listens there", false)
        }
        var arguments = [strdup(server), strdup("--help"), nil]
        defer { for argument in arguments { free(argument) } }
        let status = hr_wait(hr_spawn_bound(server, &arguments, "/dev/null", -1), 1)
        let words = "\(server) does not start; build it again: swift build --package-path Cloud"
        return ("homeroom-cloud", status == 0 ? server : words, status == 0)
    }

    /// ASSUMED: what a long run of some hundred iPads leaves with its logs.
    private static let spaceBytesMin: UInt64 = 1 << 30
    private func space(for what: String, in folder: String) -> (String, String, Bool) {
        var volume = statvfs()
        guard statvfs(folder, &volume) == 0 else {
            return ("disk for \(what)", "nothing is known of the disk of \(folder)", true)
        }
        let free = UInt64(volume.f_bavail) * UInt64(volume.f_frsize)
        let words = "\(free >> 20) MiB free"
        let isEnough = free >= Self.spaceBytesMin
        let least = "at least \(Self.spaceBytesMin >> 20) are needed; make room"
        return ("disk for \(what)", isEnough ? words : "\(words), \(least)", isEnough)
    }
    /// Where benches, and runs that keep no results, have their disks and their Cloud.
    private var temporary: (String, String, Bool) {
        do { rmdir(try Folders.temporary()) } catch {
            return ("TMPDIR", RunEnd.of(error).message, false)
        }
        return space(for: "TMPDIR", in: Folders.temporaryPlace)
    }

    private var results: (String, String, Bool) {
        let isNew = !Folders.exists(".homeroom")
        do {
            try Folders.make(".homeroom")
            if isNew { rmdir(".homeroom") }
            return ("results", ".homeroom can be written", true)
        } catch { return ("results", RunEnd.of(error).message, false) }
    }
}

/// Tasks that race for one list.
private enum DoctorCanary {
    private actor List {
        var text = ""
        func add(_ part: Int) async {
            await Task.yield()
            text += "\(part) "
        }
    }

    static func run() -> String {
        let loop = AppLoop(seed: 1, epochNanoseconds: 0)
        let list = List()
        nonisolated(unsafe) var seen = ""
        loop.start {
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<4)))
                        await list.add(index)
                    }
                }
            }
            seen = await list.text
        }
        loop.run(until: 0)
        while let next = loop.nextTimer { loop.run(until: next) }
        return seen
    }
}
