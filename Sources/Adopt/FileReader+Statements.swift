extension FileReader {
    private static let words: Set = [
        "return", "try", "await", "else", "do", "defer", "throw", "break", "continue", "fallthrough", "default",
        "repeat", "where", "in", "nil",
        "true", "false", "unsafe", "consume", "copy", "each", "repeat", "yield", "discard",
    ]

    func walk(_ range: Range<Int>) {
        var place = range.lowerBound
        while place < range.upperBound { place = max(place + 1, step(place, range.upperBound)) }
    }
    /// Reads one statement, or a part of one; where it ends.
    private func step(_ place: Int, _ end: Int) -> Int {
        let token = tokens[place]
        switch token.kind {
        case .attribute:
            attribute(token)
            return tokens.at(place + 1).is("(") && !tokens.at(place + 1).isSpaced
                ? tokens.afterBracket(place + 1) : place + 1
        case .symbol:
            if token.is("{") { return block(place) }
            if token.is("}") {
                scopes.pop()
                return place + 1
            }
            if ["(", "[", ".", "\\", "\\("].contains(token.text) { return value(at: place, until: end).end }
            return place + 1
        case .name:
            if DeclarationReader.beginsDeclaration(tokens, at: place), !tokens.at(place - 1).is(".") {
                return local(place, end)
            }
            return word(token, place, end)
        default: return value(at: place, until: end).end
        }
    }
    private func word(_ token: Token, _ place: Int, _ end: Int) -> Int {
        switch token.text {
        case "let", "var": return declare(place, end)
        case "if", "while", "switch", "guard", "catch":
            (scopes.isCondition, scopes.isGuard) = (true, token.text == "guard")
            if token.text == "catch" { scopes.declare("error", .named("Error")) }
            return place + 1
        case "for": return loop(place, end)
        case "case":
            return place + 1
        case "as", "is":
            var parser = TypeParser(
                tokens, at: tokens.at(place + 1).is("?") || tokens.at(place + 1).is("!") ? place + 2 : place + 1)
            _ = parser.type()
            for mention in parser.mentions { mentioned(mention.path, mention.token) }
            return parser.place
        case _ where Self.words.contains(token.text): return place + 1
        default:
            let (next, last) = (tokens.at(place + 1), tokens.at(place - 1))
            // A label of an argument, or of a loop.
            if next.is(":"), last.is("(") || last.is(",") || token.isFirst { return place + 2 }
            let value = value(at: place, until: end)
            // `operation.recordFetchedBlock = { record in ... }`
            if case .function(let parameters, _) = value.type, tokens.at(value.end).is("="),
                tokens.at(value.end + 1).is("{")
            {
                closureParameters = parameters
            }
            return value.end
        }
    }

    /// A function or type inside a body.
    private func local(_ place: Int, _ end: Int) -> Int {
        var reader = DeclarationReader(tokens)
        let found = reader.one(at: place)
        for one in found {
            if one.kind == .function { scopes.declare(one.name, .unknown) } else { scopes.declare(type: one.name) }
        }
        for one in found { read(one) }
        return reader.place
    }

    /// A brace: a block, or a closure with its parameters.
    private func block(_ place: Int) -> Int {
        if scopes.isCondition { scopes.pushBlock() } else { scopes.push() }
        let parameters = closureParameters
        closureParameters = []
        for (index, type) in parameters.enumerated() { scopes.declare("$\(index)", type) }
        return closureHead(place + 1, parameters) ?? place + 1
    }
    /// `[weak self] a, b in`, `(a: T) -> U in`; nil if this block has no head.
    private func closureHead(_ start: Int, _ types: [TypeName]) -> Int? {
        var place = start
        var names: [(String, TypeName)] = []
        while tokens.at(place).kind == .attribute { place += 1 }
        if tokens.at(place).is("[") {
            let end = tokens.afterBracket(place)
            for index in tokens.span(place, end) where tokens[index].is("=") && tokens[index - 1].kind == .name {
                names.append((tokens[index - 1].text, .unknown))
            }
            place = end
        }
        if tokens.at(place).is("(") {
            let end = tokens.afterBracket(place)
            var index = place + 1
            while index < end - 1 {
                let name = tokens[index].text
                guard tokens[index].kind == .name else { index += 1; continue }
                var type: TypeName?
                index += 1
                if tokens.at(index).kind == .name { index += 1 }
                if tokens.at(index).is(":") {
                    var parser = TypeParser(tokens, at: index + 1)
                    type = parser.type()
                    index = parser.place
                }
                names.append((name, type.map(known) ?? (names.count < types.count ? types[names.count] : .unknown)))
                while index < end - 1, !tokens[index].is(",") { index += 1 }
                index += 1
            }
            place = end
        } else {
            var count = 0
            while tokens.at(place).kind == .name, !tokens.at(place).isWord("in"), count < 12 {
                if tokens.at(place).isWord("async") || tokens.at(place).isWord("throws") { break }
                names.append((tokens.at(place).text, count < types.count ? types[count] : .unknown))
                (place, count) = (place + 1, count + 1)
                if tokens.at(place).is(",") { place += 1 } else { break }
            }
        }
        while tokens.at(place).isWord("async") || tokens.at(place).isWord("throws") { place += 1 }
        if tokens.at(place).is("->") {
            var parser = TypeParser(tokens, at: place + 1)
            _ = parser.type()
            for mention in parser.mentions { mentioned(mention.path, mention.token) }
            place = parser.place
        }
        guard tokens.at(place).isWord("in") else { return nil }
        for token in tokens[tokens.span(start, place)] where token.kind == .attribute { attribute(token) }
        for (name, type) in names { scopes.declare(name, type) }
        return place + 1
    }

    /// `let a: T = value`, `if let a`, `case .b(let c)`, `catch let error as E`, `let (a, b) = value`.
    private func declare(_ place: Int, _ end: Int) -> Int {
        var place = place
        repeat {
            place += 1
            if tokens.at(place).is("(") {
                let close = tokens.afterBracket(place)
                let names = tokens[tokens.span(place, close)].filter { $0.kind == .name }.map(\.text)
                place = close
                var types: [TypeName] = []
                if tokens.at(place).is("=") {
                    let value = value(at: place + 1, until: end)
                    if case .tuple(let parts) = value.type { types = parts }
                    if case .missing = value.type { types = names.map { _ in value.type } }
                    place = value.end
                }
                for (index, name) in names.enumerated() {
                    scopes.declare(name, index < types.count ? types[index] : .unknown)
                }
            } else if tokens.at(place).is(".") {
                // `case let .some(value)`
                while tokens.at(place).is(".") || tokens.at(place).isUppercase || tokens.at(place - 1).is(".") {
                    place += 1
                }
                if tokens.at(place).is("(") {
                    let close = tokens.afterBracket(place)
                    for token in tokens[tokens.span(place, close)] where token.kind == .name {
                        scopes.declare(token.text, .unknown)
                    }
                    place = close
                }
                return place
            } else {
                place = declareName(place, end)
            }
        } while tokens.at(place).is(",") && tokens.at(place + 1).kind == .name
            && (tokens.at(place + 2).is("=") || tokens.at(place + 2).is(":")) && !scopes.isCondition
            && !tokens.at(place + 1).isWord("let") && !tokens.at(place + 1).isWord("var")
        return place
    }
    private func declareName(_ start: Int, _ end: Int) -> Int {
        let name = tokens.at(start).text
        var (place, type) = (start + 1, TypeName.unknown)
        var isWritten = false
        if tokens.at(place).is(":"), !tokens.at(start - 2).isWord("case") {
            var parser = TypeParser(tokens, at: place + 1)
            type = known(parser.type())
            for mention in parser.mentions { mentioned(mention.path, mention.token) }
            (place, isWritten) = (parser.place, true)
        } else if tokens.at(place).isWord("as") {
            var parser = TypeParser(tokens, at: place + 1)
            type = known(parser.type())
            for mention in parser.mentions { mentioned(mention.path, mention.token) }
            place = parser.place
        }
        if tokens.at(place).is("=") {
            if case .function(let parameters, _) = type, tokens.at(place + 1).is("{") { closureParameters = parameters }
            let value = value(at: place + 1, until: end)
            if !isWritten { type = value.type }
            place = value.end
        } else if scopes.isCondition, !isWritten, type == .unknown,
            tokens.at(place).is("{") || tokens.at(place).is(",") || tokens.at(place).isWord("else"),
            tokens.at(start - 1).isWord("let") || tokens.at(start - 1).isWord("var")
        {
            type = scopes.local(name) ?? memberOfSelf(name)
        }
        scopes.declare(name, type)
        return place
    }
    /// What `if let name` opens when `name` is a property.
    private func memberOfSelf(_ name: String) -> TypeName {
        for type in scopes.types.reversed() {
            if name == "self" { return .named(type) }
            if let found = symbols.members(name, of: type).first {
                return found.type.map { known($0, in: [type]) } ?? .unknown
            }
        }
        return .unknown
    }

    /// `for name in sequence`
    private func loop(_ place: Int, _ end: Int) -> Int {
        var index = place + 1
        var names: [String] = []
        while index < end, !tokens[index].isWord("in") {
            let token = tokens[index]
            if token.kind == .name, !["try", "await", "case", "let", "var"].contains(token.text) {
                names.append(token.text)
            }
            if token.is(":") {
                var parser = TypeParser(tokens, at: index + 1)
                _ = parser.type()
                index = parser.place - 1
            }
            if token.is("{") { return place + 1 }
            index += 1
        }
        (scopes.isCondition, scopes.isGuard) = (true, false)
        let sequence = value(at: index + 1, until: end)
        let isPattern = tokens.at(place + 1).isWord("case")
        switch sequence.type.element {
        case .tuple(let parts) where parts.count == names.count:
            for (name, type) in zip(names, parts) { scopes.declare(name, type) }
        default:
            for name in names {
                scopes.declare(name, names.count == 1 && !isPattern ? sequence.type.element : .unknown)
            }
        }
        return sequence.end
    }
}
