import ArgumentParser
import Foundation
import StubProgram
import Testing
import Yams

@testable import HomeroomKit

/// docker-compose.yml with the defaults of its variables.
private struct Compose {
    private let services: [String: [String: Any]]
    static var written: String {
        get throws {
            try String(contentsOf: CommandLineRun.package.appending(path: "docker-compose.yml"), encoding: .utf8)
        }
    }

    init() throws { try self.init(Self.written) }
    init(_ text: String) throws {
        let plain = text.replacing(/\$\{[A-Z]+:-([^}]*)\}/) { String($0.output.1) }
        let file = try #require(try Yams.load(yaml: plain) as? [String: Any])
        services = try #require(file["services"] as? [String: [String: Any]])
    }

    var names: [String] { services.keys.sorted() }
    /// Nil for a service that runs another program than `homeroom`.
    func command(_ name: String) -> [String]? {
        guard services[name]?["entrypoint"] == nil else { return nil }
        return services[name]?["command"] as? [String]
    }
    /// Whether the program is the one that PROGRAM names.
    func playsProgram(_ name: String) -> Bool {
        services[name]?["entrypoint"] == nil && (services[name]?["environment"] as? [String: String])?["PROGRAM"] != nil
    }
    /// Where folders of the machine and volumes stand in the container.
    func mounts(_ name: String) -> [Substring] {
        let all = services[name]?["volumes"] as? [String] ?? []
        return all.compactMap { $0.split(separator: ":").dropFirst().first }
    }
    /// What says whether a service is there for others.
    func check(_ name: String) -> [String]? {
        (services[name]?["healthcheck"] as? [String: Any])?["test"] as? [String]
    }
    func waitsFor(_ name: String, _ other: String) -> String? {
        let all = services[name]?["depends_on"] as? [String: [String: String]]
        return all?[other]?["condition"]
    }
    /// In the order of their numbers.
    var parts: [String] { names.filter { $0.hasPrefix("part-") }.sorted { ($0.count, $0) < ($1.count, $1) } }
}

@Suite("Compose file", .timeLimit(.minutes(20))) struct ComposeTests {
    @Test("Every command is one of homeroom's, and what it reads of the image is there")
    func commands() throws {
        let compose = try Compose()
        #expect(compose.names == ["cloud", "fleet", "image", "part-1", "part-2", "proxy", "verdict"])
        for name in compose.names {
            guard let command = compose.command(name) else { continue }
            #expect(throws: Never.self, "\(name): \(command)") { try Root.parseAsRoot(command) }
            for path in command where path.hasPrefix("Fleet/") || path.hasPrefix("Networks/") {
                #expect(FileManager.default.fileExists(atPath: CommandLineRun.package.appending(path: path).path))
            }
        }
    }

    @Test("PROGRAM lies in /app: every service that runs it mounts that")
    func program() throws {
        let compose = try Compose()
        let playing = compose.names.filter(compose.playsProgram)
        #expect(playing == ["fleet", "part-1", "part-2", "proxy", "verdict"])
        for name in playing { #expect(compose.mounts(name).contains("/app"), "\(name)") }
    }

    @Test("Speed: all commands take one that is no whole number")
    func speed() throws {
        let text = try Compose.written.replacing("${SPEED:-10}", with: "2.5")
        let compose = try Compose(text)
        for name in ["proxy", "part-1", "part-2"] {
            let command = try #require(compose.command(name))
            #expect(command.contains { $0.hasSuffix("2.5") })
            #expect(throws: Never.self, "\(name): \(command)") { try Root.parseAsRoot(command) }
        }
    }

    @Test("The proxy is healthy as long as it listens, and only then")
    func proxyCheck() throws {
        let compose = try Compose()
        let check = try #require(compose.check("proxy"))
        let listens = try #require(compose.command("proxy")?.first { $0.hasPrefix("0.0.0.0:") })
        let port = try #require(Int(listens.dropFirst("0.0.0.0:".count)))
        #expect(check.first == "CMD" && check.contains { $0.contains(hex(port)) }, "\(check)")
        try withFolder { folder in
            let (process, output, _) = try CommandLineRun.start(
                "homeroom", ["proxy", "--listen", "0.0.0.0:0", "--to", "127.0.0.1:9"], in: folder)
            defer { process.terminate() }
            let found = #/listening on 0\.0\.0\.0:(\d+) /#
            var text = ""
            while process.isRunning, text.firstMatch(of: found) == nil {
                usleep(20_000)
                text = try String(contentsOf: output, encoding: .utf8)
            }
            let free = try #require(text.firstMatch(of: found).flatMap { Int($0.output.1) })
            let words = check.dropFirst(2).map { $0.replacing(hex(port), with: hex(free)) }
            #expect(try CommandLineRun.of(words, by: "/usr/bin/\(check[1])", in: folder).status == 0)
            process.terminate()
            process.waitUntilExit()
            #expect(try CommandLineRun.of(words, by: "/usr/bin/\(check[1])", in: folder).status == 1)
        }
    }
    /// A port as /proc/net/tcp writes it.
    private func hex(_ port: Int) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return ":" + String(repeating: "0", count: 4 - digits.count) + digits + " "
    }

    private static let generator = CommandLineRun.package.appending(path: "Scripts/compose").path
    private func written(parts: String) throws -> CommandLineRun {
        try withFolder { try CommandLineRun.of([parts], by: Self.generator, in: $0) }
    }

    @Test(
        "Parts: each of the run exactly once, alike but for number and folder, and all are judged when all have ended (as written for 2, 3, 12)",
        arguments: [2, 3, 12])
    func parts(_ count: Int) throws {
        let compose = try Compose(try written(parts: "\(count)").output)
        #expect(compose.parts.count == count)
        let commands = try compose.parts.map { try #require(compose.command($0)) }
        for (index, command) in commands.enumerated() {
            #expect(command.contains("--shard=\(index + 1)/\(count)"))
            let alike = command.map {
                $0.replacing("=\(index + 1)/", with: "=I/").replacing("part-\(index + 1)", with: "part-I")
            }
            #expect(alike == commands[0].map { $0.replacing("=1/", with: "=I/").replacing("part-1", with: "part-I") })
            #expect(compose.waitsFor("verdict", compose.parts[index]) == "service_completed_successfully")
            for other in ["cloud", "proxy"] {
                #expect(compose.waitsFor(compose.parts[index], other) == "service_healthy")
            }
        }
        let merged = try #require(compose.command("verdict"))
        #expect(merged.filter { $0.hasPrefix("/results/part-") } == compose.parts.map { "/results/\($0)" })
    }

    @Test("Written for two parts it is the file itself; for one, or for what is no number, status 3")
    func generator() throws {
        #expect(try written(parts: "2").output == Compose.written)
        for parts in ["1", "101", "x", "-2", ""] {
            let run = try written(parts: parts)
            #expect(run.status == 3 && run.output.isEmpty && run.errors.contains("Scripts/compose 5"), "\(parts)")
        }
    }

    @Test("Image: holds both programs and what the apps declare")
    func image() throws {
        let text = try String(contentsOf: CommandLineRun.package.appending(path: "Dockerfile"), encoding: .utf8)
        for name in ["release/homeroom ", "release/homeroom-cloud ", "homeroom_ExampleApps.resources "] {
            #expect(text.contains("/" + name) || text.contains(name), "\(name)")
        }
        #expect(
            FileManager.default.fileExists(
                atPath: CommandLineRun.products.appending(path: "homeroom_ExampleApps.resources").path))
    }

    @Test("Image: built by one service, which every other one waits for; none of them fetches it from elsewhere")
    func once() throws {
        let file = try #require(try Yams.load(yaml: try Compose.written) as? [String: Any])
        let services = try #require(file["services"] as? [String: [String: Any]])
        #expect(services.filter { $0.value["build"] != nil }.map(\.key) == ["image"])
        for (name, service) in services where name != "image" {
            #expect(
                service["image"] as? String == "homeroom" && service["pull_policy"] as? String == "never", "\(name)")
        }
        let compose = try Compose()
        for name in ["fleet", "cloud"] {
            #expect(compose.waitsFor(name, "image") == "service_completed_successfully")
        }
    }

    @Test("Image: an edit of a script, of a test or of a page copies nothing that is built")
    func layers() throws {
        let text = try String(contentsOf: CommandLineRun.package.appending(path: "Dockerfile"), encoding: .utf8)
        let building = text.split(separator: "FROM swift:6.3-slim")[0].split(separator: "\n")
        let copied = building.filter { $0.hasPrefix("COPY ") }.map { $0.split(separator: " ")[1] }
        #expect(
            copied == ["Scripts/setup", "Package.swift", "Sources", "Plugins", "Cloud/Package.swift", "Cloud/Sources"])
    }

    @Test(
        "Container: results belong to the owner of their folder, the status is the program's, a signal reaches it",
        .enabled(if: geteuid() == 0, "not on this machine: only root can give files away"), arguments: [0, 3])
    func owner(status: Int) throws {
        try withFolder { folder in
            let program = try folder.appending(path: "program").stub("echo x >results/trace; exit \(status)")
            let results = folder.appending(path: "results")
            try FileManager.default.createDirectory(at: results, withIntermediateDirectories: false)
            #expect(chown(results.path, 1234, 1234) == 0)
            let script = CommandLineRun.package.appending(path: "Scripts/in-container").path
            let run = try CommandLineRun.of(
                ["-c", "PROGRAM='\(program)' RESULTS='\(results.path)' '\(script)' run x"], by: "/bin/sh", in: folder)
            #expect(run.status == Int32(status), "\(run.errors)")
            var file = stat()
            #expect(stat(results.appending(path: "trace").path, &file) == 0 && file.st_uid == 1234)
        }
    }

    @Test("Networks: the proxy takes every file of Networks/")
    func networks() throws {
        let folder = CommandLineRun.package.appending(path: "Networks")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.contains("calm.yaml"))
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(throws: Never.self) { _ = try ScenarioFiles.faults(text, file: file) }
        }
    }
}
