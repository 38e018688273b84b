import ArgumentParser
import CloudServer
import FleetModel
import Foundation

struct Containers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What lies in the iCloud, by container.", subcommands: [List.self, Reset.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the names of all containers.")
        @OptionGroup var folder: DataOption
        func run() async throws {
            for name in try await folder.command("cloud.containers", .empty)["containers"]?.strings ?? [] {
                print(name)
            }
        }
    }
    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes away records, files, subscriptions and schema of a container, in both environments.")
        @OptionGroup var folder: DataOption
        @Argument var container: String
        func run() async throws {
            _ = try await folder.command("cloud.resetContainer", ["container": .string(container)])
        }
    }
}

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints everything as lines of JSON, with the secrets: keep it as you keep the folder.")
    @OptionGroup var folder: DataOption

    func run() async throws {
        let data = try DataFolder(folder.data)
        let head: Value = ["secret": .string(try data.secret())]
        if let running = data.running, await folder.isServed() {
            let isWhole = await Administrator(running: running).export(head: head) { part in
                try FileHandle.standardOutput.write(contentsOf: part)
            }
            guard isWhole else { throw Problem("the server broke off: what was printed is no whole export") }
        } else {
            let engine = Engine(try data.open(isDevelopment: false, origin: "http://127.0.0.1"))
            try await engine.export(head: head, to: FileHandle.standardOutput)
        }
    }
}

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts what 'export' has printed in the place of everything that is there.")
    @OptionGroup var folder: DataOption
    @Argument(help: "File of lines; standard input without one.")
    var file: String?

    func run() async throws {
        var lines = LineReader(try opened())
        let data = try DataFolder(folder.data)
        let first: [UInt8]?
        do { first = try lines.peek() } catch let long as LineReader.TooLong { throw long } catch {
            throw Problem.file(file ?? "standard input", error)
        }
        guard let secret = first.flatMap({ try? Value(json: $0) })?["secret"]?.string else {
            throw Problem("this is no export: its first line names no secret")
        }
        let isRunning = await folder.isServed()
        guard try data.secret() != secret else { return try await put(lines, data, isRunning: isRunning) }
        // Names and tokens come from it, and a server reads it once.
        guard !isRunning else { throw Problem("the export is of another folder: stop the server first") }
        try await data.keep(secret: secret, origin: "http://127.0.0.1") { try await Engine($0).restore(lines) }
    }

    private func opened() throws -> FileHandle {
        guard let file else { return FileHandle.standardInput }
        do { return try FileHandle(forReadingFrom: URL(fileURLWithPath: file)) } catch {
            throw Problem.file(file, error)
        }
    }
    private func put(_ lines: LineReader, _ data: DataFolder, isRunning: Bool) async throws {
        if isRunning, let running = data.running {
            guard let answer = await Administrator(running: running).import(lines) else {
                throw Problem("the server did not take the lines; its log says why")
            }
            if let reason = answer["refused"]?.string { throw Problem(reason) }
        } else {
            let engine = Engine(try data.open(isDevelopment: false, origin: "http://127.0.0.1"))
            try await engine.restore(lines)
        }
    }
}
