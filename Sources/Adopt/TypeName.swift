/// A type as a source names it; optionals are what they hold.
indirect enum TypeName: Equatable {
    case named(String, [TypeName] = [])
    case array(TypeName)
    case dictionary(TypeName, TypeName)
    case tuple([TypeName])
    case function([TypeName], TypeName)
    /// The type itself, not a value of it.
    case meta(TypeName)
    /// A type of a framework that Linux does not have.
    case missing(String)
    case unknown

    /// Its name without arguments; nil for what has none.
    var path: String? {
        switch self {
        case .named(let path, _): path
        case .array: "Array"
        case .dictionary: "Dictionary"
        default: nil
        }
    }
    /// What a loop over it, or its `first`, gives.
    var element: TypeName {
        switch self {
        case .array(let element): element
        case .named("Set", let arguments): arguments.first ?? .unknown
        case .dictionary(let key, let value): .tuple([key, value])
        case .missing: self
        default: .unknown
        }
    }
    var isClosure: Bool { if case .function = self { true } else { false } }
}

/// Reads a type from tokens.
struct TypeParser {
    let tokens: [Token]
    var place: Int
    /// Names of types that were read, with their places; the first part of each decides whether it is there.
    private(set) var mentions: [(path: String, token: Token)] = []

    init(_ tokens: [Token], at place: Int) {
        self.tokens = tokens
        self.place = place
    }

    static func parse(_ text: String) -> TypeName {
        var parser = TypeParser(Tokenizer.tokens(text), at: 0)
        return parser.type()
    }

    private static let prefixes: Set = [
        "some", "any", "inout", "borrowing", "consuming", "sending", "isolated", "repeat", "each", "nonisolated",
        "__owned",
    ]

    mutating func type() -> TypeName {
        while tokens.at(place).kind == .attribute || Self.prefixes.contains(tokens.at(place).text)
            || tokens.at(place).is("~")
        {
            place += 1
            if tokens.at(place - 1).kind == .attribute, tokens.at(place).is("("), !tokens.at(place).isSpaced {
                place = tokens.afterBracket(place)
            }
        }
        let hasParameter = !(tokens.at(place).is("(") && tokens.at(place + 1).is(")"))
        var type = base()
        suffixes(&type)
        while tokens.at(place).is("&") {
            place += 1
            _ = base()
        }
        if tokens.at(place).isWord("async") || tokens.at(place).isWord("throws") || tokens.at(place).isWord("rethrows"),
            arrowFollows
        {
            while !tokens.at(place).is("->") { place += 1 }
        }
        if tokens.at(place).is("->") {
            place += 1
            let result = self.type()
            if case .tuple(let parts) = type { return .function(parts, result) }
            return .function(hasParameter ? [type] : [], result)
        }
        return type
    }
    private var arrowFollows: Bool {
        (place...(place + 6)).contains { tokens.at($0).is("->") }
    }
    private mutating func suffixes(_ type: inout TypeName) {
        while place < tokens.count {
            let token = tokens[place]
            if token.isFirst { return }
            if token.is("?") || token.is("!") || token.is("...") || token.is("??") || token.is("?!") {
                place += 1
            } else if token.is("."),
                tokens.at(place + 1).isWord("Type") || tokens.at(place + 1).isWord("self")
                    || tokens.at(place + 1).isWord("Protocol")
            {
                place += 2
                type = .meta(type)
            } else {
                return
            }
        }
    }
    private mutating func base() -> TypeName {
        let token = tokens.at(place)
        if token.is("(") {
            let end = tokens.afterBracket(place)
            var parts: [TypeName] = []
            place += 1
            while place < end - 1 {
                // `_ name: Type` and `name: Type`
                while tokens.at(place).kind == .name,
                    tokens.at(place + 1).is(":") || tokens.at(place + 2).is(":") && tokens.at(place + 1).kind == .name
                {
                    place += tokens.at(place + 1).is(":") ? 2 : 1
                }
                let before = place
                parts.append(type())
                while place < end - 1, !tokens.at(place).is(",") { place += 1 }
                place = max(place, before) + 1
            }
            place = end
            return parts.count == 1 ? parts[0] : .tuple(parts)
        }
        if token.is("[") {
            let end = tokens.afterBracket(place)
            place += 1
            let first = type()
            defer { place = end }
            guard tokens.at(place).is(":") else { return .array(first) }
            place += 1
            return .dictionary(first, type())
        }
        guard token.kind == .name else {
            return .unknown
        }
        var (path, arguments) = (token.text, [TypeName]())
        place += 1
        angles(&arguments)
        while tokens.at(place).is("."), tokens.at(place + 1).isUppercase,
            !["Type", "Protocol"].contains(tokens.at(place + 1).text)
        {
            path += "." + tokens.at(place + 1).text
            place += 2
            angles(&arguments)
        }
        mentions.append((path, token))
        switch (path, arguments.count) {
        case ("Array", 1): return .array(arguments[0])
        case ("Dictionary", 2): return .dictionary(arguments[0], arguments[1])
        case ("Optional", 1): return arguments[0]
        default: return .named(path, arguments)
        }
    }
    private mutating func angles(_ arguments: inout [TypeName]) {
        guard tokens.at(place).is("<"), let end = tokens.afterAngles(place) else { return }
        arguments = []
        place += 1
        while place < end - 1 {
            let before = place
            arguments.append(type())
            while place < end - 1, !tokens.at(place).is(",") { place += 1 }
            place = max(place, before) + 1
        }
        place = end
    }
}
