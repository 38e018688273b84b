extension PadCommand {
    static let ofPeople: [any LocalMessage.Type] = [
        SignIn.self, SignOut.self, LogOut.self, RingBell.self, SignOutWhen.self, TimeOutGuest.self, Squeeze.self,
        Evict.self, ChangeSetting.self,
    ]

    public struct SignIn: PadCommandMessage {
        public static var name: String { "person.signIn" }
        public static var about: String {
            "first sign-in needs the network; cached person: local, unless the grace period is over. No free slot: refused. `guest`: a session without an account, removed at its end. By the person who is signed in at a locked iPad: unlocks it"
        }
        public var guest: Bool?
        public var person: Person = ""
        public init() {}
        public init(person: Person) { self.person = person }
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("guest", &guest)
            fields.required("person", &person)
        }
    }
    public struct SignOut: PadCommandMessage {
        public static var name: String { "person.signOut" }
        public static var about: String { "the documented order (shared-ipad.md 4); answered at the login screen" }
        public init() {}
    }
    public struct LogOut: SomePersonCommandMessage {
        public static var name: String { "session.logOut" }
        public static var about: String { "forced (MDM LogOutUser); of that person only" }
        public var person: Person?
        public init() {}
    }
    public struct RingBell: PadCommandMessage {
        public static var name: String { "session.bell" }
        public static var about: String { "the person who is there signs out, as by hand" }
        public init() {}
    }
    public struct SignOutWhen: PadCommandMessage {
        public static var name: String { "session.signOutWhen" }
        public static var about: String {
            "signs out the person who is there at the first moment at which nothing is under way / an app holds a background task; null: forgotten"
        }
        public var moment: String?
        public init() {}
        public init(_ moment: String?) { self.moment = moment }
        public mutating func visit(_ fields: inout Fields) {
            fields.nullable("moment", &moment, "idle or backgroundTask")
        }
    }
    public struct TimeOutGuest: PadCommandMessage {
        public static var name: String { "session.timeOut" }
        public static var about: String { "a guest's time is over" }
        public init() {}
    }
    public struct Squeeze: SwitchCommandMessage {
        public static var name: String { "session.squeeze" }
        public static var about: String { "only the people who are cached have room" }
        public var on = false
        public init() {}
    }
    public struct Evict: SomePersonCommandMessage {
        public static var name: String { "session.evict" }
        public static var about: String {
            "a cached person goes as when room is needed, never with something to sync"
        }
        public var person: Person?
        public init() {}
    }
    public struct ChangeSetting: PadCommandMessage {
        public static var name: String { "settings.change" }
        public static var about: String { "the person changes the app's setting in Settings" }
        public var app: AppName = ""
        public var key = ""
        public var value = Value.null
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("app", &app)
            fields.required("key", &key)
            fields.always("value", &value)
        }
    }
}

/// A command that may name a person. Without a name the command itself says whom it means.
public protocol SomePersonCommandMessage: PadCommandMessage {
    var person: Person? { get set }
}
extension SomePersonCommandMessage {
    public init(person: Person?) {
        self.init()
        self.person = person
    }
    public mutating func visit(_ fields: inout Fields) { fields.optional("person", &person) }
}
/// A command that turns something on or off.
public protocol SwitchCommandMessage: PadCommandMessage {
    var on: Bool { get set }
}
extension SwitchCommandMessage {
    public init(on: Bool) {
        self.init()
        self.on = on
    }
    public mutating func visit(_ fields: inout Fields) { fields.required("on", &on) }
}
