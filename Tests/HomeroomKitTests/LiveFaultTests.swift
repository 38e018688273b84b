import Foundation
import RawServer
import StubProgram
import Testing

/// What goes wrong in a live run, with real processes; one after the other, since each has some of its own.
@Suite("Live: faults", .serialized, .enabled(if: hasServer, noServer), .timeLimit(.minutes(20)))
struct LiveFaultTests {
    /// Two people at two iPads, five minutes; everything is played thirty times as fast.
    private static func scenario(_ name: String, app: String, expect: String, more: String) -> String {
        """
        name: \(name)
        purpose: What goes wrong in live goes wrong for real.
        expect: \(expect)
        apps: [\(app)]
        ipads: 2
        people: [maya]
        storm: 4m
        calm: 10m
        \(more)
        """
    }
    private static func edit(_ at: String, pad: Int, _ app: String, _ action: String, _ item: String) -> String {
        "  - {at: \(at), who: maya, ipad: \(pad), do: edit, app: \(app), action: \(action), item: \(item), text: on \(pad)}"
    }
    private static let rough = scenario(
        "rough", app: "notebook", expect: "valid",
        more: """
            steps:
              - {at: 2s, who: maya, ipad: 1, do: signIn}
              - {at: 10s, who: maya, ipad: 1, do: open, app: notebook}
            \(edit("15s", pad: 1, "notebook", "write", "note-1"))
              - {at: 90s, who: maya, ipad: 1, do: open, app: notebook}
            \(edit("95s", pad: 1, "notebook", "write", "note-2"))
            \(edit("150s", pad: 1, "notebook", "write", "note-3"))
              - {at: 200s, who: maya, ipad: 2, do: signIn}
              - {at: 210s, who: maya, ipad: 2, do: open, app: notebook}
            \(edit("220s", pad: 2, "notebook", "write", "note-4"))
            faults:
              - {fault: suspend, from: 20s, until: 75s, ipads: [1]}
              - {fault: app-kill, at: 80s, ipads: [1]}
              - {fault: cloud-crash, at: 100s, with: {outage: 20s}}
              - {fault: power-cut, at: 170s, ipads: [1], with: {outage: 10s}}
            mustReach: [suspended, app-killed, cloud-crashed]
            limits: {minPerformed: 2}
            """)
    private static let broken = scenario(
        "broken", app: "quiz-local-flag", expect: "{verdict: invalid, class: lost}",
        more: """
            steps:
              - {at: 2s, who: maya, ipad: 1, do: signIn}
              - {at: 10s, who: maya, ipad: 1, do: open, app: quiz-local-flag}
            \(edit("30s", pad: 1, "quiz-local-flag", "answer", "answer-1"))
            \(edit("40s", pad: 1, "quiz-local-flag", "answer", "answer-2"))
              - {at: 110s, who: maya, ipad: 1, do: signOut}
              - {at: 120s, who: maya, ipad: 2, do: signIn}
              - {at: 130s, who: maya, ipad: 2, do: open, app: quiz-local-flag}
            """)

    private static let forgetful = scenario(
        "forgetful", app: "notebook-memory-queue", expect: "{verdict: invalid, class: unsaved}",
        more: """
            steps:
              - {at: 2s, who: maya, ipad: 1, do: signIn}
              - {at: 10s, who: maya, ipad: 1, do: open, app: notebook-memory-queue}
            \(edit("60s", pad: 1, "notebook-memory-queue", "write", "note-1"))
            \(edit("70s", pad: 1, "notebook-memory-queue", "write", "note-2"))
              - {at: 100s, who: maya, ipad: 1, do: signOut}
              - {at: 180s, who: maya, ipad: 2, do: signIn}
              - {at: 190s, who: maya, ipad: 2, do: open, app: notebook-memory-queue}
            faults:
              - {fault: partition, from: 45s, until: 150s, with: {answer: refused}}
            """)

    private func start(_ scenario: String, speed: Int = 30, program: String = server, in folder: URL) throws -> Family {
        let file = try folder.appending(path: "s.yaml").write(scenario)
        let (process, output, errors) = try CommandLineRun.start(
            "homeroom",
            ["run", file, "--mode", "live", "--speed", "\(speed)", "--cloud-program", program, "--out", "out"],
            in: folder)
        return Family(process: process, output: output, errors: errors)
    }

    @Test("Suspension, kill, the Cloud's crash and a power cut: they befall real processes, and nothing is lost")
    func rough() throws {
        try withFolder { folder in
            let family = try start(Self.rough, in: folder)
            var (servers, iPads, apps, stopped): (Set<Int32>, Set<Int32>, Set<Int32>, Set<Int32>) = ([], [], [], [])
            while family.process.isRunning {
                if let cloud = family.cloud { servers.insert(cloud) }
                iPads.formUnion(family.iPads)
                for app in family.apps {
                    apps.insert(app)
                    if state(app) == "T" { stopped.insert(app) }
                }
                usleep(20_000)
            }
            let run = try family.end()
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(servers.count == 2 && !stopped.isEmpty)
            // Two iPads, the one that lost its power again, and a brand-new one.
            #expect(iPads.count == 4 && apps.count >= 4, "\(iPads) \(apps)")
        }
    }

    private static let torn = scenario(
        "torn", app: "notebook", expect: "valid",
        more: """
            steps:
              - {at: 2s, who: maya, ipad: 1, do: signIn}
              - {at: 10s, who: maya, ipad: 1, do: open, app: notebook}
            \(edit("35s", pad: 1, "notebook", "write", "note-1"))
            \(edit("65s", pad: 1, "notebook", "write", "note-2"))
            \(edit("75s", pad: 1, "notebook", "write", "note-1"))
              - {at: 150s, who: maya, ipad: 2, do: signIn}
              - {at: 160s, who: maya, ipad: 2, do: open, app: notebook}
            \(edit("180s", pad: 2, "notebook", "write", "note-3"))
            faults:
              - {fault: truncation, from: 30s, until: 60s, with: {bytes: 8, probability: 1, route: /database/}}
              - {fault: loss-of-response, from: 60s, until: 100s, with: {probability: 0.7, route: /database/}}
              - {fault: push-lost, from: 150s, until: 200s}
            mustReach: [connection-broken, response-lost]
            limits: {minPerformed: 3}
            """)

    @Test("Half a body and a lost answer: a process between the sockets makes them, and nothing is lost")
    func torn() throws {
        try withFolder { folder in
            let family = try start(Self.torn, in: folder)
            var networks: Set<Int32> = []
            while family.process.isRunning {
                // By its name: on a busy machine what the run has just forked, and the Cloud's program before it runs, stand there too.
                if let network = family.member(.network), family.name(network) == Family.Member.network.name {
                    networks.insert(network)
                }
                usleep(50_000)
            }
            let run = try family.end()
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(networks.count == 1 && stillRunning(Array(networks)).isEmpty)
        }
    }

    @Test("A broken twin is found out in real time too", arguments: zip(["lost", "unsaved"], [broken, forgetful]))
    func brokenTwin(loss: String, scenario: String) throws {
        try withFolder { folder in
            let run = try start(scenario, in: folder).end()
            #expect(
                run.status == 0 && run.output.contains("invalid (\(loss)), as expected"), "\(run.output)\(run.errors)")
        }
    }

    @Test("SIGKILL in the storm: status 4, nobody outlives it, no verdict", arguments: Family.Member.allCases)
    func murder(victim: Family.Member) throws {
        try withFolder { folder in
            let family = try start(Self.torn, speed: 2, in: folder)
            defer { family.process.terminate() }
            while family.apps.isEmpty, family.process.isRunning { usleep(20_000) }
            let all = descendants(of: family.process.processIdentifier)
            let pid = try #require(family.member(victim))
            for _ in 0..<100 where family.name(pid) != victim.name { usleep(20_000) }
            #expect(family.name(pid) == victim.name)
            kill(pid, SIGKILL)
            let run = try family.end()
            #expect(run.status == (victim == .command ? 128 + SIGKILL : 4), "\(run.output)\(run.errors)")
            #expect(stillRunning(all).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out/verdict.json").path))
        }
    }

    /// A program that is the server with limits of its own.
    private func limitedServer(_ name: String, _ limits: String, in folder: URL) throws -> String {
        try folder.appending(path: name).stub("\(limits); exec '\(server)' \"$@\"")
    }

    @Test("The Cloud's disk is full: status 3 that says so, no verdict about the app")
    func fullDisk() throws {
        try withFolder { folder in
            let program = try limitedServer("small", "ulimit -f 400", in: folder)
            let run = try start(Self.torn, program: program, in: folder).end()
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(run.errors.contains("could not write what it was asked to keep"), "\(run.errors)")
        }
    }

    @Test("The disk of the iPads is full: status 3 that names one of them and what to do, nobody and nothing is left")
    func fullPad() throws {
        try withFolder { folder in
            // The server is to have room.
            let program = try limitedServer("roomy", "ulimit -S -f unlimited", in: folder)
            let file = try folder.appending(path: "s.yaml").write(Self.torn)
            let run = try CommandLineRun.limited(
                "ulimit -S -f 8",
                ["run", file, "--mode", "live", "--speed", "30", "--cloud-program", program, "--out", "out"], in: folder
            )
            #expect(run.status == 3, "\(run.status) \(run.output)\(run.errors)")
            #expect(run.errors.contains("ipad-") && run.errors.contains("free space"), "\(run.errors)")
            #expect(try left(in: folder) == ["roomy", "roomy.sh", "s.yaml"])
        }
    }

    @Test("Somebody takes the Cloud's port while it is down: status 3 that says so, nobody is left, no verdict")
    func takenPort() throws {
        try withFolder { folder in
            let crash = "faults:\n  - {fault: cloud-crash, at: 60s, with: {outage: 120s}}"
            let file = Self.torn.split(separator: "faults:")[0] + crash
            let family = try start(String(file), in: folder)
            defer { family.process.terminate() }
            while family.cloud == nil, family.process.isRunning { usleep(20_000) }
            let all = descendants(of: family.process.processIdentifier)
            let words = try String(contentsOfFile: "/proc/\(try #require(family.cloud))/cmdline", encoding: .utf8)
                .split(separator: "\0")
            let option = try #require(words.firstIndex(of: "--port"))
            let port = try #require(UInt16(words[option + 1]))
            // Its first life is not the one that is meant: who has an app has signed in. Nobody can while a server listens there.
            while family.apps.isEmpty, family.process.isRunning { usleep(20_000) }
            var squatter: RawServer?
            while squatter == nil, family.process.isRunning {
                squatter = RawServer(port: port) { _ in "HTTP/1.1 204 No Content\r\n\r\n" }
                usleep(1000)
            }
            defer { squatter?.stop() }
            let run = try family.end()
            #expect(squatter != nil && run.status == 3, "\(run.status) \(run.output)\(run.errors)")
            #expect(
                run.errors.contains("the Cloud's server does not start") && run.errors.contains("\(port)"),
                "\(run.errors)")
            #expect(stillRunning(all).isEmpty)
            #expect(try left(in: folder) == ["s.yaml"])
        }
    }
}

/// A live run and who belongs to it.
struct Family {
    enum Member: CaseIterable {
        case command, run, cloud, starter, network, iPad, launcher, app

        /// What `ps` calls it, in a run of the notebook.
        var name: String {
            switch self {
            case .command, .run: "homeroom"
            case .cloud: "homeroom-cloud"
            case .starter: "homeroom-start"
            case .network: "homeroom-net"
            case .iPad: "ipad-1"
            case .launcher: "ipad-1/start"
            case .app: "ipad-1/notebook"
            }
        }
    }
    let process: Process
    let output: URL
    let errors: URL

    private func children(of pid: Int32?) -> [Int32] { pid.map { Array(childrenOf($0)) } ?? [] }
    private var run: Int32? { children(of: process.processIdentifier).first }
    var cloud: Int32? { children(of: run).first { name($0).hasPrefix("homeroom-cloud") } }
    /// The first that the run forks, and the school's network, which comes after the Cloud.
    private var forks: [Int32] { children(of: run).filter { !name($0).hasPrefix("homeroom-cloud") } }
    private var starter: Int32? { forks.first }
    var iPads: [Int32] { children(of: starter) }
    private var launchers: [Int32] { iPads.flatMap { children(of: $0) } }
    var apps: [Int32] { launchers.flatMap { children(of: $0) } }

    func member(_ member: Member) -> Int32? {
        switch member {
        case .command: process.processIdentifier
        case .run: run
        case .cloud: cloud
        case .starter: starter
        case .network: forks.dropFirst().first
        case .iPad: iPads.first
        case .launcher: launchers.first
        case .app: apps.first
        }
    }

    func end() throws -> CommandLineRun {
        process.waitUntilExit()
        return CommandLineRun(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
    func name(_ pid: Int32) -> String {
        (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8))?.split(separator: "\n").first
            .map(String.init) ?? ""
    }
}
