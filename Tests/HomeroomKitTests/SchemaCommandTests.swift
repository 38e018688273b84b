import FleetModel
import Foundation
import Testing

@Suite("Production's schema", .serialized, .timeLimit(.minutes(20))) struct SchemaCommandTests {
    private let scenario = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml").path

    @Test("Schema: what a run used is written, has all of itself, and a field that is missing is named with its line")
    func check() throws {
        try withFolder { folder in
            let written = try CommandLineRun.of(["schema", "write", scenario], in: folder)
            #expect(
                written.status == 0 && written.output.hasPrefix("DEFINE SCHEMA\n"), "\(written.output)\(written.errors)"
            )
            let file = try folder.appending(path: "production.ckdb").write(written.output)
            let whole = try CommandLineRun.of(["schema", "check", file, scenario], in: folder)
            #expect(whole.status == 0 && whole.output.hasPrefix("ok  "), "\(whole.output)\(whole.errors)")
            let less = written.output.split(separator: "\n").filter { !$0.contains("lines LIST") }.joined(
                separator: "\n")
            _ = try folder.appending(path: "less.ckdb").write(less)
            let missing = try CommandLineRun.of(["schema", "check", "less.ckdb", scenario], in: folder)
            #expect(missing.status == 1)
            #expect(
                missing.output.contains(
                    "missing  iCloud.com.example.notebook: RECORD TYPE Note ( lines LIST<STRING> )\n"))
            let same = try CommandLineRun.of(["schema", "diff", file, file], in: folder)
            #expect(same.status == 0 && same.output == "no difference\n")
            let back = try CommandLineRun.of(["schema", "diff", file, "less.ckdb"], in: folder)
            #expect(back.status == 1 && back.output.contains("REFUSED  field Note.lines is gone"))
        }
    }

    @Test(
        "Scenario with a schema: invalid with the line, in both modes the same; the trace repeats it without the file",
        arguments: ["sim", "fleet"])
    func gate(mode: String) throws {
        try withFolder { folder in
            let text = try String(contentsOfFile: scenario, encoding: .utf8)
            let file = try folder.appending(path: "s.yaml").write(text + "\nschema: p.ckdb\n")
            let schema = folder.appending(path: "p.ckdb")
            _ = try schema.write("DEFINE SCHEMA RECORD TYPE Note ( isEmpty INT64, removed BYTES, count INT64 );")
            let run = try CommandLineRun.of(["run", file, "--mode", mode, "--out", "out"], in: folder)
            #expect(run.status == 1 && run.output.contains("(undeployed "), "\(run.output)\(run.errors)")
            #expect(
                run.output.contains(
                    "    iCloud.com.example.notebook: RECORD TYPE Note ( lines LIST<STRING> )   (first by ipad-"))
            let verdict = try String(contentsOf: folder.appending(path: "out/verdict.json"), encoding: .utf8)
            #expect(verdict.contains("\"undeployed\":[") && verdict.contains("DEFINE SCHEMA"))
            #expect(try SchemaCheck.problems(of: Value(json: Array(verdict.utf8)), "verdict") == [])
            try FileManager.default.removeItem(at: schema)
            let again = try CommandLineRun.of(["replay", "out", "--mode", "sim"], in: folder)
            #expect(again.status == 0 && again.output.hasPrefix("identical"), "\(again.output)\(again.errors)")
        }
    }

    @Test("Bad files: a schema that cannot be read or is not there is bad input, with its place")
    func bad() throws {
        try withFolder { folder in
            let text = try String(contentsOfFile: scenario, encoding: .utf8)
            let file = try folder.appending(path: "s.yaml").write(text + "\nschema: p.ckdb\n")
            let absent = try CommandLineRun.of(["validate", file], in: folder)
            #expect(absent.status == 3 && absent.errors.contains("p.ckdb"), "\(absent.errors)")
            _ = try folder.appending(path: "p.ckdb").write("DEFINE SCHEMA\nRECORD TYPE Note ( a TEXT );")
            let wrong = try CommandLineRun.of(["validate", file], in: folder)
            #expect(
                wrong.status == 3 && wrong.errors.contains("p.ckdb:2:22: 'TEXT' is no type of a field"),
                "\(wrong.errors)")
            let other = try folder.appending(path: "t.yaml").write(text + "\nschema: {nosuch: p.ckdb}\n")
            let unknown = try CommandLineRun.of(["validate", other], in: folder)
            #expect(unknown.status == 3 && unknown.errors.contains("nosuch"), "\(unknown.errors)")
        }
    }
}
