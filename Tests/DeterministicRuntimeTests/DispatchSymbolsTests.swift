import Foundation
import Testing

@Suite("Symbols of Dispatch", .timeLimit(.minutes(20))) struct DispatchSymbolsTests {
    /// What `nm` says of a file, one symbol a line, the last word its name.
    private func symbols(_ arguments: String..., of file: String) throws -> Set<String> {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["nm"] + arguments + [file]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "nm cannot read \(file)")
        return Set(
            String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
                line.split(separator: " ").last.map { String($0.split(separator: "@")[0]) }
            })
    }
    /// The toolchain's libraries.
    private func libraries() throws -> [String] {
        // Its size is 0, so the whole file has to be read to its end.
        let maps = try #require(FileHandle(forReadingAtPath: "/proc/self/maps")).readDataToEndOfFile()
        let files = String(decoding: maps, as: UTF8.self).split(separator: "\n")
            .compactMap { $0.split(separator: " ").last.map(String.init) }
        let folder = try #require(files.first { $0.hasSuffix("/libswiftCore.so") }.map { URL(filePath: $0) })
            .deletingLastPathComponent()
        // The real library calls itself.
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".so") && $0 != "libdispatch.so" }.sorted().map { folder.appending(path: $0).path }
    }

    @Test("Every function of libdispatch that the toolchain's libraries call is ours")
    func complete() throws {
        let own = try symbols("-D", "--defined-only", of: "/proc/\(ProcessInfo.processInfo.processIdentifier)/exe")
        var calls: Set<String> = []
        for library in try libraries() {
            calls.formUnion(
                try symbols("-D", "--undefined-only", of: library).filter {
                    $0.hasPrefix("dispatch_") || $0.hasPrefix("_dispatch_") || $0.hasPrefix("libdispatch_")
                })
        }
        #expect(calls.count > 80, "\(calls.count) functions of libdispatch are called: is this the toolchain?")
        // Data is the real library's in a dynamic link (CDispatchLoop/Inside.h), and stood in for by hidden symbols of the same names.
        let data = calls.filter { $0.contains("_source_type_") || $0.hasPrefix("_dispatch_data_") }
            .union(["_dispatch_main_q", "_dispatch_queue_attr_concurrent"])
        let missing = calls.subtracting(own).subtracting(data)
        #expect(
            missing.isEmpty, "not in Sources/CDispatchLoop, so they would start threads in an app: \(missing.sorted())")
    }

    @Test("Every data symbol of libdispatch that the toolchain's libraries use has a stand-in for static links")
    func data() throws {
        let own = try symbols(of: "/proc/\(ProcessInfo.processInfo.processIdentifier)/exe")
        var used: Set<String> = []
        for library in try libraries() {
            used.formUnion(
                try symbols("-D", "--undefined-only", of: library).filter { name in
                    name.hasPrefix("_dispatch_") && !name.hasSuffix("4CF")
                })
        }
        #expect(used.contains("_dispatch_main_q"))
        #expect(used.subtracting(own).isEmpty, "\(used.subtracting(own).sorted())")
    }
}
