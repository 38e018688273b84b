import CloudLoad
import FleetModel
import Foundation
import Testing

/// What Docs/cloud-api.md prints for developers, run as it stands there.
@Suite("Commands printed in Docs/cloud-api.md", .timeLimit(.minutes(20))) struct PrintedCommandsTests {
    private static let program = "/usr/bin/curl"

    /// The shell commands of the section about development.
    private static func commands() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/cloud-api.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section =
            text.split(separator: "## A local iCloud for development").last?.split(separator: "\n## ").first ?? ""
        let blocks = section.split(separator: "```sh\n").dropFirst().compactMap { $0.split(separator: "```").first }
        return blocks.joined(separator: "\n")
    }

    @Test(
        "curl: a record is made and found, a file goes up and comes down, a change is fetched and pushed",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: program), "not on this machine: there is no \(program)"))
    func printed() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "homeroom-cloud-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let (server, announced) = (Process(), Pipe())
        server.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(
            "homeroom-cloud")
        server.arguments = ["serve", "--data", folder.path + "/cloud", "--dev", "--port", "0"]
        server.standardOutput = announced
        try server.run()
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        let said = String(decoding: announced.fileHandleForReading.availableData, as: UTF8.self)
        let origin = try #require(said.split(separator: " ").first { $0.hasPrefix("http://") })
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Read from where the last line of the answers says.
        let more =
            "\nprintf '\\n'; curl -s \"$(curl -s \"$NOTES/private/records/lookup?$MAYA\" "
            + "-d '{\"zoneID\": {\"zoneName\": \"Notes\"}, \"records\": [{\"recordName\": \"note-1\"}]}' "
            + "| sed 's/.*\"downloadURL\":\"\\([^\"$]*\\).*/\\1/')photo.txt\""
        let commands = try Self.commands().replacing("http://127.0.0.1:8080", with: String(origin)) + more
        shell.arguments = ["-e", "-c", commands.replacing("curl \"", with: "printf '\\n'; curl -s -m 60 \"")]
        shell.currentDirectoryURL = folder
        shell.standardOutput = output
        try shell.run()
        let heard = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let answers = heard.split(separator: "\n").compactMap { try? Value(json: String($0)) }
        #expect(answers.allSatisfy { $0["serverErrorCode"] == nil }, "\(heard)")
        #expect(answers.count == 7, "\(heard)")
        let records = answers.map { $0["records"]?.array?.first }
        #expect(records.dropFirst(2).first??["fields"]?["text"]?["value"]?.string == "hello", "found")
        #expect(records.dropFirst(3).first??["fields"]?["photo"]?["value"]?["downloadURL"] != nil, "uploaded")
        #expect(answers.dropFirst(4).first?["zones"]?.array?.first?["records"]?.array?.count == 1, "fetched")
        #expect(answers.last?["ck"]?["fet"]?["zid"]?.string == "Notes", "pushed")
        #expect(heard.hasSuffix("a photo\n"), "\(heard)")
    }
}
