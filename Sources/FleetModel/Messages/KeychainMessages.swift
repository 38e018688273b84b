/// The keychain of a person (identity.md 5).
public enum KeychainMessages {
    static let all: [any LocalMessage.Type] = [Add.self, Update.self, Copy.self, Delete.self, List.self]

    /// Which items a call is about.
    public struct Scope: FieldGroup, Hashable {
        /// One of the entitlement `keychain-access-groups`; nil: all, and the first for what is added.
        public var group: String?
        /// False (by default), true or `any`.
        public var synchronizable: Value?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("group", &group)
            fields.optional("synchronizable", &synchronizable, "false, true or `any`")
        }
    }

    /// Adds an item.
    public struct Add: LocalCall {
        public static var name: String { "keychain.add" }
        public static var isDurable: Bool { true }
        public static var about: String {
            "-25299 duplicate, -34018 not the app's group, -50 synchronizable for this device only or an unknown class, -25293 a class that needs a passcode, for a guest"
        }
        public typealias Answer = Status
        public var accessible: String?
        public var account = ""
        public var data: [UInt8]?
        public var scope = Scope()
        public var service = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("accessible", &accessible, "the class; `WhenUnlocked` when there is none")
            fields.required("account", &account)
            fields.checked("data", &data)
            fields.checked("group", &scope.group, "the first of the app's when there is none")
            fields.required("service", &service)
            fields.optional("synchronizable", &scope.synchronizable, "false when there is none")
        }
    }
    /// Changes every item that it names; what is not given stays.
    public struct Update: LocalCall {
        public static var name: String { "keychain.update" }
        public static var isDurable: Bool { true }
        public static var about: String { "-25300 not found, and as `keychain.add`" }
        public typealias Answer = Status
        public var accessible: String?
        public var account = ""
        public var becomesSynchronizable: Bool?
        public var data: [UInt8]?
        public var scope = Scope()
        public var service = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("accessible", &accessible)
            fields.required("account", &account)
            fields.optional("becomesSynchronizable", &becomesSynchronizable, "changes the flag")
            fields.checked("data", &data)
            fields.checked("group", &scope.group)
            fields.required("service", &service)
            fields.optional("synchronizable", &scope.synchronizable, "false, true or `any`: which is meant")
        }
    }
    /// Service and account name an item.
    public struct Name: FieldGroup, Hashable {
        public var account = ""
        public var scope = Scope()
        public var service = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("account", &account)
            fields.checked("group", &scope.group)
            fields.required("service", &service)
            fields.optional("synchronizable", &scope.synchronizable, "false, true or `any`")
        }
    }
    public struct Copy: LocalCall {
        public static var name: String { "keychain.copy" }
        public static var about: String { "-25300 not found, -25308 sealed by its class" }
        public typealias Answer = Found
        public var item = Name()
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.all(of: &item) }
    }
    public struct Delete: LocalCall {
        public static var name: String { "keychain.delete" }
        public static var about: String { "-25300 not found" }
        public typealias Answer = Status
        public var item = Name()
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.all(of: &item) }
    }
    public struct List: LocalCall {
        public static var name: String { "keychain.list" }
        public static var about: String {
            "in the order of the names; a service or account that is missing or null: any"
        }
        public var account: String?
        public var scope = Scope()
        public var service: String?
        public struct Answer: FieldGroup {
            public var items: [Item] = []
            public var status: Int64 = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("items", &items)
                fields.always("status", &status)
            }
        }
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("account", &account)
            fields.checked("group", &scope.group)
            fields.checked("service", &service)
            fields.optional("synchronizable", &scope.synchronizable, "false, true or `any`")
        }
    }

    /// An item as an app gets it.
    public struct Item: FieldGroup, Hashable {
        public var accessible = ""
        public var account = ""
        public var data: [UInt8] = []
        public var group = ""
        public var service = ""
        public var synchronizable = false
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("accessible", &accessible)
            fields.always("account", &account)
            fields.always("data", &data)
            fields.always("group", &group)
            fields.always("service", &service)
            fields.always("synchronizable", &synchronizable)
        }
    }
    /// The one item that was asked for.
    public struct Found: FieldGroup {
        public var item = Item()
        public var status: Int64 = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("accessible", &item.accessible)
            fields.always("account", &item.account)
            fields.always("data", &item.data)
            fields.always("group", &item.group)
            fields.always("service", &item.service)
            fields.always("status", &status, "an OSStatus, 0: found; else only this member is there")
            fields.always("synchronizable", &item.synchronizable)
        }
    }
    /// Whether an answer says that the disk is full (OSStatus -34).
    public static func isFull(_ answer: Value.Object) -> Bool { answer["status"]?.int == -34 }

    /// An OSStatus; 0: done.
    public struct Status: FieldGroup {
        public var status: Int64 = 0
        public init() {}
        public init(_ status: Int) { self.status = Int64(status) }
        public mutating func visit(_ fields: inout Fields) { fields.always("status", &status, "an OSStatus, 0: done") }
    }
}
