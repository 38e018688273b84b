import FleetModel
import Foundation
import Testing

@Suite("Proofs", .serialized, .timeLimit(.minutes(20))) struct ProveTests {
    private static func written(in folder: URL, seeds: Int = 5) throws -> CommandLineRun {
        _ = try folder.appending(path: "small.yaml").write(SmallRun.scenario())
        return try CommandLineRun.of(
            ["prove", "small.yaml", "--seeds", "\(seeds)", "-o", "proof.md", "--json"], in: folder)
    }
    private static func proof(in folder: URL) throws -> Value {
        try Value(json: Array(Data(contentsOf: folder.appending(path: "proof.json"))))
    }

    @Test("Valid seeds: a page and its data, as the schemas say; a check agrees, in processes too")
    func valid() throws {
        try withFolder { folder in
            let run = try Self.written(in: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(try SchemaCheck.problems(of: Value(json: Array(run.output.utf8)), "prove") == [])
            let proof = try Self.proof(in: folder)
            #expect(try SchemaCheck.problems(of: proof, "proof") == [])
            #expect(proof["runs"]?.array?.count == 5 && proof["seeds"]?.string == "1-5")
            #expect(proof["edits"]?.int == 10 && proof["marks"]?["edit-performed"]?.int == 5)
            let page = try String(contentsOf: folder.appending(path: "proof.md"), encoding: .utf8)
            #expect(page.hasPrefix("# small: 5 of 5 seeds valid\n") && page.contains("prove --check proof.json"))

            let check = try CommandLineRun.of(["prove", "--check", "proof.json"], in: folder)
            #expect(
                check.status == 0 && check.output.contains("agrees  small  checked=5 of 5"),
                "\(check.output)\(check.errors)")
            let fleet = try CommandLineRun.of(
                ["prove", "--check", "proof.json", "--sample", "2", "--mode", "fleet", "--json"], in: folder)
            let value = try Value(json: Array(fleet.output.utf8))
            #expect(
                fleet.status == 0 && value["agrees"] == true && value["checked"]?.int == 2,
                "\(fleet.output)\(fleet.errors)")
            #expect(try SchemaCheck.problems(of: value, "prove") == [])
            #expect(try left(in: folder) == ["proof.json", "proof.md", "small.yaml"])
        }
    }

    @Test("A digest that another run has: the seed is named; an edited proof is refused as such")
    func differing() throws {
        try withFolder { folder in
            #expect(try Self.written(in: folder, seeds: 2).status == 0)
            let text = try String(contentsOf: folder.appending(path: "proof.json"), encoding: .utf8)
            let first = try #require(try Self.proof(in: folder)["runs"]?.array?.first?["digest"]?.string)
            let other = String(repeating: "0", count: 64)
            let edited = text.replacing(first, with: other)
            let path = try folder.appending(path: "edited.json").write(edited)
            let refused = try CommandLineRun.of(["prove", "--check", path], in: folder)
            #expect(refused.status == 3 && refused.errors.contains("edited after it was written"), "\(refused.errors)")

            // With a digest that fits: what somebody else's build would have written.
            var hash = StableHash()
            let second = try #require(try Self.proof(in: folder)["runs"]?.array?.last?["digest"]?.string)
            hash.add("1 \(other)")
            hash.add("2 \(second)")
            let whole = try #require(try Self.proof(in: folder)["digest"]?.string)
            let fitting = try folder.appending(path: "fitting.json").write(
                edited.replacing(whole, with: Hex.text(hash.value)))
            let check = try CommandLineRun.of(["prove", "--check", fitting], in: folder)
            #expect(check.status == 1, "\(check.output)\(check.errors)")
            #expect(check.output.contains("differs  small  seed=1 proved=000000000000"), "\(check.output)")
            #expect(check.output.contains("checked=2 of 2 mode=sim differing=1"), "\(check.output)")
        }
    }

    @Test("What is not valid is not proved: nothing is written, and the message names the seed")
    func invalid() throws {
        try withFolder { folder in
            let limits = SmallRun.scenario(more: "limits: {minPerformed: 3}")
            _ = try folder.appending(path: "small.yaml").write(limits)
            let unknown = try CommandLineRun.of(["prove", "small.yaml", "--seeds", "2"], in: folder)
            #expect(unknown.status == 2, "\(unknown.output)\(unknown.errors)")
            #expect(
                unknown.errors.contains("nothing is proved") && unknown.output.contains("--seed 1"), "\(unknown.output)"
            )
            #expect(try left(in: folder) == ["small.yaml"])

            let broken = CommandLineRun.package.appending(path: "Fleet/broken-notebook.yaml").path
            let expected = try CommandLineRun.of(["prove", broken], in: folder)
            #expect(
                expected.status == 3 && expected.errors.contains("only valid runs can be proved"), "\(expected.errors)")
        }
    }

    @Test("Another scenario than the proved one: the first line that differs")
    func changed() throws {
        try withFolder { folder in
            #expect(try Self.written(in: folder, seeds: 1).status == 0)
            let other = SmallRun.scenario().replacing("storm: 3m", with: "storm: 4m")
            _ = try folder.appending(path: "small.yaml").write(other)
            let check = try CommandLineRun.of(["prove", "--check", "proof.json"], in: folder)
            #expect(
                check.status == 3 && check.errors.contains("small.yaml:7:1: is not the scenario"), "\(check.errors)")
        }
    }

    @Test(
        "Options that do not belong together",
        arguments: [
            [], ["a.yaml", "--check", "b"], ["a.yaml", "--sample", "2"],
            ["a.yaml", "-o", "proof.txt"], ["--check", "b", "--mode", "live"], ["--check", "b", "--seeds", "3"],
        ])
    func usage(_ arguments: [String]) throws {
        try withFolder { folder in
            let run = try CommandLineRun.of(["prove"] + arguments, in: folder)
            #expect(run.status == 3 && run.errors.contains("Usage: "), "\(run.output)\(run.errors)")
        }
    }
}
