/// The person's hand in an app.
public enum HandMessages {
    static let all: [any LocalMessage.Type] = [Perform.self, LookAtState.self, Began.self]

    public struct Perform: LocalQuestion {
        public static var name: String { "ui.perform" }
        public static var about: String {
            "answered once the handler has returned. Before it calls the handler the app posts `ui.began`"
        }
        public struct Answer: FieldGroup {
            /// Why the person sees that it was not done; nil: it was.
            public var refused: String?
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.optional("refused", &refused, "why not") }
        }
        public var edit = EditFields()
        public init() {}
        public init(_ edit: Edit) { self.edit = EditFields(edit) }
        public mutating func visit(_ fields: inout Fields) { fields.all(of: &edit) }
    }
    public struct LookAtState: LocalQuestion {
        public static var name: String { "ui.state" }
        public struct Answer: FieldGroup {
            public var complete = false
            /// `Item.body` of each.
            public var items: [Value] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("complete", &complete)
                fields.always("items", &items, "an Item's body each")
            }
        }
        public init() {}
    }
    public struct Began: LocalPost {
        public static var name: String { "ui.began" }
        public static var about: String { "the item just before the edit" }
        public var saw: [Token] = []
        public var sawDigest: String?
        public var token: Token = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("saw", &saw)
            fields.nullable("sawDigest", &sawDigest)
            fields.always("token", &token)
        }
    }
}

/// The members of an `Edit`.
public struct EditFields: FieldGroup, Hashable {
    public var action = ""
    public var app: AppName = ""
    public var item = ""
    public var person: Person = ""
    public var token: Token = ""
    public var value = ""
    public var verb = Edit.Verb.put
    public init() {}
    public init(_ edit: Edit) {
        (action, app, item, person) = (edit.action, edit.app, edit.item, edit.person)
        (token, value, verb) = (edit.token, edit.value, edit.verb)
    }
    public mutating func visit(_ fields: inout Fields) {
        fields.required("action", &action)
        fields.required("app", &app)
        fields.required("item", &item)
        fields.required("person", &person)
        fields.required("token", &token)
        fields.required("value", &value)
        fields.required("verb", &verb)
    }
}
extension Edit.Verb: FieldValue {}
