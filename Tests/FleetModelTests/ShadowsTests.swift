import Foundation
import Testing

/// The file that the plugin HomeroomShadows puts into an app's target.
@Suite("Shadows", .timeLimit(.minutes(20))) struct ShadowsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Public types that stand at the left edge of a room's files.
    private func types(of room: String) throws -> Set<String> {
        let folder = Self.root.appending(path: "Sources/\(room)")
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" })
                    .drop { $0.hasPrefix("@") || $0 == "unchecked" }
                guard line.first?.isLetter == true || line.first == "@",
                    words.first == "public" || words.first == "open"
                else { continue }
                let rest = words.dropFirst().drop { $0 == "final" }
                guard let kind = rest.first, ["class", "struct", "enum", "protocol", "typealias"].contains(kind) else {
                    continue
                }
                if let name = rest.dropFirst().first { found.insert(String(name)) }
            }
        }
        return found
    }

    @Test("Shadows: every public type of Ubiquity has its line, and every line its type")
    func complete() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "Plugins/HomeroomShadows/Shadows.txt"), encoding: .utf8)
        let named = text.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            guard words.count == 5, words[1] == "typealias", words[4] == "Ubiquity.\(words[2])" else { return nil }
            return String(words[2])
        }
        #expect(Set(named) == (try types(of: "Ubiquity")))
        #expect(named == named.sorted() && named.count > 30)
    }

    @Test(
        "Shadows: the constants of Ubiquity that an iPad's Foundation has are named too, for files that import Foundation alone"
    )
    func constants() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "Plugins/HomeroomShadows/Shadows.txt"), encoding: .utf8)
        let named = Set(
            text.matches(of: #/public let (\w+) = Ubiquity\.(\w+)\n/#).filter { $0.1 == $0.2 }.map { String($0.1) })
        var declared: Set<String> = []
        let folder = Self.root.appending(path: "Sources/Ubiquity")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let source = try String(contentsOf: file, encoding: .utf8)
            declared.formUnion(source.matches(of: #/\npublic let (NS\w+)/#).map { String($0.1) })
        }
        #expect(named == declared && named.count > 20)
    }
}
