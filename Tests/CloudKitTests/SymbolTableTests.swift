import Foundation
import Testing

/// Apple's symbols in `symbols.tsv` against what the sources declare.
@Suite("CloudKit's symbols", .timeLimit(.minutes(20))) struct SymbolTableTests {
    private struct Symbol {
        var name: String
        var repositories: Int
        var state: String
        var place: String
        var reason: String
    }
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let sources = folder.appending(path: "../../Sources/CloudKit")

    private static func table() throws -> [Symbol] {
        let text = try String(contentsOf: folder.appending(path: "symbols.tsv"), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst().map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 5 else {
                return Symbol(name: "\(line)", repositories: 0, state: "?", place: "", reason: "")
            }
            return Symbol(
                name: cells[0], repositories: Int(cells[1]) ?? 0, state: cells[2], place: cells[3], reason: cells[4])
        }
    }

    @Test(
        "What the table calls covered or different is declared where it says; what it calls missing is not; reasons say what is not so"
    )
    func states() throws {
        let declared = try DeclaredSymbols(folder: Self.sources)
        let table = try Self.table()
        #expect(table.count > 500 && Set(table.map(\.name)).count == table.count)
        for symbol in table {
            switch symbol.state {
            case "covered", "different":
                // Of Operation: `UsualCodeTests` compiles them.
                if symbol.place != "Foundation" { #expect(declared.paths.contains(symbol.place), "\(symbol)") }
                #expect((symbol.reason == "-") == (symbol.state == "covered"), "\(symbol)")
            case "missing":
                let isStub = symbol.reason.hasPrefix("unavailable")
                #expect(declared.paths.contains(symbol.name) == isStub, "\(symbol)")
                #expect(symbol.reason != "-", "\(symbol)")
            default: Issue.record("no such state: \(symbol)")
            }
        }
    }

    @Test("Every public type of CloudKit's is in the table")
    func types() throws {
        let known = Set(try Self.table().map { $0.name.split(separator: ".").first.map(String.init) ?? "" })
        // Of Foundation, of Core Location, and in place of UIKit's delegate.
        let foreign: Set = [
            "NSSortDescriptor", "CLLocation", "CLLocationCoordinate2D", "CloudKitSharingDelegate",
        ]
        let unknown = try DeclaredSymbols(folder: Self.sources).topLevelTypes.subtracting(known).subtracting(foreign)
        #expect(unknown.isEmpty, "\(unknown.sorted())")
    }

    @Test("Of what public code uses, weighted by code bases, nearly all compiles, and most works")
    func share() throws {
        let table = try Self.table()
        func weight(_ state: String) -> Double {
            Double(table.filter { $0.state == state }.map(\.repositories).reduce(0, +))
        }
        let all = weight("covered") + weight("different") + weight("missing")
        let (covered, different) = (100 * weight("covered") / all, 100 * weight("different") / all)
        print(
            String(
                format: "CloudKit's symbols by use: %.1f %% covered, %.1f %% different, %.1f %% missing", covered,
                different, 100 - covered - different))
        #expect(covered > 90 && covered + different > 99)
    }

    @Test("Reading sources: nested types, extensions, cases, labels over several lines; nothing that is not public")
    func reading() {
        let declared = DeclaredSymbols(
            source: """
                public final class A: B {
                    public enum Kind: Int { case one = 1
                        case two, three
                    }
                    let hidden = 1
                    public static let shown = "public let text: {"
                    public init(
                        first: Int, second: [Int: (String, Bool)] = [:],
                        third: @escaping (Int) -> Void
                    ) {}
                    func quiet() {}
                }
                extension A.Kind {
                    public func call(_ x: Int, with y: Int) {}  // public let comment = 1
                }
                struct Inner {
                    public let unseen = 1
                }
                public let Constant = 1
                """)
        #expect(
            declared.paths == [
                "A", "A.Kind", "A.Kind.two", "A.Kind.three", "A.shown", "A.init", "A.init(first:second:third:)",
                "A.Kind.call", "A.Kind.call(_:with:)", "Inner.unseen", "Constant",
            ])
        #expect(declared.topLevelTypes == ["A"])
    }
}
