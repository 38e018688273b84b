import FleetModel
import Storage

/// A change of what must survive; several are committed as one.
enum DocumentChange {
    case save(DocumentItem)
    case remove(String)
    /// Adds to the queue, with the bytes to send: an upload never depends on what happens to the file afterwards.
    case enqueue(DocumentOperation, content: [UInt8]?)
    case drop(Int64)
    case container(DocumentContainer)
    case conflictData(item: String, id: String, [UInt8])
    case dropConflict(item: String, id: String)
    /// A file was removed from this place. Removals are durable late: after a power cut the same file may be back.
    case gone(path: String, digest: UInt64)
    /// A file lies at this place again.
    case back(path: String)
}

/// One person's documents on one iPad.
///
/// Invariants: each live item has a place of its own (`places`); what the caches say was committed before.
final class DocumentLibrary {
    let volume: Volume
    /// In order of their identifiers.
    private(set) var containers: [DocumentContainer] = []
    private(set) var items: [String: DocumentItem] = [:]
    /// In the order they were queued.
    private(set) var operations: [DocumentOperation] = []
    /// Live items by their place on this iPad.
    private var places: [String: String] = [:]
    /// How many operations of an item wait; of those that have some.
    private var queued: [String: Int] = [:]
    /// Items by what they lack, in order of their ids: most lack nothing, and each turn of the daemon asks.
    private var lacking = DocumentNeeds()

    /// Extensions of folders that are one document.
    var packageExtensions: [String] = []
    /// All documents are fetched without being asked for (S117).
    var fetchesAll = false
    /// Its account is signed in: only then changes are read and data are fetched.
    var isHere = false
    /// When documents were last read; known only while the daemon runs.
    var lastUsed: [String: Instant] = [:]

    /// Coordinated accesses of apps.
    struct Accesses {
        /// In the order in which they began.
        var writes: [OpenAccess] = []
        var reads: [OpenAccess] = []
        /// Those that wait for them.
        var turns: [Turn] = []
        /// Writes that have ended and are not in the journal yet: the disk is full. In the order in which they ended.
        var ended: [OpenAccess] = []
    }
    var accesses = Accesses()

    /// An app that waits for a document's data.
    struct Waiter {
        var item: String
        var app: AppIdentity
        var exchange: UInt64
    }
    /// Apps that wait for documents or present them.
    struct Audience {
        var waiters: [Waiter] = []
        /// What live launches present.
        var presented: [(app: AppIdentity, paths: [String])] = []
        /// Conflict versions that presenters have been told of, by item.
        var versions: [String: [ConflictVersion]] = [:]
        /// What presenters know of documents' sync: entries of `docs.list`, by item.
        var entries: [String: DocumentMessages.Entry] = [:]
    }
    var audience = Audience()

    /// What is on its way to the Cloud, by the name of the task.
    enum Work: Hashable {
        case operation(Int64)
        case feed(String)
        case data(String, DocumentVersion)
        case conflict(item: String, id: String)
    }
    var underWay: [String: Work] = [:]

    init(_ volume: Volume) throws {
        self.volume = volume
        try volume.database.script(
            """
            CREATE TABLE IF NOT EXISTS docs_item(id TEXT PRIMARY KEY, body BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS docs_op(seq INTEGER PRIMARY KEY, body BLOB NOT NULL, content BLOB);
            CREATE TABLE IF NOT EXISTS docs_container(id TEXT PRIMARY KEY, body BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS docs_conflict(item TEXT NOT NULL, id TEXT NOT NULL, data BLOB NOT NULL,
                PRIMARY KEY (item, id));
            CREATE TABLE IF NOT EXISTS docs_gone(path TEXT PRIMARY KEY, digest INTEGER NOT NULL);
            """)
        let database = volume.database
        for row in try database.query("SELECT id, body FROM docs_item ORDER BY id") {
            cache(try DocumentItem(id: row.text(0), row: Value(json: row.blob(1))))
        }
        operations = try database.query("SELECT seq, body FROM docs_op ORDER BY seq").map {
            try DocumentOperation(seq: $0.int(0), row: Value(json: $0.blob(1)))
        }
        for operation in operations { queued[operation.item, default: 0] += 1 }
        containers = try database.query("SELECT id, body FROM docs_container ORDER BY id").map {
            DocumentContainer(id: $0.text(0), row: try Value(json: $0.blob(1)))
        }
    }

    // MARK: Looking

    func item(at path: String) -> DocumentItem? { places[path].flatMap { items[$0] } }
    func operations(of item: String) -> [DocumentOperation] {
        queued[item] == nil ? [] : operations.filter { $0.item == item }
    }
    func hasPut(_ item: String) -> Bool {
        queued[item] != nil && operations.contains { $0.item == item && $0.kind == .put }
    }
    func container(_ id: String) -> DocumentContainer? { containers.first { $0.id == id } }
    /// Items of a container in order of their ids.
    func items(of container: String) -> [DocumentItem] { items { $0.container == container } }
    /// Items of a container that have a place, in order of their places.
    func placedItems(of container: String) -> [DocumentItem] {
        places.keys.sorted().compactMap { item(at: $0) }.filter { $0.container == container }
    }
    /// Items that fulfil a condition, in order of their ids.
    func items(where isWanted: (DocumentItem) -> Bool) -> [DocumentItem] {
        items.values.filter(isWanted).sorted { $0.id < $1.id }
    }
    /// Items whose data are not here although an app asked for them, or not the newest; of all that are not here with `all`. In order of
    /// their ids.
    func itemsWithoutData(all: Bool) -> some Sequence<DocumentItem> {
        (all ? lacking.dataOfAny : lacking.data).lazy.compactMap { self.items[$0] }
    }
    /// Items with conflict versions whose data are not here, in order of their ids.
    var itemsWithoutVersions: [DocumentItem] { lacking.versions.compactMap { items[$0] } }
    /// Live items at a place or below it, in order of their places.
    func items(atOrBelow path: String) -> [DocumentItem] {
        places.keys.filter { $0 == path || $0.hasPrefix(path + "/") }.sorted().compactMap { item(at: $0) }
    }
    func isBeingWritten(_ path: String) -> Bool {
        accesses.writes.contains { open in
            !open.isGivenUp
                && open.places.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
    }

    /// A coordinated access is short; one that lasts longer must not stop the sync, nor others. ASSUMED.
    static let longestWrite = Span.seconds(60)
    func giveUpWrites(at now: Instant) {
        for index in accesses.writes.indices where accesses.writes[index].began + Self.longestWrite <= now {
            accesses.writes[index].isGivenUp = true
        }
        for index in accesses.reads.indices where accesses.reads[index].began + Self.longestWrite <= now {
            accesses.reads[index].isGivenUp = true
        }
    }

    func content(of seq: Int64) throws -> [UInt8] {
        try volume.database.query("SELECT content FROM docs_op WHERE seq = ?", .int(seq)).first?.blob(0) ?? []
    }
    func conflictData(_ item: String, _ id: String) throws -> [UInt8]? {
        try volume.database.query("SELECT data FROM docs_conflict WHERE item = ? AND id = ?", .text(item), .text(id))
            .first?.blob(0)
    }
    /// Whether a file with these data was removed from this place.
    func isGone(_ path: String, digest: UInt64) throws -> Bool {
        try volume.database.query("SELECT digest FROM docs_gone WHERE path = ?", .text(path)).first.map {
            UInt64(bitPattern: $0.int(0)) == digest
        } ?? false
    }

    // MARK: Changing

    /// Commits all changes as one, then shows them.
    func commit(_ changes: [DocumentChange]) throws {
        let numbered = number(changes)
        try volume.database.transaction { for change in numbered { try write(change) } }
        for change in numbered { show(change) }
    }
    /// Changes what is only known while the daemon runs.
    func update(item id: String, _ change: (inout DocumentItem) -> Void) {
        guard var item = items[id] else { return }
        change(&item)
        items[id] = item
        lacking.take(item)
    }
    func update(operation seq: Int64, _ change: (inout DocumentOperation) -> Void) {
        guard let index = operations.firstIndex(where: { $0.seq == seq }) else { return }
        change(&operations[index])
    }
    func update(container id: String, _ change: (inout DocumentContainer) -> Void) {
        guard let index = containers.firstIndex(where: { $0.id == id }) else { return }
        change(&containers[index])
    }

    private func number(_ changes: [DocumentChange]) -> [DocumentChange] {
        var last = operations.last?.seq ?? 0
        return changes.map { change in
            guard case .enqueue(var operation, let content) = change else { return change }
            last += 1
            operation.seq = last
            return .enqueue(operation, content: content)
        }
    }

    private func write(_ change: DocumentChange) throws {
        let database = volume.database
        switch change {
        case .save(let item):
            try database.execute(
                "INSERT OR REPLACE INTO docs_item VALUES (?, ?)", .text(item.id), .blob(item.row.jsonBytes))
        case .remove(let id):
            try database.execute("DELETE FROM docs_item WHERE id = ?", .text(id))
            try database.execute("DELETE FROM docs_conflict WHERE item = ?", .text(id))
        case .enqueue(let operation, let content):
            try database.execute(
                "INSERT INTO docs_op VALUES (?, ?, ?)", .int(operation.seq), .blob(operation.row.jsonBytes),
                content.map { .blob($0) } ?? .null)
        case .drop(let seq): try database.execute("DELETE FROM docs_op WHERE seq = ?", .int(seq))
        case .container(let container):
            try database.execute(
                "INSERT OR REPLACE INTO docs_container VALUES (?, ?)", .text(container.id),
                .blob(container.row.jsonBytes))
        case .conflictData(let item, let id, let data):
            try database.execute(
                "INSERT OR REPLACE INTO docs_conflict VALUES (?, ?, ?)", .text(item), .text(id), .blob(data))
        case .dropConflict(let item, let id):
            try database.execute("DELETE FROM docs_conflict WHERE item = ? AND id = ?", .text(item), .text(id))
        case .gone(let path, let digest):
            try database.execute(
                "INSERT OR REPLACE INTO docs_gone VALUES (?, ?)", .text(path), .int(Int64(bitPattern: digest)))
        case .back(let path): try database.execute("DELETE FROM docs_gone WHERE path = ?", .text(path))
        }
    }

    private func show(_ change: DocumentChange) {
        switch change {
        case .save(let item): cache(item)
        case .remove(let id): forget(id)
        case .enqueue(let operation, _):
            operations.append(operation)
            queued[operation.item, default: 0] += 1
        case .drop(let seq): drop(seq)
        case .container(let container):
            containers.removeAll { $0.id == container.id }
            containers.insert(container, at: containers.firstIndex { $0.id > container.id } ?? containers.count)
        case .conflictData, .dropConflict, .gone, .back: break
        }
    }
    private func drop(_ seq: Int64) {
        guard let index = operations.firstIndex(where: { $0.seq == seq }) else { return }
        let item = operations.remove(at: index).item
        queued[item] = queued[item].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    private func cache(_ item: DocumentItem) {
        forget(item.id)
        items[item.id] = item
        lacking.take(item)
        if let path = item.path { places[path] = item.id }
    }
    private func forget(_ id: String) {
        guard let item = items.removeValue(forKey: id) else { return }
        lacking.forget(id)
        if let path = item.path, places[path] == id { places[path] = nil }
    }
}

/// The digest by which the daemon knows data again; never leaves the iPad.
func documentDigest(_ data: [UInt8]) -> UInt64 {
    var hash = StableHash()
    hash.add(data)
    return hash.value
}

extension DocumentLibrary: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        try invariant(
            isAscending(operations.map(\.seq)), "document operations are not in the order in which they were queued")
        try invariant(isAscending(containers.map(\.id)), "document containers are not in the order of their names")
        let counted = operations.reduce(into: [:]) { $0[$1.item, default: 0] += 1 }
        try invariant(
            counted == queued, "the operations of documents are counted wrongly: \(queued), and they are \(counted)")
        for (path, id) in places {
            try invariant(items[id]?.path == path, "\(path) is the place of document \(id), which knows nothing of it")
        }
        var needs = DocumentNeeds()
        for (id, item) in items {
            try invariant(item.id == id, "document \(item.id) is kept as \(id)")
            if let path = item.path {
                try invariant(
                    places[path] == id,
                    "document \(id) lies at \(path), where \(places[path] ?? "nothing") is known to lie")
            }
            needs.take(item)
        }
        try invariant(needs == lacking, "what documents lack is not what the library thinks that they lack")
    }
}
