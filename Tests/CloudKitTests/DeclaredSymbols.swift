import Foundation

/// What the sources of a room declare for others, by paths: `CKRecord.ID`, `CKDatabase.save`, `CKQuery.init(recordType:predicate:)`.
///
/// Reads text, line by line, in the form that `swift format` gives it; what is not public is left out.
struct DeclaredSymbols {
    private(set) var paths: Set<String> = []
    /// Public types that stand in no other one.
    private(set) var topLevelTypes: Set<String> = []

    private struct Open {
        var depth: Int
        var path: String
        var isProtocol: Bool
    }
    private static let kinds: Set = ["class", "struct", "enum", "protocol", "extension"]
    private static let modifiers: Set = [
        "public", "private", "fileprivate", "internal", "open", "final", "static", "class", "override", "mutating",
        "nonisolated", "lazy", "weak", "convenience", "required",
    ]

    init(folder: URL) throws {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            read(try String(contentsOf: file, encoding: .utf8))
        }
    }
    init(source: String) { read(source) }

    private mutating func read(_ source: String) {
        let code = source.replacing(#/"(\\.|[^"\\\n])*"/#, with: "\"\"").replacing(#/\/\/[^\n]*/#, with: "")
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var (depth, open): (Int, [Open]) = (0, [])
        for (index, line) in lines.enumerated() {
            let words = line.split(separator: " ").map(String.init)
            let modifiers = words.prefix { word in
                Self.modifiers.contains(word) && !Self.declaresClass(words, word) || word.hasPrefix("@")
                    || word.hasSuffix("set)")
            }
            let isPublic = modifiers.contains("public") || modifiers.contains("open")
            if let kind = words.dropFirst(modifiers.count).first {
                let name = Self.name(words.dropFirst(modifiers.count + 1).joined(separator: " "))
                if Self.kinds.contains(kind), let name {
                    let path = (open.last.map { $0.path + "." } ?? "") + name
                    if kind != "extension", isPublic {
                        paths.insert(path)
                        if open.isEmpty { topLevelTypes.insert(path) }
                    }
                    open.append(Open(depth: depth, path: path, isProtocol: kind == "protocol"))
                } else if depth == (open.last.map { $0.depth + 1 } ?? 0),
                    isPublic || kind == "case" || open.last?.isProtocol == true
                {
                    member(
                        kind, words.dropFirst(modifiers.count + 1).joined(separator: " "), lines[index...], open.last)
                }
            }
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
            while let last = open.last, depth <= last.depth, line.contains("}") { open.removeLast() }
        }
    }
    /// `class Name`, not `class func`.
    private static func declaresClass(_ words: [String], _ word: String) -> Bool {
        guard word == "class", let place = words.firstIndex(of: word), place + 1 < words.count else { return false }
        return words[place + 1].first?.isUppercase ?? false
    }
    private static func name(_ text: String) -> String? {
        let name = text.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return name.isEmpty ? nil : String(name)
    }

    private mutating func member(_ kind: String, _ rest: String, _ lines: ArraySlice<String>, _ type: Open?) {
        let own = type.map { $0.path + "." } ?? ""
        let callable = kind == "func" ? Self.name(rest) : ["init", "subscript"].first { kind.hasPrefix($0) }
        switch kind {
        case "var", "let", "typealias": if let name = Self.name(rest) { paths.insert(own + name) }
        case "case": for part in rest.split(separator: ",") { insertCase(own, part) }
        default:
            guard let callable else { return }
            paths.insert(own + callable)
            let text = lines.prefix(24).joined(separator: " ")
            guard let start = text.range(of: kind) else { return }
            paths.insert("\(own)\(callable)(\(Self.labels(text[start.lowerBound...])))")
        }
    }
    private mutating func insertCase(_ own: String, _ part: Substring) {
        if let name = Self.name(part.trimmingCharacters(in: .whitespaces)) { paths.insert(own + name) }
    }
    /// The labels of the first parameter list in a text, each with its colon.
    private static func labels(_ text: Substring) -> String {
        var (depth, part, labels) = (0, "", "")
        func label() -> String { part.split(separator: " ").first.map { $0.prefix { $0 != ":" } + ":" } ?? "" }
        for character in text.drop(while: { $0 != "(" }) {
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            if depth == 0 { return labels + label() }
            if depth == 1, character == "," {
                labels += label()
                part = ""
            } else if !(depth == 1 && character == "(") {
                part.append(character)
            }
        }
        return labels
    }
}
