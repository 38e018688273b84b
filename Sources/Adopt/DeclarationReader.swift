/// Reads the declarations of a file; bodies of functions stay ranges of tokens.
struct DeclarationReader {
    let tokens: [Token]
    var place = 0
    private(set) var imports: [Token] = []

    init(_ tokens: [Token]) { self.tokens = tokens }

    private static let types: Set = ["class", "struct", "enum", "actor", "protocol"]
    private static let modifiers: Set = [
        "public", "private", "fileprivate", "internal", "open", "package", "final", "static", "class", "override",
        "mutating",
        "nonmutating", "nonisolated", "lazy", "weak", "unowned", "convenience", "required", "dynamic", "optional",
        "indirect", "isolated",
        "prefix", "postfix", "infix", "borrowing", "consuming", "distributed",
    ]
    private static let keywords: Set = [
        "class", "struct", "enum", "actor", "protocol", "extension", "func", "init", "deinit", "var", "let", "case",
        "subscript",
        "typealias", "associatedtype", "import", "operator", "precedencegroup", "macro",
    ]

    /// Whether a declaration begins here, after its attributes and modifiers.
    static func beginsDeclaration(_ tokens: [Token], at index: Int) -> Bool {
        var place = index
        while tokens.at(place).kind == .attribute
            || modifiers.contains(tokens.at(place).text) && tokens.at(place).kind == .name
        {
            if tokens.at(place).isWord("class"), tokens.at(place + 1).kind == .name,
                !keywords.contains(tokens.at(place + 1).text)
            {
                return true
            }
            place += 1
            if tokens.at(place).is("("), !tokens.at(place).isSpaced { place = tokens.afterBracket(place) }
        }
        let token = tokens.at(place)
        guard token.kind == .name, !tokens.at(place + 1).is(":") else { return false }
        switch token.text {
        case "func", "struct", "enum", "protocol", "extension", "typealias", "class", "actor":
            return tokens.at(place + 1).kind == .name || token.text == "func"
        default: return false
        }
    }

    /// All of a file.
    mutating func file() -> [Declaration] { members(until: tokens.count, of: nil) }
    /// The declaration that begins at a place; the reader is behind it afterwards.
    mutating func one(at index: Int) -> [Declaration] {
        place = index
        return declaration(of: nil)
    }

    private mutating func members(until end: Int, of owner: Declaration?) -> [Declaration] {
        var found: [Declaration] = []
        while place < end {
            let before = place
            found += declaration(of: owner)
            if place == before { place += 1 }
        }
        place = end
        return found
    }

    private mutating func prefix() -> Declaration.Modifiers {
        var found = Declaration.Modifiers()
        while place < tokens.count {
            let token = tokens[place]
            if token.kind == .attribute {
                found.attributes.append(token)
                place += 1
                if tokens.at(place).is("("), !tokens.at(place).isSpaced {
                    let end = tokens.afterBracket(place)
                    let inside = tokens[tokens.span(place, end)]
                    if token.text == "available", inside.contains(where: { $0.isWord("unavailable") }) {
                        found.unavailable = inside.filter { $0.kind == .string }.map(\.text).joined()
                    }
                    if token.text == "available", inside.contains(where: { $0.isWord("deprecated") }) {
                        found.stops = inside.last { $0.kind == .string }?.text
                    }
                    place = end
                }
            } else if token.kind == .name, Self.modifiers.contains(token.text), !tokens.at(place + 1).is(":"),
                !tokens.at(place + 1).is("="),
                token.text != "class"
                    || tokens.at(place + 1).kind == .name
                        && (Self.modifiers.contains(tokens.at(place + 1).text)
                            || Self.keywords.contains(tokens.at(place + 1).text))
            {
                found.words.insert(token.text)
                place += 1
                if tokens.at(place).is("("),
                    ["private", "fileprivate", "internal", "public", "unowned", "nonisolated", "package"].contains(
                        token.text)
                {
                    if tokens.at(place + 1).isWord("set") { found.words.remove(token.text) }
                    place = tokens.afterBracket(place)
                }
            } else {
                break
            }
        }
        return found
    }

    private mutating func declaration(of owner: Declaration?) -> [Declaration] {
        let start = place
        let prefix = prefix()
        let token = tokens.at(place)
        guard token.kind == .name, Self.keywords.contains(token.text) else { return statement(from: start) }
        var made: [Declaration] = []
        switch token.text {
        case "import":
            // `import class CloudKit.CKRecord`
            place += 1
            if ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"].contains(
                tokens.at(place).text)
            {
                place += 1
            }
            if tokens.at(place).kind == .name { imports.append(tokens.at(place)) }
            while place < tokens.count, !tokens[place].isFirst, !tokens[place].is(";") { place += 1 }
            return []
        case _ where Self.types.contains(token.text) || token.text == "extension": made = [type(token)]
        case "func", "init", "deinit", "subscript", "macro": made = [function(token, owner)]
        case "var", "let": made = variables(token, owner)
        case "case": made = cases(token, owner)
        case "typealias", "associatedtype":
            let made = Declaration(
                .typealias, name: tokens.at(place + 1).text, keyword: token.text, token: tokens.at(place + 1),
                header: tokens.span(place, place))
            place += 2
            made.generics = generics()
            if tokens.at(place).is(":") { place += 1; _ = type(made) }
            if tokens.at(place).is("=") { place += 1; made.type = type(made) }
            return finish([made], prefix)
        default:
            place += 1
            while place < tokens.count, !tokens[place].isFirst { place += 1 }
            return []
        }
        return finish(made, prefix)
    }
    private func finish(_ made: [Declaration], _ prefix: Declaration.Modifiers) -> [Declaration] {
        for one in made {
            one.modifiers = prefix
            one.modifiers.isPublic = prefix.words.contains("public") || prefix.words.contains("open")
        }
        return made
    }

    /// Code outside of declarations, as in `main.swift`: up to the next line that begins a declaration.
    private mutating func statement(from start: Int) -> [Declaration] {
        place = max(place, start)
        let first = tokens.at(start)
        if first.is("}") || first.is(",") { place = start + 1; return [] }
        repeat {
            if tokens.at(place).kind == .symbol, [Token].openers.contains(tokens.at(place).text) {
                place = tokens.afterBracket(place)
            } else {
                place += 1
            }
        } while place < tokens.count && !tokens[place].isFirst && !tokens[place].is("}")
        let made = Declaration(.statements, name: "", keyword: "", token: first, header: tokens.span(start, place))
        made.body = tokens.span(start, place)
        return [made]
    }

    mutating func type(_ owner: Declaration?) -> TypeName {
        var parser = TypeParser(tokens, at: place)
        let type = parser.type()
        owner?.mentions += parser.mentions
        place = max(parser.place, place)
        return type
    }
    mutating func generics() -> [String] {
        guard tokens.at(place).is("<"), let end = tokens.afterAngles(place) else { return [] }
        let names = tokens.span(place, end).filter {
            tokens[$0].kind == .name && (tokens[$0 - 1].is("<") || tokens[$0 - 1].is(","))
        }.map { tokens[$0].text }
        place = end
        return names
    }
    mutating func conditions(_ owner: Declaration?) {
        guard tokens.at(place).isWord("where") else { return }
        while place < tokens.count, !tokens[place].is("{"), !(tokens[place].isFirst && !tokens[place].isWord("where")) {
            place += 1
        }
    }

    mutating func type(_ keyword: Token) -> Declaration {
        let start = place
        place += 1
        var name = tokens.at(place).text
        let token = tokens.at(place)
        place += 1
        let generics = generics()
        while tokens.at(place).is("."), tokens.at(place + 1).kind == .name {
            name += "." + tokens.at(place + 1).text
            place += 2
        }
        let isExtension = keyword.text == "extension"
        let made = Declaration(
            isExtension ? .extension : .type, name: name, keyword: keyword.text, token: token,
            header: tokens.span(start, place))
        made.generics = generics
        if isExtension { made.mentions.append((name, token)) }
        if tokens.at(place).is("<"), let end = tokens.afterAngles(place) { place = end }
        if tokens.at(place).is(":") {
            repeat {
                place += 1
                made.supers.append(type(made))
            } while tokens.at(place).is(",")
        }
        conditions(made)
        made.header = tokens.span(start, place)
        guard tokens.at(place).is("{") else { return made }
        let end = tokens.afterBracket(place)
        place += 1
        made.members = members(until: end - 1, of: made)
        place = end
        return made
    }
}
