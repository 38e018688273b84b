import Foundation
import Testing

/// The rooms and what each may import; arrows run one way (Docs/architecture.md).
private let arrows: [String: Set<String>] = [
    "FleetModel": [],
    "DeterministicRuntime": ["CInterpose", "_Concurrency"],
    "Storage": ["FleetModel", "CDisk", "CSQLite", "Glibc"],
    "CloudCore": ["FleetModel", "Storage", "Crypto"],
    "PadCore": ["FleetModel", "Storage"],
    "PadApp": ["FleetModel", "DeterministicRuntime"],
    "Ubiquity": ["PadApp", "Foundation"],
    "CloudKit": ["PadApp", "Ubiquity", "Foundation"],
    "Nemesis": ["FleetModel"],
    "Proxy": ["FleetModel", "CInterpose", "Nemesis", "HeapModule", "DequeModule", "Glibc"],
    "Workload": ["FleetModel", "Yams"],
    "Trace": ["FleetModel", "Crypto", "Glibc"],
    "Checkers": ["FleetModel"],
    "Report": ["FleetModel", "Trace", "Checkers"],
    "Load": ["FleetModel", "Histogram", "Glibc"],
    "World": [
        "FleetModel", "CInterpose", "CCurl", "Nemesis", "Workload", "Trace", "HeapModule", "DequeModule", "Glibc",
    ],
    "ExampleApps": ["PadApp", "Ubiquity", "CloudKit", "Foundation"],
    "HomeroomKit": [
        "FleetModel", "CInterpose", "DeterministicRuntime", "Storage", "CloudCore", "PadCore", "PadApp", "Ubiquity",
        "CloudKit",
        "Nemesis", "Proxy", "Workload", "World", "Trace", "Checkers", "Report", "Load", "ArgumentParser", "Foundation",
        "Glibc",
    ],
    "homeroom": ["HomeroomKit", "ExampleApps"],
]

/// Modules that a Swift source imports.
private func imports(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"),
            words[..<index].allSatisfy({ $0.hasPrefix("@") || $0 == "public" }),
            index + 1 < words.count
        else { return nil }
        return String(words[index + 1])
    }
}

/// Wrong arrows of one file.
private func wrongArrows(room: String, text: String) -> [String] {
    imports(in: text).filter { !(arrows[room]?.contains($0) ?? false) }
}

@Suite("Arrows", .timeLimit(.minutes(20))) struct ArrowTests {
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    @Test("Rooms: import only what their arrows allow", arguments: arrows.keys.sorted())
    func allowed(room: String) throws {
        let folder = Self.sources.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(!files.isEmpty, "the room \(room) has no sources")
        for file in files {
            let wrong = wrongArrows(room: room, text: try String(contentsOf: file, encoding: .utf8))
            #expect(wrong.isEmpty, "\(file.lastPathComponent) in \(room) imports \(wrong)")
        }
    }

    @Test("Rooms: every folder of Sources is a room or a C target")
    func complete() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
        #expect(Set(folders).subtracting(["CInterpose", "CDisk", "CSQLite", "CCurl"]) == Set(arrows.keys))
    }

    @Test("A wrong arrow is seen: a checker that imports a core")
    func red() {
        #expect(wrongArrows(room: "Checkers", text: "import FleetModel\n@testable import PadCore\n") == ["PadCore"])
    }
}
