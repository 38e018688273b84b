extension PadCommand {
    static let ofDevice: [any LocalMessage.Type] = [
        Lock.self, Unlock.self, Wake.self, WakeEnded.self, ListNotifications.self, GiveNotice.self, PressMemory.self,
        BackUp.self, Restore.self, SetAirplane.self, SetPower.self, SetWiFi.self, Interrupt.self,
        InterruptEnded.self, Reboot.self, PowerCut.self, Boot.self, SetClock.self, JumpClock.self, Manage.self,
    ]

    public struct Lock: PadCommandMessage {
        public static var name: String { "device.lock" }
        public static var about: String {
            "the app on the screen leaves it. 10 s after the lock and its grace (`PasscodePolicy`) files of class complete and keychain items that need an unlocked iPad are shut; a guest's never. At the login screen nobody's keys are there. Signing out and being logged out end a lock"
        }
        public init() {}
    }
    public struct Unlock: PadCommandMessage {
        public static var name: String { "device.unlock" }
        public static var about: String { "it comes back" }
        public init() {}
    }
    public struct Wake: PadCommandMessage {
        public static var name: String { "device.wake" }
        public static var about: String {
            "an event of a background mode that the app declares (app-lifecycle.md 6): started or woken, given it, and with `lasting` not suspended"
        }
        public var app: AppName = ""
        public var lasting: Bool?
        public var mode = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("app", &app)
            fields.optional("lasting", &lasting)
            fields.required("mode", &mode)
        }
    }
    public struct WakeEnded: PadCommandMessage {
        public static var name: String { "device.wakeEnded" }
        public static var about: String { "what lasted is over" }
        public var app: AppName?
        public var mode: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("app", &app)
            fields.optional("mode", &mode)
        }
    }
    public struct ListNotifications: PadCommandMessage {
        public static var name: String { "device.notifications" }
        public static var about: String { "local notifications that were shown to the person" }
        public struct Entry: FieldGroup, Hashable {
            public var app: AppName = ""
            public var text = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("app", &app)
                fields.always("text", &text)
            }
        }
        public struct Answer: FieldGroup {
            public var shown: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("shown", &shown) }
        }
        public init() {}
    }
    public struct GiveNotice: PadCommandMessage {
        public static var name: String { "device.notice" }
        public static var about: String {
            "a notice of app-lifecycle.md 8 (without the ending `Notification`): to apps that run, to suspended ones when they come back"
        }
        public var app: AppName?
        public var info: Value?
        public var notice = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("app", &app)
            fields.optional("info", &info)
            fields.required("name", &notice)
        }
    }
    public struct PressMemory: PadCommandMessage {
        public static var name: String { "device.memoryPressure" }
        public static var about: String {
            "suspended apps go, the biggest first; then who runs is warned, and killed after 2 s if that was not enough. An app that did not say what it holds counts as 100 MB"
        }
        public var bytes: Int64 = 0
        public init() {}
        public init(bytes: Int64) { self.bytes = bytes }
        public mutating func visit(_ fields: inout Fields) { fields.required("bytes", &bytes) }
    }
    /// A file of a backup.
    public struct BackedUpFile: FieldGroup, Hashable {
        public var data: [UInt8] = []
        public var path = ""
        public var protection: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("data", &data)
            fields.required("path", &path)
            fields.optional("protection", &protection)
        }
    }
    /// What changed since another backup.
    public struct Backup: FieldGroup, Hashable {
        public var backup: Int64 = 0
        public var files: [BackedUpFile] = []
        public var ok = true
        public var removed: [String] = []
        public var unchanged = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("backup", &backup, "its number")
            fields.always("files", &files)
            fields.always("ok", &ok)
            fields.always("removed", &removed, "paths")
            fields.always("unchanged", &unchanged)
        }
    }
    public struct BackUp: PadCommandMessage {
        public static var name: String { "device.backup" }
        public static var about: String { "what changed since the backup of the number `since`, else all" }
        public typealias Answer = Backup
        public var person: Person = ""
        public var since: Int64?
        public init() {}
        public init(person: Person) { self.person = person }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("person", &person)
            fields.optional("since", &since)
        }
    }
    public struct Restore: PadCommandMessage {
        public static var name: String { "device.restore" }
        public static var about: String {
            "answers of `device.backup` of another iPad, oldest first; the person's apps must not run"
        }
        public var backups: [Backup] = []
        public var person: Person = ""
        public init() {}
        public init(person: Person, backups: [Value]) {
            (self.person, self.backups) = (person, backups.map { Backup(lenient: $0) })
        }
        public mutating func visit(_ fields: inout Fields) {
            fields.always("backups", &backups)
            fields.required("person", &person)
        }
    }
    public struct SetAirplane: SwitchCommandMessage {
        public static var name: String { "device.airplane" }
        public static var about: String { "the Pad itself refuses to send" }
        public var on = false
        public init() {}
    }
    public struct SetPower: SwitchCommandMessage {
        public static var name: String { "device.power" }
        public static var about: String { "whether the iPad has power; discretionary transfers wait for it" }
        public var on = false
        public init() {}
    }
    public struct SetWiFi: SwitchCommandMessage {
        public static var name: String { "device.wifi" }
        public static var about: String {
            "whether it has Wi-Fi; discretionary transfers wait for it. Without Wi-Fi a cellular network is left"
        }
        public var on = false
        public init() {}
    }
    public struct Interrupt: PadCommandMessage {
        public static var name: String { "device.interrupt" }
        public static var about: String {
            "a call, an alert, the control centre: the app on the screen resigns active; refused when none is active"
        }
        public init() {}
    }
    public struct InterruptEnded: PadCommandMessage {
        public static var name: String { "device.interruptEnded" }
        public static var about: String { "it is active again, unless it has left the screen meanwhile" }
        public init() {}
    }
    public struct Reboot: PadCommandMessage {
        public static var name: String { "device.reboot" }
        public static var about: String {
            "orderly: caches flushed, apps killed, force-quit bar cleared; the World then restarts the Pad"
        }
        public init() {}
    }
    public struct PowerCut: PadCommandMessage {
        public static var name: String { "device.powerCut" }
        public static var about: String {
            "un-synced writes are dropped or torn, then the process ends; the World restarts it later"
        }
        public var seed: Int64?
        public init() {}
        public init(seed: UInt64) { self.seed = Int64(bitPattern: seed) }
        public mutating func visit(_ fields: inout Fields) { fields.optional("seed", &seed) }
    }
    public struct Boot: PadCommandMessage {
        public static var name: String { "device.boot" }
        public static var about: String { "first input of a (re)started Pad" }
        public init() {}
    }
    public struct SetClock: PadCommandMessage {
        public static var name: String { "clock.set" }
        public static var about: String { "device clock against virtual time" }
        public var drift: Int64?
        public var offset: Value?
        public init() {}
        public init(offset: Int64? = nil, drift: Int64? = nil) {
            (self.offset, self.drift) = (offset.map { .int($0) }, drift)
        }
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("drift", &drift, "ppb; else none")
            fields.optional("offset", &offset, "ns; else as it is")
        }
    }
    public struct JumpClock: PadCommandMessage {
        public static var name: String { "clock.jump" }
        public static var about: String { "from what the clock shows now; it goes on as it did" }
        public var by: Int64 = 0
        public init() {}
        public init(by: Int64) { self.by = by }
        public mutating func visit(_ fields: inout Fields) { fields.required("by", &by, "ns") }
    }
    public struct Manage: PadCommandMessage {
        public static var name: String { "mdm.command" }
        public static var about: String {
            "device management with Apple's keys (below); answered by `{CommandUUID, UDID, Status, ErrorChain, ...}` (shared-ipad.md 9). At once and never NotNow: commands that wait at the Cloud for the iPad's poll are `cloud.mdm` there"
        }
        public var command: Value?
        public var id: Value?
        public var person: Person?
        public init() {}
        public init(id: String, _ command: Value) { (self.id, self.command) = (.string(id), command) }
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("Command", &command, "`{RequestType, ...}`")
            fields.optional("CommandUUID", &id)
            fields.optional("UserShortName", &person, "the user channel of this person")
        }
    }
}
