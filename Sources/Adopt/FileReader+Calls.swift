extension FileReader {
    /// `value.name`, or the callable that it is.
    func member(_ name: Token, of link: Link, isCalled: Bool) -> Link {
        switch link.type {
        case .missing: return Link(type: link.type, token: name)
        case .array, .dictionary, .named("Set", _), .tuple: return collectionMember(name, link.type, isCalled: isCalled)
        case .meta(let inner):
            guard let path = inner.path else { return Link(type: .unknown) }
            if name.isWord("self") { return link }
            if name.isUppercase, let full = symbols.resolve("\(path).\(name.text)", in: []) {
                available(full, name)
                return Link(type: .meta(.named(full)), token: name)
            }
            let found = symbols.members(name.text, of: path).filter {
                $0.isStatic || [.enumCase, .initializer, .typealias].contains($0.kind) || $0.kind == .function
            }
            return found.isEmpty ? lacking(name, path) : of(found, path, name, isCalled, isCase: inner)
        case .named(let path, _):
            let found = symbols.members(name.text, of: path).filter { !$0.isStatic }
            return found.isEmpty ? lacking(name, path) : of(found, path, name, isCalled, isCase: nil)
        case .function, .unknown: return Link(type: .unknown, token: name)
        }
    }
    private func of(_ found: [Declaration], _ path: String, _ name: Token, _ isCalled: Bool, isCase: TypeName?) -> Link
    {
        if let type = isCase, found[0].kind == .enumCase { return Link(type: type, token: name) }
        var next = link(to: found, found[0], in: path, name, isCalled: isCalled)
        if found[0].type == .named("Self") { next.type = .named(path) }
        return next
    }
    /// A name that a type does not have.
    private func lacking(_ name: Token, _ path: String) -> Link {
        guard symbols.isWhole(path), let entry = symbols.types[path], !entry.isAuthors, entry.keyword != "protocol",
            !Self.everywhere.contains(name.text), !(entry.keyword == "enum" && name.isWord("rawValue"))
        else { return Link(type: .unknown, token: name) }
        add(
            .change, name, "\(path).\(name.text)", "\(path) has no \(name.text) here",
            Advice.text(for: "\(path).\(name.text)"))
        return Link(type: .missing("\(path).\(name.text)"), token: name)
    }
    private static let everywhere: Set = [
        "map", "flatMap", "self", "hashValue", "hash", "allCases", "rawValue", "localizedDescription", "Type",
        "customMirror", "0", "1",
    ]

    private static let same: Set = [
        "filter", "sorted", "reversed", "dropFirst", "dropLast", "prefix", "suffix", "shuffled", "union", "subtracting",
        "intersection",
    ]
    private static let each: Set = [
        "forEach", "map", "compactMap", "flatMap", "filter", "first", "last", "contains", "firstIndex", "removeAll",
        "allSatisfy", "min", "max", "partition", "drop",
    ]
    private func collectionMember(_ name: Token, _ type: TypeName, isCalled: Bool) -> Link {
        if Self.each.contains(name.text), isCalled { closureParameters = [type.element] }
        switch name.text {
        case "first", "last", "randomElement", "popFirst", "popLast", "removeFirst", "removeLast", "remove":
            return Link(type: isCalled && name.isWord("first") ? type.element : type.element, token: name)
        case _ where Self.same.contains(name.text): return Link(type: type, token: name)
        case "values": if case .dictionary(_, let value) = type { return Link(type: .array(value), token: name) }
        case "keys": if case .dictionary(let key, _) = type { return Link(type: .array(key), token: name) }
        case "key", "value":
            if case .tuple(let parts) = type, parts.count == 2 {
                return Link(type: parts[name.text == "key" ? 0 : 1], token: name)
            }
        case "0", "1":
            if case .tuple(let parts) = type, let index = Int(name.text), index < parts.count {
                return Link(type: parts[index], token: name)
            }
        default: break
        }
        return Link(type: .unknown, token: name)
    }
    func subscripted(_ type: TypeName) -> TypeName {
        switch type {
        case .array(let element): element
        case .dictionary(_, let value): value
        case .missing: type
        default: .unknown
        }
    }

    // MARK: Calls

    func called(_ link: Link, _ start: Int, _ end: Int) -> (Link, Int) {
        var link = link
        if case .meta(let type) = link.type, let path = type.path {
            // All of a class's initializers, or its superclass's if it has none.
            link.candidates = symbols.members("init", of: path)
            link.owner = path
        }
        var shape = form(start, end)
        uncallable(link)
        let fitting = link.candidates.compactMap { one in shape.call.parameters(of: one).map { (one, $0) } }
        let usable = fitting.filter { $0.0.unavailable == nil }
        if let (one, parameters) = usable.first ?? fitting.first {
            if one.kind == .initializer, link.owner != nil {
                noted(one, link.owner, link.token)
            } else {
                noted(one, link.owner, link.token)
            }
            // Where several fit, only what they agree on.
            shape.types = parameters.map { known($0.type, in: (link.owner.map { [$0] } ?? []) + scopes.types) }
            if usable.count > 1 {
                shape.types = agreed(usable.map { $0.1.map { known($0.type, in: link.owner.map { [$0] } ?? []) } })
            }
        } else if !link.candidates.isEmpty, let owner = link.owner, unfit(link, shape.call, owner) {
            link = Link(type: .missing(owner))
        }
        read(shape, link)
        if link.type == .unknown || { if case .meta = link.type { true } else { false } }() {
            link = Link(type: result(of: link, usable.map(\.0)))
        } else if case .function(_, let result) = link.type {
            link = Link(type: result)
        } else if case .missing = link.type {
        } else if isCollection(link.type) {
        } else {
            link = Link(type: .unknown)
        }
        return (link, shape.end)
    }
    /// `NSUbiquitousKeyValueStore.default()`, as Swift 3 had it.
    private func uncallable(_ link: Link) {
        guard case .named(let path, _) = link.type, link.candidates.isEmpty, link.token.line > 0,
            let entry = symbols.types[path], !entry.isAuthors,
            entry.keyword == "class"
        else { return }
        add(
            .change, link.token, "\(link.token.text)()", "\(link.token.text) is a property, not a function",
            "leave the parentheses out")
    }
    private func isCollection(_ type: TypeName) -> Bool {
        switch type {
        case .array, .dictionary, .named: true
        default: false
        }
    }
    private func result(of link: Link, _ usable: [Declaration]) -> TypeName {
        if case .meta(let type) = link.type { return type }
        guard let owner = link.owner else {
            return usable.first.flatMap { one in one.type.map { known($0) } } ?? .unknown
        }
        let types = usable.map { one -> TypeName in
            if one.type == .named("Self") { return .named(owner) }
            if let type = one.type, let root = type.path?.components.first, one.generics.contains(root) {
                return .unknown
            }
            return one.type.map { known($0, in: [owner]) } ?? .unknown
        }
        guard let first = types.first, types.allSatisfy({ $0 == first }) else { return .unknown }
        return first
    }
    private func agreed(_ all: [[TypeName]]) -> [TypeName] {
        guard let first = all.first else { return [] }
        return first.indices.map { index in
            all.allSatisfy { index < $0.count && $0[index] == first[index] } ? first[index] : .unknown
        }
    }
    /// Reports a call that none of the functions fits.
    private func unfit(_ link: Link, _ call: Call, _ owner: String) -> Bool {
        let places =
            link.candidates.first?.kind == .initializer
            ? [owner]
            : ([owner] + symbols.supers(of: owner)).filter { symbols.types[$0]?.members[link.token.text] != nil }
        guard symbols.isWhole(owner), places.allSatisfy({ symbols.types[$0]?.isAuthors == false }), !places.isEmpty,
            call.labels != ["rawValue"], call.labels != ["from"]
        else { return false }
        // The line of `#selector` says it.
        if call.labels.contains("selector") { return true }
        let isInit = link.candidates.first?.kind == .initializer
        let name = isInit ? "\(owner)\(call.text)" : "\(owner).\(link.token.text)\(call.text)"
        let forms = Set(
            link.candidates.filter { !$0.isPrivate }.map { one in "(\(one.parameters.map { "\($0.label):" }.joined()))"
            }
        ).sorted()
        let known =
            Advice.exact(name)
            ?? (forms.isEmpty ? "there is only the shared one" : "here it takes \(forms.joined(separator: " or "))")
        add(.change, link.token, name, "not in this form here", known)
        return true
    }

    /// A call's parts: its form, and the tokens of each argument.
    struct Form {
        var call = Call()
        var parts: [Range<Int>] = []
        var end: Int
        var types: [TypeName] = []
    }
    private func form(_ start: Int, _ end: Int) -> Form {
        var form = Form(end: start)
        if tokens[start].is("(") {
            let close = tokens.afterBracket(start)
            for part in parts(start, close) {
                let hasLabel = tokens.at(part.lowerBound).kind == .name && tokens.at(part.lowerBound + 1).is(":")
                form.call.labels.append(hasLabel ? tokens[part.lowerBound].text : "_")
                form.parts.append(hasLabel ? tokens.span(part.lowerBound + 2, part.upperBound) : part)
            }
            form.end = close
        }
        if form.end < end, tokens.at(form.end).is("{"), !tokens[form.end].isFirst || form.end > start,
            !scopes.isCondition
        {
            form.call.hasTrailing = true
            let close = tokens.afterBracket(form.end)
            form.parts.append(tokens.span(form.end, close))
            form.end = close
            while form.end < end, tokens.at(form.end).kind == .name, tokens.at(form.end + 1).is(":"),
                tokens.at(form.end + 2).is("{"), !tokens.at(form.end).isFirst
            {
                form.call.labels.append(tokens[form.end].text)
                let close = tokens.afterBracket(form.end + 2)
                form.parts.append(tokens.span(form.end + 2, close))
                form.end = close
            }
        }
        return form
    }
    /// What stands between the commas of a bracket.
    private func parts(_ start: Int, _ close: Int) -> [Range<Int>] {
        var (found, place, begin) = ([Range<Int>](), start + 1, start + 1)
        while place < close - 1 {
            if tokens[place].is(",") {
                found.append(tokens.span(begin, place))
                begin = place + 1
            }
            if tokens[place].is("<"), let after = tokens.afterAngles(place), tokens.at(after).is("(") {
                place = after
                continue
            }
            place =
                tokens[place].kind == .symbol && [Token].openers.contains(tokens[place].text)
                ? tokens.afterBracket(place) : place + 1
        }
        if begin < close - 1 { found.append(tokens.span(begin, close - 1)) }
        return found
    }
    private func read(_ form: Form, _ link: Link) {
        let saved = (scopes.isCondition, scopes.isGuard)
        scopes.isCondition = false
        let each = closureParameters
        for (index, part) in form.parts.enumerated() {
            closureParameters = []
            if tokens.at(part.lowerBound).is("{") {
                closureParameters = each
                if index < form.types.count, case .function(let parameters, _) = form.types[index] {
                    closureParameters = parameters
                }
            }
            if case .missing(let name) = link.type {
                follows(name, part.lowerBound)
                closureParameters = [TypeName](repeating: link.type, count: 4)
            }
            walk(part)
        }
        closureParameters = []
        (scopes.isCondition, scopes.isGuard) = saved
    }
    /// `.name` as an argument of what is missing: nobody knows its type.
    func follows(_ name: String, _ place: Int) {
        guard tokens.at(place).is("."), tokens.at(place + 1).kind == .name else { return }
        // The line with the cause says enough.
        guard !findings.contains(where: { $0.line == tokens[place + 1].line }) else { return }
        let member = ".\(tokens.at(place + 1).text)"
        add(
            .change, tokens[place + 1], member, "its type is unknown without \(name)",
            "follows from \(name): nothing else to do here")
    }
    /// What stands in a bracket, without conditions around it.
    func arguments(_ start: Int, _ close: Int) {
        let saved = (scopes.isCondition, scopes.isGuard)
        scopes.isCondition = false
        walk(tokens.span(start + 1, max(start + 1, close - 1)))
        (scopes.isCondition, scopes.isGuard) = saved
    }
}
