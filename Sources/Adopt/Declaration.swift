/// A declaration of a source: what it is called, what it needs for a call, what it holds.
final class Declaration {
    enum Kind: String {
        case type, `extension`, function = "func", initializer = "init", variable = "var", enumCase = "case",
            `subscript`, `typealias`,
            statements
    }

    var kind: Kind
    var name: String
    /// `class`, `struct`, `enum`, `actor`, `protocol`, `let`, `var`.
    var keyword: String
    var token: Token
    var modifiers = Modifiers()
    var generics: [String] = []
    var supers: [TypeName] = []
    var parameters: [Parameter] = []
    /// Of a variable, or what a function returns; nil: not written.
    var type: TypeName?
    /// Types that its head names, with their places.
    var mentions: [(path: String, token: Token)] = []
    /// Where the value of a variable begins.
    var value: Int?
    var body: Range<Int>?
    var header: Range<Int>
    var members: [Declaration] = []

    init(_ kind: Kind, name: String, keyword: String, token: Token, header: Range<Int>) {
        (self.kind, self.name, self.keyword, self.token, self.header) = (kind, name, keyword, token, header)
    }

    /// What stands before its keyword.
    struct Modifiers {
        var attributes: [Token] = []
        var words: Set<String> = []
        /// In a public extension all is public.
        var isPublic = false
        /// `@available(*, unavailable, message:)`.
        var unavailable: String?
        /// In the table of Foundation: it compiles, and ends a run.
        var stops: String?
    }
    var attributes: [Token] { modifiers.attributes }
    var isStatic: Bool { modifiers.words.contains("static") || modifiers.words.contains("class") }
    var isOverride: Bool { modifiers.words.contains("override") }
    var isPrivate: Bool { modifiers.words.contains("private") || modifiers.words.contains("fileprivate") }
    var isPublic: Bool { modifiers.isPublic }
    var unavailable: String? { modifiers.unavailable }
    var stops: String? { modifiers.stops }

    struct Parameter: Equatable {
        /// `_` for none.
        var label: String
        var name: String
        var type: TypeName
        var hasDefault: Bool
        var isVariadic: Bool
    }
}
