import CloudLoad
import FleetModel
import Foundation
import Testing

/// The built program, as a script would call it.
@Suite("Command line of the Cloud", .timeLimit(.minutes(20))) struct CommandLineTests {
    @Test(
        "Bad input: status 3 with what is wrong on standard error alone (parameters: arguments, words)",
        arguments: [
            (["serve"], "Missing expected argument '--data <data>'"),
            (["serve", "--data", "d", "--nonsense"], "Unknown option '--nonsense'"),
            (["serve", "--data", "d", "--port", "70000"], "--port wants 0 to 65535, not 70000"),
            (["serve", "--data", "d", "--port", "-1"], "--port wants 0 to 65535, not -1"),
            (["serve", "--data", "d", "--set", "assetType=x"], "ASSETID"),
            (["serve", "--data", "d", "--announce-to", "77"], "77 is not: open it for the server"),
            (["serve", "--data", "d", "--origin", "cloud.test"], "--origin wants scheme and host"),
            (["serve", "--data", "d", "--origin", "http://cloud.test/path"], "--origin wants scheme and host"),
            (["serve", "--data", "d", "--origin", "ftp://cloud.test"], "--origin wants scheme and host"),
            (["serve", "--data", "d", "--origin", "http://"], "--origin wants scheme and host"),
            (
                ["keys", "add", "--data", "d", "--container", "c", "--public-key", "none.pem"],
                "'none.pem' cannot be opened"
            ),
            (["import", "none.jsonl", "--data", "d"], "'none.jsonl' cannot be opened or made; name another"),
            (["import", "broken", "--data", "d"], "'broken' cannot be opened or made; name another"),
            (["accounts", "list", "--data", "file/below"], "'file/below' cannot be opened or made; name another"),
            (
                ["accounts", "list", "--data", "broken"],
                "the data folder 'broken' cannot be used: file is not a database (SQLite 26)"
            ),
            (["kills", "0"], "kill once at least, not 0 times"),
            (["bench", "--seconds", "nan"], "--seconds wants more than 0"),
        ])
    func badInput(arguments: [String], words: String) throws {
        try Self.withFolder { folder in
            try Data("a file".utf8).write(to: folder.appendingPathComponent("file"))
            let broken = folder.appendingPathComponent("broken")
            try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: false)
            try Data(repeating: 0x61, count: 4096).write(to: broken.appendingPathComponent("cloud.db"))
            let end = try Self.run(arguments, in: folder)
            #expect(end.status == 3, "\(end)")
            #expect(end.output.isEmpty && end.errors.contains(words), "\(end)")
        }
    }

    @Test("What is done, and help: status 0") func done() throws {
        try Self.withFolder { folder in
            #expect(try Self.run(["accounts", "add", "maya", "--data", "d"], in: folder).status == 0)
            #expect(try Self.run(["accounts", "list", "--data", "d"], in: folder) == End(status: 0, output: "maya\n"))
            let help = try Self.run(["serve", "--help"], in: folder)
            #expect(help.status == 0 && help.output.contains("--announce-to") && help.errors.isEmpty, "\(help)")
        }
    }

    @Test(
        "A server that anybody in the network can sign in at, or listen in to, says so; one for this machine does not")
    func openness() throws {
        try Self.withFolder { folder in
            for (arguments, words) in [
                (["--testbed", "--host", "0.0.0.0"], ["--testbed a name is enough", "not encrypted"]),
                (["--dev", "--host", "0.0.0.0", "--tls"], ["--dev a name is enough"]), (["--dev"], []),
            ] {
                let process = try Self.process(["serve", "--data", "d", "--port", "0"] + arguments, in: folder)
                let (output, errors) = (Pipe(), Pipe())
                (process.standardOutput, process.standardError) = (output, errors)
                try process.run()
                // It listens.
                _ = output.fileHandleForReading.availableData
                process.terminate()
                process.waitUntilExit()
                let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                #expect(said.split(separator: "\n").count == words.count, "\(said)")
                for word in words { #expect(said.contains(word), "\(said)") }
            }
        }
    }

    @Test("A free port: printed, announced, and in the URLs of answers") func freePort() throws {
        try Self.withFolder { folder in
            let (server, output) = (
                try Self.process(["serve", "--data", "d", "--port", "0", "--dev"], in: folder), Pipe()
            )
            server.standardOutput = output
            try server.run()
            defer {
                server.terminate()
                server.waitUntilExit()
            }
            let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            let origin = try #require(said.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") })
            let port = try #require(origin.split(separator: ":").last.flatMap { Int($0) })
            let announced = try Data(contentsOf: folder.appendingPathComponent("d/server.json"))
            #expect(try Value(json: Array(announced))["origin"]?.string == String(origin))
            let answer = try Connection(port: port).send(
                HTTPRequest("GET", "/database/1/iCloud.test/development/private/zones/list?ckAPIToken=dev"))
            let page = answer.json?["redirectURL"]?.string ?? ""
            #expect(page.hasPrefix("\(origin)/"), "\(answer)")
        }
    }

    @Test(
        "What cannot be printed is told: a password that nobody saw, a list, an export",
        arguments: [
            ["accounts", "password", "maya", "--data", "d"], ["accounts", "list", "--data", "d"],
            ["export", "--data", "d"],
        ]) func unprinted(arguments: [String]) throws
    {
        try Self.withFolder { folder in
            _ = try Self.run(["accounts", "add", "maya", "--data", "d"], in: folder)
            let (process, errors) = (try Self.process(arguments, in: folder), Pipe())
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            process.standardError = errors
            try process.run()
            process.waitUntilExit()
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(process.terminationStatus == 3 && said.contains("space"), "\(said)")
        }
    }

    private struct End: Hashable {
        var status: Int32
        var output = ""
        var errors = ""
    }
    private static func run(_ arguments: [String], in folder: URL) throws -> End {
        let (process, output, errors) = (try process(arguments, in: folder), Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        // Neither is longer than a pipe.
        process.waitUntilExit()
        let texts = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        return End(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }
    /// The program lies where the tests do.
    private static func process(_ arguments: [String], in folder: URL) throws -> Process {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
            .appendingPathComponent("homeroom-cloud")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        return process
    }
    private static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("homeroom-cloud-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
