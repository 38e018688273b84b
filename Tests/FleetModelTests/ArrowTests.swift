import Foundation
import Testing

/// The rooms and what each may import; arrows run one way (Docs/architecture.md).
private let arrows: [String: Set<String>] = [
    "FleetModel": [],
    "DeterministicRuntime": ["CDispatchLoop", "CInterpose", "_Concurrency"],
    "Storage": ["FleetModel", "CDisk", "CSQLite", "Glibc"],
    "CloudCore": ["FleetModel", "Storage", "Crypto"],
    "PadCore": ["FleetModel", "Storage"],
    "PadApp": ["FleetModel", "DeterministicRuntime"],
    "SandboxSQLite": ["FleetModel", "PadApp", "DeterministicRuntime", "CDisk", "CSQLite"],
    "Ubiquity": ["PadApp", "Foundation"],
    "UIKit": ["CloudKit", "Ubiquity", "Foundation"],
    "_Testing_UIKit": [],
    "CloudKit": ["PadApp", "Ubiquity", "Foundation"],
    "Nemesis": ["FleetModel"],
    "Proxy": ["FleetModel", "CInterpose", "Nemesis", "HeapModule", "DequeModule", "Glibc"],
    "Workload": ["FleetModel", "Yams"],
    "Shrink": ["FleetModel", "Nemesis", "Workload"],
    "Trace": ["FleetModel", "Crypto", "Glibc"],
    "Checkers": ["FleetModel"],
    "Report": ["FleetModel", "Trace", "Checkers"],
    "Load": ["FleetModel", "Histogram", "Glibc"],
    "Run": ["FleetModel", "CInterpose", "Nemesis", "Trace", "HeapModule", "Glibc"],
    "World": ["FleetModel", "CInterpose", "Nemesis", "Trace", "Run", "DequeModule", "Glibc"],
    "Live": ["FleetModel", "CInterpose", "CCurl", "Nemesis", "Trace", "Run", "Glibc"],
    "Adopt": [],
    "ProgramApps": ["FleetModel", "CInterpose", "Run", "Glibc"],
    "ExampleApps": ["PadApp", "Ubiquity", "CloudKit"],
    "HomeroomKit": [
        "FleetModel", "CInterpose", "DeterministicRuntime", "Storage", "CloudCore", "PadCore", "PadApp",
        "SandboxSQLite", "ProgramApps", "Nemesis", "Proxy", "Workload", "Run", "World", "Live", "Trace", "Checkers",
        "Report", "Load", "Shrink", "Adopt", "ArgumentParser",
        "Foundation", "Glibc",
    ],
    "BugZoo": ["HomeroomKit", "PadApp", "Ubiquity", "CloudKit"],
    "HomeroomTesting": [
        "FleetModel", "CInterpose", "DeterministicRuntime", "PadApp", "Run", "World", "Report", "HomeroomKit",
        "Foundation", "Glibc", "Testing", "XCTest",
    ],
    "homeroom": ["HomeroomKit", "ExampleApps", "BugZoo"],
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

/// Imports that no arrow allows, and arrows that nothing uses.
private func differences(room: String, imports: Set<String>) -> (wrong: [String], dead: [String]) {
    let allowed = arrows[room] ?? []
    return (imports.subtracting(allowed).sorted(), allowed.subtracting(imports).sorted())
}

@Suite("Arrows", .timeLimit(.minutes(20))) struct ArrowTests {
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    @Test("Rooms: import what their arrows say, all of it and nothing else", arguments: arrows.keys.sorted())
    func equal(room: String) throws {
        let folder = Self.sources.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(!files.isEmpty, "the room \(room) has no sources")
        var users: [String: String] = [:]
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for module in imports(in: text) { users[module] = file.lastPathComponent }
        }
        let (wrong, dead) = differences(room: room, imports: Set(users.keys))
        #expect(wrong.isEmpty, "\(room) imports \(wrong.map { "\($0) (\(users[$0] ?? ""))" })")
        #expect(dead.isEmpty, "\(room) has arrows to \(dead), which none of its files imports")
    }

    @Test("Rooms: every folder of Sources is a room or a C target")
    func complete() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
        #expect(
            Set(folders).subtracting([
                "CAppleNames", "CDispatchLoop", "CInterpose", "CDisk", "CSQLite", "CCurl",
            ])
                == Set(arrows.keys))
    }

    @Test("A wrong arrow is seen: a checker that imports a core")
    func red() {
        let found = differences(
            room: "Checkers", imports: Set(imports(in: "import FleetModel\n@testable import PadCore\n")))
        #expect(found.wrong == ["PadCore"])
        #expect(found.dead.isEmpty)
    }

    @Test("A dead arrow is seen: a checker that imports nothing")
    func dead() { #expect(differences(room: "Checkers", imports: []).dead == ["FleetModel"]) }
}
