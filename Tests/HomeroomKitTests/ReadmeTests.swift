import Foundation
import Testing

@Suite("README", .serialized, .timeLimit(.minutes(20))) struct ReadmeTests {
    @Test("The run that fails: each line of its story is what the command prints")
    func failingRun() throws {
        let readme = try String(contentsOf: CommandLineRun.package.appending(path: "README.md"), encoding: .utf8)
        try withFolder { folder in
            let scenario = CommandLineRun.package.appending(path: "Fleet/broken-notebook.yaml").path
            let run = try CommandLineRun.of(["run", scenario, "--mode", "fleet", "--out", "out"], in: folder)
            #expect(run.status == 0)
            let lines = run.output.split(separator: "\n").map(String.init)
            let story = lines.filter { $0.hasPrefix("   0") || $0.hasPrefix(" > ") || $0.hasPrefix("overwritten") }
            #expect(story.count > 8)
            for line in story { #expect(readme.contains(line), "README.md lacks: \(line)") }
            let parts = try #require(lines.last?.components(separatedBy: " digest="))
            #expect(readme.contains(parts[0]), "README.md lacks: \(parts[0])")
            #expect(readme.contains("digest=\(parts[1].prefix(12)) "), "README.md has another digest")
        }
    }

    @Test("Length: under 150 lines") func length() throws {
        let readme = try String(contentsOf: CommandLineRun.package.appending(path: "README.md"), encoding: .utf8)
        let lines = readme.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(lines > 50 && lines < 150)
    }
}
