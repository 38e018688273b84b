/// CloudKit's records (cloudkit-framework.md). Records are the dictionaries of cloudkit-web-services.md 8.4.
public enum RecordMessages {
    static let all: [any LocalMessage.Type] = [
        AccountStatus.self, UserRecordID.self, Modify.self, Lookup.self, Query.self, Zones.self, FetchZones.self,
        ZoneChanges.self, DatabaseChanges.self, Subscribe.self, Unsubscribe.self, Subscriptions.self,
        Permission.self, Discover.self, ShareMetadata.self, AcceptShares.self, LongLived.self, Attach.self, Cancel.self,
    ]

    /// What every operation says: where it acts and how it is carried out.
    public struct Common: FieldGroup {
        public var container = ""
        public var database = ""
        /// Only of a call: the exchange under which the results are to come.
        public var exchange: UInt64?
        public var longLived: Bool?
        public var op = ""
        public var qos: String?
        public var requestTimeout: Double?
        public var resourceTimeout: Double?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("container", &container)
            fields.required("database", &database, "`private` or `public`")
            fields.optional("exchange", &exchange, "of a call only")
            fields.checked("longLived", &longLived)
            fields.required("op", &op, "operation id, app-chosen, unique per launch")
            fields.checked("qos", &qos, "userInteractive, userInitiated, default, utility or background")
            fields.checked("requestTimeout", &requestTimeout, "seconds; 60")
            fields.checked("resourceTimeout", &resourceTimeout, "seconds; 604800")
        }
    }

    public struct AccountStatus: LocalAsk {
        public static var name: String { "ck.accountStatus" }
        public struct Answer: FieldGroup {
            public var accountStatus: Int64 = 0
            public init() {}
            public init(_ status: Int64) { accountStatus = status }
            public mutating func visit(_ fields: inout Fields) { fields.always("accountStatus", &accountStatus) }
        }
        public init() {}
    }
    public struct UserRecordID: LocalAsk {
        public static var name: String { "ck.userRecordID" }
        public struct Answer: FieldGroup {
            public var recordName = ""
            public init() {}
            public init(_ name: String) { recordName = name }
            public mutating func visit(_ fields: inout Fields) { fields.always("recordName", &recordName) }
        }
        public init() {}
    }
    public struct Modify: LocalAsk {
        public static var name: String { "ck.modify" }
        public static var isDurable: Bool { true }
        public static var about: String { "or an error of the whole" }
        public struct Answer: FieldGroup {
            public var deleted: [String] = []
            public var errors = Value.Object()
            public var saved: [Value] = []
            public var zone = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("deleted", &deleted, "record names")
                fields.always("errors", &errors, "{recordName: error}")
                fields.always("saved", &saved, "records")
                fields.always("zone", &zone)
            }
        }
        public var atomic: Bool?
        public var delete: [String] = []
        public var policy: Int64?
        public var save: [Value] = []
        public var zone: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("atomic", &atomic, "true by default")
            fields.always("delete", &delete, "record names")
            fields.optional("policy", &policy, "0-2")
            fields.always("save", &save, "records")
            fields.checked("zone", &zone, "the default zone when there is none")
        }
    }
    public struct Lookup: LocalAsk {
        public static var name: String { "ck.lookup" }
        public struct Answer: FieldGroup {
            public var errors = Value.Object()
            public var records: [Value] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("errors", &errors, "{name: error}")
                fields.always("records", &records)
            }
        }
        public var names: [String] = []
        public var zone: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("names", &names)
            fields.checked("zone", &zone)
        }
    }
    public struct Query: LocalAsk {
        public static var name: String { "ck.query" }
        public struct Answer: FieldGroup {
            public var cursor: String?
            public var records: [Value] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.optional("cursor", &cursor)
                fields.always("records", &records)
            }
        }
        public var cursor: String?
        public var desiredKeys: [String]?
        public var limit: Int64?
        public var query = Value.empty
        public var zone: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("cursor", &cursor)
            fields.checked("desiredKeys", &desiredKeys)
            fields.checked("limit", &limit)
            fields.required("query", &query, "a dictionary of cloudkit-web-services.md 8.9")
            fields.checked("zone", &zone)
        }
    }
    public struct Zones: LocalAsk {
        public static var name: String { "ck.zones" }
        public struct Answer: FieldGroup {
            public var deleted: [String] = []
            public var errors = Value.Object()
            public var saved: [String] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("deleted", &deleted)
                fields.always("errors", &errors)
                fields.always("saved", &saved)
            }
        }
        public var delete: [String] = []
        public var save: [String] = []
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("delete", &delete, "names of zones")
            fields.always("save", &save, "names of zones")
        }
    }
    public struct FetchZones: LocalAsk {
        public static var name: String { "ck.fetchZones" }
        public struct Answer: FieldGroup {
            public var errors = Value.Object()
            public var zones: [String] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("errors", &errors, "{name: error}")
                fields.always("zones", &zones, "names")
            }
        }
        public var names: [String]?
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.checked("names", &names, "none: all") }
    }
    public struct ZoneChanges: LocalAsk {
        public static var name: String { "ck.zoneChanges" }
        public struct Answer: FieldGroup {
            public var deleted: [Value] = []
            public var moreComing = false
            public var records: [Value] = []
            public var token = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("deleted", &deleted, "{recordName, recordType} each")
                fields.always("moreComing", &moreComing)
                fields.always("records", &records)
                fields.always("token", &token)
            }
        }
        public var limit: Int64?
        public var token: String?
        public var zone = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("limit", &limit)
            fields.checked("token", &token)
            fields.required("zone", &zone)
        }
    }
    public struct DatabaseChanges: LocalAsk {
        public static var name: String { "ck.databaseChanges" }
        public struct Answer: FieldGroup {
            public var deleted: [String] = []
            public var moreComing = false
            public var reasons: Value.Object?
            public var token = ""
            public var zones: [String] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("deleted", &deleted, "names of zones")
                fields.always("moreComing", &moreComing)
                fields.optional("reasons", &reasons, "{name: purged or encryptedDataReset}")
                fields.always("token", &token)
                fields.always("zones", &zones, "names")
            }
        }
        public var limit: Int64?
        public var token: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked("limit", &limit)
            fields.checked("token", &token)
        }
    }
    public struct Subscribe: LocalAsk {
        public static var name: String { "ck.subscribe" }
        public var subscription = Value.empty
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("subscription", &subscription, "a dictionary of cloudkit-web-services.md 8.10")
        }
    }
    public struct Unsubscribe: LocalAsk {
        public static var name: String { "ck.unsubscribe" }
        public var subscriptionID = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("subscriptionID", &subscriptionID) }
    }
    public struct Subscriptions: LocalAsk {
        public static var name: String { "ck.subscriptions" }
        public struct Answer: FieldGroup {
            public var errors = Value.Object()
            public var subscriptions: [Value] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("errors", &errors, "{name: error}")
                fields.always("subscriptions", &subscriptions, "dictionaries of cloudkit-web-services.md 8.10")
            }
        }
        public var names: [String]?
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.checked("names", &names, "none: all") }
    }
    public struct Permission: LocalAsk {
        public static var name: String { "ck.permission" }
        public struct Answer: FieldGroup {
            public var status: Int64 = 0
            public init() {}
            public init(_ status: Int64) { self.status = status }
            public mutating func visit(_ fields: inout Fields) {
                fields.always("status", &status, "2 denied, 3 granted: whether others may find the person")
            }
        }
        public init() {}
    }
    public struct Discover: LocalAsk {
        public static var name: String { "ck.discover" }
        public static var about: String { "everybody who opted in" }
        public struct Answer: FieldGroup {
            public var users: [Value] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("users", &users, "identities") }
        }
        public var lookupInfos: [Value]?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.checked(
                "lookupInfos", &lookupInfos, "of cloudkit-web-services.md 8.12; none: the address book")
        }
    }
    /// What links to shares lead to.
    public struct ShareMetadata: LocalAsk {
        public static var name: String { "ck.shareMetadata" }
        public static var about: String { "nobody takes part by asking" }
        public struct Answer: FieldGroup {
            public var shares: [Value] = []
            public var errors = Value.Object()
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("errors", &errors, "{guid: error}")
                fields.always("shares", &shares, "results of records/resolve")
            }
        }
        public var guids: [String] = []
        public var root: Bool?
        public var rootKeys: [String]?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("guids", &guids, "last parts of links")
            fields.optional("root", &root)
            fields.optional("rootKeys", &rootKeys)
        }
    }
    /// Takes part in what links lead to.
    public struct AcceptShares: LocalAsk {
        public typealias Answer = ShareMetadata.Answer
        public static var name: String { "ck.acceptShares" }
        public static var about: String { "to accept twice is no error" }
        public var guids: [String] = []
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("guids", &guids, "last parts of links") }
    }
    public struct LongLived: LocalCall {
        public static var name: String { "ck.longLived" }
        public static var about: String { "of this app and person, also from earlier launches" }
        /// A kept operation.
        public struct Entry: FieldGroup {
            public var container: String?
            public var database: String?
            public var done = false
            public var name = ""
            public var op = ""
            public var query: Value?
            public var zone: String?
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.optional("container", &container, "of the one that was named")
                fields.optional("database", &database, "of the one that was named")
                fields.always("done", &done)
                fields.always("name", &name)
                fields.always("op", &op)
                fields.optional("query", &query, "of the one that was named")
                fields.optional("zone", &zone, "of the one that was named")
            }
        }
        public struct Answer: FieldGroup {
            public var ops: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("ops", &ops) }
        }
        public var op: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.optional("op", &op, "only that one") }
    }
    public struct Attach: LocalAsk {
        public static var name: String { "ck.attach" }
        public static var about: String { "the stored result, once done; 11 for an unknown `op`" }
        public var op = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.required("op", &op) }
    }
    public struct Cancel: LocalPost {
        public static var name: String { "ck.cancel" }
        public static var about: String {
            "the operation of that name is answered with 20 and not sent again. A long-lived one's edits go back to the app (`handedBack`); what it has on its way keeps its place in its zone until it has ended"
        }
        public var op = ""
        public init() {}
        public init(op: String) { self.op = op }
        public mutating func visit(_ fields: inout Fields) { fields.required("op", &op) }
    }
    /// The answer of a long-lived operation that was called: whether the journal has it.
    public struct Kept: FieldGroup {
        public var kept = false
        public init() {}
        public init(_ kept: Bool) { self.kept = kept }
        public mutating func visit(_ fields: inout Fields) { fields.always("kept", &kept) }
    }
}

extension UInt64: FieldValue {
    public init?(fieldValue value: Value) {
        guard let number = value.int.flatMap({ UInt64(exactly: $0) }) else { return nil }
        self = number
    }
    public var fieldValue: Value { .int(Int64(bitPattern: self)) }
    public static var kindName: String { "number" }
}
