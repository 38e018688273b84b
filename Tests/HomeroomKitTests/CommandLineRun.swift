import Foundation
import Testing

/// One run of a built executable, as a script would make it.
struct CommandLineRun {
    var status: Int32
    var output: String
    var errors: String

    /// The folder of built products, where the test bundle lies too.
    static let products: URL = {
        let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = [executable, URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../.build/debug").standardizedFileURL]
        return candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "homeroom").path) } ?? candidates[1]
    }()
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter program: `homeroom`, or `misbehaving`.
    @discardableResult
    static func of(_ program: String = "homeroom", _ arguments: [String], in folder: URL) throws -> CommandLineRun {
        let (process, output, errors) = try start(program, arguments, in: folder)
        process.waitUntilExit()
        return CommandLineRun(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8), errors: try String(contentsOf: errors, encoding: .utf8))
    }

    static func start(_ program: String, _ arguments: [String], in folder: URL) throws -> (Process, output: URL, errors: URL) {
        let process = Process()
        process.executableURL = products.appending(path: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let name = "\(program)-\(arguments.hashValue)"
        let (output, errors) = (folder.appending(path: name + ".out"), folder.appending(path: name + ".err"))
        for file in [output, errors] { FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return (process, output, errors)
    }

    /// The digest in the verdict line.
    var digest: String? { output.split(separator: " ").first { $0.hasPrefix("digest=") }.map(String.init) }
}

/// An empty folder that is removed afterwards.
func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "homeroom-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

extension URL {
    func write(_ text: String) throws -> String {
        try text.write(to: self, atomically: true, encoding: .utf8)
        return path
    }
}

/// The scenarios that the package ships.
let shippedScenarios: [String] = {
    let fleet = CommandLineRun.package.appending(path: "Fleet").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: fleet)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().map { fleet + "/" + $0 }
}()
