/// The Pad's disk, as an app may use it. Paths are absolute and lie under `home` or an opened ubiquity container.
public enum FileMessages {
    static let all: [any LocalMessage.Type] = [
        Read.self, Write.self, Sync.self, Append.self, Close.self, Open.self, ReadAt.self, WriteAt.self, Truncate.self,
        Remove.self, Move.self, MakeFolder.self, List.self, Stat.self, Protect.self, Exclude.self, Locks.self,
    ]

    public struct Read: PathMessage, LocalCall {
        public static var name: String { "file.read" }
        public static var about: String { "260: no such file; 4353: a document that is not local" }
        public typealias Answer = Bytes
        public var path = ""
        public init() {}
    }
    public struct Write: LocalCall {
        public static var name: String { "file.write" }
        public static var isDurable: Bool { true }
        public static var about: String {
            "640 (out of space, also after unused documents have gone), 4 (folder missing). Kept over an app kill, but in the cache of the system until a sync: torn or gone after a power cut; atomic: the old content or the new"
        }
        public var atomic: Bool?
        public var data: [UInt8] = []
        public var path = ""
        public var protection: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("atomic", &atomic, "false by default")
            fields.required("data", &data)
            fields.required("path", &path)
            fields.checked("protection", &protection, "set before the data, as by `file.protect`")
        }
    }
    public struct Sync: PathMessage, LocalCall {
        public static var name: String { "file.sync" }
        public static var isDurable: Bool { true }
        public static var about: String { "bytes and name are durable then; 4 when absent" }
        public var path = ""
        public init() {}
    }
    public struct Append: LocalCall {
        public static var name: String { "file.append" }
        public static var isDurable: Bool { true }
        public static var about: String { "as `file.write`; the file is open for adding until `file.close`" }
        public var data: [UInt8] = []
        public var path = ""
        public init() {}
        public init(path: String, data: [UInt8]) { (self.path, self.data) = (path, data) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("data", &data)
            fields.required("path", &path)
        }
    }
    public struct Close: PathMessage, LocalCall {
        public static var name: String { "file.close" }
        public var path = ""
        public init() {}
    }
    public struct Open: LocalCall {
        public static var name: String { "file.open" }
        public static var about: String {
            "260 when absent and not wanted; open until `file.close`. A protected file that is open can be used on as its class says"
        }
        public struct Answer: FieldGroup {
            public var size = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("size", &size) }
        }
        public var create = false
        public var path = ""
        public init() {}
        public init(path: String, create: Bool) { (self.path, self.create) = (path, create) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("create", &create)
            fields.required("path", &path)
        }
    }
    public struct ReadAt: LocalCall {
        public static var name: String { "file.readAt" }
        public static var about: String { "fewer bytes where the file ends" }
        public typealias Answer = Bytes
        public var count = 0
        public var offset = 0
        public var path = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("count", &count, "1 MiB at most")
            fields.required("offset", &offset)
            fields.required("path", &path)
        }
    }
    public struct WriteAt: LocalCall {
        public static var name: String { "file.writeAt" }
        public static var about: String {
            "into a file that is there, at most 64 MiB beyond its end; a gap reads as zeros"
        }
        public var data: [UInt8] = []
        public var offset = 0
        public var path = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("data", &data)
            fields.required("offset", &offset)
            fields.required("path", &path)
        }
    }
    public struct Truncate: LocalCall {
        public static var name: String { "file.truncate" }
        public static var about: String { "cuts the end off, or adds zeros" }
        public var path = ""
        public var size = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("path", &path)
            fields.required("size", &size)
        }
    }
    public struct Remove: PathMessage, LocalCall {
        public static var name: String { "file.remove" }
        public static var isDurable: Bool { true }
        public static var about: String { "4 when absent; removes folders with their content" }
        public var path = ""
        public init() {}
    }
    public struct Move: LocalCall {
        public static var name: String { "file.move" }
        public static var isDurable: Bool { true }
        public static var about: String { "516 when `to` exists" }
        public var from = ""
        public var to = ""
        public init() {}
        public init(from: String, to: String) { (self.from, self.to) = (from, to) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("from", &from)
            fields.required("to", &to)
        }
    }
    public struct MakeFolder: PathMessage, LocalCall {
        public static var name: String { "file.makeFolder" }
        public static var about: String { "intermediate folders too" }
        public var path = ""
        public init() {}
    }
    public struct List: PathMessage, LocalCall {
        public static var name: String { "file.list" }
        public struct Answer: FieldGroup {
            public var names: [String] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("names", &names, "sorted") }
        }
        public var path = ""
        public init() {}
    }
    public struct Stat: PathMessage, LocalCall {
        public static var name: String { "file.stat" }
        public struct Answer: FieldGroup, Hashable {
            public var excluded = false
            public var exists = false
            public var folder = false
            public var modified: Int64 = 0
            public var protection: String?
            public var size = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.unless(false, "excluded", &excluded)
                fields.always("exists", &exists)
                fields.always("folder", &folder)
                fields.always("modified", &modified, "ns of virtual time")
                fields.optional("protection", &protection)
                fields.always("size", &size)
            }
        }
        public var path = ""
        public init() {}
    }
    public struct Protect: LocalCall {
        public static var name: String { "file.protect" }
        public var path = ""
        public var protection = ""
        public init() {}
        public init(path: String, protection: String) { (self.path, self.protection) = (path, protection) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("path", &path)
            fields.required(
                "protection", &protection,
                "`none`, `completeUntilFirstUserAuthentication` (default), `completeUnlessOpen` or `complete`")
        }
    }
    public struct Exclude: LocalCall {
        public static var name: String { "file.exclude" }
        public static var about: String {
            "what is marked, and all below a marked folder, is in no backup. The mark moves with the file; one that takes its place has none"
        }
        public var excluded = false
        public var path = ""
        public init() {}
        public init(path: String, excluded: Bool) { (self.path, self.excluded) = (path, excluded) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("excluded", &excluded)
            fields.required("path", &path)
        }
    }
    public struct Locks: LocalPost {
        public static var name: String { "file.locks" }
        public static var about: String {
            "the databases that the app holds a lock on when its code comes to rest, whenever that is something else than before. An app that is suspended with one is killed (`0xdead10cc`)"
        }
        public struct Lock: FieldGroup, Hashable {
            public var path = "a database"
            public var statement = ""
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("path", &path)
                fields.always("statement", &statement)
            }
        }
        public var held: [Lock] = []
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("held", &held) }
    }

    /// Bytes of a file.
    public struct Bytes: FieldGroup {
        public var data: [UInt8] = []
        public init() {}
        public init(_ data: [UInt8]) { self.data = data }
        public mutating func visit(_ fields: inout Fields) { fields.always("data", &data) }
    }
    /// The places of a call that acts in the middle of a file.
    public struct Place: FieldGroup {
        public var count: Int64?
        public var offset: Int64?
        public var size: Int64?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("count", &count)
            fields.optional("offset", &offset)
            fields.optional("size", &size)
        }
    }
    /// Where a file call acts and what it brings, whichever it is: for those who look on.
    public struct Whichever: FieldGroup {
        public var data: [UInt8]?
        public var from: String?
        public var path: String?
        public var to: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("data", &data)
            fields.optional("from", &from)
            fields.optional("path", &path)
            fields.optional("to", &to)
        }
    }
}

/// A message with a path and nothing else.
public protocol PathMessage: LocalMessage {
    var path: String { get set }
}
extension PathMessage {
    public init(path: String) {
        self.init()
        self.path = path
    }
    public mutating func visit(_ fields: inout Fields) { fields.required("path", &path) }
}
