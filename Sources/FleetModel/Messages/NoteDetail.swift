/// What the details of notes hold, by kind (`Note.Kind`): writers and judges of a note name its members here.
public enum NoteDetail {
    /// Of `began`: what the item showed just before the edit.
    public struct Began: FieldGroup {
        /// Where it is made, when that is not the person's own account; null: in none (identity.md 3).
        public var account: Value?
        public var launch = 0
        public var saw: [Token] = []
        public var sawDigest: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("account", &account)
            fields.always("launch", &launch)
            fields.always("saw", &saw)
            fields.nullable("sawDigest", &sawDigest)
        }
    }
    /// Of `performed`, `refused`, and what happens to a launch.
    public struct Life: FieldGroup {
        public var detail: String?
        public var launch: Int?
        public var reason: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("detail", &detail)
            fields.optional("launch", &launch)
            fields.optional("reason", &reason)
        }
    }
    /// Of `signedIn`.
    public struct SignedIn: FieldGroup {
        public var first = false
        public var guest = false
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("first", &first)
            fields.unless(false, "guest", &guest)
        }
    }
    /// Of `identityChanged`.
    public struct IdentityChanged: FieldGroup {
        public var identity: String?
        /// As in the command `identity.change`.
        public var to = Value.null
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.nullable("identity", &identity)
            fields.always("to", &to)
        }
    }
    /// Of `answered` and `forgotten`: what an app was told about its edits, or did with the last file that held them.
    public struct Answered: FieldGroup {
        /// Kind of the body of an answer over HTTP: `html`, `json`, `empty`, `other`.
        public var body: String?
        /// Tokens in the record that stood in the way, or written in place of these.
        public var by: [Token]?
        public var code: Value?
        public var conflict = false
        /// Nobody heard the answer, because the app ended first.
        public var cutOff = false
        public var domain: Value?
        public var launch: Int?
        public var policy: Int64?
        public var reason: Value?
        /// Change tag of the record that stood in the way.
        public var serverTag: Value?
        public var status: Int64?
        public var success = false
        /// Change tag of the save.
        public var tag: Value?
        public var underWay = false
        /// What was asked: name of a message, or `DocumentMessages.put`.
        public var what: String?
        /// Zone and record, address, key or path.
        public var place: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("body", &body)
            fields.optional("by", &by)
            fields.optional("code", &code)
            fields.unless(false, "conflict", &conflict)
            fields.unless(false, "cutOff", &cutOff)
            fields.optional("domain", &domain)
            fields.optional("launch", &launch)
            fields.optional("policy", &policy)
            fields.optional("reason", &reason)
            fields.optional("serverTag", &serverTag)
            fields.optional("status", &status)
            fields.unless(false, "success", &success)
            fields.optional("tag", &tag)
            fields.unless(false, "underWay", &underWay)
            fields.optional("what", &what)
            fields.optional("where", &place)
        }
    }
    /// Of `fetched`: an app looked for what others have changed.
    public struct Fetched: FieldGroup {
        public var body: String?
        public var code: Int64?
        public var domain: Value?
        public var launch: Int?
        /// There is a next page.
        public var more = false
        public var status: Int64?
        public var what: String?
        public var place: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("body", &body)
            fields.optional("code", &code)
            fields.optional("domain", &domain)
            fields.optional("launch", &launch)
            fields.unless(false, "more", &more)
            fields.optional("status", &status)
            fields.optional("what", &what)
            fields.optional("where", &place)
        }
    }
}
