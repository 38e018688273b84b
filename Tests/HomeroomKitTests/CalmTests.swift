import Foundation
import Testing

@Suite("Calm", .serialized) struct CalmTests {
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
