/// iCloud documents (icloud-documents.md).
public enum DocumentMessages {
    static let all: [any LocalMessage.Type] = [
        Container.self, BeginWrite.self, EndWrite.self, BeginRead.self, EndRead.self, List.self, Status.self,
        Metadata.self, Versions.self, Resolve.self, Evict.self, Present.self, Download.self, Presented.self,
        Changed.self,
    ]
    /// Not a message: what a note calls the upload of a document.
    public static let put = "docs.put"

    public struct Container: LocalCall {
        public static var name: String { "docs.container" }
        public static var about: String {
            "without an identifier the first of the app's entitlements, by default `iCloud.<bundle>`; another app's gives null"
        }
        public struct Answer: FieldGroup {
            public var path: String?
            public init() {}
            public init(path: String?) { self.path = path }
            public mutating func visit(_ fields: inout Fields) { fields.nullable("path", &path) }
        }
        public var identifier: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.checked("identifier", &identifier) }
    }
    public struct BeginWrite: LocalCall {
        public static var name: String { "docs.beginWrite" }
        public static var isDurable: Bool { true }
        public static var about: String {
            "readers together, a writer alone: while another app is at the place, or waits for it, it is refused with 255; as a post with exchange it is answered when its turn has come"
        }
        public var access = Access()
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.all(of: &access) }
    }
    /// What a coordinated access is about.
    public struct Access: FieldGroup, Hashable {
        public var deleting: Bool?
        public var movedTo: String?
        public var path = ""
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("deleting", &deleting)
            fields.checked("movedTo", &movedTo)
            fields.required("path", &path)
        }
    }
    public struct EndWrite: PathMessage, LocalCall {
        public static var name: String { "docs.endWrite" }
        public static var isDurable: Bool { true }
        public static var about: String { "from then on the document is journaled: `handedOver`" }
        public var path = ""
        public init() {}
    }
    public struct BeginRead: PathMessage, LocalCall {
        public static var name: String { "docs.beginRead" }
        public static var about: String { "as `docs.beginWrite`" }
        public var path = ""
        public init() {}
    }
    public struct EndRead: PathMessage, LocalCall {
        public static var name: String { "docs.endRead" }
        public var path = ""
        public init() {}
    }

    /// A document in a list; what is usual is left out.
    public struct Entry: FieldGroup, Hashable {
        public var conflicts = false
        public var containerName: String?
        public var downloadError: Int?
        public var downloading = false
        public var modified: Int64?
        public var path: String?
        public var requested = false
        public var size: Int?
        public var status = ""
        public var uploadError: Int?
        public var uploaded = false
        public var uploading = false
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("conflicts", &conflicts)
            fields.optional("containerName", &containerName, "of `docs.status`")
            fields.optional("downloadError", &downloadError, "4353-4355")
            fields.unless(false, "downloading", &downloading)
            fields.optional("modified", &modified, "ns since 1970; of `docs.list`")
            fields.nullable("path", &path)
            fields.unless(false, "requested", &requested)
            fields.optional("size", &size, "of `docs.list`")
            fields.always("status", &status, "notDownloaded, downloaded or current")
            fields.optional("uploadError", &uploadError, "4353-4355")
            fields.always("uploaded", &uploaded)
            fields.always("uploading", &uploading)
        }
    }
    public struct List: LocalCall {
        public static var name: String { "docs.list" }
        public struct Answer: FieldGroup {
            public var items: [Entry] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("items", &items) }
        }
        public var container = ""
        public init() {}
        public init(container: String) { self.container = container }
        public mutating func visit(_ fields: inout Fields) { fields.required("container", &container) }
    }
    public struct Status: PathMessage, LocalCall {
        public static var name: String { "docs.status" }
        public static var about: String { "`{}` for what is no document" }
        public typealias Answer = Entry
        public var path = ""
        public init() {}
    }
    public struct Metadata: PathMessage, LocalCall {
        public static var name: String { "docs.metadata" }
        public static var about: String { "of a document wherever its data are" }
        public struct Answer: FieldGroup, Hashable {
            public var modified: Int64 = 0
            public var name = ""
            public var size = 0
            public init() {}
            public mutating func visit(_ fields: inout Fields) {
                fields.always("modified", &modified, "ns since 1970")
                fields.always("name", &name)
                fields.always("size", &size)
            }
        }
        public var path = ""
        public init() {}
    }
    /// A version that lost.
    public struct Version: FieldGroup, Hashable {
        public var data: [UInt8]?
        public var device = ""
        public var id = ""
        public var modified: Int64 = 0
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.optional("data", &data)
            fields.always("device", &device)
            fields.always("id", &id)
            fields.always("modified", &modified, "ns since 1970")
        }
    }
    public struct Versions: PathMessage, LocalCall {
        public static var name: String { "docs.versions" }
        public static var about: String { "unresolved conflict versions" }
        public struct Answer: FieldGroup {
            public var versions: [Version] = []
            public init() {}
            public mutating func visit(_ fields: inout Fields) { fields.always("versions", &versions) }
        }
        public var path = ""
        public init() {}
    }
    public struct Resolve: LocalCall {
        public static var name: String { "docs.resolve" }
        public static var isDurable: Bool { true }
        public var ids: [String] = []
        public var path = ""
        public var removing: Bool?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.required("ids", &ids)
            fields.required("path", &path)
            fields.optional("removing", &removing)
        }
    }
    public struct Evict: PathMessage, LocalCall {
        public static var name: String { "docs.evict" }
        public static var about: String { "refused while something of it is not uploaded" }
        public var path = ""
        public init() {}
    }
    public struct Present: LocalCall {
        public static var name: String { "docs.present" }
        public var paths: [Value] = []
        public init() {}
        public init(paths: [String]) { self.paths = paths.map(Value.string) }
        public mutating func visit(_ fields: inout Fields) {
            fields.required("paths", &paths, "all that this launch presents")
        }
    }
    public struct Download: PathMessage, LocalAsk {
        public static var name: String { "docs.download" }
        public static var about: String { "answered when local, or with error 4353" }
        public var path = ""
        public init() {}
    }
    public struct Presented: LocalNotice {
        public static var name: String { "docs.presented" }
        public static var about: String {
            "what another device, another app or the person did to a presented document, or to one in a presented folder"
        }
        public var change = ""
        public var names: [String]?
        public var path = ""
        public var to: String?
        public var version: Version?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always(
                "change", &change,
                "changed, moved, deleted, appeared, evicted, gained, resolved, lost or attributes")
            fields.optional("names", &names, "of changed members of the entry in `docs.list`")
            fields.always("path", &path)
            fields.optional("to", &to)
            fields.optional("version", &version, "{id, modified, device} of a version")
        }
    }
    public struct Changed: LocalNotice {
        public static var name: String { "docs.changed" }
        public static var about: String { "content, conflicts or status changed by the daemon" }
        public var paths: [String] = []
        public init() {}
        public mutating func visit(_ fields: inout Fields) { fields.always("paths", &paths) }
    }
}
