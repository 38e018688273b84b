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
        let candidates = [
            executable,
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../.build/debug")
                .standardizedFileURL,
        ]
        return candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "homeroom").path) }
            ?? candidates[1]
    }()
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// - Parameter program: `homeroom`, `misbehaving`, or a path.
    @discardableResult
    static func of(_ arguments: [String], by program: String = "homeroom", in folder: URL) throws -> CommandLineRun {
        let (process, output, errors) = try start(program, arguments, in: folder)
        process.waitUntilExit()
        defer {
            for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
            if isPackage(folder) { try? FileManager.default.removeItem(at: output.deletingLastPathComponent()) }
        }
        return CommandLineRun(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    private static func isPackage(_ folder: URL) -> Bool { folder.standardizedFileURL == package.standardizedFileURL }

    /// Seconds after which a command that still runs is killed, so that nobody waits for it without an end: a time limit
    /// of a suite cannot interrupt a test that waits for a process.
    static let longest = 480

    /// - Returns: a command that is killed after `longest` seconds.
    static func start(_ program: String, _ arguments: [String], in folder: URL) throws -> (
        Process, output: URL, errors: URL
    ) {
        let process = Process()
        process.executableURL = program.hasPrefix("/") ? URL(filePath: program) : products.appending(path: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Beside the folder, so that what lies in it afterwards was left by the command; never beside the package.
        let own = FileManager.default.temporaryDirectory.appending(path: "homeroom-test-\(UUID().uuidString)")
        let name = (isPackage(folder) ? own : folder).path + ".streams"
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
        let stem = URL(filePath: name).appending(path: UUID().uuidString)
        let (output, errors) = (stem.appendingPathExtension("out"), stem.appendingPathExtension("err"))
        for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(longest)) { [weak process] in
            guard let process, process.isRunning else { return }
            kill(process.processIdentifier, SIGKILL)
        }
        return (process, output, errors)
    }

    /// Whether a live run, or a merge of one, was valid, or unknown by nothing but a machine that was too slow for it.
    var isValidOrTooSlow: Bool {
        let reasons = output.split(separator: "\n").filter { $0.contains("unknown because: ") }
        let slow = [
            "too slow", " are needed: ", " reading of ", " was not read on a brand-new iPad", " never occurred",
        ]
        return status == 0
            || status == 2 && !reasons.isEmpty && reasons.allSatisfy { reason in slow.contains { reason.contains($0) } }
    }

    /// The digest in the verdict line.
    var digest: String? { output.split(separator: " ").first { $0.hasPrefix("digest=") }.map(String.init) }
}

extension CommandLineRun {
    /// The command under a limit of the shell, such as `ulimit -f 8`.
    static func limited(_ limit: String, _ arguments: [String], in folder: URL) throws -> CommandLineRun {
        let words = [products.appending(path: "homeroom").path] + arguments
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        return try of(["-c", "\(limit); exec \(quoted)"], by: "/bin/bash", in: folder)
    }
}

/// Everything below a folder, sorted, folders with a slash at the end.
func left(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().map { name in
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: folder.appending(path: name).path, isDirectory: &isFolder)
        return isFolder.boolValue ? name + "/" : name
    }
}

/// Every file below a folder with its text.
func contents(of folder: URL) throws -> [String: String] {
    let files = try left(in: folder).filter { !$0.hasSuffix("/") }
    return try Dictionary(
        uniqueKeysWithValues: files.map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) })
}

/// What an earlier run may have left in its folder of results.
enum Earlier {
    static let names = ["logs/ipad-1.log", "logs/run.log", "trace.jsonl", "verdict.json"]

    /// - Parameter logs: so many more files among the logs.
    static func leave(in out: URL, logs: Int = 0) throws {
        try FileManager.default.createDirectory(at: out.appending(path: "logs"), withIntermediateDirectories: true)
        for name in names { _ = try out.appending(path: name).write("earlier") }
        for number in 0..<logs {
            let path = out.appending(path: "logs/more-\(number).log").path
            close(open(path, O_CREAT | O_WRONLY, 0o644))
        }
    }
}

/// An empty folder that is removed afterwards.
func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "homeroom-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(atPath: folder.path + ".streams")
    }
    return try body(folder)
}

extension URL {
    func write(_ text: String) throws -> String {
        try text.write(to: self, atomically: true, encoding: .utf8)
        return path
    }
}

/// The Cloud's server, which a package of its own builds.
let server = CommandLineRun.package.appending(path: "Cloud/.build/debug/homeroom-cloud").path
let hasServer = FileManager.default.isExecutableFile(atPath: server)
let noServer: Comment = "no homeroom-cloud there: swift build --package-path Cloud"

/// The scenarios that the package ships, those of Fleet/regressions with them.
let shippedScenarios: [String] = {
    let fleet = CommandLineRun.package.appending(path: "Fleet").path
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: fleet)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().map { fleet + "/" + $0 }
}()

/// Process ids below `pid`, from /proc.
func descendants(of pid: Int32) -> [Int32] {
    var found: [Int32] = []
    var open = [pid]
    while let next = open.popLast() {
        let below = childrenOf(next)
        found += below
        open += below
    }
    return found
}
/// As the kernel lists them, the oldest first; none of a process that is gone.
func childrenOf(_ pid: Int32) -> [Int32] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return threads.sorted().flatMap { thread in
        let list = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/children", encoding: .utf8)
        return (list ?? "").split(separator: " ").compactMap { Int32($0) }
    }
}
/// `R`, `S`, `T` when it is stopped, `Z`; nil for a process that is gone.
func state(_ pid: Int32) -> String? { fields(pid).map { String($0[0]) } }
private func fields(_ pid: Int32) -> [Substring]? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
    else { return nil }
    return text[text.index(after: end)...].split(separator: " ")
}
/// A zombie is dead already: `kill -0` would count it.
func isRunning(_ pid: Int32) -> Bool { fields(pid).map { $0[0] != "Z" && $0[0] != "X" } ?? false }

/// Waits for the processes to be gone: signals are delivered by the kernel, nothing has to be waited for but their arrival.
/// - Returns: those that are still there after half a minute.
func stillRunning(_ family: [Int32]) -> [Int32] {
    var left = family
    for _ in 0..<3000 where !left.isEmpty {
        left = left.filter(isRunning)
        usleep(10_000)
    }
    return left
}
