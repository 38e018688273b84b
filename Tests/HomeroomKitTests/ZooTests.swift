import FleetModel
import Foundation
import Testing

/// A handful of the planted bugs (Docs/zoo.md) that the first seeds find: each must be found, with its class.
@Suite("Bug zoo", .serialized, .timeLimit(.minutes(20))) struct ZooTests {
    private static let quick = ["ck-08", "kvs-01", "doc-07", "up-02", "life-01"]

    @Test("Planted bugs: found by the generic swarm within a few seeds, with their class")
    func found() throws {
        let run = try CommandLineRun.of(
            ["measure", "--classes-only", "--seeds", "3", "--only", Self.quick.joined(separator: ",")], by: "zoo",
            in: CommandLineRun.package)
        #expect(run.status == 0, "\(run.errors)")
        let last = run.output.split(separator: "\n").last ?? ""
        let all = "\(Self.quick.count) of \(Self.quick.count)"
        #expect(last.hasPrefix("found \(all)") && last.contains("class right \(all)"), "\(run.output)")
    }

    @Test(
        "homeroom zoo: found, shrunk to a few steps, in fleet too, valid with the correct app; the last line counts (2 bugs)"
    )
    func visits() throws {
        try withFolder { folder in
            let fleet = CommandLineRun.package.appending(path: "Fleet/everything-at-once.yaml").path
            let zoo = ["zoo", "--only", "life-02,doc-07", "--seeds", "3", "--scenario", fleet]
            let run = try CommandLineRun.of(zoo + ["--out", "small"], in: folder)
            #expect(run.status == 0 && run.output.hasSuffix("\nzoo: 2 of 2\n"), "\(run.output)\(run.errors)")
            let line =
                /life-02  notebook  seed=[1-3]  found=[0-9.]+s  unsaved  steps=[0-9]+->[1-8]  faults=[0-9]+->[0-2]  .*  fleet  correct=valid/
            #expect(run.output.contains(line), "\(run.output)")
            #expect(try left(in: folder.appending(path: "small")) == ["doc-07.yaml", "life-02.yaml"])
            let bug = try CommandLineRun.of(["run", "small/life-02.yaml", "--mode", "sim", "--quiet"], in: folder)
            #expect(bug.status == 1 && bug.output.contains("unsaved"), "\(bug.output)")
            let json = try CommandLineRun.of(zoo + ["--find-only", "--json"], in: folder)
            #expect(try SchemaCheck.problems(of: Value(json: Array(json.output.utf8)), "zoo") == [])
            let apps = try CommandLineRun.of(["list", "apps"], in: folder).output
            #expect(!apps.contains("life-02") && apps.contains("notebook"))
            let wrong = try CommandLineRun.of(["zoo", "--only", "ck-99"], in: folder)
            #expect(wrong.status == 3 && wrong.errors.contains("--only ck-99"))
        }
    }

    @Test("Table: each bug is an app of the fixture, of an example app, with classes that there are")
    func table() throws {
        let text = try String(
            contentsOf: CommandLineRun.package.appending(path: "Sources/BugZoo/zoo.tsv"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: "\t").map(String.init)
        }
        #expect(rows.count >= 24 && rows.allSatisfy { $0.count == 5 })
        #expect(Set(rows.map { $0[0] }).count == rows.count)
        let apps = try CommandLineRun.of(["list", "apps"], by: "zoo", in: CommandLineRun.package).output
        for row in rows { #expect(apps.contains(row[0]), "\(row[0]) is no app of the fixture") }
        let classes = try CommandLineRun.of(["list", "checkers"], by: "zoo", in: CommandLineRun.package).output
        for name in Set(rows.flatMap { $0[2].split(separator: " ") }) { #expect(classes.contains(name)) }
    }

    @Test(
        "Left out: a fault and an edit by name; a name that the run has nothing of is refused, and says where names are"
    )
    func without() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "s.yaml").write(
                """
                name: small
                purpose: One edit is late.
                expect: valid
                apps: [quiz]
                ipads: 1
                people: [maya]
                storm: 5m
                calm: 5m
                steps:
                  - {at: 5s, who: maya, ipad: 1, do: signIn}
                  - {at: 15s, who: maya, ipad: 1, do: open, app: quiz}
                  - {at: 60s, who: maya, ipad: 1, do: edit, app: quiz, action: answer, item: answer-1, text: one}
                  - {at: 90s, who: maya, ipad: 1, do: edit, app: quiz, action: answer, item: answer-2, text: two}
                faults:
                  - {fault: partition, id: cut, from: 50s, until: 100s, ipads: [1]}
                """)
            func run(_ without: String...) throws -> CommandLineRun {
                try CommandLineRun.of(
                    ["run", file, "--mode", "sim", "--out", "out"] + without.flatMap { ["--without", $0] }, in: folder)
            }
            func trace() throws -> String {
                try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            }
            #expect(try run().status == 0)
            #expect(try trace().contains("{\"fault\":") && trace().contains("maya.2"))
            #expect(try run("cut", "maya.2").status == 0)
            let left = try trace()
            #expect(!left.contains("{\"fault\":") && !left.contains("maya.2") && left.contains("maya.1"))
            let wrong = try run("nothing")
            #expect(
                wrong.status == 3 && wrong.errors.contains("--without nothing") && wrong.errors.contains("trace.jsonl"))
        }
    }
}
