extension PadCommand {
    static let ofAccounts: [any LocalMessage.Type] = [ChangeIdentity.self, RevokeIdentity.self]
    static let ofStorage: [any LocalMessage.Type] = [
        Purge.self, PurgeSignedOut.self, FillStorage.self, ListStorage.self, DeleteStorage.self, PressStorage.self,
    ]

    public struct ChangeIdentity: PadCommandMessage {
        public static var name: String { "identity.change" }
        public static var about: String {
            "iCloud identity of the session changes; apps get token and status. An app works in the account that it heard of last (`identity.taken`, [local-link.md](local-link.md)). `own` brings the account's own identity back, to everybody on the iPad"
        }
        public var noticeAfter: Int64?
        public var to = Value.null
        public init() {}
        public init(to word: String?) { to = .optional(word) }
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("noticeAfter", &noticeAfter, "ns: when apps hear of it")
            fields.always(
                "to", &to,
                "\"other\" (the person's second account), null, \"unavailable\", \"restricted\", \"withoutDocuments\" (Documents & Data off) or \"own\""
            )
        }
    }
    public struct RevokeIdentity: PadCommandMessage {
        public static var name: String { "identity.revoke" }
        public static var about: String { "the account token is dead at the Cloud" }
        public init() {}
    }

    public struct Purge: PadCommandMessage {
        public static var name: String { "storage.purge" }
        public static var about: String {
            "purge local data as low space does: of apps that do not run, the containers of those that allow it while nothing of their person waits, else their caches and `tmp`"
        }
        public var app: AppName?
        public var person: Person?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("app", &app)
            fields.optional("person", &person)
        }
    }
    public struct PurgeSignedOut: PadCommandMessage {
        public static var name: String { "storage.purgeSignedOut" }
        public static var about: String {
            "what goes at a sign-out goes for everybody who is signed out, once nothing of theirs waits"
        }
        public init() {}
    }
    public struct FillStorage: PadCommandMessage {
        public static var name: String { "storage.fill" }
        public static var about: String {
            "so many bytes of the iPad are taken by something else, or all but so many; 0 bytes: none. People share what is left of the capacity"
        }
        public var bytes: Int?
        public var free: Int?
        public init() {}
        public init(bytes: Int? = nil, free: Int? = nil) { (self.bytes, self.free) = (bytes, free) }
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("bytes", &bytes)
            fields.optional("free", &free)
        }
    }
    public struct ListStorage: PadCommandMessage {
        public static var name: String { "storage.list" }
        public static var about: String { "Manage Storage" }
        public struct Document: FieldGroup, Hashable {
            public var path: String?
            public var size = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.nullable("path", &path)
                fields.always("size", &size)
            }
        }
        /// All that lies next to `Documents`.
        public struct Other: FieldGroup, Hashable {
            public var size = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("size", &size) }
        }
        public struct Entry: FieldGroup, Hashable {
            public var container = ""
            public var data: Other?
            public var documents: [Document] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("container", &container)
                fields.optional("data", &data)
                fields.always("documents", &documents)
            }
        }
        public struct Answer: FieldGroup {
            public var entries: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("entries", &entries)
            }
        }
        public init() {}
    }
    public struct DeleteStorage: PadCommandMessage {
        public static var name: String { "storage.delete" }
        public static var about: String {
            "deletes one document, or all that lies next to `Documents`, once the person has confirmed it"
        }
        public var confirmed: Bool?
        public var container: String?
        public var path: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("confirmed", &confirmed)
            fields.optional("container", &container)
            fields.optional("path", &path)
        }
    }
    public struct PressStorage: PadCommandMessage {
        public static var name: String { "storage.pressure" }
        public static var about: String {
            "evicts unused documents that the Cloud has, longest unused first. The same happens by itself when an app's write does not fit"
        }
        public struct Answer: FieldGroup {
            public var freed = 0
            public var ok = true
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("freed", &freed)
                fields.always("ok", &ok)
            }
        }
        public var bytes = 0
        public init() {}
        public init(bytes: Int) { self.bytes = bytes }
        public mutating func visit(_ fields: inout Fields) { fields.required("bytes", &bytes) }
    }
}
