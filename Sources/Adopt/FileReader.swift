/// Reads one file of a folder with all symbols at hand, and finds what does not compile, ends a run, or does less than on an iPad.
///
/// The types of values are known by simple rules: what is written, what is called, what known members are. Where they are not known it says nothing.
final class FileReader {
    let path: String
    let tokens: [Token]
    let symbols: Symbols
    let declarations: [Declaration]
    let imports: [Token]
    /// What the file's imports bring along on an iPad.
    let modules: Set<String>
    /// Lines that only another platform compiles.
    let leftOut: Int
    var scopes = Scopes()
    /// While types are only being found out.
    var isQuiet = false
    /// For the parameters of the closure that comes next.
    var closureParameters: [TypeName] = []
    private(set) var findings: [Finding] = []

    init(_ file: SourceFile, symbols: Symbols, modules own: Set<String>) {
        let tokenizer = Tokenizer(file.text, conditions: Conditions(modules: own))
        var reader = DeclarationReader(tokenizer.tokens)
        (path, tokens, self.symbols) = (file.path, tokenizer.tokens, symbols)
        (declarations, imports, leftOut) = (reader.file(), reader.imports, tokenizer.leftOut.count)
        modules = imports.reduce(into: ["Swift"]) { $0.formUnion(Modules.known.reach(of: $1.text)) }
    }

    func add(_ kind: Finding.Kind, _ token: Token, _ name: String, _ why: String, _ advice: String) {
        guard !isQuiet, token.line > 0, !findings.contains(where: { $0.line == token.line && $0.name == name }) else {
            return
        }
        findings.append(
            Finding(
                kind: kind, file: path, line: token.line, column: token.column, name: name, why: why, advice: advice))
    }

    func read() -> [Finding] {
        for token in imports {
            if let module = Modules.known.all[token.text], module.state == "missing" {
                add(.change, token, "import \(token.text)", "no module of this name on Linux", module.advice)
            }
        }
        for declaration in declarations { read(declaration) }
        return findings.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    /// The types of properties that only their values say.
    func inferProperties() {
        isQuiet = true
        for declaration in declarations { infer(declaration) }
        isQuiet = false
    }
    private func infer(_ one: Declaration) {
        switch one.kind {
        case .type, .extension:
            scopes.enter(type: symbols.resolve(one.name, in: scopes.types) ?? one.name, generics: one.generics)
            for member in one.members { infer(member) }
            scopes.leave(type: true)
        case .variable:
            if one.type == nil, let value = one.value {
                one.type = self.value(at: value, until: one.header.upperBound).type
            }
        default: break
        }
    }

    // MARK: Declarations

    func read(_ one: Declaration) {
        attributes(one.attributes)
        switch one.kind {
        case .type, .extension:
            scopes.enter(
                type: symbols.resolve(one.name, in: scopes.types) ?? one.name,
                generics: one.generics + associatedTypes(of: one))
            mentions(of: one)
            derived(one)
            for member in one.members { read(member) }
            scopes.leave(type: true)
        case .statements: if let body = one.body { walk(body) }
        default:
            scopes.enter(generics: one.generics)
            mentions(of: one)
            overridden(one)
            if let value = one.value, value < one.header.upperBound {
                if case .function(let parameters, _)? = one.type, tokens.at(value).is("{") {
                    closureParameters = parameters
                }
                walk(tokens.span(value, one.header.upperBound))
            }
            for parameter in one.parameters { scopes.declare(parameter.name, known(parameter.type)) }
            for name in ["newValue", "oldValue"] where one.kind == .variable || one.kind == .subscript {
                scopes.declare(name, one.type.map(known) ?? .unknown)
            }
            if let body = one.body { walk(body) }
            scopes.leave(type: false)
        }
    }
    private func associatedTypes(of one: Declaration) -> [String] {
        one.members.filter { $0.keyword == "associatedtype" }.map(\.name)
            + (one.kind == .extension ? symbols.types[one.name]?.generics ?? [] : [])
    }
    private func mentions(of one: Declaration) {
        for mention in one.mentions { mentioned(mention.path, mention.token) }
    }

    /// A type that a source names: reports it if Linux does not have it.
    @discardableResult func mentioned(_ path: String, _ token: Token) -> TypeName {
        let root = path.components.first ?? path
        guard !scopes.isGeneric(root), root != "Self" else { return .unknown }
        if let full = symbols.resolve(path, in: scopes.types) {
            available(full, token)
            return .named(full)
        }
        if symbols.resolve(root, in: scopes.types) != nil { return .unknown }
        let name = Modules.known.all[root] != nil ? path.components.dropFirst().first ?? root : root
        return missing(name, token) ? .missing(name) : .unknown
    }
    func missing(_ name: String, _ token: Token) -> Bool {
        guard let found = MissingNames.known.name(name, in: modules) else { return false }
        add(.change, token, name, found.why, found.advice)
        return true
    }
    /// A type that is there: whether it may be used, and what it does not do.
    func available(_ path: String, _ token: Token) {
        guard let entry = symbols.types[path] else { return }
        if let why = entry.unavailable { add(.change, token, path, "not on these iPads", why) }
        if let why = symbols.differences[path], !entry.isAuthors {
            add(.differs, token, path, why, "Docs/apps.md says what is modelled")
        }
    }

    /// The type of a declaration as seen from here, with whole paths.
    func known(_ type: TypeName) -> TypeName { known(type, in: scopes.types) }
    func known(_ type: TypeName, in context: [String]) -> TypeName {
        switch type {
        case .named(let path, let arguments):
            let root = path.components.first ?? path
            if path == "Self" { return context.last.map { .named($0) } ?? .unknown }
            if scopes.isGeneric(root) { return .unknown }
            if let full = symbols.resolve(path, in: context) {
                return .named(full, arguments.map { known($0, in: context) })
            }
            if MissingNames.known.name(root, in: modules) != nil { return .missing(root) }
            if ["Set", "Result", "String", "Int", "Double", "Bool", "Data", "Date", "Error"].contains(path) {
                return .named(path, arguments.map { known($0, in: context) })
            }
            return alias(path, in: context)
        case .array(let element): return .array(known(element, in: context))
        case .dictionary(let key, let value): return .dictionary(known(key, in: context), known(value, in: context))
        case .tuple(let parts): return .tuple(parts.map { known($0, in: context) })
        case .function(let parts, let result):
            return .function(parts.map { known($0, in: context) }, known(result, in: context))
        case .meta(let inner): return .meta(known(inner, in: context))
        case .missing, .unknown: return type
        }
    }
    /// A typealias of what has no path: an array, a closure.
    private func alias(_ name: String, in context: [String]) -> TypeName {
        let found =
            context.reversed().lazy.flatMap { self.symbols.members(name, of: $0) } + (symbols.globals[name] ?? [])
        guard let alias = found.first(where: { $0.kind == .typealias }), let type = alias.type,
            type.path == nil || type.path == "Array" || type.path == "Dictionary"
        else { return .unknown }
        return known(type, in: context)
    }

    // MARK: What belongs to Objective-C

    private func attributes(_ attributes: [Token]) {
        for token in attributes { attribute(token) }
    }
    func attribute(_ token: Token) {
        if let advice = ObjectiveC.entries[token.text] {
            guard !imports.contains(where: { $0.text == "HomeroomKit" }) else { return }
            add(.change, token, "@\(token.text)", "the executable begins in Homeroom.main(apps:)", advice)
        } else if let advice = ObjectiveC.attributes[token.text] {
            add(.change, token, "@\(token.text)", "Swift on Linux has no Objective-C", advice)
        } else if symbols.resolve(token.text, in: scopes.types) == nil, symbols.globals[token.text] == nil {
            if let found = MissingNames.known.name(token.text, in: modules) {
                add(.change, token, "@\(token.text)", found.why, found.advice)
            }
        }
    }
    /// `override` of a method that only Objective-C's `NSObject` has.
    private func overridden(_ one: Declaration) {
        guard one.isOverride, let type = scopes.types.last else { return }
        if let (base, found) = missingSuperclass(of: type) {
            add(
                .change, one.token, "override \(one.name)", "a member of \(base); \(found.why)",
                found.advice)
        }
        let inherited = symbols.supers(of: type).flatMap { symbols.types[$0]?.members[one.name] ?? [] }
        let call = Call(labels: one.parameters.map(\.label))
        guard let found = inherited.first(where: { call.fits($0) }), let why = found.unavailable else { return }
        add(.change, one.token, one.name, "Swift on Linux has no Objective-C", why)
    }
    /// The superclass of a class, when Linux does not have it.
    func missingSuperclass(of type: String) -> (name: String, found: MissingNames.Name)? {
        guard symbols.types[type]?.keyword == "class", let base = symbols.supers(of: type).first,
            symbols.types[base] == nil,
            let found = MissingNames.known.name(base, in: modules)
        else { return nil }
        return (base, found)
    }
    /// A conformance that the compiler derives from stored properties cannot be made when one of them has a missing type.
    private func derived(_ one: Declaration) {
        guard one.keyword == "struct" || one.keyword == "class" else { return }
        let derivable = one.supers.compactMap(\.path).filter { name in
            one.keyword == "struct" && ["Equatable", "Hashable"].contains(name)
                || ["Codable", "Encodable", "Decodable"].contains(name)
        }
        guard let name = derivable.first else { return }
        let lost = one.members.first { member in
            guard member.kind == .variable, !member.isStatic, member.body == nil, let type = member.type else {
                return false
            }
            if case .missing = known(type) { return true }
            return false
        }
        guard let lost, !one.members.contains(where: { ["==", "hash", "init(from:)"].contains($0.name) }) else {
            return
        }
        add(
            .change, one.token, "\(one.name): \(name)", "its property \(lost.name) has a type that Linux does not have",
            "follows from that line: nothing to do here")
    }
}

/// Attributes of Objective-C, and what to write instead.
enum ObjectiveC {
    static let selector =
        "observe with a closure: addObserver(forName:object:queue:using:), Timer.scheduledTimer(withTimeInterval:repeats:block:)"
    static let attributes = [
        "objc": "remove it; what a selector called, call from a closure", "objcMembers": "remove it",
        "NSManaged": "keep the values in a struct, or in SQLite: GRDB and sqlite3 run unchanged",
    ]
    /// Attributes of an app's entry.
    static let entries = [
        "main": "leave it out of the package, or put it into #if os(iOS)",
        "UIApplicationMain": "put it into #if os(iOS)",
        "NSApplicationMain": "put it into #if os(iOS)",
    ]
}
