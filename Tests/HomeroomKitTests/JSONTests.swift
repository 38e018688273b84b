import FleetModel
import Foundation
import Testing

@Suite("JSON", .timeLimit(.minutes(20))) struct JSONTests {
    /// What a command prints with `--json`: one object, and nothing else.
    private static func object(_ arguments: [String], in folder: URL, status: Int32 = 0) throws -> Value {
        let run = try CommandLineRun.of(arguments + ["--json"], in: folder)
        #expect(run.status == status, "\(arguments): \(run.output)\(run.errors)")
        let value = try Value(json: Array(run.output.utf8))
        #expect(run.output.split(separator: "\n").count == 1 && value["status"]?.int == Int64(status))
        return value
    }

    @Test(
        "Commands: each prints one object that its schema knows, with the exit status that follows; verdict.json has one too"
    )
    func schemas() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let notes = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml").path
            let all: [(schema: String, arguments: [String])] = [
                ("run", ["run", file, "--mode", "sim", "--out", "out"]), ("check", ["check", "out"]),
                ("explain", ["explain", "out", "maya.1"]), ("explain", ["explain", "out"]),
                ("replay", ["replay", "out", "--mode", "sim"]), ("validate", ["validate", file]),
                ("list", ["list"]), ("list", ["list", "faults"]), ("lint", ["lint", file]),
                ("explore", ["explore", file, "--seeds", "2"]),
                ("schema-check", ["schema", "check", "production.ckdb", notes]),
                ("schema-diff", ["schema", "diff", "production.ckdb", "production.ckdb"]),
            ]
            let used = try CommandLineRun.of(["schema", "write", notes], in: folder)
            _ = try folder.appending(path: "production.ckdb").write(used.output)
            for (schema, arguments) in all {
                let value = try Self.object(arguments, in: folder)
                #expect(try SchemaCheck.problems(of: value, schema) == [], "\(arguments)")
                #expect(value["command"]?.string == schema)
            }
            let doctor = try CommandLineRun.of(["doctor", "--json"], in: folder)
            #expect(try SchemaCheck.problems(of: Value(json: Array(doctor.output.utf8)), "doctor") == [])
            let verdict = try Value(json: Array(Data(contentsOf: folder.appending(path: "out/verdict.json"))))
            #expect(try SchemaCheck.problems(of: verdict, "verdict") == [])
        }
    }

    @Test(
        "A run that fails: findings and counts as the schema says, and a replay that differs is told with its difference"
    )
    func failing() throws {
        let scenario = CommandLineRun.package.appending(path: "Fleet/broken-notebook.yaml").path
        try withFolder { folder in
            let value = try Self.object(["run", scenario, "--mode", "sim", "--out", "out"], in: folder)
            #expect(try SchemaCheck.problems(of: value, "run") == [])
            let run = try #require(value["runs"]?.array?.first)
            #expect(run["counts"]?["overwritten"]?.int == 1 && run["findings"]?.array?.count == 1)
            #expect(run["trace"]?.string == "out/trace.jsonl" && run["repeat"]?.string?.contains("--seed 1") == true)
            let verdict = try Value(json: Array(Data(contentsOf: folder.appending(path: "out/verdict.json"))))
            #expect(try SchemaCheck.problems(of: verdict, "verdict") == [])
            let stories = try Self.object(["explain", "out"], in: folder)
            #expect(try SchemaCheck.problems(of: stories, "explain") == [])
            let doomed = (stories["stories"]?.array ?? []).flatMap { $0["steps"]?.array ?? [] }.filter {
                $0["dataLost"]?.bool == true
            }
            #expect(doomed.map { $0["place"]?.string } == ["cloud"])

            let trace = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            let changed = trace.replacingOccurrences(of: "\"until\":240000000000", with: "\"until\":250000000000")
            try #require(changed != trace)
            let other = try folder.appending(path: "t.jsonl").write(changed)
            let differs = try Self.object(["replay", other, "--mode", "sim"], in: folder, status: 1)
            #expect(try SchemaCheck.problems(of: differs, "replay") == [])
            #expect(differs["identical"]?.bool == false && differs["difference"]?.string?.isEmpty == false)
        }
    }

    @Test("Errors: an object too, with the words of standard error, for bad input and for a bad command line")
    func errors() throws {
        try withFolder { folder in
            for arguments in [
                ["validate", "nothing.yaml"], ["run", "--nonsense"], ["check", "nothing"], ["explore"],
            ] {
                let value = try Self.object(arguments, in: folder, status: 3)
                #expect(try SchemaCheck.problems(of: value, "error") == [], "\(arguments)")
            }
            // After `--` it is the name of a file.
            let named = try CommandLineRun.of(["validate", "--", "--json"], in: folder)
            #expect(named.output.isEmpty && named.status == 3)
        }
    }

    @Test(
        "The check of schemas can fail: a key that is missing, one too many, a wrong type, a word that is not in the list"
    )
    func checkFails() throws {
        let good: Value = ["error": "no", "status": 3]
        #expect(try SchemaCheck.problems(of: good, "error") == [])
        #expect(try SchemaCheck.problems(of: ["status": 3], "error") == ["$: lacks error"])
        #expect(try SchemaCheck.problems(of: ["error": 1, "status": 3], "error").count == 1)
        #expect(
            try SchemaCheck.problems(of: ["error": "", "status": 3, "more": 1], "error") == ["$.more: is not known"])
        let check: Value = ["command": "validate", "status": 9, "scenarios": []]
        #expect(try SchemaCheck.problems(of: check, "validate").count == 1)
    }
}
