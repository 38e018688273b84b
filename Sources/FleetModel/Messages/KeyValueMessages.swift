/// The key-value store of an app (key-value-store.md).
public enum KeyValueMessages {
    static let all: [any LocalMessage.Type] = [Open.self, Set.self, Synchronize.self, Changed.self]

    public struct Open: LocalCall {
        public static var name: String { "kvs.open" }
        public static var about: String { "the mirror of this person's store; 257 without the entitlement" }
        public struct Answer: FieldGroup {
            public var keyLength: String?
            /// The initial sync has ended.
            public var synced = false
            public var values = Value.Object()
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.optional("keyLength", &keyLength, "`utf16`: keys of 128 UTF-16 units, else 64 bytes")
                fields.always(
                    "synced", &synced,
                    "the initial sync has ended (`kvs.changed` reason 1 says so, also when nothing changed)")
                fields.always("values", &values, "{key: value}")
            }
        }
        public init() {}
    }

    public struct Set: LocalPost {
        public static var name: String { "kvs.set" }
        public static var isDurable: Bool { true }
        public static var about: String {
            "a set over quota (1 MB, 1024 keys) comes back as `kvs.changed` reason 2; an over-long key or no property list: POSIX 22 when asked"
        }
        public var key = ""
        public var value = Value.null
        public init() {}
        public init(key: String, value: Value) { (self.key, self.value) = (key, value) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("key", &key)
            fields.always("value", &value, "null removes")
        }
    }

    public struct Synchronize: LocalCall {
        public static var name: String { "kvs.synchronize" }
        public static var isDurable: Bool { true }
        public static var about: String { "answered after flushing pending sets to disk; 640 when the disk is full" }
        public init() {}
    }

    public struct Changed: LocalNotice {
        public static var name: String { "kvs.changed" }
        /// As in Apple's `NSUbiquitousKeyValueStoreChangeReasonKey`.
        public enum Reason: Int64, Sendable {
            case server = 0
            case initialSync, quota, account
        }
        public var reason: Int64 = 0
        public var values = Value.Object()
        public init() {}
        public init(reason: Reason, values: Value.Object) { (self.reason, self.values) = (reason.rawValue, values) }
        public mutating func visit(_ fields: inout Fields) {
            fields.always("reason", &reason, "0 change, 1 initial sync, 2 over quota, 3 account")
            fields.always("values", &values, "{key: value or null} of the changed keys")
        }
    }
}
