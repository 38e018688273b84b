import CInterpose
import FleetModel
import Glibc
import HomeroomKit
import Run
import World

/// What catches the failures of a test framework while a test's body runs.
protocol IssueCatcher: AnyObject, Sendable {
    /// Runs `body`; what fails in it, and in all tasks that begin there, is caught instead of reported.
    func during(_ body: () -> Void)
    /// Takes an error that the test's body threw.
    func take(_ error: any Error)
    var caught: [SeedOutcome.Caught] { get }
}

/// The process that plays the seeds of one test: its own executable, started again for this test alone, with fixed hashing and time zone.
///
/// It forks for each seed, so that nothing a seed leaves in a static reaches the next one, and a trap ends one seed.
struct SeedProcess {
    /// What the process is asked for, in its environment.
    struct Order {
        static let variable = "HOMEROOM_TEST_PROCESS"
        var test: String
        var seeds: ClosedRange<UInt64>
        /// Where outcomes go.
        var socket: Int32
        /// Where runs leave their files.
        var folder: String

        var body: Value {
            [
                "test": .string(test), "socket": .int(Int64(socket)), "folder": .string(folder),
                "seeds": .strings([String(seeds.lowerBound), String(seeds.upperBound)]),
            ]
        }
        /// The order of this process; nil: it is an ordinary test process.
        static let present: Order? = FleetOptions.environment(variable).flatMap { try? Value(json: $0) }.flatMap(
            Order.init)

        init(test: String, seeds: ClosedRange<UInt64>, socket: Int32, folder: String) {
            (self.test, self.seeds, self.socket, self.folder) = (test, seeds, socket, folder)
        }
        private init?(_ body: Value) {
            guard let test = body["test"]?.string, let socket = body["socket"]?.int, let folder = body["folder"]?.string
            else { return nil }
            let ends = (body["seeds"]?.strings ?? []).compactMap { UInt64($0) }
            guard ends.count == 2, ends[0] <= ends[1] else { return nil }
            self.init(test: test, seeds: ends[0]...ends[1], socket: Int32(socket), folder: folder)
        }
    }

    let order: Order
    let place: TestPlace
    let options: FleetOptions
    let makeCatcher: () -> any IssueCatcher
    let body: @Sendable (Fleet) async throws -> Void
    /// Longest real time of one step.
    private static let limitMilliseconds: Int32 = 10_000
    /// The scenarios of so many failing seeds are played, to say whether they are the same run.
    private static let checkedMax = 3

    /// Plays all seeds and ends the process.
    func run() -> Never {
        Self.awaitSleepingThreads()
        let socket = FrameSocket(fd: order.socket)
        var (left, running, checked) = (Array(order.seeds)[...], [(seed: UInt64, worker: RunningWorker)](), 0)
        let jobs = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        while !left.isEmpty || !running.isEmpty {
            while running.count < jobs, let seed = left.popFirst() {
                do { running.append((seed, try start(seed))) } catch {
                    tell(SeedOutcome(seed: seed, end: "\(error)"), socket)
                }
            }
            for index in running.indices.reversed() {
                guard
                    let end = running[index].worker.poll(waitMilliseconds: 5, limitMilliseconds: Self.limitMilliseconds)
                else { continue }
                var outcome = self.outcome(running.remove(at: index).seed, end)
                let isWanted = options.checksScenarios || outcome.isFailure && checked < Self.checkedMax
                if isWanted, outcome.difference == nil, outcome.scenario != nil {
                    checked += 1
                    check(&outcome)
                }
                tell(outcome, socket)
            }
        }
        fflush(nil)
        _exit(0)
    }
    private func tell(_ outcome: SeedOutcome, _ socket: FrameSocket) {
        // Nobody waits any longer.
        guard socket.send(.outcome, outcome.body.encoded) else { _exit(0) }
    }

    private func start(_ seed: UInt64) throws -> RunningWorker {
        try Worker.start(log: log(of: seed)) { pulse in play(seed, pulse).body.encoded }
    }
    private func log(of seed: UInt64) -> String { "\(order.folder)/seed-\(seed).log" }

    private func outcome(_ seed: UInt64, _ end: WorkerEnd) -> SeedOutcome {
        switch end {
        case .finished(let bytes):
            let outcome = (try? Value(decoding: bytes)).flatMap { SeedOutcome($0) }
            return outcome ?? SeedOutcome(seed: seed, end: "its process told nothing readable")
        case .leaked(let text): return SeedOutcome(seed: seed, end: text)
        case .died(let how):
            return SeedOutcome(seed: seed, end: "its process died (\(how))" + LogTail.words(log(of: seed)))
        case .spun:
            return SeedOutcome(
                seed: seed,
                end:
                    "code of the app or of the test did not come back within \(Self.limitMilliseconds / 1000) s of real time: no virtual time passes in a loop"
            )
        }
    }

    /// Whether the scenario that was written down is the same run, in a process of its own.
    private func check(_ outcome: inout SeedOutcome) {
        guard let text = outcome.scenario, let app = options.app else { return }
        let seed = outcome.seed
        let worker = try? Worker.start(log: log(of: seed)) { _ in
            HandProcess.claim()
            let digest = try? HandRun.digest(ofText: text, app: app, seed: seed)
            return Array((digest ?? "").utf8)
        }
        guard var worker, case .finished(let bytes) = worker.wait(limitMilliseconds: 6 * Self.limitMilliseconds) else {
            return
        }
        let digest = String(decoding: bytes, as: UTF8.self)
        outcome.repeated = digest
        guard digest != outcome.report?.digest else { return }
        outcome.difference = digest.isEmpty ? "it could not be played" : "its digest is \(digest.prefix(12))"
    }

    // MARK: In the process of a seed

    private func play(_ seed: UInt64, _ pulse: @escaping () -> Void) -> SeedOutcome {
        HandProcess.claim()
        let driver = FleetDriver(options.setup(for: place, seed: seed), isAppKnown: options.app != nil, pulse: pulse)
        let (fleet, catcher, body) = (Fleet(driver), makeCatcher(), self.body)
        var outcome = SeedOutcome(seed: seed)
        var end: RunEnd?
        catcher.during {
            do {
                try Fleet.$running.withValue(fleet) {
                    try driver.drive { do { try await body(fleet) } catch { catcher.take(error) } }
                }
            } catch { end = RunEnd.of(error) }
        }
        outcome.caught = catcher.caught
        do { try conclude(driver, end, &outcome) } catch { end = RunEnd.of(error) }
        outcome.end = end?.message
        return outcome
    }
    /// Plays what comes after the test, judges, and leaves the files of a seed that failed.
    private func conclude(_ driver: FleetDriver, _ end: RunEnd?, _ outcome: inout SeedOutcome) throws {
        guard let run = driver.played else { return }
        let came = try run.finish(obstacle: end?.message)
        (outcome.report, outcome.isJudged) = (came.report, came.isJudged)
        (outcome.scenario, outcome.difference) = (came.text, came.difference)
        outcome.end = end?.message
        guard outcome.isFailure else { return }
        let folder = "\(order.folder)/\(place.name)-\(outcome.seed)"
        try came.write(into: folder, command: Repeating.command(place, outcome.seed))
        outcome.folder = folder
    }

    /// A fork keeps one thread, and whatever the others hold at that moment is held for ever: they have to be asleep, which idle ones are.
    private static func awaitSleepingThreads() {
        let own = Threads.own
        var quiet = 0
        for _ in 0..<2000 where quiet < 3 {
            let states = Threads.states
            quiet = states.allSatisfy { $0.key == own || $0.value == "S" } ? quiet + 1 : 0
            usleep(1000)
        }
    }
}

/// The threads of this process, as the machine knows them.
private enum Threads {
    /// The number of the calling thread; empty where the machine does not tell.
    static var own: String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = readlink("/proc/thread-self", &buffer, buffer.count)
        let path = String(decoding: buffer[..<max(0, length)], as: UTF8.self)
        return path.split(separator: "/").last.map(String.init) ?? ""
    }
    /// By number: `S` asleep, `R` running.
    static var states: [String: Character] {
        var states: [String: Character] = [:]
        guard let folder = opendir("/proc/self/task") else { return states }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.first != ".", let text = try? LogTail.read("/proc/self/task/\(name)/stat") else { continue }
            // The name in parentheses may hold anything.
            guard let close = text.lastIndex(of: ")") else { continue }
            states[name] = text[close...].dropFirst(2).first
        }
        return states
    }
}
