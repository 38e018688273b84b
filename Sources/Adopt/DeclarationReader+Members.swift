extension DeclarationReader {
    mutating func function(_ keyword: Token, _ owner: Declaration?) -> Declaration {
        let start = place
        place += 1
        var (name, token) = (keyword.text, keyword)
        if keyword.text == "func" || keyword.text == "macro" {
            (name, token) = (tokens.at(place).text, tokens.at(place))
            place += 1
        }
        let kind: Declaration.Kind =
            name == keyword.text && name == "init" ? .initializer : keyword.text == "subscript" ? .subscript : .function
        if tokens.at(place).is("?") || tokens.at(place).is("!") { place += 1 }
        let made = Declaration(kind, name: name, keyword: keyword.text, token: token, header: tokens.span(start, place))
        made.generics = generics()
        if tokens.at(place).is("(") { made.parameters = parameters(made) }
        while ["async", "throws", "rethrows", "reasync"].contains(tokens.at(place).text), tokens.at(place).kind == .name
        {
            place += 1
            if tokens.at(place).is("(") { place = tokens.afterBracket(place) }
        }
        if tokens.at(place).is("->") {
            place += 1
            made.type = type(made)
        }
        conditions(made)
        made.header = tokens.span(start, place)
        if tokens.at(place).is("{") {
            let end = tokens.afterBracket(place)
            made.body = tokens.span(place + 1, end - 1)
            place = end
        }
        return made
    }
    private mutating func parameters(_ owner: Declaration) -> [Declaration.Parameter] {
        let end = tokens.afterBracket(place)
        var found: [Declaration.Parameter] = []
        place += 1
        while place < end - 1 {
            while tokens.at(place).kind == .attribute { place += 1 }
            let label = tokens.at(place).text
            let name = tokens.at(place + 1).is(":") ? label : tokens.at(place + 1).text
            while place < end - 1, !tokens[place].is(":") { place += 1 }
            place += 1
            let start = place
            let type = type(owner)
            let isVariadic = tokens[tokens.span(start, max(start, place))].contains { $0.is("...") }
            var hasDefault = false
            while place < end - 1, !tokens[place].is(",") {
                if tokens[place].is("=") || tokens[place].text.hasSuffix("=") {
                    hasDefault = true
                }
                place =
                    tokens[place].kind == .symbol && [Token].openers.contains(tokens[place].text)
                    ? tokens.afterBracket(place) : place + 1
            }
            found.append(.init(label: label, name: name, type: type, hasDefault: hasDefault, isVariadic: isVariadic))
            place += 1
        }
        place = end
        return found
    }

    /// `let a = 1, b: Int`, `var c: Int { ... }`, `let (d, e) = ...`
    mutating func variables(_ keyword: Token, _ owner: Declaration?) -> [Declaration] {
        var found: [Declaration] = []
        repeat {
            let start = place
            place += 1
            if tokens.at(place).is("(") {
                let end = tokens.afterBracket(place)
                for token in tokens[tokens.span(place, end)] where token.kind == .name && !token.isUppercase {
                    found.append(
                        Declaration(
                            .variable, name: token.text, keyword: keyword.text, token: token,
                            header: tokens.span(start, end)))
                }
                place = end
                if tokens.at(place).is("=") { found.last?.value = place + 1 }
            } else {
                let made = Declaration(
                    .variable, name: tokens.at(place).text, keyword: keyword.text, token: tokens.at(place),
                    header: tokens.span(start, place + 1))
                place += 1
                if tokens.at(place).is(":") {
                    place += 1
                    made.type = type(made)
                }
                if tokens.at(place).is("=") { made.value = place + 1 }
                made.header = tokens.span(start, place)
                found.append(made)
            }
            if tokens.at(place).is("=") {
                place += 1
                skipValue()
                found.last?.header = tokens.span(start, place)
            }
        } while tokens.at(place).is(",")
        if tokens.at(place).is("{") {
            let end = tokens.afterBracket(place)
            found.last?.body = tokens.span(place + 1, end - 1)
            place = end
        }
        return found
    }
    /// To the end of an expression: the first line that does not continue it.
    private mutating func skipValue() {
        var isFirst = true
        while place < tokens.count {
            let (token, last) = (tokens[place], tokens.at(place - 1))
            if token.is(",") || token.is("}") || token.is(";") { return }
            if !isFirst, token.isFirst, !continues(token, last) { return }
            isFirst = false
            if token.is("{"), ["didSet", "willSet"].contains(tokens.at(place + 1).text) { return }
            place =
                token.kind == .symbol && [Token].openers.contains(token.text) ? tokens.afterBracket(place) : place + 1
        }
    }
    private func continues(_ token: Token, _ last: Token) -> Bool {
        if token.kind == .symbol,
            token.is(".") || token.is("?") || token.is(":") || token.is("??")
                || (token.text.count >= 1 && "+-*/%=<>&|^".contains(token.text.first ?? " ")
                    && tokens.at(place + 1).isSpaced)
        {
            return true
        }
        if last.kind == .symbol, !["}", ")", "]", "?", "!", "\\)"].contains(last.text) { return true }
        return token.isWord("as") || token.isWord("is")
            || ["try", "await", "as", "is"].contains(last.text) && last.kind == .name
    }

    mutating func cases(_ keyword: Token, _ owner: Declaration?) -> [Declaration] {
        var found: [Declaration] = []
        repeat {
            place += 1
            let made = Declaration(
                .enumCase, name: tokens.at(place).text, keyword: "case", token: tokens.at(place),
                header: tokens.span(place, place + 1))
            place += 1
            if tokens.at(place).is("(") {
                let end = tokens.afterBracket(place)
                var parser = TypeParser(tokens, at: place)
                _ = parser.type()
                owner?.mentions += parser.mentions
                place = end
            }
            if tokens.at(place).is("=") {
                place += 1
                skipValue()
            }
            found.append(made)
        } while tokens.at(place).is(",")
        return found
    }
}
