import Foundation
import Testing

@Suite("Apps with a database", .serialized, .timeLimit(.minutes(20))) struct DatabaseAppTests {
    private func scenario(_ app: String, kinds: String) -> String {
        """
        name: \(app)
        purpose: An outbox in SQLite.
        expect: valid
        apps: [\(app)]
        ipads: 2
        people: 1
        load: {every: [10s, 20s], length: 5m}
        measure: false
        storm: 7m
        calm: 1h
        swarm: {kinds: [\(kinds)], intensity: 1}
        limits: {minPerformed: 5}
        """
    }
    private func run(_ app: String, kinds: String, _ arguments: String...) throws -> CommandLineRun {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(scenario(app, kinds: kinds))
            return try CommandLineRun.of(["run", file, "--out", "out"] + arguments, by: "databases", in: folder)
        }
    }
    private func digest(_ run: CommandLineRun) -> Substring? {
        run.output.split(separator: " ").first { $0.hasPrefix("digest=") }
    }

    @Test("Outbox in SQLite: valid under kills, power cuts and full disks, with the same digest in both modes")
    func sameDigest() throws {
        let kinds = "app-kill, power-cut, suspend, disk-full, loss-of-request, crash"
        var digests: Set<Substring> = []
        for seed in ["1", "2", "3"] {
            let runs = try ["sim", "fleet"].map { try run("cabinet", kinds: kinds, "--seed", seed, "--mode", $0) }
            for run in runs { #expect(run.status == 0, "\(run.output)\(run.errors)") }
            let found = try #require(digest(runs[0]))
            #expect(digest(runs[1]) == found)
            digests.insert(found)
        }
        #expect(digests.count == 3)
    }

    @Test("A transaction over a suspension: the app is killed, and the history says for which statement")
    func squatter() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(scenario("squatter", kinds: "suspend"))
            try CommandLineRun.of(
                ["run", file, "--seed", "1", "--mode", "sim", "--out", "out"], by: "databases", in: folder)
            let trace = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            #expect(trace.contains("the end of 'BEGIN' in ") && trace.contains("(0xdead10cc)"))
            #expect(trace.contains("suspended-with-lock"))
        }
    }
}
