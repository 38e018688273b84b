import FleetModel

/// The Cloud's name for one content of a document: opaque, compared by equality only.
struct DocumentVersion: Hashable {
    /// As the Cloud wrote it, text or number; null: none.
    let value: Value

    static let none = DocumentVersion(value: .null)
    private init(value: Value) { self.value = value }

    /// Nil when the value names no version.
    init?(_ value: Value?) {
        switch value {
        case .string(let text)? where !text.isEmpty: self.value = .string(text)
        case .int(let number)?: self.value = .int(number)
        default: return nil
        }
    }
    /// As part of a request's target; empty: none.
    var text: String { value.string ?? value.int.map { String($0) } ?? "" }
}

/// A version that lost: kept until somebody resolves it (icloud-documents.md 8).
struct ConflictVersion: Hashable {
    var id: String
    var version: DocumentVersion
    var size: Int
    /// By the clock of the device that wrote it, ns since 1970.
    var modified: Int64
    var device: String
    /// Its bytes are in the volume.
    var hasData: Bool

    var body: Value {
        [
            "id": .string(id), "version": version.value, "size": .int(size), "modified": .int(modified),
            "device": .string(device), "hasData": .bool(hasData),
        ]
    }
    init?(_ body: Value) {
        guard let id = body["id"]?.string ?? body["id"]?.int.map({ String($0) }),
            let version = DocumentVersion(body["version"])
        else { return nil }
        self.id = id
        self.version = version
        size = body["size"]?.int.flatMap { Int(exactly: $0) } ?? -1
        modified = body["modified"]?.int ?? 0
        device = body["device"]?.string ?? ""
        hasData = body["hasData"]?.bool ?? false
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

    var row: Value {
        var row: Value = [
            "container": .string(container), "path": .optional(path), "wanted": .string(wanted), "base": base.value,
            "remote": remote.value, "isLocal": .bool(isLocal), "isDeleted": .bool(isDeleted), "size": .int(size),
            "modified": .int(modified.nanoseconds), "digest": .int(Int64(bitPattern: digest)),
            "baseDigest": .string(baseDigest),
            "remoteDigest": .string(remoteDigest), "remoteSize": .int(remoteSize),
            "remoteModified": .int(remoteModified), "sentModified": .int(sentModified),
            "conflicts": .array(conflicts.map(\.body)),
        ]
        if let laying { row["laying"] = laying.body }
        return row
    }
    init(id: String, row: Value) throws(DecodingFailure) {
        guard let container = row["container"]?.string, let wanted = row["wanted"]?.string else {
            throw DecodingFailure("the row of document \(id) is damaged", at: 0)
        }
        self.init(id: id, container: container, wanted: wanted)
        path = row["path"]?.string
        base = DocumentVersion(row["base"]) ?? .none
        remote = DocumentVersion(row["remote"]) ?? .none
        isLocal = row["isLocal"]?.bool ?? false
        isDeleted = row["isDeleted"]?.bool ?? false
        size = row["size"]?.int.flatMap { Int(exactly: $0) } ?? 0
        modified = Instant(nanoseconds: row["modified"]?.int ?? 0)
        digest = UInt64(bitPattern: row["digest"]?.int ?? 0)
        baseDigest = row["baseDigest"]?.string ?? ""
        remoteDigest = row["remoteDigest"]?.string ?? ""
        remoteSize = row["remoteSize"]?.int.flatMap { Int(exactly: $0) } ?? -1
        remoteModified = row["remoteModified"]?.int ?? 0
        sentModified = row["sentModified"]?.int ?? 0
        conflicts = (row["conflicts"]?.array ?? []).compactMap(ConflictVersion.init)
        laying = DocumentLaying(row["laying"])
    }
}

/// Work for the Cloud that the daemon has taken over.
struct DocumentOperation: Hashable {
    enum Kind: String, Hashable {
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

    var row: Value {
        [
            "kind": .string(kind.rawValue), "item": .string(item), "container": .string(container),
            "path": .string(path),
            "from": .optional(from), "request": .string(request), "modified": .int(modified),
            "tokens": .strings(tokens), "versions": .strings(versions),
        ]
    }
    init(seq: Int64, row: Value) throws(DecodingFailure) {
        guard let kind = row["kind"]?.string.flatMap(Kind.init), let item = row["item"]?.string,
            let container = row["container"]?.string, let path = row["path"]?.string,
            let request = row["request"]?.string
        else { throw DecodingFailure("the row of document operation \(seq) is damaged", at: 0) }
        self.seq = seq
        self.kind = kind
        self.item = item
        self.container = container
        self.path = path
        self.request = request
        from = row["from"]?.string
        modified = row["modified"]?.int ?? 0
        tokens = row["tokens"]?.strings ?? []
        versions = row["versions"]?.strings ?? []
        wasSent = true
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

    var row: Value { ["since": .int(since), "apps": .strings(apps)] }
    init(id: String, row: Value) {
        self.init(id: id)
        since = row["since"]?.int ?? 0
        apps = row["apps"]?.strings ?? []
    }
}
