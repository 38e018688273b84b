import Foundation
import Testing

@Suite("Calm", .serialized, .timeLimit(.minutes(20))) struct CalmTests {
    @Test(
        "iPad outside the core: down or up, what only it holds stays there and is stranded",
        arguments: ["sim", "fleet"])
    func outside(mode: String) throws {
        try withFolder { folder in
            for outage in ["4m", "1s"] {
                let file = try folder.appending(path: "s.yaml").write(Self.scenario(outage: outage))
                let run = try CommandLineRun.of(["run", file, "--mode", mode, "--out", "out"], in: folder)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                #expect(run.output.contains("edits=2") && run.output.contains("stranded=1"), "\(run.output)")
            }
        }
    }

    @Test("Refusal that comes when everybody has been visited: its person comes once more, nothing waits for ever")
    func visitedAgain() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(Self.lateConflict)
            let run = try CommandLineRun.of(["run", file, "--mode", "sim", "--out", "out"], in: folder)
            #expect(run.status == 0 && run.output.contains("edits=2"), "\(run.output)\(run.errors)")
            let trace = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            #expect(trace.contains(#""note":"handedBack""#) && !trace.contains(#""note":"pending""#))
        }
    }

    /// The save on ipad-1 backs off until after the 90 seconds that calm leaves its app open, and meets a conflict then.
    private static let lateConflict = """
        name: late-conflict
        purpose: An operation that backs off outlives the visit of its person, and is refused after it.
        expect: valid
        apps: [notebook]
        ipads: 2
        people: [maya]
        storm: 10m20s
        calm: 1h
        steps:
          - {at: 5s, who: maya, ipad: 1, do: signIn}
          - {at: 15s, who: maya, ipad: 1, do: open, app: notebook}
          - {at: 25s, who: maya, ipad: 1, do: edit, app: notebook, action: write, item: note-1, text: one}
          - {at: 40s, who: maya, ipad: 1, do: signOut}
          - {at: 50s, who: maya, ipad: 2, do: signIn}
          - {at: 60s, who: maya, ipad: 2, do: open, app: notebook}
          - {at: 70s, who: maya, ipad: 2, do: edit, app: notebook, action: write, item: note-1, text: two}
        faults:
          - {fault: loss-of-request, from: 20s, until: 10m20s, ipads: [1], with: {probability: 1}}

        """

    private static func scenario(outage: String) -> String {
        """
        name: outside
        purpose: An iPad outside the core stays away in calm, also when its power comes back only then.
        expect: valid
        apps: [notebook]
        ipads: 2
        people: [maya]
        core: [1]
        storm: 3m
        calm: 30m
        steps:
          - {at: 5s, who: maya, ipad: 1, do: signIn}
          - {at: 15s, who: maya, ipad: 1, do: open, app: notebook}
          - {at: 25s, who: maya, ipad: 1, do: edit, app: notebook, action: write, item: note-1, text: one}
          - {at: 40s, who: maya, ipad: 1, do: signOut}
          - {at: 50s, who: maya, ipad: 2, do: signIn}
          - {at: 60s, who: maya, ipad: 2, do: open, app: notebook}
          - {at: 100s, who: maya, ipad: 2, do: edit, app: notebook, action: write, item: note-2, text: two}
        faults:
          - {fault: partition, from: 90s, until: 3m, ipads: [2]}
          - {fault: power-cut, at: 2m55s, ipads: [2], with: {outage: \(outage)}}

        """
    }
}
