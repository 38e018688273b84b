import FleetModel
import Foundation
import Testing

@Suite("Split run", .timeLimit(.minutes(20))) struct SplitRunTests {
    @Test(
        "--shard: what cannot be is refused with status 3 (parameters: options)",
        arguments: [
            ["--mode", "live", "--shard", "0/2"], ["--mode", "live", "--shard", "1/1", "--cloud-file", "f"],
            ["--mode", "live", "--shard", "1/2", "--cloud-file", "f", "--junit", "j"],
            ["--mode", "live", "--shard", "x", "--cloud-file", "f"],
            ["--mode", "live", "--shard", "1/2"], ["--mode", "sim", "--shard", "1/2"],
            ["--mode", "live", "--cloud-file", "f", "--cloud-token", "t"],
        ])
    func usage(options: [String]) throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let run = try CommandLineRun.of(["run", file] + options, in: folder)
            #expect(run.status == 3, "\(run.errors)")
            #expect(try left(in: folder) == ["small.yaml"])
        }
    }

    @Test("--cloud-file that announces no Cloud: status 3")
    func announcement() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            _ = try folder.appending(path: "server.json").write("{}")
            let run = try CommandLineRun.of(
                ["run", file, "--mode", "live", "--cloud-file", "server.json"], in: folder)
            #expect(run.status == 3)
            #expect(run.errors.contains("server.json names no origin and token"), "\(run.errors)")
        }
    }

    /// Maya begins on an iPad of one part and goes on at one of the other; no time of the machine decides what is expected.
    private static let walk = """
        name: walk
        purpose: A note is there on an iPad of the other part, and changed there.
        expect: valid
        apps: [notebook]
        ipads: 2
        people: [maya, ben]
        storm: 4m
        calm: 10m
        steps:
          - {at: 10s, who: maya, ipad: 1, do: signIn}
          - {at: 20s, who: maya, ipad: 1, do: open, app: notebook}
          - {at: 30s, who: maya, ipad: 1, do: edit, app: notebook, action: write, item: note-1, text: the river}
          - {at: 60s, who: maya, ipad: 1, do: signOut}
          - {at: 70s, who: maya, ipad: 2, do: signIn}
          - {at: 80s, who: maya, ipad: 2, do: open, app: notebook}
          - {at: 90s, who: ben, ipad: 1, do: signIn}
          - {at: 100s, who: ben, ipad: 1, do: open, app: notebook}
          - {at: 110s, who: ben, ipad: 1, do: edit, app: notebook, action: write, item: note-2, text: the hill}
          - {at: 150s, who: maya, ipad: 2, do: edit, app: notebook, action: write, item: note-1, text: the sea}
        limits: {minPerformed: 3}
        """

    /// The iPad of each part is disturbed when Maya writes on it.
    private static let faults = """
        faults:
          - {fault: service-unavailable, from: 25s, until: 45s, ipads: [1]}
          - {fault: loss-of-request, from: 140s, until: 170s, ipads: [2], with: {probability: 1}}
          - {fault: app-kill, at: 160s, ipads: [2]}
        mustReach: [edit-performed, retry-after, request-lost, app-killed]
        """

    @Test(
        "Two commands and one Cloud: each plays its iPads, people walk from one to the other, merge judges; a missing part is told (plain; TLS, faults of the scenario)",
        .enabled(if: hasServer, noServer), arguments: [false, true])
    func split(isHard: Bool) throws {
        let scenario = Self.walk + "\nmeasure: true\n" + (isHard ? Self.faults : "")
        try withParts(scenario, serving: isHard ? ["--tls"] : []) { folder, _, parts, first in
            for part in parts {
                part.0.waitUntilExit()
                let words = try [part.output, part.errors].map { try String(contentsOf: $0, encoding: .utf8) }
                #expect(part.0.terminationStatus == 0, "\(words)")
                #expect(words[0].contains("  walk  seed=1 mode=live "), "\(words)")
            }
            let run = try CommandLineRun.of(["merge", "part-1", "part-2", "--out", "all"], in: folder)
            #expect(run.output.contains(" violations=0 "), "\(run.output)\(run.errors)")
            #expect(run.output.contains("live: the network was the one on the way to a Cloud that was there, "))
            // A machine that is too slow may leave something unread; nobody may have been left out.
            #expect(run.isValidOrTooSlow, "\(run.output)")
            let edits = try String(contentsOf: folder.appending(path: "all/trace.jsonl"), encoding: .utf8)
            // Both parts have an iPad, and are on this machine.
            let figures = try Value(
                json: Array(Data(contentsOf: folder.appending(path: "all/figures.json"))))
            let costs = try #require(figures["costs"], "\(run.output)")
            let most = (costs["processes"]?.array ?? []).map { "\($0["kind"]?.string ?? "") \($0["most"]?.int ?? 0)" }
            #expect(most.contains("run 4") && most.contains("ipads 4"), "\(most)")
            #expect(costs["cores"]?.int == Int64(ProcessInfo.processInfo.activeProcessorCount))
            for token in ["maya.1", "maya.2", "ben.1"] { #expect(edits.contains("\"\(token)\"")) }
            let later = try CommandLineRun.of(first + ["--out", "part-3"], in: folder)
            #expect(later.status == 3)
            #expect(later.errors.contains("part 1/2 is there already"), "\(later.errors)")
        }
    }

    @Test(
        "A part that is stopped: the others end at once with status 4 and say which and why (both signals)",
        .enabled(if: hasServer, noServer), arguments: [SIGTERM, SIGINT])
    func stopped(signal: Int32) throws {
        // In real time: nobody is done before they are stopped.
        try withParts(Self.walk, speed: 1) { _, _, parts, _ in
            waitForClock(parts)
            let family = descendants(of: parts[0].0.processIdentifier)
            kill(parts[0].0.processIdentifier, signal)
            let began = ContinuousClock.now
            for part in parts { part.0.waitUntilExit() }
            #expect(ContinuousClock.now - began < .seconds(30), "an hour of silence is not waited for")
            #expect(parts.map(\.0.terminationStatus) == [130, 4])
            #expect(stillRunning(family).isEmpty)
            let words = try String(contentsOf: parts[1].errors, encoding: .utf8)
            #expect(words.contains("part 1/2 has failed: it was interrupted (Ctrl-C or a signal)"), "\(words)")
        }
    }

    @Test(
        "The Cloud that is killed under a run: every part ends with status 4, says so, and keeps its logs",
        .enabled(if: hasServer, noServer))
    func cloudKilled() throws {
        try withParts(Self.walk, speed: 1) { folder, cloud, parts, _ in
            waitForClock(parts)
            kill(cloud.processIdentifier, SIGKILL)
            for (index, part) in parts.enumerated() {
                part.0.waitUntilExit()
                #expect(part.0.terminationStatus == 4)
                let words = try String(contentsOf: part.errors, encoding: .utf8)
                let logs = "part-\(index + 1)/failed-logs"
                #expect(words.contains("answers no more") && words.contains("its logs are in \(logs)"), "\(words)")
                #expect(try left(in: folder.appending(path: logs)).contains("ipad-\(index + 1).log"))
            }
        }
    }

    @Test("Parts with different seeds: both end with status 3 and say what differs", .enabled(if: hasServer, noServer))
    func differentSeeds() throws {
        try withParts(Self.walk, seeds: [1, 2]) { _, _, parts, _ in
            for part in parts {
                part.0.waitUntilExit()
                #expect(part.0.terminationStatus == 3)
                let words = try String(contentsOf: part.errors, encoding: .utf8)
                #expect(words.contains("has another seed than part"), "\(words)")
            }
        }
    }

    @Test("Parts of different builds: both end with status 3 and name them", .enabled(if: hasServer, noServer))
    func differentBuilds() throws {
        try withFolder { folder in
            let (products, other) = (CommandLineRun.products.path, folder.appending(path: "homeroom"))
            // Made by another process: what this one has open for writing cannot be executed while a child of another test holds it too.
            let words = "cp '\(products)/homeroom' . && printf x >> homeroom && ln -s '\(products)'/*.resources ."
            #expect(try CommandLineRun.of(["-c", words], by: "/bin/bash", in: folder).status == 0)
            try withParts(Self.walk, by: ["homeroom", other.path]) { _, _, parts, _ in
                for part in parts {
                    part.0.waitUntilExit()
                    #expect(part.0.terminationStatus == 3)
                    let words = try String(contentsOf: part.errors, encoding: .utf8)
                    #expect(words.contains("is of another build (0.1-"), "\(words)")
                }
            }
        }
    }

    @Test("A scenario that needs a Cloud that crashes: refused where the Cloud is given")
    func crashes() throws {
        try withFolder { folder in
            let file = CommandLineRun.package.appending(path: "Fleet/power-cuts.yaml").path
            let run = try CommandLineRun.of(
                ["run", file, "--mode", "live", "--cloud", "http://127.0.0.1:1", "--cloud-token", "t"], in: folder)
            #expect(run.status == 3)
            #expect(run.errors.contains("a Cloud that is given cannot be crashed"), "\(run.errors)")
        }
    }

    /// Both parts of a run, started against a Cloud of their own that ends after the body.
    /// - Parameters:
    ///   - more: options of the Cloud.
    ///   - body: is given the folder of it all, the Cloud, the parts that were started, and how the first part was, but for its results.
    private func withParts(
        _ scenario: String, speed: Int = 20, seeds: [Int] = [1, 1],
        by programs: [String] = ["homeroom", "homeroom"], serving more: [String] = [],
        _ body: (URL, _ cloud: Process, [Started], _ first: [String]) throws -> Void
    ) throws {
        try withFolder { folder in
            let file = try folder.appending(path: "walk.yaml").write(scenario)
            let cloud = try CommandLineRun.start(
                server, ["serve", "--data", "cloud", "--port", "\(freePort())", "--testbed"] + more, in: folder)
            defer {
                cloud.0.terminate()
                cloud.0.waitUntilExit()
            }
            let commands = seeds.enumerated().map { index, seed in
                [
                    "run", file, "--mode", "live", "--speed", "\(speed)", "--cloud-file", "cloud/server.json", "--seed",
                    "\(seed)", "--shard", "\(index + 1)/2",
                ]
            }
            let parts = try commands.enumerated().map { index, command in
                try CommandLineRun.start(programs[index], command + ["--out", "part-\(index + 1)"], in: folder)
            }
            try body(folder, cloud.0, parts, commands[0])
        }
    }
    /// Worker, zygote, an iPad and what starts its apps are there: the clock runs.
    private func waitForClock(_ parts: [Started]) {
        while parts.contains(where: { $0.0.isRunning && descendants(of: $0.0.processIdentifier).count < 4 }) {
            usleep(50_000)
        }
    }
    private typealias Started = (Process, output: URL, errors: URL)

    /// A port that nobody listens on at this moment.
    private func freePort() -> UInt16 {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(fd) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(fd, $0, length)
                _ = getsockname(fd, $0, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
    }
}
