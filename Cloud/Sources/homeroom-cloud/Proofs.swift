import ArgumentParser
import CloudLoad
import CloudServer
import Foundation

/// A server of this same program in a folder that goes afterwards.
struct LoadOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "Port for the server that is loaded.")
    var port = 18_080
    @Option(
        help: "Folder to work in, on the disk that is to be measured; a temporary one by default, removed afterwards.")
    var folder: String?

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port wants 1 to 65535, not \(port)") }
    }
    static var binary: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }
    func inFolder(_ body: (URL) throws -> Void) throws {
        let url = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let own = try DataFolder(url.appendingPathComponent("homeroom-cloud-\(getpid())").path).location
        defer { try? FileManager.default.removeItem(at: own) }
        try body(own)
    }
}

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Loads a server over HTTP and prints what it can do, beside SQLite alone.")

    @OptionGroup var load: LoadOptions
    @Option(parsing: .unconditional, help: "How long the single saves last, seconds.")
    var seconds = 5.0
    @Option(parsing: .unconditional, help: "Records in the zone of batches, feed and queries.")
    var records = 100_000
    @Flag(help: "Watches the memory over a million records too; takes minutes.")
    var million = false

    func validate() throws {
        guard seconds > 0, seconds <= 3600 else { throw ValidationError("--seconds wants more than 0, at most 3600") }
        guard (1000...100_000_000).contains(records) else {
            throw ValidationError("--records wants 1000 to 100000000, not \(records)")
        }
    }
    func run() throws {
        try load.inFolder { folder in
            let bench = Bench(binary: LoadOptions.binary, folder: folder, port: load.port) {
                print($0)
                fflush(nil)
            }
            try bench.run(seconds: seconds, records: records, million: million)
        }
    }
}

struct KillsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kills",
        abstract:
            "Kills a server under load again and again; fails when an acknowledged write or a change token is lost.")

    @OptionGroup var load: LoadOptions
    @Argument(help: "How often.")
    var count = 200
    @Option(parsing: .unconditional) var writers = 6
    @Option(parsing: .unconditional) var seed: UInt64 = 1

    func validate() throws {
        guard count > 0 else { throw ValidationError("wants to be told to kill once at least, not \(count) times") }
        guard (1...1000).contains(writers) else { throw ValidationError("--writers wants 1 to 1000, not \(writers)") }
    }
    func run() throws {
        print("seed=\(seed)")
        try load.inFolder { folder in
            let server = ServerProcess(binary: LoadOptions.binary, folder: folder, port: load.port)
            var torture = Torture(server: server, writers: writers, seed: seed)
            for _ in 0..<count {
                try torture.round()
                if !torture.faults.isEmpty { break }
            }
            print(
                "\(torture.kills) kills, \(torture.acknowledged) writes acknowledged, \(torture.faults.count) lost or wrong, "
                    + "slowest start \(Int(torture.slowestStart * 1000)) ms")
            for fault in torture.faults { print(fault) }
            if !torture.faults.isEmpty { throw ExitCode.failure }
        }
    }
}
