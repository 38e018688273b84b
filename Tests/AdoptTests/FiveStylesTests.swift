import Foundation
import Testing

@testable import Adopt

/// The packages in `Tests/Fixtures/adopt` against what the compiler said of them (`lines.tsv`, made by `Scripts/adopt-lines`).
@Suite("Five packages of different styles", .timeLimit(.minutes(20))) struct FiveStylesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../Fixtures/adopt"
    ).standardizedFileURL

    private static func sources(of package: String) throws -> [SourceFile] {
        let place = folder.appending(path: package)
        return try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".swift") }.map {
            name in
            SourceFile(
                path: "\(package)/\(name)", text: try String(contentsOf: place.appending(path: name), encoding: .utf8))
        }
    }

    @Test("adopt names the lines that do not compile, and nothing else: precision and recall are at least 95 %")
    func lines() throws {
        let table = try String(contentsOf: Self.folder.appending(path: "lines.tsv"), encoding: .utf8)
        var truth: [String: String] = [:]
        for row in table.split(separator: "\n") where !row.hasPrefix("#") {
            let cells = row.split(separator: "\t", maxSplits: 2).map(String.init)
            truth["\(cells[0]):\(cells[1])"] = cells[2]
        }
        let packages = Set(truth.keys.map { String($0.prefix { $0 != "/" }) }).sorted()
        #expect(packages.count == 5 && truth.count > 80)
        var named: [String: String] = [:]
        for package in packages {
            for one in Adoption(try Self.sources(of: package)).findings where one.kind == .change {
                named["\(one.file):\(one.line)"] = one.name
            }
        }
        let right = Set(truth.keys).intersection(named.keys)
        let (precision, recall) = (Double(right.count) / Double(named.count), Double(right.count) / Double(truth.count))
        print(
            String(
                format: "adopt: %d lines do not compile, %d named: precision %.1f %%, recall %.1f %%", truth.count,
                named.count, 100 * precision, 100 * recall))
        for line in Set(truth.keys).subtracting(right).sorted() { print("missed  \(line)  \(truth[line] ?? "")") }
        for line in Set(named.keys).subtracting(right).sorted() { print("wrong   \(line)  \(named[line] ?? "")") }
        #expect(precision >= 0.95 && recall >= 0.95)
    }

    @Test("Sources that are cut off anywhere, at their end or their beginning, are read like others")
    func cutOff() throws {
        for package in ["blocks", "combine", "engine", "manager", "operations"] {
            for source in try Self.sources(of: package) {
                for place in stride(from: 1, to: source.text.utf8.count, by: 211) {
                    let (first, last) = (source.text.utf8.prefix(place), source.text.utf8.dropFirst(place))
                    for part in [first, last] {
                        let adoption = Adoption([
                            SourceFile(path: "a.swift", text: String(decoding: part, as: UTF8.self))
                        ])
                        #expect(adoption.findings.allSatisfy { $0.line >= 1 && $0.column >= 1 })
                    }
                }
            }
        }
    }

    @Test("Of sources that compile, adopt names no line: the example apps, and the apps on queues")
    func compiling() throws {
        let root = Self.folder.appending(path: "../../..").standardizedFileURL
        for place in [
            "Sources/ExampleApps", "Tests/Fixtures/dispatching", "Tests/Fixtures/databases",
            "Examples/Flashcards/Sources",
        ] {
            var sources: [SourceFile] = []
            let files = FileManager.default.enumerator(at: root.appending(path: place), includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                sources.append(SourceFile(path: file.path, text: try String(contentsOf: file, encoding: .utf8)))
            }
            #expect(!sources.isEmpty)
            let found = Adoption(sources).findings.filter { $0.kind == .change }
            #expect(found.isEmpty, "\(place): \(found.map { "\($0.file):\($0.line) \($0.name)" })")
        }
    }
}
