import FleetModel

/// The Cloud's name for one content of a document: opaque, compared by equality only.
struct DocumentVersion: Hashable, FieldValue {
    /// As the Cloud wrote it, text or number; null: none.
    let fieldValue: Value

    static let none = DocumentVersion(value: .null)
    private init(value: Value) { fieldValue = value }

    /// Nil when the value names no version.
    init?(fieldValue value: Value) {
        switch value {
        case .string(let text) where !text.isEmpty: fieldValue = .string(text)
        case .int(let number): fieldValue = .int(number)
        default: return nil
        }
    }
    static var kindName: String { "version" }
    /// As part of a request's target; empty: none.
    var text: String { fieldValue.string ?? fieldValue.int.map { String($0) } ?? "" }
}

/// A version that lost: kept until somebody resolves it (icloud-documents.md 8).
struct ConflictVersion: Hashable, FieldGroup {
    var id = ""
    var version = DocumentVersion.none
    var size = -1
    /// By the clock of the device that wrote it, ns since 1970.
    var modified: Int64 = 0
    var device = ""
    /// Its bytes are in the volume.
    var hasData = false

    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.always("device", &device)
        fields.always("hasData", &hasData)
        fields.name("id", &id)
        fields.always("modified", &modified)
        fields.always("size", &size)
        fields.required("version", &version)
    }
}

/// Why a transfer of a document did not go through, by Cocoa's numbers (icloud-documents.md 4, 10).
enum TransferTrouble: Int, Hashable {
    /// `NSUbiquitousFileUnavailableError`: the account does not have it.
    case unavailable = 4353
    /// `NSUbiquitousFileNotUploadedDueToQuotaError`: the person's account is full.
    case overQuota = 4354
    /// `NSUbiquitousFileUbiquityServerNotAvailable`: no answer, or none that the service would give.
    case serverNotAvailable = 4355

    /// Nil for a refusal that says nothing of space or service: what it asks for is done and the transfer tried again.
    init?(_ response: HTTPResponse?) {
        switch response?.status {
        case 413: self = .overQuota
        case 404, 410: self = .unavailable
        case 400, 409: return nil
        default: self = .serverNotAvailable
        }
    }
}

/// One document of a container: its metadata are always here, its data perhaps (S67).
struct DocumentItem: Hashable {
    /// The same on every device.
    var id: String
    var container: String
    /// Where it lies on this iPad; nil while something unsent holds its place, or when it is deleted.
    var path: String?
    /// Where the account wants it to lie.
    var wanted: String
    /// The version that the local data descend from.
    var base = DocumentVersion.none
    /// The newest version known to be in the Cloud.
    var remote = DocumentVersion.none
    /// The data are here.
    var isLocal = false
    /// Deleted here; the Cloud has not confirmed it.
    var isDeleted = false

    /// Size, time and digest of the local data as last journaled or downloaded: a file that differs was written without coordination.
    var size = 0
    var modified = Instant.zero
    var digest: UInt64 = 0
    /// The Cloud's digest of the base; empty: not told yet.
    var baseDigest = ""
    var remoteDigest = ""
    /// Bytes of the newest version; -1: not told.
    var remoteSize = -1
    /// Device time of the newest version, ns since 1970; 0: not told.
    var remoteModified: Int64 = 0
    /// Device time of our last answered upload: by it we know our own content again.
    var sentModified: Int64 = 0
    var conflicts: [ConflictVersion] = []
    /// A download that the daemon has begun to lay down; nil: none.
    var laying: DocumentLaying?

    // Known only while the daemon runs.
    /// An app asked for the data.
    var wantsData = false
    var retry = RetrySchedule()
    /// What came of the last upload and the last download; nil: nothing went wrong. ASSUMED: after a restart the next try tells anew.
    var uploadTrouble: TransferTrouble?
    var downloadTrouble: TransferTrouble?
    /// When the file was last compared with the journal.
    var checked = Instant.zero

    init(id: String, container: String, wanted: String) {
        self.id = id
        self.container = container
        self.wanted = wanted
    }

    /// Whether the local data are the newest that this iPad knows of.
    var isCurrent: Bool { isLocal && (base == remote || remote == .none) }
    /// Conflict versions that apps see: those whose data are here, once the version that won over them is here too. Before that the
    /// local data may be the loser itself, and an app that settles the conflict would throw away the only copy.
    var readableConflicts: [ConflictVersion] { isLocal && !isCurrent ? [] : conflicts.filter(\.hasData) }
    /// What `docs.list` says of the data.
    var status: String { !isLocal ? "notDownloaded" : isCurrent ? "current" : "downloaded" }
    var relative: String { ContainerPath(wanted)?.relative ?? "" }

    var row: Value { body }
    init(id: String, row: Value) throws(DecodingFailure) {
        guard let item = DocumentItem(fieldValue: row) else {
            throw DecodingFailure("the row of document \(id) is damaged", at: 0)
        }
        self = item
        self.id = id
    }
}

/// The row of the database; the id has a column of its own.
extension DocumentItem: FieldGroup {
    init() { self.init(id: "", container: "", wanted: "") }
    mutating func visit(_ fields: inout Fields) {
        fields.always("base", &base)
        fields.always("baseDigest", &baseDigest)
        fields.always("conflicts", &conflicts)
        fields.required("container", &container)
        fields.bits("digest", &digest)
        fields.always("isDeleted", &isDeleted)
        fields.always("isLocal", &isLocal)
        fields.optional("laying", &laying)
        fields.always("modified", &modified)
        fields.nullable("path", &path)
        fields.always("remote", &remote)
        fields.always("remoteDigest", &remoteDigest)
        fields.always("remoteModified", &remoteModified)
        fields.always("remoteSize", &remoteSize)
        fields.always("sentModified", &sentModified)
        fields.always("size", &size)
        fields.required("wanted", &wanted)
    }
}

/// Work for the Cloud that the daemon has taken over.
struct DocumentOperation: Hashable {
    enum Kind: String, Hashable, FieldValue {
        case put, delete, move, resolve
    }
    /// Position in the queue.
    var seq: Int64 = 0
    var kind: Kind
    var item: String
    var container: String
    /// The document's place when it was queued; of a move: the new place.
    var path: String
    /// Of a move: the old place.
    var from: String?
    /// `X-Homeroom-Request`: names this content, the same over all tries.
    var request: String
    /// Device time of the edit, ns since 1970.
    var modified: Int64
    var tokens: [Token] = []
    /// Of a resolve: ids of the conflict versions.
    var versions: [String] = []

    // Known only while the daemon runs.
    /// The Cloud may have seen it: it must be tried until answered. True after a restart, because nobody knows.
    var wasSent = false
    var isUnderWay = false
    var sentBase = DocumentVersion.none
    var retry = RetrySchedule()

    var name: String { "\(kind.rawValue) \(container)/\(ContainerPath(path)?.relative ?? "")" }

    init(_ kind: Kind, _ item: DocumentItem, path: String, request: String, modified: Int64) {
        self.kind = kind
        self.item = item.id
        container = item.container
        self.path = path
        self.request = request
        self.modified = modified
    }

    var row: Value { body }
    init(seq: Int64, row: Value) throws(DecodingFailure) {
        guard let operation = DocumentOperation(fieldValue: row) else {
            throw DecodingFailure("the row of document operation \(seq) is damaged", at: 0)
        }
        self = operation
        self.seq = seq
        wasSent = true
    }
}

/// The row of the database; the position has a column of its own.
extension DocumentOperation: FieldGroup {
    init() { self.init(.put, DocumentItem(), path: "", request: "", modified: 0) }
    mutating func visit(_ fields: inout Fields) {
        fields.required("container", &container)
        fields.nullable("from", &from)
        fields.required("item", &item)
        fields.required("kind", &kind)
        fields.always("modified", &modified)
        fields.required("path", &path)
        fields.required("request", &request)
        fields.always("tokens", &tokens)
        fields.always("versions", &versions)
    }
}

/// A ubiquity container that some app of the person opened.
struct DocumentContainer: Hashable {
    var id: String
    /// Position in the account's changes.
    var since: Int64 = 0
    /// Bundles of the apps that opened it.
    var apps: [String] = []

    // Known only while the daemon runs.
    /// The Cloud may know more than we.
    var wantsFeed = false
    /// Nothing is sent before the changes are read: a conflict has to be understood first.
    var mustFeed = false
    var retry = RetrySchedule()
    /// One request that reads or writes metadata at a time: so versions are learned in the order they were made.
    var isBusy = false
    var nextPoll: Instant?

    init(id: String) { self.id = id }

    var row: Value { body }
    init(id: String, row: Value) {
        self.init(lenient: row)
        self.id = id
    }
}

/// The row of the database; the id has a column of its own.
extension DocumentContainer: FieldGroup {
    init() { self.init(id: "") }
    mutating func visit(_ fields: inout Fields) {
        fields.always("apps", &apps)
        fields.always("since", &since)
    }
}
