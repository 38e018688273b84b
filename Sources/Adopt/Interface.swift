/// What the sources of a module declare for others, as Swift without bodies: the tables in `Known` are made by it, and read by the same reader.
public enum Interface {
    /// - Parameter sources: all files of the module.
    public static func text(of sources: [String]) -> String {
        var (types, globals): ([String: Block], Set<String>) = ([:], [])
        for source in sources {
            let tokens = Tokenizer.tokens(source)
            var reader = DeclarationReader(tokens)
            for declaration in reader.file() { add(declaration, path: "", tokens, isProtocol: false, &types, &globals) }
        }
        // What is not public, and the raw types of enumerations, add nothing that others can name.
        let hidden = Set(types.filter { $0.value.isHidden }.keys).union(Self.rawTypes)
        let blocks = types.sorted { $0.key < $1.key }.compactMap { path, block in block.text(path, without: hidden) }
        return (globals.sorted() + blocks).joined(separator: "\n") + "\n"
    }

    private static let rawTypes: Set = ["Int", "UInt", "String", "Int32", "UInt8"]

    private struct Block {
        /// Nil: only extensions of it were seen.
        var keyword: String?
        var isHidden = false
        var unavailable = ""
        var supers: Set<String> = []
        var lines: Set<String> = []

        func text(_ path: String, without hidden: Set<String>) -> String? {
            let supers = supers.subtracting(hidden)
            if keyword == nil, lines.isEmpty, supers.isEmpty { return nil }
            let list = supers.isEmpty ? "" : ": " + supers.sorted().joined(separator: ", ")
            let header = "\(unavailable)\(keyword ?? "extension") \(path)\(list)"
            return lines.isEmpty ? "\(header) {}" : "\(header) {\n\(lines.sorted().map { "    \($0)\n" }.joined())}"
        }
    }

    private static func add(
        _ one: Declaration, path: String, _ tokens: [Token], isProtocol: Bool, _ types: inout [String: Block],
        _ globals: inout Set<String>
    ) {
        let isSeen = one.isPublic || isProtocol || one.kind == .enumCase
        switch one.kind {
        case .type, .extension:
            guard one.isPublic || one.kind == .extension else {
                types[one.name, default: Block()].isHidden = true
                return
            }
            let full = path.isEmpty ? one.name : "\(path).\(one.name)"
            if one.kind == .type {
                types[full, default: Block()].keyword = one.keyword
                types[full, default: Block()].unavailable = unavailable(one)
            }
            types[full, default: Block()].supers.formUnion(one.supers.compactMap(\.path))
            for member in one.members {
                // In a public extension all is public.
                if one.kind == .extension, one.isPublic, !member.isPrivate { member.modifiers.isPublic = true }
                add(member, path: full, tokens, isProtocol: one.keyword == "protocol", &types, &globals)
            }
        case .initializer where !isSeen: types[path, default: Block()].lines.insert("private init()")
        case .statements: return
        default:
            guard isSeen else { return }
            let line = unavailable(one) + (one.isStatic ? "static " : "") + text(one, tokens)
            if path.isEmpty { globals.insert(line) } else { types[path, default: Block()].lines.insert(line) }
        }
    }
    private static func unavailable(_ one: Declaration) -> String {
        one.unavailable.map { "@available(*, unavailable, message: \"\($0)\") " } ?? ""
    }
    private static func text(_ one: Declaration, _ tokens: [Token]) -> String {
        switch one.kind {
        case .variable:
            let value = one.value.map { Inference.quick(tokens, at: $0) } ?? .unknown
            return "var \(one.name): \(text(one.type ?? value))"
        case .enumCase: return "case \(one.name)"
        case .typealias: return "typealias \(one.name) = \(text(one.type ?? .unknown))"
        default:
            let parameters = one.parameters.map { parameter in
                "\(parameter.label): \(text(parameter.type))\(parameter.isVariadic ? "..." : "")\(parameter.hasDefault ? " = 0" : "")"
            }
            let generics = one.generics.isEmpty ? "" : "<\(one.generics.joined(separator: ", "))>"
            let name = one.kind == .function ? "func \(one.name)" : one.keyword
            return
                "\(name)\(generics)(\(parameters.joined(separator: ", ")))\(one.type.map { " -> \(text($0))" } ?? "")"
        }
    }
    static func text(_ type: TypeName) -> String {
        switch type {
        case .named(let path, let arguments):
            arguments.isEmpty ? path : "\(path)<\(arguments.map(text).joined(separator: ", "))>"
        case .array(let element): "[\(text(element))]"
        case .dictionary(let key, let value): "[\(text(key)): \(text(value))]"
        case .tuple(let parts): "(\(parts.map(text).joined(separator: ", ")))"
        case .function(let parts, let result): "(\(parts.map(text).joined(separator: ", "))) -> \(text(result))"
        case .meta(let type): "\(text(type)).Type"
        case .missing(let name): name
        case .unknown: "_"
        }
    }
}

/// The type of a value by its first tokens alone: `Type(...)`, `Type.name`.
enum Inference {
    static func quick(_ tokens: [Token], at place: Int) -> TypeName {
        guard tokens.at(place).isUppercase else { return .unknown }
        var parser = TypeParser(tokens, at: place)
        let type = parser.type()
        return tokens.at(parser.place).is("(") ? type : .unknown
    }
}
