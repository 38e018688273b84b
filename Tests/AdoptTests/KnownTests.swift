import Foundation
import Testing

@testable import Adopt

/// The tables in `Sources/Adopt/Known` against what they are about.
@Suite("What adopt knows", .timeLimit(.minutes(20))) struct KnownTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    private static func sources(of room: String) throws -> [String] {
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Sources/\(room)"), includingPropertiesForKeys: nil)
        var found: [String] = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            found.append(try String(contentsOf: file, encoding: .utf8))
        }
        return found
    }

    @Test(
        "The interfaces are those of the sources; Scripts/adopt-known writes them again",
        arguments: ["CloudKit", "Ubiquity", "UIKit", "PadApp"])
    func interfaces(of room: String) throws {
        let known = try String(
            contentsOf: Self.root.appending(path: "Sources/Adopt/Known/\(room).txt"), encoding: .utf8)
        let declared = Interface.text(of: try Self.sources(of: room))
        let (old, new) = (Set(known.split(separator: "\n")), Set(declared.split(separator: "\n")))
        #expect(
            known == declared,
            "gone: \(old.subtracting(new).sorted()); new: \(new.subtracting(old).sorted()); run Scripts/adopt-known")
    }

    @Test("What differs is what the table of CloudKit's symbols says")
    func differences() throws {
        let table = try String(
            contentsOf: Self.root.appending(path: "Tests/CloudKitTests/symbols.tsv"), encoding: .utf8)
        let rows = table.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }.filter {
            $0.count == 5 && $0[2] == "different"
        }
        let known = PackageResources.differs_tsv.text.split(separator: "\n").map(String.init)
        #expect(Set(known) == Set(rows.map { "\($0[3])\t\($0[4])" }), "run Scripts/adopt-known")
        let missing = table.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }.filter {
            $0.count == 5 && $0[2] == "missing"
        }
        let symbols = Symbols.known()
        for row in missing {
            let parts = row[0].components
            let isThere =
                symbols.types[row[0]].map { $0.unavailable == nil } ?? !symbols.members(
                    parts.last ?? "", of: parts.dropLast().joined(separator: ".")
                ).isEmpty
            #expect(!isThere, "\(row[0])")
        }
    }

    @Test("Each type that an interface inherits is known, so that a name which is not in it is missing")
    func whole() {
        let symbols = Symbols.known()
        let open = symbols.types.keys.filter {
            symbols.types[$0]?.isWhole == true && !symbols.isWhole($0) && symbols.types[$0]?.keyword == "class"
        }
        #expect(open == ["AppParticipant"])
        for name in [
            "CKDatabase", "CKRecord", "CKRecord.ID", "CKError", "CKModifyRecordsOperation", "FileManager",
            "UserDefaults", "NSKeyedUnarchiver",
            "UIApplication",
        ] {
            #expect(symbols.isWhole(name), "\(name)")
        }
    }

    @Test("What the tables call missing in Foundation, the compiler does not find either")
    func missing() throws {
        let names = PackageResources.names_tsv.text.tableRows.filter { $0[0] == "Foundation" }.flatMap {
            $0[1].split(separator: " ").map(String.init)
        }
        let source = "import Foundation\n" + names.map { "let _ = \($0).self\n" }.joined()
        let file = FileManager.default.temporaryDirectory.appending(path: "adopt-\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc", "-typecheck", "-swift-version", "5", "-diagnostic-style", "llvm", file.path]
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let wrong = Set(output.matches(of: #/swift:(\d+):\d+: error:/#).compactMap { Int($0.1) })
        let there = names.enumerated().filter { !wrong.contains($0.offset + 2) }.map(\.element)
        #expect(names.count > 80 && there.isEmpty, "Linux has them: \(there)")
    }
}
