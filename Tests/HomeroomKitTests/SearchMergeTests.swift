import FleetModel
import Foundation
import Testing

/// Parts of a search that are joined (Docs/many-machines.md).
@Suite("Parts of a search", .serialized, .timeLimit(.minutes(20))) struct SearchMergeTests {
    private static let broken = CommandLineRun.package.appending(path: "Fleet/broken-notebook.yaml").path

    private func explore(
        _ file: String, seeds: Int, part: String? = nil, _ more: [String] = [], in folder: URL
    ) throws -> CommandLineRun {
        let shard = part.map { ["--shard", $0, "--out", "parts"] } ?? []
        return try CommandLineRun.of(["explore", file, "--seeds", "\(seeds)"] + shard + more, in: folder)
    }
    /// Without the end of the last line, which tells a time or the number of parts.
    private func findings(_ output: String) -> String {
        output.replacing(/(?m)^(explored|joined)  (.*) (wall|parts)=.*$/) { "found  \($0.output.2)" }
    }

    @Test(
        "Joined, parts say what one process says, word by word, and the same to programs; a part that is run again plays nothing"
    )
    func equal() throws {
        try withFolder { folder in
            let whole = try explore(Self.broken, seeds: 5, in: folder)
            for part in ["1/3", "2/3", "3/3"] { _ = try explore(Self.broken, seeds: 5, part: part, in: folder) }
            let joined = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(joined.status == whole.status && joined.errors.isEmpty, "\(joined.errors)")
            #expect(findings(joined.output) == findings(whole.output))
            #expect(joined.output.hasSuffix("parts=3 of 3\n"), "\(joined.output)")

            let before = try contents(of: folder.appending(path: "parts")).filter { $0.key.hasSuffix(".part.jsonl") }
            #expect(before.count == 3)
            let again = try explore(Self.broken, seeds: 5, part: "1/3", in: folder)
            #expect(again.output.contains("part 1/3: 2 seeds are finished"), "\(again.output)")
            let after = try contents(of: folder.appending(path: "parts")).filter { $0.key.hasSuffix(".part.jsonl") }
            #expect(before == after)
            #expect(try CommandLineRun.of(["merge", "parts"], in: folder).output == joined.output)

            let told = try CommandLineRun.of(["merge", "parts", "--json"], in: folder)
            let value = try Value(json: Array(told.output.utf8))
            #expect(try SchemaCheck.problems(of: value, "merge") == [])
            var one = try Value(
                json: Array(try explore(Self.broken, seeds: 5, more: ["--json"], in: folder).output.utf8))
            one["command"] = nil
            one["status"] = nil
            func timeless(_ value: Value?) -> String {
                (value?.json ?? "").replacing(/"wallMilliseconds":[0-9]+/, with: "")
            }
            #expect(timeless(value["searches"]?.array?.first?["found"]) == timeless(one))
        }
    }
    private func explore(_ file: String, seeds: Int, more: [String], in folder: URL) throws -> CommandLineRun {
        try explore(file, seeds: seeds, part: nil, more, in: folder)
    }

    @Test(
        "A part that left nothing, and one that was cut off in the midst of a line: named with the command that plays the rest, and no more is missing after it"
    )
    func missing() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            let whole = try explore(file, seeds: 6, ["--junit", "whole.xml"], in: folder)
            _ = try explore(file, seeds: 6, part: "1/3", in: folder)
            _ = try explore(file, seeds: 6, part: "3/3", in: folder)
            // As a kill leaves it: one seed is written, the next one half.
            let path = folder.appending(path: "parts/small-3-of-3.part.jsonl")
            let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 4 && lines[3] == #"{"ended":true}"#)
            _ = try path.write("\(lines[0])\n\(lines[1])\n\(lines[2].prefix(40))")

            let lacking = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(lacking.status == 2, "\(lacking.output)\(lacking.errors)")
            #expect(lacking.output.contains("parts=1 of 3\n"))
            #expect(lacking.output.contains("missing  part 2/3 left nothing"), "\(lacking.output)")
            #expect(lacking.output.contains("missing  part 3/3 did not come to its end, 1 seeds are finished"))
            let json = try CommandLineRun.of(["merge", "parts", "--json"], in: folder)
            #expect(json.status == 2)
            let value = try Value(json: Array(json.output.utf8))
            #expect(try SchemaCheck.problems(of: value, "merge") == [])
            let commands = (value["searches"]?.array?.first?["missing"]?.array ?? []).compactMap {
                $0["command"]?.string
            }
            #expect(commands.count == 2)
            for command in commands {
                let run = try CommandLineRun.of(["-c", command], by: "/bin/bash", in: folder)
                #expect(run.status == 0, "\(command): \(run.output)\(run.errors)")
            }
            let joined = try CommandLineRun.of(["merge", "parts", "--junit", "joined.xml"], in: folder)
            #expect(joined.status == 0 && findings(joined.output) == findings(whole.output), "\(joined.output)")
            func cases(_ name: String) throws -> [String] {
                try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                    .matches(of: /<testcase [^>]*name="([^"]*)" time/).map { String($0.output.1) }
            }
            #expect(try cases("joined.xml") == cases("whole.xml") && cases("joined.xml").count == 6)
        }
    }

    @Test("What is not parts of one search: refused with the reason, and what is there stays")
    func refused() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
            _ = try explore(file, seeds: 2, part: "1/2", in: folder)
            let path = folder.appending(path: "parts/small-1-of-2.part.jsonl")
            let text = try String(contentsOf: path, encoding: .utf8)
            let other = try explore(file, seeds: 4, part: "1/2", in: folder)
            #expect(other.status == 3 && other.errors.contains("is of another search"), "\(other.errors)")
            #expect(try String(contentsOf: path, encoding: .utf8) == text)

            try FileManager.default.createDirectory(
                at: folder.appending(path: "empty"), withIntermediateDirectories: true)
            for (arguments, words) in [
                (["empty"], "holds nothing to join"), (["parts", "empty"], "empty: holds no part of a search"),
                (["parts", "--out", "x"], "--out is for the parts of a split run"),
            ] {
                let run = try CommandLineRun.of(["merge"] + arguments, in: folder)
                #expect(run.status == 3 && run.errors.contains(words), "\(run.errors)")
            }
            // The same seed with two ends: one of the builds is not the one that somebody thinks.
            let digest = try #require(text.firstMatch(of: /"digest":"([0-9a-f]+)"/)).output.1
            try FileManager.default.createDirectory(
                at: folder.appending(path: "parts/b"), withIntermediateDirectories: true)
            _ = try folder.appending(path: "parts/b/small-1-of-2.part.jsonl").write(
                text.replacing(digest, with: String(digest.reversed())))
            let two = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(two.status == 3 && two.errors.contains("seed 1 went differently"), "\(two.errors)")
            _ = try folder.appending(path: "parts/b/small-1-of-2.part.jsonl").write("no JSON\n")
            let broken = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(broken.status == 3 && broken.errors.contains(":1:1: is not a line of JSON"), "\(broken.errors)")
            _ = try folder.appending(path: "parts/b/small-1-of-2.part.jsonl").write(
                text.replacing(/"build":"[^"]*"/, with: #""build":"0.1-other""#))
            let builds = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(builds.output.contains("the parts are of several builds"), "\(builds.output)")
        }
    }

    @Test("Zoo: its parts look for each bug once and are joined to the lines and counts of one process")
    func zoo() throws {
        try withFolder { folder in
            let fleet = CommandLineRun.package.appending(path: "Fleet/everything-at-once.yaml").path
            let zoo = ["zoo", "--only", "life-01,doc-07", "--seeds", "3", "--scenario", fleet, "--find-only"]
            func timeless(_ text: String) -> String { text.replacing(/found=[0-9.]+s/, with: "") }
            let whole = try CommandLineRun.of(zoo, in: folder)
            let one = try CommandLineRun.of(zoo + ["--shard", "2/2", "--out", "parts"], in: folder)
            #expect(one.output.contains("doc-07") && !one.output.contains("life-01"), "\(one.output)\(one.errors)")
            let lacking = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(lacking.status == 2 && lacking.output.contains("missing  part 1/2 left nothing"))
            let command = try #require(lacking.output.firstMatch(of: /\n  (.* zoo .*)\n/)).output.1
            #expect(try CommandLineRun.of(["-c", String(command)], by: "/bin/bash", in: folder).status == 0)
            let joined = try CommandLineRun.of(["merge", "parts"], in: folder)
            #expect(joined.status == 0 && timeless(joined.output) == timeless(whole.output), "\(joined.output)")
            let json = try CommandLineRun.of(["merge", "parts", "--json"], in: folder)
            #expect(try SchemaCheck.problems(of: Value(json: Array(json.output.utf8)), "merge") == [])
        }
    }
}
