import Foundation
import Testing

/// How large the types of the sources are, over all their extensions: a file may be small while its type is not.
private struct TypeSizes {
    struct Size: Hashable {
        var methods = 0
        var stored = 0
    }
    /// By room and name: `PadCore/AppRun.Mail`.
    private(set) var sizes: [String: Size] = [:]

    /// Counts a file of a room. A type's members are what stands one level below its own brace.
    mutating func read(_ source: String, room: String) {
        var (depth, types): (Int, [(depth: Int, name: String)]) = (0, [])
        let lines = Self.code(of: source).split(separator: "\n")
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == "\t" }).map(String.init)
            if let name = Self.typeName(words) {
                types.append((depth, (types.map(\.name) + [name]).joined(separator: ".")))
                // The full name stands for its parents' too.
                types[types.count - 1].name = (types.dropLast().last.map { $0.name + "." } ?? "") + name
            } else if let type = types.last, depth == type.depth + 1 {
                let next = index + 1 < lines.count ? lines[index + 1] : ""
                count(words, String(line), String(next), in: "\(room)/\(type.name)")
            }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
            }
            while let type = types.last, depth <= type.depth { types.removeLast() }
        }
    }

    private mutating func count(_ words: [String], _ line: String, _ next: String, in type: String) {
        let modifiers = words.prefix { $0.hasPrefix("@") || Self.modifiers.contains($0) || $0 == "set)" }
        guard let keyword = words.dropFirst(modifiers.count).first else { return }
        if keyword == "func" { sizes[type, default: Size()].methods += 1 }
        guard keyword == "let" || keyword == "var", !modifiers.contains("static") else { return }
        if let brace = line.firstIndex(of: "{"), !line[..<brace].contains("=") {
            let body = line[line.index(after: brace)...].trimmingCharacters(in: .whitespaces)
            let first = body.isEmpty ? next.trimmingCharacters(in: .whitespaces) : body
            guard first.hasPrefix("didSet") || first.hasPrefix("willSet") else { return }
        }
        sizes[type, default: Size()].stored += 1
    }
    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "open", "package", "final", "static", "class", "override",
        "mutating", "nonisolated", "lazy", "weak", "unowned", "indirect", "isolated", "nonmutating", "convenience",
        "required", "consuming", "borrowing",
    ]

    /// The type that a line begins or extends; nil: it does neither.
    private static func typeName(_ words: [String]) -> String? {
        let kinds: Set = ["class", "struct", "enum", "actor", "extension", "protocol"]
        guard let place = words.firstIndex(where: { kinds.contains($0) }), place + 1 < words.count,
            words[..<place].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) || $0 == "set)" }),
            !["func", "var", "let", "subscript"].contains(words[place + 1])
        else { return nil }
        let name = words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return name.isEmpty ? nil : String(name)
    }

    /// The source without comments and without the text of literals.
    private static func code(of source: String) -> String {
        let bytes = Array(source.utf8)
        var (code, at): ([UInt8], Int) = ([], 0)
        func stands(_ text: StaticString) -> Bool {
            at + text.utf8CodeUnitCount <= bytes.count
                && (0..<text.utf8CodeUnitCount).allSatisfy { bytes[at + $0] == text.utf8Start[$0] }
        }
        while at < bytes.count {
            if stands("//") {
                while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
            } else if stands("\"\"\"") {
                at += 3
                while at < bytes.count, !stands("\"\"\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
                at += 3
            } else if stands("\"") {
                at = end(ofText: bytes, from: at + 1)
            } else {
                code.append(bytes[at])
                at += 1
            }
        }
        return String(decoding: code, as: UTF8.self)
    }
    /// After the quote that closes a literal; what it interpolates has quotes and parentheses of its own.
    private static func end(ofText bytes: [UInt8], from start: Int) -> Int {
        var (at, open) = (start, 0)
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\\") where open == 0 && at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "("):
                (open, at) = (1, at + 2)
            case UInt8(ascii: "\\"): at += 2
            case UInt8(ascii: "(") where open > 0: (open, at) = (open + 1, at + 1)
            case UInt8(ascii: ")") where open > 0: (open, at) = (open - 1, at + 1)
            case UInt8(ascii: "\"") where open > 0: at = end(ofText: bytes, from: at + 1)
            case UInt8(ascii: "\""): return at + 1
            case UInt8(ascii: "\n"): return at
            default: at += 1
            }
        }
        return at
    }
}

/// A type that everybody writes in is a room without walls (Docs/decisions/0018-services-own-their-state.md).
@Suite("Sizes of types", .timeLimit(.minutes(20))) struct TypeSizeTests {
    private static let methodsMax = 60
    private static let storedMax = 14

    /// Those that are larger, as large as they are today: they may shrink. What is below a limit is 0.
    private static let larger: [String: (methods: Int, stored: Int)] = [
        "Checkers/Entry": (0, 47), "CloudCore/Work": (0, 16),
        "Live/LivePad": (0, 18), "Live/LiveWorld": (0, 31), "Live/Parts": (0, 17), "PadCore/DocumentItem": (0, 23),
        "PadCore/Transfer": (0, 26), "World/World": (0, 22),
    ]

    @Test(
        "No type is over 60 methods or 14 stored properties; those that were may only shrink",
        arguments: ["PadCore", "World", "Live", "CloudCore", "Checkers"])
    func ratchet(room: String) throws {
        var sizes = TypeSizes()
        let folder = ArrowTests.sources.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            sizes.read(try String(contentsOf: file, encoding: .utf8), room: room)
        }
        let largest = sizes.sizes.sorted { ($0.value.methods, $0.key) > ($1.value.methods, $1.key) }
        print(
            "the ten largest of \(room):", largest.prefix(10).map { "\($0.key) \($0.value.methods)/\($0.value.stored)" }
        )
        for (name, size) in largest {
            let (methods, stored) = Self.larger[name] ?? (0, 0)
            #expect(size.methods <= max(methods, Self.methodsMax), "\(name) has \(size.methods) methods")
            #expect(size.stored <= max(stored, Self.storedMax), "\(name) has \(size.stored) stored properties")
        }
    }

    /// Kept in several files of one folder, where `private` does not reach.
    private static let shared: Set = ["var runs: [Int: AppRun] = [:]"]

    @Test("Services of the Pad: what one keeps, no other can write")
    func ownState() throws {
        let folder = ArrowTests.sources.appending(path: "PadCore")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var (services, open): (Int, [String]) = (0, [])
        for case let file as URL in files where file.pathExtension == "swift" {
            var isService = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("final class "), line.contains(": PadService") {
                    (isService, services) = (true, services + 1)
                }
                if line.hasPrefix("}") { isService = false }
                // A member stands one step in; one with a brace is computed.
                let isOpen = line.hasPrefix("    var ") && !line.contains("{")
                if isService, isOpen, !Self.shared.contains(line.trimmingCharacters(in: .whitespaces)) {
                    open.append("\(file.lastPathComponent): \(line)")
                }
            }
        }
        #expect(services > 20 && open.isEmpty, "not private, nor private(set): \(open)")
    }

    @Test("A member is counted where it belongs, a computed property, a local and a text are none")
    func counted() {
        var sizes = TypeSizes()
        sizes.read(
            #"""
            /// struct Comment { var no: Int }
            final class Pad: Participant {
                private(set) var now = Instant.zero
                let text = "var no: { \(names.map { "}" })"
                var isDown: Bool { life != .down }
                var state: State { didSet { save() } }
                var later: Int {
                    let local = 1
                    return local
                }
                static let most = 3
                struct Part {
                    let one: Int
                    mutating func grow() {}
                }
                @discardableResult private func step() -> Bool { true }
            }
            extension Pad {
                func more() { func local() {} }
            }
            """#, room: "Room")
        #expect(
            sizes.sizes == [
                "Room/Pad": .init(methods: 2, stored: 3), "Room/Pad.Part": .init(methods: 1, stored: 1),
            ])
    }
}
