extension PadCommand {
    static let ofApps: [any LocalMessage.Type] = [
        OpenApp.self, GoHome.self, Perform.self, Read.self, ForceQuit.self, MemoryKill.self, Hang.self, Suspend.self,
        Resume.self, OpenURL.self, ReceiveFile.self, ShowSwitcher.self, UpdateApp.self, ProcessExited.self,
    ]

    public struct OpenApp: AppCommandMessage {
        public static var name: String { "app.open" }
        public static var about: String { "launch or bring to the foreground (the present app leaves it first)" }
        public var app: AppName = ""
        public init() {}
    }
    public struct GoHome: PadCommandMessage {
        public static var name: String { "app.home" }
        public static var about: String { "foreground app to background, suspended later" }
        public init() {}
    }
    public struct Perform: PadCommandMessage {
        public static var name: String { "app.perform" }
        public static var about: String {
            "to the foreground app; answered by its outcome; refused when the app is not active within 30 s; `{unanswered: reason}` when the app ended or said nothing for 2 min: neither performed nor refused"
        }
        public var edit = EditFields()
        public init() {}
        public init(_ edit: Edit) { self.edit = EditFields(edit) }
        public mutating func visit(_ fields: inout Fields) { fields.all(of: &edit) }
    }
    public struct Read: AppCommandMessage {
        public static var name: String { "app.read" }
        public static var about: String {
            "`ui.state` of the foreground app; not complete when the app says so, or when the iPad still had to ask the Cloud for the app's key-value store, which is the `reason` then"
        }
        public struct Answer: FieldGroup {
            public var complete = false
            public var items: [Value] = []
            public var reason: String?
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("complete", &complete)
                fields.always("items", &items)
                fields.optional("reason", &reason)
            }
        }
        public var app: AppName = ""
        public init() {}
    }
    public struct ForceQuit: SomeAppCommandMessage {
        public static var name: String { "app.forceQuit" }
        public static var about: String {
            "app-lifecycle.md 5; without `app` the foreground app, else the one used last"
        }
        public var app: AppName?
        public init() {}
    }
    public struct MemoryKill: SomeAppCommandMessage {
        public static var name: String { "app.memoryKill" }
        public static var about: String { "without notice, a suspended app first" }
        public var app: AppName?
        public init() {}
    }
    public struct Hang: SomeAppCommandMessage {
        public static var name: String { "app.hang" }
        public static var about: String {
            "the app hears nothing more and returns from nothing; the one in front is left, and the watchdog ends it"
        }
        public var app: AppName?
        public init() {}
    }
    public struct Suspend: PadCommandMessage {
        public static var name: String { "app.suspend" }
        public static var about: String {
            "the app in front leaves the screen and is suspended at the first moment at which it may be"
        }
        public init() {}
    }
    public struct Resume: PadCommandMessage {
        public static var name: String { "app.resume" }
        public static var about: String { "it comes back, unless another one is there" }
        public init() {}
    }
    public struct OpenURL: PadCommandMessage {
        /// As what the app gets then.
        public static var name: String { AppMessages.OpenURL.name }
        public static var about: String { "as `app.open`; the app gets the URL before it is active" }
        public var app: AppName = ""
        public var url = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("app", &app)
            fields.required("url", &url)
        }
    }
    public struct ReceiveFile: PadCommandMessage {
        public static var name: String { "app.receiveFile" }
        public static var about: String {
            "a file arrives from outside: protected, in `Documents/Inbox`, a second one of its name with a number; then as `app.openURL`"
        }
        public var app: AppName = ""
        public var data: [UInt8] = []
        public var file = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("app", &app)
            fields.required("data", &data)
            fields.required("name", &file)
        }
    }
    public struct ShowSwitcher: PadCommandMessage {
        public static var name: String { "app.switcher" }
        public static var about: String { "the snapshots, newest use first" }
        public struct Entry: FieldGroup, Hashable {
            public var app: AppName = ""
            public var screen: String?
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("app", &app)
                fields.nullable("screen", &screen)
            }
        }
        public struct Answer: FieldGroup {
            public var apps: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("apps", &apps) }
        }
        public init() {}
    }
    public struct UpdateApp: PadCommandMessage {
        public static var name: String { "app.update" }
        public static var about: String {
            "the app, or each app, ends, its bundle is the new one; Documents and Library stay, for everybody"
        }
        public var app: Value?
        public var version = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("app", &app)
            fields.required("version", &version)
        }
    }
    public struct ProcessExited: PadCommandMessage {
        public static var name: String { "app.exited" }
        public static var about: String { "the World saw the process die" }
        public var detail: String?
        public var launch = 0
        public var reason: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("detail", &detail)
            fields.required("launch", &launch)
            fields.optional("reason", &reason, "crash or kill")
        }
    }
}

/// A command about an app.
public protocol AppCommandMessage: PadCommandMessage {
    var app: AppName { get set }
}
extension AppCommandMessage {
    public init(app: AppName) {
        self.init()
        self.app = app
    }
    public mutating func visit(_ fields: inout Fields) { fields.required("app", &app) }
}
/// A command about an app, or the one that suggests itself.
public protocol SomeAppCommandMessage: PadCommandMessage {
    var app: AppName? { get set }
}
extension SomeAppCommandMessage {
    public init(app: AppName?) {
        self.init()
        self.app = app
    }
    public mutating func visit(_ fields: inout Fields) { fields.optional("app", &app) }
}
