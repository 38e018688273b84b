import Foundation
import Testing

/// Lines on which `try?` throws an error away that nothing looks at: as a statement, or into `_`; and lines on which it asks no more of a
/// write than whether it went well: a machine that fails is not a disk that is full.
private func swallowed(in text: String) -> [String] {
    let writing =
        #/try\? (?:[^ ]*\.)?(?:write|append|makeFolder|remove|move|clone|save|note|merge|finish|commit|execute|flush|set|clear)\(/#
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { line in
        guard !line.hasPrefix("//") else { return false }
        return line.hasPrefix("try? ") || line.contains("_ = try? ") || line.contains("; try? ")
            || line.firstMatch(of: #/\b(for|if|while|else|do|defer)\b.*\{ try\? /#) != nil
            || line.firstMatch(of: writing) != nil
    }
}

/// A testbed that looks for lost writes loses none in silence: a failed write is answered, tried again, or a problem of the run
/// (`PadServices.attempt`).
@Suite("Swallowed errors", .timeLimit(.minutes(20))) struct SwallowedErrorTests {
    @Test(
        "Cores: no statement throws an error away",
        arguments: [
            "PadCore", "CloudCore", "Run", "World", "Live", "Storage", "Checkers", "Trace", "Nemesis", "FleetModel",
        ])
    func none(room: String) throws {
        let folder = ArrowTests.sources.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = swallowed(in: try String(contentsOf: file, encoding: .utf8))
            #expect(lines.isEmpty, "\(file.lastPathComponent): \(lines)")
        }
    }

    @Test(
        "A swallowed error is seen, a value that may be missing is none",
        arguments: [
            ("    try? disk.remove(path)", true), ("_ = try? open(person)", true),
            ("for path in old { try? disk.remove(path) }", true), ("if isOld { try? forget(index) }", true),
            ("guard (try? disk.write(path, bytes)) != nil else { return }", true),
            ("let isTaken = try? store.set(key, value)", true),
            ("guard let bytes = try? disk.read(path) else { return }", false),
            ("let body = row.flatMap { try? Value(json: $0) }", false), ("// try? says nothing", false),
        ])
    func seen(line: String, isSwallowed: Bool) { #expect(swallowed(in: line).isEmpty != isSwallowed) }

    @Test(
        "Apps' modules: no property list is written by Foundation, which refuses arrays in a static program",
        arguments: ["Ubiquity", "CloudKit", "PadApp", "ExampleApps"])
    func propertyLists(room: String) throws {
        let folder = ArrowTests.sources.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("PropertyListSerialization.data("), "\(file.lastPathComponent)")
        }
    }
}
