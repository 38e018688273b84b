import Foundation
import Testing

/// Fleet/two-ipads.yaml, the test of the source documents step by step, and the same day under harder rules.
@Suite("Shared iPad", .serialized, .timeLimit(.minutes(20))) struct SharedIPadTests {
    /// The run's verdict line, and all that its trace says.
    private static func run(_ change: (String) -> String) throws -> (status: Int32, output: String, trace: String) {
        let path = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml")
        let scenario = change(try String(contentsOf: path, encoding: .utf8))
        return try withFolder { folder in
            let file = try folder.appending(path: "day.yaml").write(scenario)
            let run = try CommandLineRun.of(["run", file, "--mode", "sim", "--out", "out"], in: folder)
            let trace = try? String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            return (run.status, run.output + run.errors, trace ?? "")
        }
    }

    @Test("Second iPad: everything made on the first one is there, can be changed, and is found again (S6, S291, S293)")
    func secondIPad() throws {
        let run = try Self.run { $0 }
        #expect(run.status == 0 && run.output.contains("valid  two-ipads"), "\(run.output)")
        #expect(run.output.contains("edits=15 violations=0"), "\(run.output)")
    }

    @Test("New iPad, with nothing but the cloud: in the end it shows every edit (S13)")
    func newIPad() throws {
        let run = try Self.run { $0 }
        #expect(run.status == 0 && run.output.contains("edits=15 violations=0"), "\(run.output)")
        #expect(run.trace.contains(#""ipad-3""#), "there was no new iPad")
    }

    @Test("Local data purged at every sign-out: flags, pages, notes and essays are all found again (S4)")
    func purged() throws {
        let run = try Self.run {
            $0.replacing("people: [maya]", with: "people: [maya]\npurgeAtSignOut: true")
                .replacing("[edit-performed, ", with: "[purged, edit-performed, ")
        }
        #expect(run.status == 0 && run.output.contains("valid  two-ipads"), "\(run.output)")
        #expect(run.trace.contains(#""reason":"signOut""#))
    }

    @Test("Person removed to make room: back on the same iPad everything is there again (S7)")
    func evicted() throws {
        let other = """
              - {at: 11m, who: ben, ipad: 1, do: signIn}
              - {at: 11m20s, who: ben, ipad: 1, do: signOut}
            """
        let run = try Self.run {
            $0.replacing("people: [maya]", with: "people: [maya, ben]\nslots: 1")
                .replacing("  # Back at the first one", with: other + "\n  # Back at the first one")
        }
        #expect(run.status == 0 && run.output.contains("valid  two-ipads"), "\(run.output)")
        #expect(run.trace.contains(#""reason":"eviction""#))
    }

    @Test("Device set up anew: its local data are gone, and what was in the cloud is there again (S3)")
    func reconfigured() throws {
        let run = try Self.run {
            $0.replacing(
                "mustReach: [edit-performed, ",
                with: """
                    faults:
                      - {fault: erase-device, at: 11m, ipads: [1]}
                    mustReach: [device-erased, edit-performed,
                    """)
        }
        #expect(run.status == 0 && run.output.contains("valid  two-ipads"), "\(run.output)")
        #expect(run.output.contains("edits=15 violations=0"), "\(run.output)")
        #expect(run.trace.contains(#""reason":"eraseDevice""#))
    }

    @Test("Locked, upgraded, short of memory and space, Documents & Data off: nothing is lost (S66, S186, S218)")
    func system() throws {
        let faults = """
            faults:
              - {fault: lock, from: 57s, until: 1m8s, ipads: [1]}
              - {fault: app-upgrade, at: 2m20s, ipads: [1], with: {app: quiz}}
              - {fault: memory-warning, at: 2m50s, ipads: [1]}
              - {fault: documents-and-data-off, from: 5m30s, until: 6m, ipads: [2]}
              - {fault: document-evicted, at: 15m, ipads: [1]}

            """
        let run = try Self.run {
            $0.replacing("\nmustReach: [", with: "\n" + faults + "mustReach: [locked, document-evicted, ")
        }
        #expect(run.status == 0 && run.output.contains("valid  two-ipads"), "\(run.output)")
        for sent in ["device.lock", "device.unlock", "app.update", "device.memoryPressure", "storage.pressure"] {
            #expect(run.trace.contains("\"\(sent)\""), "\(sent)")
        }
        #expect(run.trace.contains("withoutDocuments") && run.trace.contains(#""reason":"update""#))
    }
}
