/// The `#if` conditions of a file, as a debug build for Linux answers them.
struct Conditions {
    /// Modules that `canImport` finds, in addition to Linux's own: those that the folder brings along.
    var modules: Set<String> = []
    var flags: Set<String> = ["DEBUG"]

    private struct Branch {
        /// The code around it is compiled.
        var isOpen: Bool
        /// One of its branches was true.
        var isDone: Bool
        var isActive: Bool
    }
    private var branches: [Branch] = []

    init(modules: Set<String> = []) { self.modules = modules }

    var isActive: Bool { branches.last?.isActive ?? true }

    mutating func meet(_ directive: String, _ condition: String) {
        switch directive {
        case "if":
            let (isOpen, value) = (isActive, isTrue(condition))
            branches.append(Branch(isOpen: isOpen, isDone: value, isActive: isOpen && value))
        case "elseif", "else":
            guard var last = branches.popLast() else { return }
            let value = !last.isDone && (directive == "else" || isTrue(condition))
            last.isActive = last.isOpen && value
            last.isDone = last.isDone || value
            branches.append(last)
        case "endif": _ = branches.popLast()
        default: break
        }
    }

    func isTrue(_ condition: String) -> Bool {
        // Not with `Tokenizer`'s own conditions: a condition has none.
        var parser = Parser(tokens: Tokenizer.tokens(condition)[...], conditions: self)
        return parser.either()
    }

    private struct Parser {
        var tokens: ArraySlice<Token>
        let conditions: Conditions

        mutating func either() -> Bool {
            var value = both()
            while tokens.first?.is("||") ?? false {
                tokens.removeFirst()
                let right = both()
                value = value || right
            }
            return value
        }
        private mutating func both() -> Bool {
            var value = one()
            while tokens.first?.is("&&") ?? false {
                tokens.removeFirst()
                let right = one()
                value = value && right
            }
            return value
        }
        private mutating func one() -> Bool {
            guard let token = tokens.popFirst() else { return false }
            if token.is("!") { return !one() }
            if token.is("(") {
                let value = either()
                _ = tokens.popFirst()
                return value
            }
            guard tokens.first?.is("(") ?? false else {
                return token.text == "true" || conditions.flags.contains(token.text)
            }
            tokens.removeFirst()
            var arguments: [Token] = []
            while let next = tokens.popFirst(), !next.is(")") { arguments.append(next) }
            return answer(token.text, arguments)
        }
        private func answer(_ question: String, _ arguments: [Token]) -> Bool {
            let text = arguments.map(\.text).joined()
            switch question {
            case "os": return text == "Linux"
            case "arch": return text == "x86_64"
            case "canImport":
                let module = String(text.prefix { $0 != "." && $0 != "," })
                return Modules.onLinux.contains(module) || conditions.modules.contains(module)
            case "swift", "compiler": return Self.holds(text, version: [6, 3])
            case "hasFeature", "hasAttribute": return true
            case "_endian": return text == "little"
            case "_pointerBitWidth": return text == "_64"
            default: return false
            }
        }
        /// `>=5.9` or `<6` of a version.
        private static func holds(_ text: String, version: [Int]) -> Bool {
            let isLess = text.hasPrefix("<")
            let parts = text.drop { "<>=".contains($0) }.split(separator: ".").map { Int($0) ?? 0 }
            return version.lexicographicallyPrecedes(parts) == isLess
        }
    }
}
