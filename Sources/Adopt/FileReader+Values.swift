extension FileReader {
    /// The type of a value with its casts, and where it ends: `try await a.b(c) as? D`.
    func value(at start: Int, until end: Int) -> (type: TypeName, end: Int) {
        var place = start
        while place < end, ["try", "await", "&", "!", "-", "?", "unsafe"].contains(tokens[place].text),
            tokens[place].kind != .string
        { place += 1 }
        guard place < end else { return (.unknown, end) }
        if tokens[place].is("{") || tokens[place].is("}") || tokens[place].is(")") || tokens[place].is("]")
            || tokens[place].is(",")
        {
            return (.unknown, place)
        }
        // `if` and `switch` as values.
        if tokens[place].kind == .name, ["if", "switch", "let", "var", "case", "return"].contains(tokens[place].text) {
            return (.unknown, place)
        }
        var result = chain(place, end)
        if tokens.at(result.end).isWord("as"), result.end < end {
            var parser = TypeParser(
                tokens,
                at: tokens.at(result.end + 1).is("?") || tokens.at(result.end + 1).is("!")
                    ? result.end + 2 : result.end + 1)
            result.type = known(parser.type())
            for mention in parser.mentions { mentioned(mention.path, mention.token) }
            result.end = parser.place
        } else if tokens.at(result.end).kind == .symbol, result.end < end, !tokens.at(result.end).isFirst,
            !["??", ",", ")", "]", "}", "{", ";", "\\)", "=", ":"].contains(tokens.at(result.end).text)
        {
            // The type of `a + b` is not that of `a`.
            result.type = .unknown
            if tokens.at(result.end).is("?") { result.end += 1 }
        }
        return result
    }

    /// A value that members and calls follow.
    struct Link {
        var type: TypeName
        /// What it may mean when it is called.
        var candidates: [Declaration] = []
        /// The type that the candidates belong to.
        var owner: String?
        var token: Token = [Token].nothing
        var isKnownOwner = false
    }

    private func chain(_ start: Int, _ end: Int) -> (type: TypeName, end: Int) {
        var (link, place) = first(start, end)
        while place < end {
            let token = tokens[place]
            guard token.kind == .symbol else { break }
            if (token.is("?") || token.is("!")) && !token.isSpaced {
                place += 1
            } else if token.is("."), tokens.at(place + 1).kind == .name || tokens.at(place + 1).kind == .number {
                let name = tokens.at(place + 1)
                place += 2
                if tokens.at(place).is("<"), let after = tokens.afterAngles(place), tokens.at(after).is("(") {
                    place = after
                }
                link = member(name, of: link, isCalled: isCall(place, end))
            } else if token.is("<"), let after = tokens.afterAngles(place),
                ["(", ".", "{"].contains(tokens.at(after).text)
            {
                var parser = TypeParser(tokens, at: place - 1)
                let type = parser.type()
                for mention in parser.mentions.dropLast() { mentioned(mention.path, mention.token) }
                if case .meta = link.type { link.type = .meta(known(type)) }
                place = after
            } else if token.is("[") && !token.isSpaced {
                let after = tokens.afterBracket(place)
                arguments(place, after)
                if case .missing(let name) = link.type { follows(name, place + 1) }
                link = Link(type: subscripted(link.type))
                place = after
            } else if isCall(place, end) {
                (link, place) = called(link, place, end)
            } else {
                break
            }
        }
        return (link.type, place)
    }
    private func isCall(_ place: Int, _ end: Int) -> Bool {
        guard place < end else { return false }
        let token = tokens[place]
        if token.is("(") { return !token.isSpaced }
        let last = tokens.at(place - 1)
        guard token.is("{"), !token.isFirst || last.is(")"), !scopes.isCondition else { return false }
        return last.kind == .name || last.is(")") || last.is(">")
    }

    private func first(_ start: Int, _ end: Int) -> (Link, Int) {
        let token = tokens[start]
        switch token.kind {
        case .string: return (Link(type: .named("String")), start + 1)
        case .pound: return (Link(type: .unknown), macro(token, start))
        case .symbol:
            switch token.text {
            case "(", "\\(":
                let after = tokens.afterBracket(start)
                if token.is("\\(") { interpolation(start, after) }
                let saved = (scopes.isCondition, scopes.isGuard)
                scopes.isCondition = false
                let inner = value(at: start + 1, until: after - 1)
                walk(tokens.span(min(inner.end, after - 1), after - 1))
                (scopes.isCondition, scopes.isGuard) = saved
                return (Link(type: inner.end >= after - 1 ? inner.type : .unknown), after)
            case "[":
                let after = tokens.afterBracket(start)
                if tokens.at(after).is("("), !tokens.at(after).isSpaced {
                    var parser = TypeParser(tokens, at: start)
                    let type = parser.type()
                    for mention in parser.mentions { mentioned(mention.path, mention.token) }
                    return (Link(type: .meta(known(type))), after)
                }
                arguments(start, after)
                return (Link(type: .unknown), after)
            case ".": return (Link(type: .unknown), start + 2)
            case "\\":
                var place = start + 1
                if tokens.at(place).isUppercase {
                    mentioned(tokens.at(place).text, tokens.at(place))
                    place += 1
                }
                while tokens.at(place).is(".") || tokens.at(place).is("?") || tokens.at(place - 1).is(".") {
                    place += 1
                }
                return (Link(type: .unknown), place)
            default: return (Link(type: .unknown), start + 1)
            }
        case .name: return (named(token, isCalled: isCall(start + 1, end)), start + 1)
        default: return (Link(type: .unknown), start + 1)
        }
    }

    /// `\(value, privacy: .public)` is for the log's own strings.
    private func interpolation(_ start: Int, _ after: Int) {
        for place in tokens.span(start, after)
        where tokens[place].isWord("privacy") && tokens.at(place + 1).is(":") && tokens.at(place - 1).is(",") {
            add(.change, tokens[place], "privacy:", "a plain string has no privacy", "remove it together with the log")
        }
    }
    private func macro(_ token: Token, _ start: Int) -> Int {
        let isCalled = tokens.at(start + 1).is("(")
        switch token.text {
        case "selector": add(.change, token, "#selector", "Swift on Linux has no Objective-C", ObjectiveC.selector)
        case "keyPath":
            add(
                .change, token, "#keyPath", "Swift on Linux has no Objective-C",
                "write the key as a string, or use a Swift key path")
        case "available", "unavailable": break
        default:
            if missing("#\(token.text)", token) || !isCalled { return start + 1 }
            walk(tokens.span(start + 2, tokens.afterBracket(start + 1) - 1))
        }
        return isCalled ? tokens.afterBracket(start + 1) : start + 1
    }

    /// What a name means here.
    private func named(_ token: Token, isCalled: Bool) -> Link {
        let name = token.text
        if name == "self", let type = scopes.types.last { return Link(type: .named(type)) }
        if name == "Self", let type = scopes.types.last { return Link(type: .meta(.named(type))) }
        if name == "super", let type = scopes.types.last {
            if let (base, found) = missingSuperclass(of: type) {
                add(
                    .change, token, "super", "\(base) is the superclass; \(found.why)",
                    found.advice)
            }
            return Link(
                type: symbols.supers(of: type).first.map { symbols.types[$0] == nil ? .unknown : .named($0) }
                    ?? .unknown)
        }
        if let type = scopes.local(name) { return Link(type: type, token: token) }
        if scopes.isGeneric(name) { return Link(type: .unknown) }
        for type in scopes.types.reversed() {
            let found = symbols.members(name, of: type)
            if let first = found.first { return link(to: found, first, in: type, token, isCalled: isCalled) }
        }
        if let full = symbols.resolve(name, in: scopes.types) {
            available(full, token)
            return Link(type: .meta(.named(full)), token: token)
        }
        if let found = symbols.globals[name], let first = found.first(where: { $0.kind != .typealias }) {
            return link(to: found, first, in: nil, token, isCalled: isCalled)
        }
        if missing(name, token) { return Link(type: .missing(name)) }
        inherited(token, isCalled: isCalled)
        return Link(type: .unknown)
    }
    /// In a class whose superclass is missing, a name that nobody declares is the superclass's.
    private func inherited(_ token: Token, isCalled: Bool) {
        guard !isCalled, !token.isUppercase,
            !["get", "set", "didSet", "willSet", "_", "error", "errno", "stdout", "stderr"].contains(token.text),
            !token.text.hasPrefix("$"), !token.text.hasPrefix("k"), !token.text.hasPrefix("err"),
            let type = scopes.types.last
        else { return }
        guard let (base, found) = missingSuperclass(of: type) else { return }
        add(.change, token, token.text, "a member of \(base); \(found.why)", found.advice)
    }
    func link(to found: [Declaration], _ first: Declaration, in owner: String?, _ token: Token, isCalled: Bool) -> Link
    {
        let candidates = found.filter { $0.kind == .function || $0.kind == .initializer }
        if isCalled, !candidates.isEmpty {
            return Link(type: .unknown, candidates: candidates, owner: owner, token: token, isKnownOwner: owner != nil)
        }
        noted(first, owner, token)
        let type =
            first.kind == .variable
            ? first.type.map { known($0, in: (owner.map { [$0] } ?? []) + scopes.types) } ?? .unknown : .unknown
        return Link(type: type, token: token)
    }
    /// What a declaration that is used says of itself.
    func noted(_ one: Declaration, _ owner: String?, _ token: Token) {
        let full = owner.map { "\(symbols.declarer(of: one, from: $0)).\(one.name)" } ?? one.name
        if let why = one.unavailable {
            add(.change, token, full, "not on Linux as Apple has it", why)
        } else if let why = one.stops {
            add(.stops, token, full, "it would bring an order of its own into the run", why)
        } else if let why = symbols.differences[full] {
            add(.differs, token, full, why, "Docs/apps.md says what is modelled")
        }
    }
}
