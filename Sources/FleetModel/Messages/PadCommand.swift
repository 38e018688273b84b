/// What people, the World and faults do to an iPad (Docs/pad-commands.md).
///
/// A command with an exchange is answered by a post of the same name: `CommandAnswer`, or what its definition says.
public enum PadCommand {
    static let ofPad: [any LocalMessage.Type] = [ListPeople.self, ListPending.self, Observe.self]

    public struct ListPeople: PadCommandMessage {
        public static var name: String { "pad.people" }
        public static var about: String { "everybody cached on this iPad" }
        public struct Answer: FieldGroup {
            public var people: [Person] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("people", &people, "names") }
        }
        public init() {}
    }
    public struct ListPending: PadCommandMessage {
        public static var name: String { "pad.pending" }
        public static var about: String { "empty when idle" }
        /// What still waits.
        public struct Entry: FieldGroup, Hashable {
            public var isForApp = false
            public var person: Person = ""
            public var tokens: [Token] = []
            public var waitsFor = ""
            public var what = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("isForApp", &isForApp)
                fields.always("person", &person)
                fields.always("tokens", &tokens)
                fields.always("waitsFor", &waitsFor)
                fields.always("what", &what)
            }
        }
        public struct Answer: FieldGroup {
            public var pending: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("pending", &pending) }
        }
        public init() {}
    }
    public struct Observe: PadCommandMessage {
        public static var name: String { "pad.observe" }
        public static var about: String {
            "`observed` notes: tokens in queues and on disk, by person, `detail.where`"
        }
        public init() {}
    }
}

/// A command to an iPad.
public protocol PadCommandMessage: LocalMessage {}
extension PadCommandMessage { public static var way: MessageWay { .command } }

/// How a command ended that has no other answer.
public struct CommandAnswer: FieldGroup, Hashable {
    /// It was done.
    public var ok: Bool?
    /// Why it was not.
    public var refused: String?
    /// Neither done nor refused: why nobody knows.
    public var unanswered: String?
    public init() {}
    public mutating func visit(_ fields: inout Fields) {
        fields.optional("ok", &ok)
        fields.optional("refused", &refused)
        fields.optional("unanswered", &unanswered)
    }
    public static let done = CommandAnswer { $0.ok = true }
    public static func refused(_ reason: String) -> CommandAnswer { CommandAnswer { $0.refused = reason } }
    public static func unanswered(_ reason: String) -> CommandAnswer { CommandAnswer { $0.unanswered = reason } }
}
